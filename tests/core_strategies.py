"""What the core is fed with: JSON values, schemas and tools, and odd ways to spell them."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from hypothesis import strategies as st

import oracle

Json: TypeAlias = Any  # a JSON value in Python objects, possibly with the two classes below


@dataclass(frozen=True, slots=True)
class Raw:
    """Stands for a value whose very spelling counts."""

    text: str


@dataclass(frozen=True, slots=True)
class Members:
    """An object that may hold a key more than once."""

    pairs: tuple[tuple[str, Json], ...]


# --- scalars ---------------------------------------------------------------------

_EDGES = [2**53, 2**63, 2**64, 10**18, 10**21, 10**22, 10**400]
_DOUBLES = [
    0.0, -0.0, 1.0, 0.1, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e21, 1e-6,
    1e-7, 9.999999999999997e22, 999999999999999900000.0, 123456789.125, 2.0**53, 2.0**64, 1e20,
]  # fmt: skip

integers = st.one_of(
    st.integers(-20, 20),
    st.integers(),
    st.builds(lambda n, d: n + d, st.sampled_from(_EDGES), st.integers(-2, 2)),
    st.builds(lambda n, d: d - n, st.sampled_from(_EDGES), st.integers(-2, 2)),
)
doubles = st.one_of(
    st.sampled_from(_DOUBLES),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: float(round(x, 2))),
)
# The boundaries of UTF-8 lengths, of the surrogates, and all that is escaped somewhere.
_CHARACTERS = (
    'a z"\\/\x00\b\t\n\f\r\x1f\x7f\x80é߿ࠀ\u2028\ud7ff\ue000\ufb33\uffff\U00010000😀\U0010ffff'
)
texts = st.one_of(
    st.text(alphabet=st.sampled_from(_CHARACTERS), max_size=12),
    st.text(max_size=12),
)
prose = st.text(alphabet=st.sampled_from(' \t\n\r\n a"\\nré\x0b\xa0'), max_size=12)
scalars = st.one_of(st.none(), st.booleans(), integers, doubles, texts)

# --- schemas ---------------------------------------------------------------------

_KEYWORDS = [
    *oracle.MAPS, *oracle.LISTS, *oracle.SINGLES, "type", "enum", "required", "dependentRequired",
    "dependencies", "description", "title", "$comment", "const", "default", "examples", "$ref",
    "minimum", "maxLength", "x-unknown", "$schema", "readOnly",
]  # fmt: skip
_REFERENCES = [
    "#", "#/properties/a", "#/properties/a/anyOf/0", "#/allOf/1/items", "#/oneOf/10",
    "#/properties/anyOf", "#/properties/oneOf/x", "other.json#/$defs/T", "other.json#/anyOf/0",
    "/anyOf/0", "#/anyOf", "#/anyOf/", "#anyOf/0", "#/properties/xanyOf/0", "#/prefixItems/0",
]  # fmt: skip

names = st.one_of(
    st.sampled_from([*_KEYWORDS, "a", "b", "", "0", "é", "\r", "\ufb33", "😀", "\ue000"]), texts
)
data = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)),
    max_leaves=8,
)
_type_names = st.sampled_from(["string", "null", "integer", "object", "array", "boolean"])


def _entries(sub: st.SearchStrategy[Json]) -> st.SearchStrategy[tuple[str, Json]]:
    """One keyword with a value: mostly of its kind, now and then of any."""
    sets = st.lists(st.one_of(names, scalars), max_size=5)
    return st.one_of(
        st.tuples(st.sampled_from(oracle.MAPS), st.dictionaries(names, sub, max_size=3)),
        st.tuples(st.sampled_from([*oracle.LISTS, "items"]), st.lists(sub, max_size=4)),
        st.tuples(st.sampled_from(oracle.UNIONS), st.lists(sub, min_size=2, max_size=4)),
        st.tuples(st.sampled_from(oracle.SINGLES), sub),
        st.tuples(st.just("type"), st.one_of(_type_names, st.lists(_type_names, max_size=3))),
        st.tuples(st.sampled_from(["required", "enum", "type"]), sets),
        st.tuples(st.sampled_from(["description", "title", "$comment"]), prose),
        st.tuples(st.just("$ref"), st.sampled_from(_REFERENCES)),
        st.tuples(
            st.sampled_from(["dependentRequired", "dependencies"]),
            st.dictionaries(names, st.one_of(st.lists(names, max_size=3), sub), max_size=3),
        ),
        st.tuples(st.sampled_from(["default", "const", "examples", "x-unknown"]), data),
        st.tuples(st.sampled_from(["minimum", "maxLength"]), st.one_of(integers, doubles)),
        st.tuples(st.sampled_from(_KEYWORDS), data),
    )


def _objects_of(sub: st.SearchStrategy[Json]) -> st.SearchStrategy[dict[str, Json]]:
    return st.lists(_entries(sub), max_size=4).map(dict)


subschemas = st.recursive(
    st.one_of(st.booleans(), st.fixed_dictionaries({"type": _type_names})),
    _objects_of,
    max_leaves=10,
)
schemas = _objects_of(subschemas)

# --- tools -----------------------------------------------------------------------

_hints = st.dictionaries(
    st.sampled_from([*oracle.HINTS, "title"]),
    st.one_of(st.booleans(), st.sampled_from([None, 0, 1, "true"])),
)
_executions = st.one_of(
    data,
    st.fixed_dictionaries(
        {"taskSupport": st.sampled_from(["forbidden", "optional", "required", "", None, 1])}
    ),
)
tools: st.SearchStrategy[dict[str, Json]] = st.fixed_dictionaries(
    {"name": texts.filter(bool), "inputSchema": schemas},
    optional={
        "description": st.one_of(st.none(), prose, texts),
        "outputSchema": st.one_of(st.none(), schemas),
        "annotations": st.one_of(st.none(), _hints),
        "execution": _executions,
        "title": texts,
        "_meta": data,
    },
)


def _with_field(tool: dict[str, Json], field: str, value: Json) -> dict[str, Json]:
    return {**tool, field: value}


_FIELDS = ["name", "inputSchema", "description", "outputSchema", "annotations", "execution"]
odd_tools = st.one_of(
    data,
    st.builds(_with_field, tools, st.sampled_from(_FIELDS), data),
    st.builds(
        lambda tool, field: {k: v for k, v in tool.items() if k != field},
        tools,
        st.sampled_from(_FIELDS),
    ),
)

# --- texts -----------------------------------------------------------------------

_digits = st.text(alphabet="0123456789", max_size=25)
literals = st.builds(
    lambda sign, whole, fraction, exponent: sign + whole + fraction + exponent,
    st.sampled_from(["", "-"]),
    st.one_of(st.just("0"), st.builds(lambda a, b: a + b, st.sampled_from("123456789"), _digits)),
    st.one_of(st.just(""), _digits.filter(bool).map(".{}".format), st.just("." + "0" * 400 + "1")),
    st.one_of(
        st.just(""),
        st.builds(
            "{}{}{}".format,
            st.sampled_from("eE"),
            st.sampled_from(["", "+", "-", "-000"]),
            st.one_of(st.integers(0, 30), st.integers(280, 345), st.just(10**30)),
        ),
    ),
)
_SURROGATES = ["\\ud800", "\\uDFFF", "\\udc00\\ud800", "a\\ud83dz", "\\ud83d\\ude00", "\\ud83d\\n"]
_raw = st.one_of(
    literals.map(Raw), st.sampled_from(_SURROGATES).map(lambda inside: Raw(f'"{inside}"'))
)


def _members(pairs: Iterable[tuple[str, Json]], again: int) -> Members:
    listed = list(pairs)
    return Members((*listed, *listed[:again]))


#: Values for texts alone: number spellings, surrogates, repeated keys.
raw_data = st.recursive(
    st.one_of(_raw, scalars),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.builds(
            _members, st.lists(st.tuples(names, inner), max_size=3), st.sampled_from([0, 0, 0, 1])
        ),
    ),
    max_leaves=6,
)
raw_tools = st.builds(
    lambda tool, place, value: {**tool, "inputSchema": {**tool["inputSchema"], place: value}},
    tools,
    st.sampled_from(["default", "enum", "x-unknown", "properties"]),
    raw_data,
)
#: Seeds for `spell`: 0, which examples shrink to, is the plain spelling.
spellings = st.integers(0, 2**32)


def spell(value: Json, seed: int) -> bytes:
    """JSON text of a value, spelled in one of the many ways that mean the same."""
    return _spell(value, Random(seed) if seed else None).encode()  # noqa: S311 - no secrets here


def _spell(value: Json, odd: Random | None) -> str:
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, dict):
        pairs = list(value.items())
        if odd:
            odd.shuffle(pairs)
        return _spell_members(pairs, odd)
    if isinstance(value, Members):
        return _spell_members(value.pairs, odd)
    if isinstance(value, list | tuple):
        inside = ",".join(_blank(odd) + _spell(item, odd) + _blank(odd) for item in value)
        return f"[{inside or _blank(odd)}]"
    if isinstance(value, str):
        return _spell_text(value, odd)
    return _spell_word(value, odd)


def _spell_members(pairs: Iterable[tuple[str, Json]], odd: Random | None) -> str:
    inside = ",".join(
        f"{_blank(odd)}{_spell_text(key, odd)}{_blank(odd)}:{_blank(odd)}{_spell(item, odd)}"
        for key, item in pairs
    )
    return f"{{{inside}{_blank(odd)}}}"


def _blank(odd: Random | None) -> str:
    return odd.choice(["", "", "", " ", "\n", "\t", "\r\n  "]) if odd else ""


def _spell_word(value: Json, odd: Random | None) -> str:
    """A number, boolean or null; small integers also as doubles, which hold them exactly."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    plain = repr(value) if isinstance(value, float) else str(value)
    if not odd or odd.random() < 0.6:
        return plain
    if isinstance(value, int):
        return odd.choice([plain + ".0", plain + "E0", plain + "0e-1"]) if _small(value) else plain
    mantissa, _, exponent = plain.partition("e")
    power = int(exponent or "0")
    zeros = "0" * odd.randrange(3) if "." in mantissa else ""
    return f"{mantissa}{zeros}{odd.choice('eE')}{power:+d}"


