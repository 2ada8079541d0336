"""One change made to a schema by itself, so that it can be judged apart from the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolsync.classify.pointers import POOLS, Pointer
from toolsync.compare import at
from toolsync.model import ABSENT

_Own = dict[int, Any]
"""The copies made for one replay, by their identity."""


def replayed(old: Any, new: Any, anchors: Iterable[Pointer]) -> Any:
    """Returns old with what stands at each pointer taken from new.

    The pointers start below the schema's root. Definitions that only new has
    come along, since what is taken over may refer to them.
    """
    made = old
    own: _Own = {}
    for anchor in anchors:
        made = _put(made, anchor, at(new, anchor), own)
        if len(anchor) > 1 and anchor[-2] == "properties":
            made = _required_as(made, new, anchor, own)
    return _with_definitions(made, new)


def _put(thing: Any, path: Pointer, value: Any, own: _Own) -> Any:
    """Returns a copy with `value` at a pointer; only what is on the way is copied, and once."""
    if not path:
        return value
    token, rest = path[0], path[1:]
    if isinstance(thing, list) and token.isdecimal() and int(token) < len(thing):
        items = _owned(thing, own)
        items[int(token)] = _put(items[int(token)], rest, value, own)
        return items
    inner = _owned(thing if isinstance(thing, Mapping) else {}, own)
    if not rest and value is ABSENT:
        inner.pop(token, None)
    else:
        inner[token] = _put(inner.get(token, {}), rest, value, own)
    return inner


def _owned(thing: Any, own: _Own) -> Any:
    """Returns what was copied before as it is: thousands of changes may lie in one list."""
    if id(thing) in own:
        return thing
    made: Any = list(thing) if isinstance(thing, list) else dict(thing)
    own[id(made)] = made  # which keeps it, and so its identity
    return made


def _required_as(made: Any, new: Any, anchor: Pointer, own: _Own) -> Any:
    """Lets a property that came or went be required exactly where new requires it."""
    place, name = (*anchor[:-2], "required"), anchor[-1]
    names = _names(at(made, place))
    wanted = name in _names(at(new, place))
    if wanted == (name in names):
        return made
    asked = [*names, name] if wanted else [one for one in names if one != name]
    return _put(made, place, asked, own)


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
