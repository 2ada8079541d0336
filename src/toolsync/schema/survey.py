"""Walks a schema once: misshapen keywords found, references and patterns noted down.

Iterative and bounded, since both depth and width come from strangers. The walk
goes by the tables of dialect.py and keyword_shapes.py, and judges what the
dialect's meta-schema judges; references and patterns are left to validity.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolsync.schema.dialect import LISTS, MAPS, REFERENCES, SINGLES, Dialect
from toolsync.schema.keyword_shapes import (
    LEAVES,
    SIMPLE_TYPES,
    Misfit,
    Shape,
    identifier_misfit,
    misfit,
    name_list_misfit,
    unlike,
)

MAX_SUBSCHEMAS: Final = 2_000_000
MAX_DEPTH: Final = 2_000  # above any text's; Python objects may be circular
_EXCESS: Final = (
    f"expected at most {MAX_DEPTH} levels and {MAX_SUBSCHEMAS} subschemas; split the tool"
)

Link = tuple[Any, str] | None
"""A place as the way back to the root: (the place around it, the last token)."""


def tokens_of_link(link: Link) -> tuple[str, ...]:
    """Spells a place as reference tokens from the root."""
    tokens: list[str] = []
    while link is not None:
        link, token = link
        tokens.append(str(token))
    return tuple(reversed(tokens))


def link_of_tokens(tokens: tuple[str, ...]) -> Link:
    """Turns reference tokens from the root into a place."""
    link: Link = None
    for token in tokens:
        link = (link, token)
    return link


class Survey:
    """What one walk finds: misfits, references and patterns, each with its place.

    It stops once it has `limit` misfits. `named` tells that a resource names
    itself, so that the base URI of a reference depends on its place.
    """

    # fmt: off
    __slots__ = ("_count", "_limit", "dialect", "misfits", "named", "patterns",
                 "references", "stack")
    # fmt: on

    def __init__(self, dialect: Dialect, limit: int) -> None:
        self.misfits: list[tuple[Link, Misfit]] = []
        self.references: list[tuple[str, Link]] = []
        self.patterns: list[tuple[str, Link]] = []
        self.named = False
        self.dialect = dialect
        self._limit = limit
        self._count = 0
        self.stack: list[tuple[dict[str, Any], Link, int]] = []

    @property
    def full(self) -> bool:
        """Tells that enough misfits are found."""
        return len(self.misfits) >= self._limit

    def walk(self, schema: object, place: Link = None) -> None:
        """Looks at a schema and everything below it."""
        leaves, holders = LEAVES[self.dialect], HOLDERS[self.dialect]
        companions = self.dialect is Dialect.DRAFT4
        stack = self.stack
        self.push(schema, place, 0)
        while stack and not self.full:
            here, place, depth = stack.pop()
            self._count += 1
            if depth > MAX_DEPTH or self._count > MAX_SUBSCHEMAS:
                self._give_up(place)
                return
            for keyword, value in here.items():
                shape = leaves.get(keyword)
                if shape is value.__class__:
                    continue  # most keywords, decided without a call
                if shape is not None:
                    found = misfit(value, shape)
                    if found is not None:
                        self.misfits.append(((place, keyword), found))
                elif keyword in holders:
                    holders[keyword](self, value, (place, keyword), depth + 1)
            if companions:
                _companions(self, here, place)

    def note(self, place: Link, found: Misfit) -> None:
        """Adds a misfit."""
        self.misfits.append((place, found))

    def _give_up(self, place: Link) -> None:
        self.stack.clear()
        # A place thousands of tokens deep would help nobody.
        self.misfits.append((place if self._count > MAX_SUBSCHEMAS else None, ((), _EXCESS)))
        self._limit = len(self.misfits)

    def push(self, child: object, place: Link, depth: int) -> None:
        """Puts a subschema on the list of those still to look at."""
        if isinstance(child, dict):
            self.stack.append((child, place, depth))
        elif self.dialect is Dialect.DRAFT4:
            self.note(place, unlike("a schema (an object)", child))
        elif not isinstance(child, bool):
            self.note(place, unlike("a schema (an object or a boolean)", child))


def _single(survey: Survey, value: object, place: Link, depth: int) -> None:
    survey.push(value, place, depth)


def _single_only(survey: Survey, value: object, place: Link, depth: int) -> None:
    if isinstance(value, list):
        found = unlike("a schema (an array of them is spelled prefixItems)", value)
        survey.note(place, found)
    else:
        survey.push(value, place, depth)


def _single_or_boolean(survey: Survey, value: object, place: Link, depth: int) -> None:
    if not isinstance(value, bool):
        survey.push(value, place, depth)


def _list(survey: Survey, value: object, place: Link, depth: int) -> None:
    if not isinstance(value, list) or not value:
        survey.note(place, unlike("an array of at least one schema", value))
        return
    for index in range(len(value) - 1, -1, -1):  # the stack turns it round, as in `_map`
        survey.push(value[index], (place, str(index)), depth)


def _single_or_list(survey: Survey, value: object, place: Link, depth: int) -> None:
    (_list if isinstance(value, list) else _single)(survey, value, place, depth)


def _map(survey: Survey, value: object, place: Link, depth: int) -> None:
    if not isinstance(value, dict):
        survey.note(place, unlike("an object that maps names to schemas", value))
        return
    leaves, holders = LEAVES[survey.dialect], HOLDERS[survey.dialect]
    hasty = survey.dialect is not Dialect.DRAFT4  # whose companions only the full look sees
    for name, child in reversed(value.items()):  # the stack turns it round
        if not (hasty and child.__class__ is dict and _plain(child, leaves, holders)):
            survey.push(child, (place, name), depth)
            if survey.full:
                return


def _plain(
    schema: dict[str, Any], leaves: Mapping[str, Shape], holders: Mapping[str, Hold]
) -> bool:
    """Tells at once that a schema without subschemas is in order, as most properties are."""
    for keyword, value in schema.items():
        shape = leaves.get(keyword)
        if shape is value.__class__:
            continue
        if shape is None:
            if keyword in holders:
                return False
        elif keyword == "type" and value.__class__ is str and value in SIMPLE_TYPES:
            continue  # as `misfit` would say, without two calls
        elif misfit(value, shape) is not None:
            return False
    return True


def _map_by_pattern(survey: Survey, value: object, place: Link, depth: int) -> None:
    _map(survey, value, place, depth)
    if isinstance(value, dict):
        survey.patterns += [(name, (place, name)) for name in value]


def _map_or_names(survey: Survey, value: object, place: Link, depth: int) -> None:
    if not isinstance(value, dict):
        survey.note(place, unlike("an object that maps names to schemas or names", value))
        return
    for name, child in reversed(value.items()):
        if isinstance(child, list):
            found = name_list_misfit(child, survey.dialect)
            if found is not None:
                survey.note((place, name), found)
        else:
            survey.push(child, (place, name), depth)


def _pattern(survey: Survey, value: object, place: Link, _depth: int) -> None:
    if isinstance(value, str):
        survey.patterns.append((value, place))
    else:
        survey.note(place, unlike("a regular expression as a string", value))


def _reference(survey: Survey, value: object, place: Link, _depth: int) -> None:
    if isinstance(value, str):
        survey.references.append((value, place))
    else:
        survey.note(place, unlike("a reference as a string", value))


def _identifier(survey: Survey, value: object, place: Link, _depth: int) -> None:
    survey.named = True
    found = identifier_misfit(value, survey.dialect)
    if found is not None:
        survey.note(place, found)


def _companions(survey: Survey, here: dict[str, Any], place: Link) -> None:
    for keyword, companion in (
        ("exclusiveMaximum", "maximum"),
        ("exclusiveMinimum", "minimum"),
    ):
        if keyword in here and companion not in here:
            survey.note((place, keyword), ((), f"expected `{companion}` beside it, got none"))


Hold = Callable[[Survey, object, Link, int], None]


def _holders(dialect: Dialect) -> Mapping[str, Hold]:
    """The keywords that the walk must look into or note down, with how."""
    lists, singles = LISTS[dialect], SINGLES[dialect]
    holders: dict[str, Hold] = dict.fromkeys(MAPS[dialect], _map)
    holders |= dict.fromkeys(singles, _single)
    holders |= dict.fromkeys(lists, _list)
    holders |= dict.fromkeys(lists & singles, _single_or_list)
    if dialect is Dialect.DRAFT4:
        loose = ("additionalItems", "additionalProperties")
        holders |= dict.fromkeys(loose, _single_or_boolean)
    if "items" not in lists:
        holders["items"] = _single_only
    holders["patternProperties"] = _map_by_pattern
    holders["dependencies"] = _map_or_names
    holders["pattern"] = _pattern
    holders[dialect.id_keyword] = _identifier
    return holders | dict.fromkeys(REFERENCES[dialect], _reference)


HOLDERS: Final[Mapping[Dialect, Mapping[str, Hold]]] = {each: _holders(each) for each in Dialect}
