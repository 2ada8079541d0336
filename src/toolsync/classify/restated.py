"""Differences of what is said, and declared, at places that are put together in another way.

There a text that left one branch may stand in another, one in a new branch may be
new, and a property that went may be declared all the same: sets tell, not shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolsync.classify.documentation import (
    SILENT,
    Place,
    Said,
    Told,
    Word,
    Words,
    said_at,
    texts,
)
from toolsync.classify.engine import matches
from toolsync.classify.pointers import POOLS, Pointer, steps, value_place
from toolsync.compare import Difference, at, key, said
from toolsync.model import ABSENT
from toolsync.rules import SchemaSide

# Where one of these changes, the value is put together in another way.
_SHAPING: Final = frozenset(
    ("allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "rewritten", "schema",
     "null")
)  # fmt: skip
_BESIDE: Final = frozenset(
    ("allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies", "$ref",
     "patternProperties")
)  # fmt: skip
_BUDGET: Final = 200_000  # nodes looked at, definitions counted at every use
_INSIDE: Final = _BESIDE | {"not", "then", "else"}


class _Spot(NamedTuple):
    """One value's schema on both sides, and what is said at each place below it."""

    base: Pointer
    was: Said
    now: Said

    def holds(self, path: Pointer) -> bool:
        """Tells whether a path leads below this value, and not into a definition."""
        size = len(self.base)
        return path[:size] == self.base and POOLS.isdisjoint(path[size:])

    def place(self, path: Pointer) -> Place:
        """Returns the place, below this value, of a schema."""
        return said_at((self.base[0], *path[len(self.base) :]))


def restated(
    side: SchemaSide, schemas: tuple[Any, Any], found: Sequence[Difference]
) -> list[Difference]:
    """Returns differences without what only moved, and with what hid in another shape."""
    joined: dict[Pointer, bool] = {}
    bases = _bases([_base(one, schemas) for one in found if _reshapes(one, side, schemas, joined)])
    if not bases:
        return list(found)
    kept: list[Difference] = []
    moved: list[Difference] = []
    held: dict[Pointer, list[Difference]] = {base: [] for base in bases}
    for one in found:
        held.get(_holder(one.path, held), kept).append(one)
    known, left = _known(found), iter(range(_BUDGET))
    for base, inner in held.items():
        spot = _spot(base, schemas, left)
        if spot is None:
            kept += inner
            continue
        moved += [one for one in inner if _only_moved(one, spot)]
        still = [one for one in inner if not _only_moved(one, spot)]
        if side == "output":
            still = [_still_declared(one, spot) for one in still]
            still += _undeclared(spot, still)
        kept += [*still, *_hidden(side, spot, still, known)]
    return kept or [one._replace(keyword="spelling") for one in moved]


def _bases(found: Iterable[Pointer]) -> list[Pointer]:
    """Returns the outermost of some places, and those in definitions by themselves."""
    kept: dict[Pointer, None] = {}
    for base in sorted(dict.fromkeys(found), key=len):
        if not _holder(base, kept):
            kept[base] = None
    return list(kept)


def _holder(path: Pointer, bases: Mapping[Pointer, object]) -> Pointer:
    """Returns the place in which a path lies, not by way of a definition; () where none is."""
    for size in range(len(path), 0, -1):
        if path[:size] in bases:
            return path[:size]
        if path[size - 1] in POOLS:
            break
    return ()


def _node(found: Difference) -> Pointer:
    """Returns the pointer of the schema that a difference is about."""
    named = found.keyword in ("properties", "patternProperties") or (
        found.keyword == "schema" and found.path[-2:-1] == ("properties",)
    )
    return found.path[:-2] if named else found.path[:-1]


def _reshapes(
    found: Difference, side: SchemaSide, schemas: tuple[Any, Any], joined: dict[Pointer, bool]
) -> bool:
    """Tells whether the sets must be looked at to know what a difference comes to.

    `joined` remembers what was found out about places: many differences have one.
    """
    if found.side != side:
        return False
    if found.anchor != found.path or found.keyword in _SHAPING:
        return True
    node = _node(found)
    if found.keyword in SILENT and (side == "input" or found.keyword != "properties"):
        return False
    inside = not _INSIDE.isdisjoint(node) and value_place(node) != node
    if not inside and node not in joined:
        joined[node] = any(_is_joined(one, node) for one in schemas)
    return inside or joined[node]


def _is_joined(schema: Any, node: Pointer) -> bool:
    inner = at(schema, node[1:])
    return isinstance(inner, dict) and not _BESIDE.isdisjoint(inner)


