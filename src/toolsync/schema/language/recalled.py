"""What patterns come to, recalled: they return from tool to tool, and automata are slow to make.

Only answers are kept, and no automaton, which grows while it is asked.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from toolsync.schema.language.ecma import NotRegular
from toolsync.schema.language.regular import Language, TooLarge, find

_MOST_STEPS: Final = 50_000  # as many as one question of containment may take
_MOST_RECALLED: Final = 256  # characters of the patterns of one question


def irregularity(pattern: str) -> str:
    """Tells why automata cannot express a pattern; nothing where they can."""
    return (_why if len(pattern) <= _MOST_RECALLED else _why.__wrapped__)(pattern)


@lru_cache(maxsize=256)
def _why(pattern: str) -> str:
    try:
        Language(pattern)
    except (NotRegular, TooLarge) as stop:
        return str(stop)
    return ""


class Searched(NamedTuple):
    """What a search came to, the steps that it and its automata took, and what stopped it."""

    text: str | None
    steps: int
    work: int
    stop: str = ""


def recalled(
    asked: tuple[tuple[str, bool], ...], least: int = 0, most: int | None = None
) -> Searched:
    """Finds as `find` does, by patterns that are regular; a frequent question is answered at once.

    Patterns return from tool to tool. What it took is told, not spent: the same each time.
    """
    small = sum(len(text) for text, _ in asked) <= _MOST_RECALLED
    return (_searched if small else _searched.__wrapped__)(asked, least, most)


@lru_cache(maxsize=256)
def _searched(asked: tuple[tuple[str, bool], ...], least: int, most: int | None) -> Searched:
    wanted = [(Language(text), on) for text, on in asked]
    steps = 0

    def spend(count: int) -> None:
        nonlocal steps
        steps += count
        if steps > _MOST_STEPS:
            raise TooLarge("a search of more steps than any budget has")

    found, stop = None, ""
    try:
        found = find(wanted, least, most, spend)
    except TooLarge as stopped:
        stop = str(stopped)
    return Searched(found, steps, sum(language.work for language, _ in wanted), stop)
