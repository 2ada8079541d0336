"""The short forms of the report: one line a tool, or only names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toolsync.model import Level

from .heading import tool_name
from .line import Line, Span, line
from .shape import Report, ToolEntry
from .summary import rank, summary_line


def name_lines(report: Report) -> Iterator[Line]:
    """Names every tool that differs or cannot be used, in the report's order."""
    for tool in report["tools"]:
        if tool["status"] != "unchanged":
            yield line(tool_name(tool, whole=True))


def stat_lines(report: Report) -> Iterator[Line]:
    """Gives every tool one line, worst first: what became of it, and its findings counted."""
    tools = sorted(report["tools"], key=lambda tool: -rank(tool["level"]))
    name_width = min(max((len(tool_name(tool)) for tool in tools), default=0), 48)
    for tool in tools:
        name = tool_name(tool).ljust(name_width)
        yield line(
            " ", Span(name, "name"), "  ", tool["status"].ljust(9), "  ", *_level(tool), hang=4
        )
    yield summary_line(report)


def _level(tool: ToolEntry) -> Iterator[str | Span]:
    if tool["status"] == "unchanged":
        return
    yield Span(tool["level"].ljust(13), tool["level"])
    counts = Counter(finding["level"] for finding in tool["findings"])
    told = [f"{counts[level]} {level}" for level in reversed(Level) if counts[level]]
    if tool["status"] == "changed" and told:
        yield Span("  " + ", ".join(told), "dim")
