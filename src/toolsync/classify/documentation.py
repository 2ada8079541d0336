"""What a schema says to people and models at each value's place, however it is put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from toolsync.classify.pointers import POOLS, Pointer, steps
from toolsync.compare import Difference, key, said, target
from toolsync.model import ABSENT
from toolsync.rules import SchemaSide

Place = tuple[str, ...]
Said = dict[Place, dict[tuple[str, bytes], Any]]
_BUDGET: Final = 20_000  # nodes, definitions counted at every use
_BESIDE: Final = ("allOf", "anyOf", "oneOf")
_ALSO: Final = ("then", "else")
_NAMED: Final = {"properties": "", "patternProperties": "/"}
_INSIDE: Final = (
    "items", "additionalProperties", "unevaluatedProperties", "additionalItems",
    "unevaluatedItems", "contains", "propertyNames", "not", "if",
)  # fmt: skip
_SILENT: Final = frozenset((
    "type", "enum", "const", "required", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems",
    "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties",
    "dependentRequired", "dependentSchemas", "dependencies", "prefixItems", "$ref", "$defs",
    "definitions", "$schema",
    "$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor",
    "$vocabulary", "$comment", "title", *_BESIDE, *_ALSO, *_NAMED, *_INSIDE,
))  # fmt: skip


def restated(
    side: SchemaSide,
    schemas: tuple[Any, Any],
    found: Sequence[Difference],
    places: Collection[Pointer],
) -> list[Difference]:
    """Returns the differences without texts that only moved, and with those that hid.

    `places` are values whose schemas were put together in another way: there a
    text that left one branch may stand in another, and one in a new branch is new.
    """
    was, now = map(texts, schemas)
    if was is None or now is None:
        return list(found)
    here = [_said_at(place) for place in places]
    kept = [one for one in found if not _only_moved(one, was, now, here)]
    told = {(_said_at(one.path[:-1]), one.keyword) for one in kept}
    for place, inner in zip(places, here, strict=True):
        for spot in sorted({*was, *now}):
            if spot[: len(inner)] == inner:
                kept += _hidden(side, place, was.get(spot, {}), now.get(spot, {}), (spot, told))
    return kept


def _only_moved(one: Difference, was: Said, now: Said, here: Sequence[Place]) -> bool:
    if one.keyword in _SILENT or one.side == "tool":
        return False
    spot = _said_at(one.path[:-1])
    inside = any(spot[: len(inner)] == inner for inner in here)
    return inside and was.get(spot, {}).keys() == now.get(spot, {}).keys()


def _hidden(
    side: SchemaSide,
    place: Pointer,
    was: Mapping[tuple[str, bytes], Any],
    now: Mapping[tuple[str, bytes], Any],
    known: tuple[Place, set[tuple[Place, str]]],
) -> Iterator[Difference]:
    spot, told = known
    gone = {sign[0]: thing for sign, thing in was.items() if sign not in now}
    came = {sign[0]: thing for sign, thing in now.items() if sign not in was}
    for word in {**gone, **came}:
        if (spot, word) not in told:
            old, new = gone.get(word, ABSENT), came.get(word, ABSENT)
            yield Difference(side, word, (*place, word), old, new, anchor=place)


def _said_at(path: Pointer) -> Place:
    """Returns the place of a value as `texts` names it."""
    place: Place = ()
    for keyword, name, _ in steps(path):
        if keyword in POOLS and name is not None:
            place = (f"<{name}>",)  # not a place of its own: matches nothing
        elif keyword in _NAMED and name is not None:
            place = (*place, _NAMED[keyword] + name)
        elif keyword in ("items", "prefixItems") and name is not None:
            place = (*place, f"<{name}>")
        elif keyword in _INSIDE:
            place = (*place, f"<{keyword}>")
    return place


def texts(schema: Any) -> Said | None:
    """Returns what is said at each place, after references; None where that is too much."""
    found: Said = defaultdict(dict)
    stack: list[tuple[Any, Place, frozenset[int]]] = [(schema, (), frozenset())]
    for _ in range(_BUDGET):
        if not stack:
            return dict(found)
        node, place, above = stack.pop()
        if not isinstance(node, dict) or id(node) in above:
            continue  # a definition inside itself says again what it said
        for word, thing in _words(node):
            found[place][word, key(thing)] = thing
        stack.extend(_parts(schema, node, place, above | {id(node)}))
    return None


def _words(node: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for word, thing in node.items():
        if word == "description":
            text = said(thing)
            if text is not ABSENT:
                yield word, text
        elif word not in _SILENT and thing is not False:
            yield word, thing


def _parts(
    root: Any, node: Mapping[str, Any], place: Place, above: frozenset[int]
) -> Iterator[tuple[Any, Place, frozenset[int]]]:
    for part in _beside(root, node):
        yield part, place, above
    for keyword, mark in _NAMED.items():
        inner = node.get(keyword)
        for name, part in inner.items() if isinstance(inner, dict) else ():
            yield part, (*place, mark + name), above
    for keyword in _INSIDE:
        part = node.get(keyword)
        if isinstance(part, dict):
            yield part, (*place, f"<{keyword}>"), above
    for keyword in ("prefixItems", "items"):
        inner = node.get(keyword)
        for index, part in enumerate(inner if isinstance(inner, list) else ()):
            yield part, (*place, f"<{index}>"), above


def _beside(root: Any, node: Mapping[str, Any]) -> Iterator[Any]:
    """Yields the subschemas that describe the same value."""
    for keyword in _BESIDE:
        branches = node.get(keyword)
        yield from branches if isinstance(branches, list) else ()
    for keyword in _ALSO:
        yield node.get(keyword)
    for keyword in ("dependentSchemas", "dependencies"):
        inner = node.get(keyword)
        yield from inner.values() if isinstance(inner, dict) else ()
    found = target(root, node.get("$ref"))
    if found is not None:
        yield found[1]