def _base(found: Difference, schemas: tuple[Any, Any]) -> Pointer:
    """Returns the nearest value that has a schema at one pointer on both sides."""
    place = value_place(_node(found) if found.anchor == found.path else found.anchor)
    while not all(isinstance(at(one, place[1:]), Mapping) for one in schemas) and len(place) > 1:
        place = value_place(place[:-1])
    return place


def _spot(base: Pointer, schemas: tuple[Any, Any], left: Iterator[object]) -> _Spot | None:
    was, now = (texts(one, base, at(one, base[1:]), left) for one in schemas)
    return None if was is None or now is None else _Spot(base, was, now)


# -- what is said ---------------------------------------------------------------


def _only_moved(found: Difference, spot: _Spot) -> bool:
    word = found.keyword
    if word in SILENT or found.path[-1] != word or not spot.holds(found.path):
        return False
    place = spot.place(found.path[:-1])
    return _of(spot.was, place, word) == _of(spot.now, place, word)


def _of(said: Said, place: Place, word: str) -> set[bytes]:
    told = said.get(place)
    return set() if told is None else {sign for name, sign in told.words if name == word}


def _hidden(
    side: SchemaSide, spot: _Spot, kept: Sequence[Difference], known: set[tuple[str, bytes]]
) -> Iterator[Difference]:
    """Yields what is said otherwise at a place, where no difference tells it."""
    told = {(spot.place(one.path[:-1]), one.keyword) for one in kept if spot.holds(one.path)}
    for place in sorted(spot.was.keys() & spot.now.keys()):
        was, now = spot.was[place].words, spot.now[place].words
        gone, came = _without(was, now, known), _without(now, was, known)
        for word in {**gone, **came}:
            if (place, word) not in told:
                yield _saying(side, spot, word, gone.get(word), came.get(word))


def _known(found: Iterable[Difference]) -> set[tuple[str, bytes]]:
    """Returns what differences tell that stand in definitions: references lead there too."""
    apart = [one for one in found if one.keyword not in SILENT and not POOLS.isdisjoint(one.path)]
    things = [(one.keyword, each) for one in apart for each in (one.old, one.new)]
    return {
        (word, key(said(thing) if word == "description" else thing))
        for word, thing in things
        if thing is not ABSENT
    }


def _without(words: Words, others: Words, known: set[tuple[str, bytes]]) -> dict[str, Word]:
    return {
        sign[0]: word for sign, word in words.items() if sign not in others and sign not in known
    }


def _saying(
    side: SchemaSide, spot: _Spot, word: str, gone: Word | None, came: Word | None
) -> Difference:
    stands = came or gone
    path = (*(stands.at if stands else spot.base), word)
    old = gone.thing if gone else ABSENT
    new = came.thing if came else ABSENT
    return Difference(side, word, path, old, new, _property(path), anchor=path)


def _property(path: Pointer) -> str | None:
    named = [name for keyword, name, _ in steps(path) if keyword == "properties"]
    return named[-1] if named else None


# -- what is declared -----------------------------------------------------------


def _goes(found: Difference) -> bool:
    """Tells whether a difference says that a property is not declared any longer."""
    if found.keyword == "properties":
        return found.new is ABSENT
    return found.keyword == "schema" and found.new is False


def _still_declared(found: Difference, spot: _Spot) -> Difference:
    if found.keyword != "properties" or not _goes(found) or not spot.holds(found.path):
        return found
    place = spot.place(found.path)
    if place in spot.now or _is_matched(place, spot.now):
        return found._replace(keyword="rewritten")
    return found


def _undeclared(spot: _Spot, kept: Sequence[Difference]) -> list[Difference]:
    """Returns properties that are declared nowhere any longer, where no difference tells it."""
    told = {
        spot.place(one.path)
        for one in kept
        if one.keyword == "properties" and _goes(one) and spot.holds(one.path)
    }
    return [
        _gone(spot.was[place], place[-1])
        for place in sorted(spot.was)
        if _is_named(place)
        and place not in spot.now
        and place not in told
        and place[:-1] in spot.now
        and not _is_matched(place, spot.now)
    ]


def _is_named(place: Place) -> bool:
    return bool(place) and not place[-1].startswith(("<", "/"))


def _is_matched(place: Place, now: Said) -> bool:
    """Tells whether a pattern of names surely describes what went."""
    marks = [one[-1] for one in now if len(one) == len(place) and one[:-1] == place[:-1]]
    return any(mark.startswith("/") and matches(mark[1:], place[-1]) for mark in marks)


def _gone(told: Told, name: str) -> Difference:
    return Difference("output", "withdrawn", told.at, told.schema, ABSENT, name, anchor=told.at)
