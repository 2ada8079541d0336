"""Bounds the steps of a backtracking search for a pattern, without running one.

A backtracking engine walks every way through the pattern until one succeeds.
How many ways lead to each place in the text is counted part by part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from toolsync.schema.language.ecma import (
    MAX_PATTERN,
    Chars,
    Choice,
    Edge,
    Look,
    NotRegular,
    Repeat,
    Sequence,
    Syntax,
    parse,
)
from toolsync.schema.language.regular import holds

MAX_STEPS: Final = 200_000
"""How many steps one search may take."""

STEPS: Final = 100
"""How many steps of a search take as long as one of a validator."""

_MOST_REMEMBERED: Final = 512  # characters; patterns return from tool to tool
_BRANCHING: Final = re.compile(r"(?<!\()\?|[*+{|]")

Ways = dict[int, int]
"""How many ways lead to a place in the text, for the places that are reached."""


def strain(pattern: str, text: str) -> int | None:
    """Gives an upper bound of the steps; None where there are too many, or nobody can tell."""
    short = len(pattern) + len(text) <= _MOST_REMEMBERED
    return (_strain if short else _strain.__wrapped__)(pattern, text)


@lru_cache(256)
def _strain(pattern: str, text: str) -> int | None:
    tree = _tree(pattern)
    if tree is None:
        steps = len(pattern) * (len(text) + 1)
        plain = len(pattern) <= MAX_PATTERN and not _BRANCHING.search(pattern)
        return steps if plain and steps <= MAX_STEPS else None
    count = _Count(text)
    try:
        count.walk(tree, dict.fromkeys(range(len(text) + 1), 1))
    except (OverflowError, RecursionError):
        return None
    return count.steps


@lru_cache(256)
def _tree(pattern: str) -> Syntax | None:
    try:
        return parse(pattern)
    except NotRegular:
        return None


class _Count:
    """Counts the steps over one text."""

    __slots__ = ("_text", "steps")

    def __init__(self, text: str) -> None:
        self._text = [ord(each) for each in text]
        self.steps = 0

    def walk(self, tree: Syntax, ways: Ways) -> Ways:
        """Tells where a part of the pattern leads to.

        Raises:
            OverflowError: there are too many steps.
        """
        self.steps += 1 + sum(ways.values())
        if self.steps > MAX_STEPS:
            raise OverflowError
        if isinstance(tree, Chars):
            return self._read(tree, ways)
        if isinstance(tree, Edge):
            edge = 0 if tree.start else len(self._text)
            return {edge: ways[edge]} if edge in ways else {}
        if isinstance(tree, Sequence):
            for part in tree.parts:
                ways = self.walk(part, ways)
            return ways
        if isinstance(tree, Choice):
            return _sum(self.walk(part, ways) for part in tree.parts)
        if isinstance(tree, Look):
            self.walk(tree.inner, ways)
            return ways
        return self._repeat(tree, ways)

    def _read(self, tree: Chars, ways: Ways) -> Ways:
        text = self._text
        return {
            at + 1: count
            for at, count in ways.items()
            if at < len(text) and holds(tree.ranges, text[at])
        }

    def _repeat(self, tree: Repeat, ways: Ways) -> Ways:
        for _ in range(tree.least):
            ways = self.walk(tree.inner, ways)
            if not ways:
                return ways
        # Beyond that no round reads nothing, so that there are no more than characters.
        most = len(self._text) + 1
        reached = [ways]
        for _ in range(most if tree.most is None else min(most, tree.most - tree.least)):
            ways = self.walk(tree.inner, ways)
            if not ways:
                break
            reached.append(ways)
        return _sum(reached)


def _sum(several: Iterable[Ways]) -> Ways:
    total: Ways = {}
    for ways in several:
        for at, count in ways.items():
            total[at] = total.get(at, 0) + count
    return total
