"""What a plugin brings, what became of it, and how it stands: plain data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from toolsync.changes import Changes
from toolsync.safe import safe_text

Call = Callable[[str, Any], Awaitable[Any]]
"""Runs a tool: its name and arguments in, the result out."""

State = Literal["active", "retained", "failed"]
"""A plugin serves its newest version, an earlier one since that failed, or none at all."""

MAX_SHOWN: Final = 200
"""How many characters of a name or a JSON Pointer are shown in a message."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """One built version of a plugin: its tools as dicts, who runs them, and how it is closed.

    `contributes` holds what else it brings, such as instructions, under names of
    the host's choice; that is committed together with the tools or not at all.
    """

    tools: Sequence[Mapping[str, Any]] = ()
    call: Call | None = None
    close: Callable[[], Awaitable[None]] | None = None
    contributes: Mapping[str, Any] = field(default_factory=dict)


Build = Callable[[], Awaitable[Plugin]]
"""Makes a version of a plugin, out of sight; whatever it raises leaves all as it was."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """One fault of a candidate: whose, in which tool, at which JSON Pointer, and why."""

    plugin: str
    tool: str | None
    path: str
    reason: str

    @property
    def told(self) -> str:
        """The fault in one line."""
        tool = "" if self.tool is None else f", tool {_named(self.tool)}"
        place = f", at {_short(self.path)}" if self.path else ""
        return f"plugin {_named(self.plugin)}{tool}{place}: {self.reason}"


def _short(text: str) -> str:
    return safe_text(text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…")


def _named(name: str) -> str:
    return f"'{_short(name)}'"


@dataclass(frozen=True, slots=True)
class Commit:
    """What an accepted change came to; `changes` compares the catalogue before and after.

    `rejected` lists the tools that were left out, where that is allowed.
    """

    revision: int
    changes: Changes
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True, slots=True)
class PluginStatus:
    """How a plugin stands: the version that serves, and the candidate that failed, with its error.

    `since` is the reading of the registry's clock when it came to stand so.
    """

    version: str | None
    state: State
    error: str | None = None
    candidate: str | None = None
    since: float = 0.0
