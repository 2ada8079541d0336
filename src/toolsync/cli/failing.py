"""Which outcome is exit code 1."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from toolsync.model import Level

if TYPE_CHECKING:
    from toolsync.changes import Changes


class FailOn(StrEnum):
    """The level from which on a difference fails; `semantic` is all that a session is told."""

    NEVER = "never"
    PRESENTATION = "presentation"
    SEMANTIC = "semantic"
    COMPATIBLE = "compatible"
    DANGEROUS = "dangerous"
    UNKNOWN = "unknown"
    BREAKING = "breaking"


_FROM: Final = {
    each: Level.DOCUMENTATION if each is FailOn.SEMANTIC else Level(each)
    for each in FailOn
    if each is not FailOn.NEVER
}


def fails(level: Level, fail_on: FailOn) -> bool:
    """Tells whether a level is at or above the bar."""
    return fail_on is not FailOn.NEVER and level.rank >= _FROM[fail_on].rank


def exit_code(changes: Changes, fail_on: FailOn) -> int:
    """Returns 1 where the level reaches the bar or a tool came or became unusable, else 0.

    `never` means never: then only what could not run at all is an error.
    """
    if fail_on is FailOn.NEVER:
        return 0
    return int(fails(changes.level, fail_on) or bool(changes.invalid))
