"""What toolsync raises.

ToolsyncError
├── TextError        the bytes are not JSON, or not text that can be read exactly
├── FormatError      JSON, but not a catalogue in a known shape
├── IncompleteError  a catalogue with pages missing
├── LimitError       larger or deeper than a stated limit
├── SettingsError    an override or a file of settings that says what cannot be meant
├── LockError        a lockfile that cannot be trusted, read or written
└── SourceError      a file, revision or server that cannot be read

Every message says what was expected, what was found and where; none holds
control characters of the input.
"""

from __future__ import annotations


class ToolsyncError(Exception):
    """The base of every error that toolsync raises on purpose."""


class TextError(ToolsyncError):
    """Says at which byte offset a text stops being JSON."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


class FormatError(ToolsyncError):
    """Says that JSON was read but holds no catalogue."""


class IncompleteError(ToolsyncError):
    """Says that a list ends with a cursor and no further page."""


class LimitError(ToolsyncError):
    """Names the limit that an input exceeds, and how to raise it."""


class SettingsError(ToolsyncError):
    """Says which setting is wrong, in which entry of which file."""


class LockError(ToolsyncError):
    """Says what is wrong with which lockfile, and how to go on."""


class SourceError(ToolsyncError):
    """Says which file, revision or server could not be read, and why."""
