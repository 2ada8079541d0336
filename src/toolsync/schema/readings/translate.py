"""Rewrites one schema's keywords to 2020-12; the subschemas are left to given hands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from toolsync.schema.dialect import Dialect
from toolsync.schema.proof.values import key
from toolsync.schema.readings.keywords import REFERENCES, TRANSLATED


class Hands(NamedTuple):
    """How each sort of subschema is copied.

    `members` gets all of them at once; `item` and `rule` describe a part of the value,
    `beside` looks at the same value, `plain` is copied as written, `refer`
    turns the reference under a keyword into a schema.
    """

    members: Callable[[Any], dict[str, Any]]
    item: Callable[[Any], Any]
    rule: Callable[[Any], Any]
    beside: Callable[[Any], Any]
    plain: Callable[[Any], Any]
    refer: Callable[[str], dict[str, Any]]


_Writer = Callable[[dict[str, Any], Any, Hands, dict[str, Any]], None]


def translate(
    schema: dict[str, Any], dialect: Dialect, known: frozenset[str], hands: Hands
) -> dict[str, Any]:
    """Copies the `known` keywords, those that accept or refuse, spelt as in 2020-12."""
    out: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword not in known:
            if keyword == "format":  # refuses nothing, but makes for a better witness
                out[keyword] = value
            continue
        if keyword not in TRANSLATED:
            out[keyword] = value
        elif keyword in REFERENCES:
            _conjoin(out, hands.refer(keyword))
        elif keyword == "dependencies" and not dialect.legacy:
            # Named by the meta-schema, but no keyword any more: validators disagree.
            _conjoin(out, _doubtful(value))
        else:
            _WRITERS[keyword](schema, value, hands, out)
    if dialect is not Dialect.DRAFT2020:
        _older(schema, dialect, hands, out)
    elif isinstance(schema.get("items"), list):
        raise ValueError("items: a list, which this dialect does not have")
    return out


def _conjoin(out: dict[str, Any], more: dict[str, Any]) -> None:
    """Adds a schema: side by side where its keywords are free, else under `allOf`."""
    if not more:
        return
    if len(more) == 1 and next(iter(more)) not in out and "allOf" not in more:
        out.update(more)
    else:
        out["allOf"] = [*out.get("allOf", ()), more]


def _doubtful(value: Any) -> dict[str, Any]:
    reason = "dependencies: validators of this dialect disagree on it"
    return {"x-undecidable": {"reason": reason, "identity": "dependencies " + key(value)}}


def _older(schema: dict[str, Any], dialect: Dialect, hands: Hands, out: dict[str, Any]) -> None:
    """Respells what 2020-12 says in another way."""
    if isinstance(schema.get("items"), list):
        out["prefixItems"] = out.pop("items")
        if "additionalItems" in schema:
            out["items"] = hands.item(schema["additionalItems"])
    if dialect is Dialect.DRAFT4:
        _exclusive(schema, "minimum", "exclusiveMinimum", out)
        _exclusive(schema, "maximum", "exclusiveMaximum", out)
    if dialect is Dialect.DRAFT2019 and "contains" in out:
        # It evaluated no items then: hidden from `unevaluatedItems`.
        names = ("contains", "minContains", "maxContains")
        hidden = {name: out.pop(name) for name in names if name in out}
        _conjoin(out, {"not": {"not": hidden}})


def _exclusive(schema: dict[str, Any], bound: str, flag: str, out: dict[str, Any]) -> None:
    out.pop(flag, None)
    if schema.get(flag) is True and bound in schema:
        out[flag] = out.pop(bound)


def _listed(value: Any) -> list[Any]:
    if value.__class__ is not list:
        raise TypeError("expected a list of schemas")
    return value


def _copy(keyword: str) -> _Writer:
    def write(_schema: dict[str, Any], value: Any, _hands: Hands, out: dict[str, Any]) -> None:
        out[keyword] = value

    return write


def _properties(_: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
    out["properties"] = hands.members(value)


def _patterns(_: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
    out["patternProperties"] = {name: hands.rule(each) for name, each in value.items()}


def _rule(keyword: str) -> _Writer:
    def write(_schema: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
        out[keyword] = hands.rule(value)

    return write


def _items(_: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
    listed = isinstance(value, list)  # `_older` makes that `prefixItems`
    out["items"] = [hands.item(each) for each in value] if listed else hands.item(value)


def _prefix(_: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
    out["prefixItems"] = [hands.item(each) for each in _listed(value)]


def _plain(keyword: str) -> _Writer:
    def write(_schema: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
        out[keyword] = hands.plain(value)

    return write


def _all_of(_: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
    out["allOf"] = [*out.get("allOf", ()), *[hands.beside(each) for each in _listed(value)]]


def _branches(keyword: str) -> _Writer:
    def write(_schema: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
        out[keyword] = [hands.beside(each) for each in _listed(value)]

    return write


def _conditional(keyword: str) -> _Writer:
    def write(schema: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
        if "if" in schema:
            out[keyword] = hands.beside(value)

    return write


def _dependent_schemas(_: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
    out["dependentSchemas"] = {name: hands.beside(each) for name, each in value.items()}


def _dependencies(_: dict[str, Any], value: Any, hands: Hands, out: dict[str, Any]) -> None:
    for name, each in value.items():
        if isinstance(each, list):
            out.setdefault("dependentRequired", {})[name] = each
        else:
            out.setdefault("dependentSchemas", {})[name] = hands.beside(each)


def _nothing(_: dict[str, Any], _value: Any, _hands: Hands, _out: dict[str, Any]) -> None:
    """Leaves `additionalItems` to `_older`, which knows whether it counts."""


_WRITERS: Final[dict[str, _Writer]] = {
    "exclusiveMinimum": _copy("exclusiveMinimum"),
    "exclusiveMaximum": _copy("exclusiveMaximum"),
    "properties": _properties,
    "patternProperties": _patterns,
    "additionalProperties": _rule("additionalProperties"),
    "unevaluatedProperties": _rule("unevaluatedProperties"),
    "propertyNames": _plain("propertyNames"),
    "items": _items,
    "additionalItems": _nothing,
    "prefixItems": _prefix,
    "contains": _plain("contains"),
    "unevaluatedItems": _plain("unevaluatedItems"),
    "allOf": _all_of,
    "anyOf": _branches("anyOf"),
    "oneOf": _branches("oneOf"),
    "not": _plain("not"),
    "if": _plain("if"),
    "then": _conditional("then"),
    "else": _conditional("else"),
    "dependentSchemas": _dependent_schemas,
    "dependencies": _dependencies,
}
