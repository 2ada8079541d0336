"""Rewrites `unevaluatedProperties` and `unevaluatedItems` into plain conditions.

A member counts as evaluated where some subschema that looks at the same value,
accepts it and names the member. So the keyword asks, for each name: its value
fulfils the keyword's schema, or one of the subschemas that name it accepts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolsync.schema.proof.nodes import Arrays, Node, Objects, Pattern, Rule
from toolsync.schema.proof.place import Place
from toolsync.schema.proof.values import Undecidable

if TYPE_CHECKING:
    from toolsync.schema.proof.normal import Normaliser

MAX_PATTERNS: Final = 4
MAX_NESTING: Final = 200
MAX_COVERS: Final = 4_000
MAX_PAIRS: Final = 200_000
"""How many names (or items) times branches that may evaluate them are looked at."""

Conditions = tuple[Node, ...]


class Cover(NamedTuple):
    """What one subschema evaluates, where all of `conditions` accept.

    `names`, `patterns` and `everything` are members; `items` counts items from
    the start (None: all), `contains` evaluates the items that it accepts.
    """

    conditions: Conditions = ()
    names: frozenset[str] = frozenset()
    patterns: tuple[Pattern, ...] = ()
    everything: bool = False
    items: int | None = 0
    contains: Node | None = None

    def covers(self, name: str) -> bool:
        """Tells whether a member of this name is evaluated."""
        return (
            self.everything
            or name in self.names
            or any(each.matches(name) for each in self.patterns)
        )


def unevaluated_properties(normaliser: Normaliser, schema: Any, place: Place) -> list[Node]:
    """Gives the conditions that `unevaluatedProperties` adds to a schema."""
    table = normaliser.table
    wanted = normaliser.node(schema["unevaluatedProperties"], place.into("unevaluatedProperties"))
    covers = list(_covers(normaliser, schema, place, (), own=True))
    always = [each for each in covers if not each.conditions]
    if wanted is table.true or any(each.everything for each in always):
        return []
    maybe = [each for each in covers if each.conditions]
    names = frozenset(name for each in always for name in each.names)
    patterns = _distinct(always)
    index = _Index(maybe)
    index.bound()
    parts = [
        table.any_of(
            (
                table.shape(objects=Objects(members=((name, wanted),))),
                *[table.all_of(each.conditions) for each in index.covering(name)],
            )
        )
        for name in sorted({name for each in maybe for name in each.names} - names)
        if not any(pattern.matches(name) for pattern in patterns)
    ]
    named = names.union(*[each.names for each in maybe])
    return parts + _by_patterns(normaliser, wanted, maybe, named, patterns)


class _Index:
    """Finds the covers of a name without a look at each: there may be thousands of both."""

    __slots__ = ("_broad", "_covers", "_named")

    def __init__(self, covers: list[Cover]) -> None:
        self._covers = covers
        self._broad = [at for at, each in enumerate(covers) if each.everything or each.patterns]
        self._named: dict[str, list[int]] = {}
        for at, each in enumerate(covers):
            for name in each.names:
                self._named.setdefault(name, []).append(at)

    def bound(self) -> None:
        """Refuses what would have to be looked at for too long.

        Raises:
            Undecidable: there are too many names, and branches that may evaluate each.
        """
        listed = sum(map(len, self._named.values()))
        if listed + len(self._broad) * len(self._named) > MAX_PAIRS:
            raise Undecidable("unevaluatedProperties: too many names in branches")

    def covering(self, name: str) -> list[Cover]:
        """Lists the covers by which a member of this name is evaluated, in their order."""
        broad = [at for at in self._broad if self._covers[at].covers(name)]
        return [self._covers[at] for at in sorted({*broad, *self._named.get(name, ())})]


def _by_patterns(
    normaliser: Normaliser,
    wanted: Node,
    maybe: list[Cover],
    named: frozenset[str],
    always: tuple[Pattern, ...],
) -> list[Node]:
    """Treats the names that no subschema spells out, by the set of patterns that they match."""
    table = normaliser.table
    patterns = tuple(each for each in _distinct(maybe) if each not in always)
    if len(patterns) > MAX_PATTERNS:
        raise Undecidable("unevaluatedProperties: too many patterns in branches")
    parts = []
    for size in range(len(patterns) + 1):
        for inside in combinations(patterns, size):
            outside = always + tuple(each for each in patterns if each not in inside)
            rule = table.shape(objects=Objects(rules=(Rule(inside, named, outside, wanted),)))
            met = [
                table.all_of(each.conditions)
                for each in maybe
                if each.everything or any(one in inside for one in each.patterns)
            ]
            parts.append(table.any_of((rule, *met)))
    return parts


def _distinct(covers: list[Cover]) -> tuple[Pattern, ...]:
    return tuple(dict.fromkeys(one for each in covers for one in each.patterns))


def unevaluated_items(normaliser: Normaliser, schema: Any, place: Place) -> list[Node]:
    """Gives the conditions that `unevaluatedItems` adds to a schema."""
    table = normaliser.table
    wanted = normaliser.node(schema["unevaluatedItems"], place.into("unevaluatedItems"))
    covers = list(_covers(normaliser, schema, place, (), own=True))
    always = [each for each in covers if not each.conditions]
    if wanted is table.true or any(each.items is None for each in always):
        return []
    maybe = [each for each in covers if each.conditions]
    wanted = table.any_of((wanted, *(one.contains for one in always if one.contains is not None)))
    start = max((each.items or 0 for each in always), default=0)
    counting = [each for each in maybe if each.contains is not None]
    if len(counting) > MAX_PATTERNS:
        raise Undecidable("unevaluatedItems: too many branches with contains")
    ways = []
    for size in range(len(counting) + 1):
        for met in combinations(counting, size):
            more = [each.contains for each in met if each.contains is not None]
            accepted = table.any_of((wanted, *more))
            rules = _by_position(normaliser, accepted, maybe, start)
            ways.append(table.all_of((*rules, *(_all(table, each) for each in met))))
    return [table.any_of(ways)]


def _by_position(
    normaliser: Normaliser, wanted: Node, maybe: list[Cover], start: int
) -> list[Node]:
    """Treats the items one by one as far as branches tell them apart, then the rest."""
    table = normaliser.table
    end = max([start, *(each.items or 0 for each in maybe)])
    if (end - start) * (end + len(maybe)) > MAX_PAIRS:
        raise Undecidable("unevaluatedItems: too many items in branches")
    before: tuple[Node, ...] = (table.true,)
    parts = [
        table.any_of(
            (
                table.shape(arrays=Arrays(prefix=(*before * index, wanted))),
                *(_all(table, one) for one in maybe if one.items is None or one.items > index),
            )
        )
        for index in range(start, end)
    ]
    behind = table.shape(arrays=Arrays(prefix=before * end, rest=wanted))
    return [
        *parts,
        table.any_of((behind, *(_all(table, one) for one in maybe if one.items is None))),
    ]


def _all(table: Any, cover: Cover) -> Node:
    made: Node = table.all_of(cover.conditions)
    return made


def _covers(
    normaliser: Normaliser, schema: Any, place: Place, under: Conditions, *, own: bool = False
) -> Iterator[Cover]:
    """Lists what a schema evaluates, itself and through the subschemas on the same value."""
    if not isinstance(schema, dict):
        return
    normaliser.covered += 1
    if place.steps > MAX_NESTING or normaliser.covered > MAX_COVERS:
        raise Undecidable("unevaluated: too many subschemas on one value")
    yield _own_cover(normaliser, schema, place, under, own=own)
    if "$ref" in schema:
        target, origin = normaliser.target(schema["$ref"])
        normaliser.reference(schema["$ref"], place)  # refuses a loop before it is followed
        yield from _covers(
            normaliser, target, Place(None, origin, place.depth, place.steps + 1), under
        )
    for index, each in enumerate(schema.get("allOf", ())):
        yield from _covers(normaliser, each, place.at(index, "allOf"), under)
    for keyword in ("anyOf", "oneOf"):
        for index, each in enumerate(schema.get(keyword, ())):
            yield from _branch(normaliser, each, place.at(index, keyword), under)
    if "if" in schema:
        yield from _if_covers(normaliser, schema, place, under)
    for name, each in schema.get("dependentSchemas", {}).items():
        below = place.at(name, "dependentSchemas")
        yield from _covers(normaliser, each, below, (*under, normaliser.has(name)))


def _branch(
    normaliser: Normaliser, schema: Any, place: Place, under: Conditions
) -> Iterator[Cover]:
    yield from _covers(normaliser, schema, place, (*under, normaliser.node(schema, place)))


def _if_covers(
    normaliser: Normaliser, schema: Any, place: Place, under: Conditions
) -> Iterator[Cover]:
    test = normaliser.node(schema["if"], place.at("if"))
    met = (*under, test)
    unmet = (*under, normaliser.table.negated(test))
    yield from _covers(normaliser, schema["if"], place.at("if"), met)
    yield from _covers(normaliser, schema.get("then"), place.at("then"), met)
    yield from _covers(normaliser, schema.get("else"), place.at("else"), unmet)


def _own_cover(
    normaliser: Normaliser, schema: Any, place: Place, under: Conditions, *, own: bool
) -> Cover:
    """Gives what a schema's own keywords evaluate; `own` is the one with the keyword itself."""
    all_items = "items" in schema or ("unevaluatedItems" in schema and not own)
    contains = None
    if "contains" in schema:
        contains = normaliser.node(schema["contains"], place.into("contains"))
    return Cover(
        under,
        frozenset(schema.get("properties", ())),
        tuple(normaliser.table.pattern(text) for text in schema.get("patternProperties", ())),
        "additionalProperties" in schema or ("unevaluatedProperties" in schema and not own),
        None if all_items else len(schema.get("prefixItems", ())),
        contains,
    )
