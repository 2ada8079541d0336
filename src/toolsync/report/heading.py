"""The line that stands over what is told of one tool, or of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolsync.model import Level
from toolsync.safe import safe_text, safe_words

from .cut import clipped
from .line import Line, Span, line
from .shape import FindingEntry, ToolEntry
from .summary import number

MARKS: Final = {"added": "+", "removed": "-", "changed": "~", "invalid": "!", "unchanged": "="}


def tool_name(tool: ToolEntry, *, whole: bool = False) -> str:
    """Returns the safe name of a tool, cut if long; a nameless one is called by its place."""
    name = tool["name"]
    if name is None:
        return f"tools[{tool.get('index', '?')}]"
    return safe_words(name if whole else clipped(name))


def heading(tool: ToolEntry, *more: Span) -> Line:
    """Says of a tool what became of it, and how bad that is."""
    status, level = tool["status"], tool["level"]
    look = "invalid" if status == "invalid" else level
    return line(
        Span(f"{MARKS[status]} ", look),
        Span(tool_name(tool), "name"),
        "  ",
        Span(standing(tool), look),
        *_status(tool),
        *more,
        hang=4,
    )


def brief(tool: ToolEntry, findings: Sequence[FindingEntry], shared: int) -> Line:
    """Says of a tool in one line what became of it, and the worst about that."""
    return heading(tool, *worst(findings, tool["level"]), beside(shared))


def group_heading(mark: str, told: str, level: str, *more: str | Span) -> Line:
    """Says what several tools have in common."""
    return line(
        Span(f"{mark} ", level), Span(told, "name"), "  ", Span(level, level), *more, hang=4
    )


def beside(shared: int) -> Span:
    """Counts the findings of a tool that are told elsewhere."""
    return Span(f"  beside {number(shared, 'shared finding')}" if shared else "", "dim")


def worst(findings: Sequence[FindingEntry], level: str) -> Iterator[Span]:
    """Tells the worst of some findings, and how many there are besides."""
    for first in findings[:1]:
        if first["level"] != level:
            yield Span(f"  {first['level']}", first["level"])
        if first["path"]:
            yield Span(f"  {safe_text(clipped(first['path']))}", "path")
        yield Span(f"  {safe_words(clipped(first['message'], 400))}")
    if len(findings) > 1:
        yield Span(f"  and {len(findings) - 1} more", "dim")


def outcome(tool: ToolEntry) -> str:
    """Says what became of a tool that came or went."""
    gone = any(finding["rule"] == "invalid-tool-removed" for finding in tool["findings"])
    return f"{tool['status']}, was unusable" if gone else tool["status"]


def standing(tool: ToolEntry) -> str:
    """Says how bad it is what became of a tool."""
    if tool["status"] == "unchanged":
        return "unchanged"
    if tool["status"] != "invalid":
        return tool["level"]
    if tool["level"] == Level.IDENTICAL:
        return "invalid as before"
    return "invalid, breaking" if tool["level"] == Level.BREAKING else "invalid"


def _status(tool: ToolEntry) -> Iterator[str | Span]:
    if tool["status"] == "invalid":
        yield "  "
        yield Span(safe_text(clipped(tool.get("path", ""))), "path")
        yield "  " if tool.get("path") else ""
        yield safe_text(clipped(tool.get("reason", ""), 400))
    elif tool["status"] in ("added", "removed"):
        yield f"  {outcome(tool)}"
    yield rename(tool)


def rename(tool: ToolEntry) -> str:
    """Hints at the other name of a tool that was perhaps renamed; begins with a comma."""
    to = f", perhaps renamed to {_other(tool['renamed_to'])}" if "renamed_to" in tool else ""
    since = tool.get("renamed_from")
    return to if since is None else f"{to}, perhaps renamed from {_other(since)}"


def _other(name: str) -> str:
    return safe_words(clipped(name))
