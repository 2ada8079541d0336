"""Do two schemas differ in texts only: the common case, settled without reading either."""

from __future__ import annotations

from typing import Any, Final

import orjson

from toolsync.schema.proof.values import MAX_DEPTH

_TEXTS: Final = frozenset({"title", "description", "$comment", "default", "examples"})
_MAPS: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)
_SINGLES: Final = frozenset(
    [
        "items",
        "additionalItems",
        "additionalProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
        "propertyNames",
        "contains",
        "not",
        "if",
        "then",
        "else",
    ]
)
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})


def alike(old: Any, new: Any, depth: int = 0) -> bool:
    """Tells whether all that differs is text; False where that takes more than a look."""
    if old.__class__ is not dict or new.__class__ is not dict or depth > MAX_DEPTH:
        return _same(old, new)
    for keyword, value in old.items():
        if keyword in new:
            other = new[keyword]
            same = value is other or _same(value, other) or _text(keyword, value, other)
            if not same and not _same_below(keyword, value, other, depth + 1):
                return False
        elif not _text(keyword, value, None):
            return False
    return all(_text(keyword, None, new[keyword]) for keyword in new.keys() - old.keys())


def _same_below(keyword: str, old: Any, new: Any, depth: int) -> bool:
    if isinstance(old, list) and isinstance(new, list):
        return (
            keyword in _LISTS
            and len(old) == len(new)
            and all(alike(a, b, depth) for a, b in zip(old, new, strict=True))
        )
    if not isinstance(old, dict) or not isinstance(new, dict):
        return False
    if keyword in _SINGLES:
        return alike(old, new, depth)
    return (
        keyword in _MAPS
        and old.keys() == new.keys()
        and all(alike(each, new[name], depth) for name, each in old.items())
    )


def _text(keyword: str, old: Any, new: Any) -> bool:
    """Tells whether a keyword says nothing, and its values are no schemas to refer to."""
    return keyword in _TEXTS and _leaf(old) and _leaf(new)


def _leaf(value: Any) -> bool:
    if isinstance(value, list):
        return not any(isinstance(each, (dict, list, bool)) for each in value)
    return not isinstance(value, (dict, bool))


def _same(old: Any, new: Any) -> bool:
    """Compares as JSON; two spellings of one number may count as different."""
    if old != new:
        return False
    if isinstance(old, str):
        return isinstance(new, str)
    try:
        return orjson.dumps(old) == orjson.dumps(new)
    except (TypeError, ValueError):  # too deep, or an integer too long: not worth a look
        return False
