"""A call that a change likely breaks, made from the form of the schemas alone.

A guess proves nothing. But where a real validator says that old takes the call
and new refuses it, it is a witness like any other, and was cheap to come by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolsync.classify.pointers import Pointer
from toolsync.compare import Difference
from toolsync.model import ABSENT

_DEEPEST: Final = 3
_LONGEST: Final = 100
_LARGEST: Final = 2**53 - 1
# What these ask of a value is not for a guess.
_HARD: Final = frozenset(
    ("$ref", "$dynamicRef", "$recursiveRef", "allOf", "oneOf", "not", "if", "pattern", "format",
     "multipleOf", "contains", "uniqueItems", "prefixItems", "minProperties", "maxProperties",
     "propertyNames", "patternProperties", "dependencies", "dependentRequired", "dependentSchemas")
)  # fmt: skip
_PLAIN: Final = frozenset(("type", "description", "title", "default", "examples"))
_FIRST: Final = {"null": None, "boolean": False, "integer": 0, "string": "", "number": 0}
_ORDER: Final = ("null", "boolean", "integer", "string", "number", "array", "object")


def argument(found: Difference) -> str | None:
    """Returns the argument that a call must pass for a change to hurt it; "" where none."""
    path = found.path
    if found.side != "input" or found.anchor != path or len(path) < 2:
        return None
    if path[1] == "required" and len(path) == 2:
        return ""
    if path[1] != "properties" or len(path) < 3 or not _is_flat(path[3:]):
        return None
    if len(path) == 3:
        return "" if found.old is ABSENT else path[2]
    return path[2]


def _is_flat(below: Pointer) -> bool:
    return len(below) <= 1 or (below[0] in {"items", "anyOf"} and len(below) <= 3)


def call(old: Any, new: Any, names: Iterable[str]) -> Any:
    """Returns arguments that old likely takes and new likely refuses, or ABSENT."""
    if not isinstance(old, dict) or not _HARD.isdisjoint(old) or "anyOf" in old:
        return ABSENT
    hurt = [name for name in names if name]
    return _object(old, new, hurt, 0)


def _object(schema: Mapping[str, Any], other: Any, hurt: list[str], depth: int) -> Any:
    required = schema.get("required", [])
    if not isinstance(required, list) or depth > _DEEPEST:
        return ABSENT
    made: dict[str, Any] = {}
    for name in (*required, *hurt):
        against = _part(_part(other, "properties"), name) if name in hurt else None
        made[name] = _value(_part(_part(schema, "properties"), name), against, depth + 1)
        if made[name] is ABSENT:
            return ABSENT
    return made


def _part(schema: Any, name: str) -> Any:
    return schema.get(name) if isinstance(schema, dict) else None


def _value(schema: Any, other: Any, depth: int) -> Any:
    """Returns a value of one schema that is none of another, if that is easy to see."""
    if schema is None or schema is True:
        return None
    if other is None and schema.__class__ is dict and schema.keys() <= _PLAIN:
        kind = schema.get("type")
        if kind.__class__ is str and kind in _FIRST:
            return _FIRST[kind]
    if not isinstance(schema, dict) or not _HARD.isdisjoint(schema) or depth > _DEEPEST:
        return ABSENT
    if "const" in schema:
        return schema["const"]
    for keyword in ("enum", "anyOf"):
        if keyword in schema:
            found = _choice(schema[keyword], _part(other, keyword))
            return found if keyword == "enum" or found is ABSENT else _value(found, None, depth + 1)
    kind = _choice(_kinds(schema), _kinds(other))
    return _of_kind(kind, schema, other, depth)


def _choice(listed: Any, others: Any) -> Any:
    """Returns what one list has and another lacks, or else what comes first."""
    if not isinstance(listed, list) or not 0 < len(listed) <= _LONGEST:
        return ABSENT
    if isinstance(others, list) and len(others) <= _LONGEST:
        listed = [each for each in listed if each not in others] or listed
    null = {"type": "null"}
    return null if null in listed else listed[0]


def _kinds(schema: Any) -> list[str]:
    named = _part(schema, "type")
    names = named if isinstance(named, list) else [named]
    return [kind for kind in _ORDER if kind in names]


def _of_kind(kind: Any, schema: Mapping[str, Any], other: Any, depth: int) -> Any:
    if kind == "string":
        return _text(schema, other)
    if kind in {"integer", "number"}:
        return _number(schema, other)
    if kind == "array":
        return _list(schema, other, depth)
    if kind == "object":
        return _object(schema, other, [], depth)
    return {"null": None, "boolean": False}.get(kind, ABSENT)


def _text(schema: Mapping[str, Any], other: Any) -> Any:
    most = _count(other, "maxLength", _LONGEST)
    if most < _count(schema, "maxLength", _LONGEST):
        return "a" * (most + 1)
    return "a" * _count(schema, "minLength", 0)


def _count(schema: Any, keyword: str, default: int) -> int:
    value = _part(schema, keyword)
    return value if value.__class__ is int and 0 <= value <= _LONGEST else default


def _number(schema: Mapping[str, Any], other: Any) -> Any:
    low, high = _bounds(other)
    tried = [number for number in (high + 1, low - 1) if _within(number, schema)]
    within = [number for number in (0, *_bounds(schema)) if _within(number, schema)]
    outside = [number for number in (*within, *tried) if not _within(number, other)]
    return next(iter((*outside, *within)), ABSENT)


def _bounds(schema: Any) -> tuple[int, int]:
    found = [_part(schema, keyword) for keyword in ("minimum", "maximum")]
    low, high = (each if each.__class__ is int and abs(each) < _LARGEST else 0 for each in found)
    return low, high


def _within(number: int, schema: Any) -> bool:
    if not isinstance(schema, dict):
        return True
    tests = (("minimum", 1, 0), ("maximum", -1, 0), ("exclusiveMinimum", 1, 1),
             ("exclusiveMaximum", -1, 1))  # fmt: skip
    for keyword, sign, strict in tests:
        bound = schema.get(keyword)
        if bound.__class__ in {int, float} and (number - bound) * sign < strict * 1e-9:
            return False
    return True


def _list(schema: Mapping[str, Any], other: Any, depth: int) -> Any:
    least = _count(schema, "minItems", 0)
    if least > 1:
        return ABSENT
    if not least and _part(other, "items") == schema.get("items"):
        return []
    item = _value(schema.get("items"), _part(other, "items"), depth + 1)
    return ABSENT if item is ABSENT else [item]
