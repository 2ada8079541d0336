"""What is usable but doubtful about a tool: advice for its author, never a verdict."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from toolsync.safe import spelled
from toolsync.schema.dialect import Dialect, dialect_of, subschemas
from toolsync.schema.pointer import pointer
from toolsync.schema.reference import Resolver, Unresolvable
from toolsync.schema.shown import quoted
from toolsync.schema.validity import reading_dialect

MAX_DOUBTS: Final = 100
"""How many doubts of one tool are told."""

MAX_LOOKED_AT: Final = 100_000
"""How many subschemas of one schema are looked at for doubts."""

MAX_DEPTH: Final = 500
MAX_NAME: Final = 128  # MCP, "Tool Names"

RULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "dialect-assumed": "A schema without `$schema` only makes sense as draft-07.",
        "dialect-unknown": "`$schema` names a dialect that is not understood.",
        "hidden-character": "A text that the model reads holds characters that people cannot see.",
        "look-alike": "A word mixes alphabets whose letters look the same.",
        "name-long": "The name is longer than 128 characters.",
        "name-unusual": "The name has characters other than A-Z a-z 0-9 _ . -.",
        "reference-loop": "A `$ref` leads back to itself without describing anything.",
        "required-undeclared": "`required` names a property that is declared nowhere.",
    }
)
"""Every rule of advice with its one-sentence reason."""

_UNUSUAL: Final = re.compile(r"[^A-Za-z0-9_.\-]")
# Joiners belong into emoji and several scripts, between letters that are not ASCII.
_UNSEEN: Final = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff"
    "\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN: Final = re.compile(
    f"[{_UNSEEN}]|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
# Spelled out: asking for the name of every letter of a Chinese text would take its time.
_LATIN: Final = re.compile(
    "[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1d00-\u1d25\u1e00-\u1eff\u2c60-\u2c7f"
    "\ua722-\ua787\ua78b-\ua7ff\uab30-\uab64]"
)
_LOOK_ALIKE_SCRIPTS: Final = frozenset({"ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC"})
# Of Greek only what passes for Latin: Δt and µs are no disguise.
_GREEK_LOOK_ALIKES: Final = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧνορ")
# One class, since alternatives would be ten times slower.
_SUSPECT: Final = re.compile(
    f"[{_UNSEEN}\u200c\u200d\u0370-\u058f\u13a0-\u13ff\u1c80-\u1c8f\u2c80-\u2cff"
    "\u2de0-\u2dff\ua640-\ua69f\uab70-\uabbf\uff21-\uff5a\U0001d400-\U0001d7ff]"
)
_COMMON: Final = bytes(range(0x20, 0x7F)) + b"\t\n\r"  # what hides nothing, as most of a text
_IN_PLACE: Final = (
    *("$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf"),
    *("if", "then", "else", "dependentSchemas", "dependencies", "patternProperties"),
)
_OWNED: Final = frozenset(
    {"properties", "patternProperties", "additionalProperties", "items", "prefixItems"}
)


@dataclass(frozen=True, slots=True)
class Doubt:
    """One piece of advice: where (a JSON Pointer into the tool), by which rule, and why.

    `count` says how many characters or words of one text it is about.
    """

    path: str
    rule: str
    reason: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class _Place:
    schema: dict[str, Any]
    tokens: tuple[str, ...]
    describes_value: bool
    base: str


def doubts(definition: Mapping[str, Any]) -> tuple[Doubt, ...]:
    """Finds what is doubtful about a well-formed tool, by path; the first hundred."""
    found: list[Doubt] = []
    for doubt in _doubts(definition):
        found.append(doubt)
        if len(found) == MAX_DOUBTS:
            break
    return tuple(sorted(found, key=lambda each: (each.path, each.rule)))


def may_hide(text: bytes) -> bool:
    """Tells whether JSON text, in canonical form, may hold hidden or look-alike characters."""
    escaped = b"\\u00" in text or b"\\b" in text or b"\\f" in text
    return escaped or is_suspect(text)


def is_suspect(text: bytes) -> bool:
    """Tells of JSON text without escapes whether it may hold such characters, a dash being none."""
    rare = text.translate(None, _COMMON).decode("utf-8", "replace")
    return _SUSPECT.search(rare) is not None


def _doubts(definition: Mapping[str, Any]) -> Iterator[Doubt]:
    yield from _name_doubts(definition.get("name"))
    for field in ("title", "description"):
        yield from _text_doubts(definition.get(field), (field,))
    for field in ("inputSchema", "outputSchema"):
        schema = definition.get(field)
        if isinstance(schema, dict):
            dialect = reading_dialect(schema)
            yield from _dialect_doubts(schema, field, dialect)
            yield from _schema_doubts(schema, field, dialect)


def _name_doubts(name: object) -> Iterator[Doubt]:
    if not isinstance(name, str):
        return
    if len(name) > MAX_NAME:
        reason = f"expected at most {MAX_NAME} characters, got {len(name)}"
        yield Doubt("/name", "name-long", reason)
    unusual = _UNUSUAL.search(name)
    if unusual:
        got = _code_point(unusual[0])
        reason = f"expected only A-Z a-z 0-9 _ . -, got {got}; some clients refuse such names"
        yield Doubt("/name", "name-unusual", reason)
    yield from _text_doubts(name, ("name",))


def _text_doubts(text: object, tokens: tuple[str, ...]) -> Iterator[Doubt]:
    if not isinstance(text, str) or (text.isascii() and text.isprintable()):
        return
    hidden = list(_HIDDEN.finditer(text))
    if hidden:
        first = hidden[0]
        reason = f"expected visible text, got {_code_point(first[0])} at offset {first.start()}"
        yield Doubt(pointer(tokens), "hidden-character", reason, len(hidden))
    mixed = [] if text.isascii() else list(_mixed_words(text))
    if mixed:
        reason = f"expected one alphabet in a word, got '{spelled(mixed[0])}'"
        yield Doubt(pointer(tokens), "look-alike", reason, len(mixed))


def _mixed_words(text: str) -> Iterator[str]:
    """Finds the words of Latin letters and of letters that pass for them."""
    for found in _WORD.finditer(text):
        word = found[0]
        if word.isascii() or _LATIN.search(word) is None:
            continue
        if any(_looks_latin(char) for char in word if not char.isascii()):
            yield word[:40]


def _looks_latin(char: str) -> bool:
    name = unicodedata.name(char, "")
    if char in _GREEK_LOOK_ALIKES or name.partition(" ")[0] in _LOOK_ALIKE_SCRIPTS:
        return True
    return name.startswith(("FULLWIDTH LATIN", "MATHEMATICAL "))


def _code_point(char: str) -> str:
    shown = f" ({quoted(char)})" if char.isprintable() else ""
    return f"U+{ord(char):04X}{shown}"


def _dialect_doubts(schema: dict[str, Any], field: str, dialect: Dialect) -> Iterator[Doubt]:
    if "$schema" not in schema:
        if dialect is Dialect.DRAFT7:
            uri = Dialect.DRAFT7.uri
            reason = (
                f"read as draft-07, since 2020-12 refuses it; say so with $schema {quoted(uri)}"
            )
            yield Doubt(f"/{field}", "dialect-assumed", reason)
    elif isinstance(schema["$schema"], str) and dialect_of(schema) is None:
        got = quoted(schema["$schema"])
        reason = f"expected the URI of draft-04 to 2020-12, got {got}; read as {dialect.label}"
        yield Doubt(f"/{field}/$schema", "dialect-unknown", reason)


def _schema_doubts(schema: dict[str, Any], field: str, dialect: Dialect) -> Iterator[Doubt]:
    resolver = Resolver(schema, dialect)
    settled: set[int] = set()
    for place in _places(schema, dialect, resolver):
        here, tokens = place.schema, (field, *place.tokens)
        for keyword in ("title", "description"):
            yield from _text_doubts(here.get(keyword), (*tokens, keyword))
        for which, text in _values(here):
            yield from _text_doubts(text, (*tokens, *which))
        declared = here.get("properties")
        for name in declared if isinstance(declared, dict) else ():
            yield from _text_doubts(name, (*tokens, "properties", name))
        for name in _undeclared(place):
            reason = f"expected a property that is declared, got {quoted(name)}"
            yield Doubt(pointer((*tokens, "required")), "required-undeclared", reason)
        if _loops(place, resolver, settled):
            reason = (
                "expected a reference to a schema that says something, got a loop of references"
            )
            yield Doubt(pointer((*tokens, "$ref")), "reference-loop", reason)


def _values(schema: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yields the values that a schema lists or names: a model writes them as it reads them."""
    for keyword in ("enum", "examples"):
        listed = schema.get(keyword)
        for index, value in enumerate(listed if isinstance(listed, list) else ()):
            yield (keyword, str(index)), value
    for keyword in ("const", "default"):
        yield (keyword,), schema.get(keyword)


