"""The report that people read: worst first, one block a tool, a summary at the end.

Plain lines with named looks; `terminal` gives them colour. Once a few screens are full,
every further block gets one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from toolsync.model import Level

from .blocks import Block, blocks, whole_blocks
from .finding import finding_lines
from .heading import beside, brief, group_heading, heading, tool_name, worst
from .line import Line, Span, line
from .shape import FindingEntry, Report
from .summary import number, summary_line, title_line

_WIDE: Final = 100
_DETAILED_LINES: Final = 250
_BRIEF_LINES: Final = 500
_FINDINGS_EACH: Final = 12


def report_lines(report: Report, *, full: bool = False) -> Iterator[Line]:
    """Tells a whole report; with `full` nothing is folded, shortened or left out."""
    yield title_line(report)
    tools = report["tools"]
    yield from _spread(whole_blocks(tools) if full else blocks(tools), full=full)
    yield line()
    yield summary_line(report)


def _spread(told: Sequence[Block], *, full: bool) -> Iterator[Line]:
    """Spends the detailed lines on the worst blocks; the rest gets one line each."""
    used = in_brief = 0
    apart = True  # whether a blank line stands before the next block
    for block in told:
        detailed = full or used < _DETAILED_LINES or block.kind in ("list", "count")
        lines = list(_lines(block, full=full)) if detailed else [_brief(block)]
        in_brief += not detailed
        if not detailed and in_brief > _BRIEF_LINES:
            continue
        if apart or len(lines) > 1:
            yield line()
        yield from lines
        used += len(lines) if detailed else 0
        apart = len(lines) > 1
    if in_brief:
        yield line()
        yield from _left_out(in_brief)


def _left_out(brief: int) -> Iterator[Line]:
    if brief > _BRIEF_LINES:
        more = brief - _BRIEF_LINES
        yield line(
            Span(f"… and {more} more tools, none of them worse (--name-only lists all)", "dim")
        )
    yield line(Span("shortened: --only NAME tells one tool in detail, --all everything", "dim"))


def _lines(block: Block, *, full: bool) -> Iterator[Line]:
    if block.kind == "tool":
        return _tool_lines(block, full=full)
    if block.kind == "shared":
        return _shared_lines(block)
    if block.kind == "list":
        return _list_lines(block)
    return iter((group_heading(block.mark, block.told, block.level),))


def _brief(block: Block) -> Line:
    """Tells a block in one line."""
    if block.kind == "tool":
        return brief(block.tools[0], block.findings, block.shared)
    return group_heading(block.mark, block.told, block.level, *worst(block.findings, block.level))


def _list_lines(block: Block) -> Iterator[Line]:
    names = [tool_name(tool) for tool in block.tools]
    if len(names) == 1:
        yield group_heading(block.mark, names[0], block.level, f"  {block.told}")
        return
    yield group_heading(block.mark, f"{len(names)} tools {block.told}", block.level)
    yield from _packed(names, 6, 2 if block.level == Level.PRESENTATION else None)


def _shared_lines(block: Block) -> Iterator[Line]:
    names = [tool_name(tool) for tool in block.tools]
    yield group_heading(block.mark, block.told, block.level)
    yield from _packed(names, 6, 3, "all of: ")
    for finding in block.findings:
        yield from finding_lines(finding, 2, of=names[0], under=_alone(block.findings))


def _alone(findings: Sequence[FindingEntry]) -> str:
    """Returns the level that a heading says for its findings: that of the only one."""
    return findings[0]["level"] if len(findings) == 1 else ""


def _packed(
    names: Iterable[str], indent: int, most: int | None = None, label: str = ""
) -> Iterator[Line]:
    """Fills lines with names; past `most` lines the rest is counted."""
    rows: list[list[str]] = [[]]
    width = indent + len(label)
    for name in names:
        if rows[-1] and width + len(name) + 2 > _WIDE:
            rows.append([])
            width = indent
        rows[-1].append(name)
        width += len(name) + 2
    hidden = 0 if most is None else sum(map(len, rows[most:]))
    for i, row in enumerate(rows[:most]):
        last = i == len(rows) - 1 or i + 1 == most
        end = f", and {hidden} more" if last and hidden else "" if last else ","
        yield line(" " * indent, Span("" if i else label, "dim"), ", ".join(row), end, hang=indent)


def _tool_lines(block: Block, *, full: bool) -> Iterator[Line]:
    tool, told = block.tools[0], block.findings
    said = tool["level"] if not block.shared and _alone(told) == tool["level"] else ""
    yield heading(tool, beside(block.shared))
    shown = told if full else told[:_FINDINGS_EACH]
    for finding in shown:
        yield from finding_lines(finding, 2, full=full, under=said)
    if len(told) > len(shown):
        more = number(len(told) - len(shown), "more finding")
        yield line("  ", Span(f"… and {more}", "dim"))
