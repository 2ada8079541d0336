"""Differences grouped into what can be judged by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from toolsync.classify.pointers import Pointer, value_place
from toolsync.compare import Difference
from toolsync.rules import Rule

Case = tuple[Difference, Rule]
_APART: Final = frozenset(("properties", "patternProperties", "required", "dependentRequired"))


class Unit(NamedTuple):
    """Some differences at one value's place: their numbers, and the pointers to replay."""

    place: Pointer
    numbers: tuple[int, ...]
    anchors: tuple[Pointer, ...]


def units(cases: Sequence[Case]) -> Iterator[Unit]:
    """Yields the units of some differences."""
    groups: dict[tuple[Pointer, str], list[int]] = {}
    for number, (found, _) in enumerate(cases):
        groups.setdefault(_group(found), []).append(number)
    for (place, _), numbers in groups.items():
        anchors = dict.fromkeys(cases[number][0].anchor[1:] for number in numbers)
        yield Unit(place, tuple(numbers), tuple(anchors))


def _group(found: Difference) -> tuple[Pointer, str]:
    if found.anchor == found.path and found.keyword in _APART:
        return found.path, found.keyword
    return value_place(found.anchor), ""


def parts(unit: Unit, cases: Sequence[Case]) -> list[Unit]:
    """Returns the keywords of a unit as units, where each can be replayed by itself."""
    found = [cases[number][0] for number in unit.numbers]
    if any(one.anchor != one.path for one in found) or len(unit.anchors) != len(found):
        return []
    return [
        Unit(one.path, (number,), (one.path[1:],))
        for number, one in zip(unit.numbers, found, strict=True)
    ]