def _places(schema: dict[str, Any], dialect: Dialect, resolver: Resolver) -> Iterator[_Place]:
    pending = [_Place(schema, (), describes_value=True, base=resolver.root_base)]
    budget = MAX_LOOKED_AT
    while pending and budget:
        budget -= 1
        place = pending.pop()
        yield place
        if len(place.tokens) > MAX_DEPTH:
            continue
        for steps, child in subschemas(place.schema, dialect):
            if isinstance(child, dict) and len(pending) < budget:
                base = resolver.enter(child, place.base)
                owned = steps[0] in _OWNED
                pending.append(_Place(child, place.tokens + steps, owned, base))


def _undeclared(place: _Place) -> Iterator[str]:
    """Names in `required` that nothing declares; silent where another schema may declare them."""
    schema = place.schema
    required, declared = schema.get("required"), schema.get("properties", {})
    if not isinstance(required, list) or not isinstance(declared, dict):
        return
    reusable = place.tokens[:-1] in {("$defs",), ("definitions",)} and bool(declared)
    if not (place.describes_value or reusable) or any(word in schema for word in _IN_PLACE):
        return
    if isinstance(schema.get("additionalProperties"), dict):
        return  # a map that asks for some of its keys
    yield from (name for name in required if isinstance(name, str) and name not in declared)


def _loops(place: _Place, resolver: Resolver, settled: set[int]) -> bool:
    """Tells whether following `$ref` alone leads into a loop; each schema is passed once."""
    schema: object = place.schema
    base = place.base
    passed: set[int] = set()
    while isinstance(schema, dict) and "$ref" in schema and id(schema) not in settled:
        settled.add(id(schema))
        passed.add(id(schema))
        try:
            target = resolver.resolve(schema["$ref"], base)
        except Unresolvable:
            return False
        schema, base = target.schema, target.base
    return id(schema) in passed
