"""What became of a set that a session should hold, and what else a hub tells its host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from toolsync.changes import Changes

Status = Literal["applied", "unchanged", "deferred", "no_session", "unsupported", "failed"]

STATUSES: Final = frozenset(get_args(Status))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the newest set of one session.

    `tools` names the tools that the session had to learn of, `changes` compares the set
    that it was told before with the newest; `error` says what went wrong.
    """

    status: Status
    session: str
    revision: int
    tools: tuple[str, ...] = ()
    changes: Changes | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ContributionsChanged:
    """Says that plugins brought something else beside tools, such as other instructions.

    Running sessions are not touched by that; what to do is the host's decision.
    """

    revision: int
    plugins: frozenset[str]


Event = Outcome | ContributionsChanged
