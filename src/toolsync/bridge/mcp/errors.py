"""What can go wrong between toolsync and an MCP peer, as one clear line each."""

from __future__ import annotations

from typing import Any, Final

from toolsync.errors import ToolsyncError
from toolsync.safe import safe_text

UNREACHED: Final = "toolsync: not the server's answer"
"""The data of an error that stands for an answer which could not be had."""


class RemoteError(ToolsyncError):
    """Carries the JSON-RPC error that a server answered: `code`, `text`, `data`, as they came."""

    def __init__(self, where: str, code: int, text: str, data: Any = None) -> None:
        super().__init__(f"{where}: error {code}: {safe_text(text)}")
        self.code = code
        self.text = text
        self.data = data


class ConnectionFailed(ToolsyncError):  # noqa: N818 - says what happened
    """Says why a server could not be reached, or did not shake hands."""


class ConnectionLost(ToolsyncError):  # noqa: N818 - says what happened
    """Says that a server went away, and that a call in flight may have been carried out."""