def _small(value: int) -> bool:
    return 0 < abs(value) < 2**53


def _spell_text(text: str, odd: Random | None) -> str:
    if not odd or odd.random() < 0.3:
        return json.dumps(text, ensure_ascii=False)
    return '"' + "".join(_spell_character(character, odd) for character in text) + '"'


def _spell_character(character: str, odd: Random) -> str:
    escaped = json.dumps(character)[1:-1]
    plain = json.dumps(character, ensure_ascii=False)[1:-1]
    units = character.encode("utf-16-be")
    numbered = "".join(f"\\u{units[i]:02x}{units[i + 1]:02X}" for i in range(0, len(units), 2))
    return odd.choice([plain, plain, escaped, numbered, "\\/" if character == "/" else plain])


# --- Python objects --------------------------------------------------------------


class Words(str):
    """A str subclass, as enumerations and markup libraries have them."""

    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


class Colours(enum.IntEnum):
    """An int subclass that prints as a name."""

    RED = 7


class Half(float):
    """A float subclass that prints otherwise."""

    def __repr__(self) -> str:
        return "a half"


_object_leaves = st.one_of(
    scalars,
    texts.map(Words),
    st.just(Colours.RED),
    st.sampled_from([0.5, -2.0, 1e300]).map(Half),
)
objects = st.recursive(
    _object_leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(names, names.map(Words)), inner, max_size=4),
    ),
    max_leaves=10,
)
#: What no JSON text can hold.
strangers = st.sampled_from([
    float("nan"), float("inf"), -float("inf"), b"bytes", {1, 2}, 1j, object(), "\ud800", "a\udfffz",
    {1: 2}, {None: 1}, {True: 1}, {b"a": 1}, {"\udc00": 1}, {("a",): 1}, range(3), int, Ellipsis,
])  # fmt: skip
