"""Tells what changed between two MCP tool catalogues, and whether calls that worked still work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolsync.catalog import Catalog, Limits, Tool, load, loads
from toolsync.changes import Changes, ToolChange, diff
from toolsync.errors import (
    FormatError,
    IncompleteError,
    LimitError,
    SettingsError,
    SourceError,
    TextError,
    ToolsyncError,
)
from toolsync.formats import InputFormat
from toolsync.model import ABSENT, Finding, Invalid, Level, Overridden
from toolsync.overrides import Override

if TYPE_CHECKING:
    from toolsync.schema import Containment, contained

__all__ = [
    "ABSENT", "Catalog", "Changes", "Containment", "Finding", "FormatError", "IncompleteError",
    "InputFormat", "Invalid", "Level", "LimitError", "Limits", "Overridden", "Override",
    "SettingsError", "SourceError", "TextError", "Tool", "ToolChange", "ToolsyncError",
    "contained", "diff", "load", "loads",
]  # fmt: skip

__version__ = "0.1.0"


def __dir__() -> list[str]:
    """Names what is public."""
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    """Imports the reasoning about schemas only where it is used: most diffs never need it."""
    if name in ("Containment", "contained"):
        import toolsync.schema  # noqa: PLC0415  that is the point

        return getattr(toolsync.schema, name)
    raise AttributeError(f"module 'toolsync' has no attribute {name!r}")
