"""Which files the two sides of a comparison came from, read again for their lines."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from toolsync.catalog import Limits
from toolsync.errors import ToolsyncError
from toolsync.locate import Locator
from toolsync.report.origin import Origin, Origins
from toolsync.sources import STDIN, is_live, read_text

if TYPE_CHECKING:
    from toolsync.changes import Changes

_GIT: Final = "git:"
# Whatever was read once, under the limits that were given, may be read for its lines.
_ANY: Final = Limits(max_bytes=(4 << 30) - 1, max_depth=500, max_string=(4 << 30) - 1)


def origins_of(changes: Changes) -> Origins:
    """Returns the files of both sides, as far as they are files."""
    return Origins(_origin(changes.old.source), _origin(changes.new.source))


def _origin(source: str | None) -> Origin:
    if not source or source == STDIN or is_live(source):
        return Origin()
    if source.startswith(_GIT):
        return Origin(source.split(":", 2)[-1].removeprefix("./") or None)
    try:
        if not Path(source).is_file():
            return Origin()
        text = read_text(source, max_bytes=_ANY.max_bytes)
    except (ToolsyncError, OSError, ValueError):
        return Origin(_from_here(source))
    return Origin(_from_here(source), Locator(text, limits=_ANY))


def _from_here(source: str) -> str:
    """Names a file below the current folder from there: so does a code review."""
    path = PurePath(os.path.normpath(source))
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.as_posix()
