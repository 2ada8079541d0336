"""What the live part raises.

ToolsyncError
├── RegistrationError  a plugin's candidate that was refused: plugin, tool, place, reason
├── UnknownTool        a call to a tool that is not there (any more)
├── ToolChanged        a call made for an earlier definition, which the present one refuses
└── Closed             something that was asked of a registry or hub that has ended
"""

from __future__ import annotations

from typing import Final

from toolsync.errors import ToolsyncError
from toolsync.live.plugin import Rejected
from toolsync.safe import named, safe_text

MAX_TOLD: Final = 500
"""How many characters of another program's error are told on."""


class RegistrationError(ToolsyncError):
    """Says which plugin was refused, for which tool, where in it, and why.

    `tool` is None where the fault is not one tool's; `rejected` lists all that was found.
    """

    def __init__(
        self,
        plugin: str,
        tool: str | None,
        path: str,
        reason: str,
        *,
        rejected: tuple[Rejected, ...] = (),
    ) -> None:
        more = len(rejected) - 1
        and_more = f" (and {more} more)" if more > 0 else ""
        super().__init__(Rejected(plugin, tool, path, reason).told + and_more)
        self.plugin = plugin
        self.tool = tool
        self.path = path
        self.reason = reason
        self.rejected = rejected

    def again(self) -> RegistrationError:
        """Returns the same error anew, for another caller to raise."""
        made = RegistrationError(
            self.plugin, self.tool, self.path, self.reason, rejected=self.rejected
        )
        made.__cause__ = self.__cause__
        return made


class UnknownTool(ToolsyncError):  # noqa: N818  the name that the specification gives it
    """Says that there is no tool of that name, as MCP words it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown tool: {safe_text(name)}")
        self.name = name


class ToolChanged(ToolsyncError):  # noqa: N818  the name that the specification gives it
    """Says that a tool changed after it was advertised, at which revision, and what is refused."""

    def __init__(self, name: str, revision: int, reason: str) -> None:
        super().__init__(
            f"tool {named(name)} changed at revision {revision}, and refuses these "
            f"arguments: {reason}; list the tools again"
        )
        self.name = name
        self.revision = revision
        self.reason = reason


class Closed(ToolsyncError):  # noqa: N818  says what it is
    """Says that a registry or hub has ended and takes nothing more."""


def told(error: BaseException) -> str:
    """Says in one safe, bounded line what went wrong in code that is not ours."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  even the words of a plugin's error may fail
        text = ""
    line = safe_text(" ".join(text.split())[:MAX_TOLD])
    kind = safe_text(type(error).__name__)
    return f"{kind}: {line}" if line else kind
