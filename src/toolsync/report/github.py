"""GitHub annotations: one workflow command a finding, worst first.

A command is a line of the log, so whatever could end it, or one of its parts, is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolsync.safe import safe_text

from .cut import clipped
from .finding import plain_lines
from .heading import tool_name
from .origin import NOWHERE, Origins, Spot
from .severity import severity
from .shape import FindingEntry, Report, ToolEntry
from .summary import rank

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}
_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def github(report: Report, origins: Origins = NOWHERE) -> Iterator[str]:
    """Yields the annotations of a report, one a line."""
    found = [(tool, finding) for tool in report["tools"] for finding in tool["findings"]]
    for tool, finding in sorted(found, key=lambda each: -rank(each[1]["level"])):
        yield f"{_annotation(tool, finding, origins)}\n"


def _annotation(tool: ToolEntry, finding: FindingEntry, origins: Origins) -> str:
    name = tool_name(tool)
    spots = origins.spots(tool, finding)
    told = {**_place(spots), "title": f"{finding['level']}: {name} ({finding['rule']})"}
    properties = ",".join(f"{key}={_escaped(value, _PROPERTY)}" for key, value in told.items())
    path = f" {safe_text(clipped(finding['path']))}" if finding["path"] else ""
    message = "\n".join((f"{name}{path}", *plain_lines(finding, name)))
    return f"::{_COMMANDS[severity(finding['level'])]} {properties}::{_escaped(message, _DATA)}"


def _escaped(text: str, escapes: dict[int, str]) -> str:
    """Makes a text safe line by line, then escapes it; the per cent sign is escaped once."""
    safe = "\n".join(safe_text(each) for each in text.split("\n"))
    return safe.translate(escapes)


def _place(spots: tuple[Spot, ...]) -> dict[str, str]:
    """Names the file that has a line to look at, or else the first."""
    spot = next((each for each in spots if each.region is not None), spots[0] if spots else None)
    if spot is None:
        return {}
    if spot.region is None:
        return {"file": spot.path}
    return {"file": spot.path, "line": str(spot.region.line), "col": str(spot.region.column)}
