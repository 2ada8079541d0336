"""The short forms of the report: one line a tool, with what it costs, or only names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from toolsync.model import Level
from toolsync.safe import safe_words

from .cost import BYTES_A_TOKEN, Change, Costs, tokens
from .cut import clipped
from .heading import tool_name
from .line import Line, Span, line
from .shape import Report, ToolEntry
from .summary import rank, summary_line

_NAME_WIDTH: Final = 48


def name_lines(report: Report) -> Iterator[Line]:
    """Names every tool that differs or cannot be used, in the report's order."""
    for tool in report["tools"]:
        if tool["status"] != "unchanged":
            yield line(tool_name(tool, whole=True))


def stat_lines(report: Report, costs: Costs | None = None) -> Iterator[Line]:
    """Gives every tool one line, worst first: what became of it, its size, its findings counted."""
    tools = sorted(report["tools"], key=lambda tool: -rank(tool["level"]))
    sizes = {} if costs is None else {name: _size(each) for name, each in costs.tools.items()}
    names = [tool_name(tool) for tool in tools]
    name_width = min(max(map(len, names), default=0), _NAME_WIDTH)
    size_width = max((len(sizes.get(tool["name"] or "", "")) for tool in tools), default=0)
    for tool, name in zip(tools, names, strict=True):
        level = tool["level"] if tool["status"] != "unchanged" else ""
        yield line(
            " ",
            Span(name.ljust(name_width), "name"),
            f"  {tool['status']:9}  ",
            Span(level.ljust(13), level),
            f"  {sizes.get(tool['name'] or '', ''):{size_width}}" if sizes else "",
            Span(_counts(tool), "dim"),
            hang=4,
        )
    yield summary_line(report)
    yield from () if costs is None else cost_lines(costs)


def cost_lines(costs: Costs) -> Iterator[Line]:
    """Says what the whole catalogue takes of a prompt, and how much of that is new to a cache."""
    yield line(f"shown to a model: {_size(costs.whole)}, at {BYTES_A_TOKEN} bytes a token")
    if not costs.in_order:
        return
    if costs.first is None:
        yield line("prompt cache: kept, tools and order are shown as before")
        return
    rest = f"{_about(costs.behind)} from there on and all that follows the tools are read anew"
    where = "behind the last tool"
    if costs.name is not None:
        where = f"at tool {costs.first + 1} of {costs.count}, {safe_words(clipped(costs.name))}"
    yield line(f"prompt cache: differs {where}: {rest}")


def _size(change: Change) -> str:
    old, new = change
    return f"{_about(new)}{_by(tokens(new) - tokens(old))}, {new:,} bytes{_by(new - old)}"


def _about(size: int) -> str:
    return f"~{tokens(size):,} tokens"


def _by(difference: int) -> str:
    return f" ({difference:+,})" if difference else ""


def _counts(tool: ToolEntry) -> str:
    if tool["status"] != "changed":
        return ""
    counts = Counter(finding["level"] for finding in tool["findings"])
    told = [f"{counts[level]} {level}" for level in reversed(Level) if counts[level]]
    return f"  {', '.join(told)}" if told else ""
