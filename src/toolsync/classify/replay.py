"""One change made to a schema by itself, so that it can be judged apart from the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolsync.classify.pointers import POOLS, Pointer
from toolsync.compare import at
from toolsync.model import ABSENT


def replayed(old: Any, new: Any, anchors: Iterable[Pointer]) -> Any:
    """Returns old with what stands at each pointer taken from new.

    The pointers start below the schema's root. Definitions that only new has
    come along, since what is taken over may refer to them.
    """
    made = old
    for anchor in anchors:
        made = _put(made, anchor, at(new, anchor))
        if len(anchor) > 1 and anchor[-2] == "properties":
            made = _required_as(made, new, anchor)
    return _with_definitions(made, new)


def _put(thing: Any, path: Pointer, value: Any) -> Any:
    """Returns a copy with `value` at a pointer; only what is on the way is copied."""
    if not path:
        return value
    token, rest = path[0], path[1:]
    if isinstance(thing, list) and token.isdecimal() and int(token) < len(thing):
        copy = list(thing)
        copy[int(token)] = _put(thing[int(token)], rest, value)
        return copy
    inner = dict(thing) if isinstance(thing, Mapping) else {}
    if not rest and value is ABSENT:
        inner.pop(token, None)
    else:
        inner[token] = _put(inner.get(token, {}), rest, value)
    return inner


def _required_as(made: Any, new: Any, anchor: Pointer) -> Any:
    """Lets a property that came or went be required exactly where new requires it."""
    place, name = (*anchor[:-2], "required"), anchor[-1]
    names = _names(at(made, place))
    wanted = name in _names(at(new, place))
    if wanted == (name in names):
        return made
    return _put(made, place, [*names, name] if wanted else [one for one in names if one != name])


def _names(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _with_definitions(made: Any, new: Any) -> Any:
    if not isinstance(made, Mapping) or not isinstance(new, Mapping):
        return made
    extra = {
        pool: {**new[pool], **made.get(pool, {})}
        for pool in POOLS
        if isinstance(new.get(pool), dict) and isinstance(made.get(pool, {}), dict)
    }
    return {**made, **extra} if extra else made


def closed(old: Any, places: Iterable[Pointer]) -> Any:
    """Returns old with the objects at some places closed to undeclared names."""
    for place in places:
        node = at(old, place)
        if isinstance(node, Mapping):
            old = _put(old, place, _closed(node))
    return old


def _closed(node: Mapping[str, Any]) -> dict[str, Any]:
    kept = {word: part for word, part in node.items() if word not in _EXTRAS}
    beside = any(word in kept for word in _BESIDE)
    kept["unevaluatedProperties" if beside else "additionalProperties"] = False
    return kept


_EXTRAS = ("additionalProperties", "unevaluatedProperties")
_BESIDE = ("$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas")
