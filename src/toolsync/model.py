"""The plain data that every layer shares: levels, facts, findings, one tool's outcome.

All frozen; nothing here computes, reads or prints.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, Final, Literal


class Level(StrEnum):
    """How much a change matters, from `identical` up to `breaking` (docs/verdicts.md)."""

    IDENTICAL = "identical"
    PRESENTATION = "presentation"
    DOCUMENTATION = "documentation"
    COMPATIBLE = "compatible"
    DANGEROUS = "dangerous"
    UNKNOWN = "unknown"
    BREAKING = "breaking"

    rank: int
    """Counts up with severity."""

    def __init__(self, _: str) -> None:
        self.rank = len(type(self).__members__)

    # By severity, not by spelling: `max(levels)` is the worst.
    def __lt__(self, other: str) -> bool:
        return self.rank < Level(other).rank

    def __le__(self, other: str) -> bool:
        return self.rank <= Level(other).rank

    def __gt__(self, other: str) -> bool:
        return self.rank > Level(other).rank

    def __ge__(self, other: str) -> bool:
        return self.rank >= Level(other).rank

    @property
    def semantic(self) -> bool:
        """Tells whether a running session must learn of it."""
        return self.rank > 1  # above presentation


class Absent(Enum):
    """The type of `ABSENT`: nothing stood there, which differs from `null`."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT

Status = Literal["added", "removed", "changed", "invalid", "unchanged"]
Side = Literal["tool", "input", "output"]


@dataclass(frozen=True, slots=True)
class Overridden:
    """The level that a finding came to by itself, and why a team has given it another."""

    level: Level
    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One judged change: the rule it falls under, its level, and words for people.

    `level` is the one that counts; where a team has decided on it, `overridden` says
    what it was, and a proof of a break stays.
    """

    rule: str
    level: Level
    path: str
    message: str
    old: Any = ABSENT
    new: Any = ABSENT
    property: str | None = None
    witness: Any = ABSENT
    witness_of: Literal["arguments", "result"] | None = None
    renamed_from: str | None = None
    renamed_to: str | None = None
    overridden: Overridden | None = None


@dataclass(frozen=True, slots=True)
class Invalid:
    """A tool that cannot be used: where it stands, the JSON Pointer of its fault, and why.

    `text` is its JSON text as far as there is one; it tells two malformed tools apart.
    """

    name: str | None
    index: int
    path: str
    reason: str
    text: bytes = field(default=b"", repr=False)
