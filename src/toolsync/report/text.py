"""The report that people read: worst first, one block a tool, a summary at the end.

Plain lines with named looks; `terminal` gives them colour. A catalogue in which
hundreds of tools changed stays readable by three means: what tools share is told
once, lists of added and removed tools are lists of names, and once a few screens are
full every further tool gets one line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from toolsync.model import Level

from .finding import finding_lines
from .fold import Shared, fold
from .heading import MARKS, beside, brief, group_heading, heading, outcome, tool_name, worst
from .line import Line, Span, line
from .shape import FindingEntry, Report, ToolEntry
from .summary import number, rank, summary_line, title_line

_WIDE: Final = 100
_DETAILED_LINES: Final = 250
_BRIEF_LINES: Final = 500
_FINDINGS_EACH: Final = 12
_LISTED_FROM: Final = 8
_NAMELESS: Final = 100


class _Block(NamedTuple):
    """What one place of the report tells, in full or in one line; the worst first."""

    rank: int
    many: int
    name: str
    lines: Callable[[], Iterable[Line]]
    brief: Line | None = None

    @property
    def place(self) -> tuple[int, int, str]:
        """Sorts the worst first, then what concerns most tools, then by name."""
        return -self.rank, -self.many, self.name


def report_lines(report: Report, *, full: bool = False) -> Iterator[Line]:
    """Tells a whole report; with `full` nothing is folded, shortened or left out."""
    yield title_line(report)
    blocks = sorted(_blocks(report["tools"], full=full), key=lambda block: block.place)
    yield from _spread(blocks, full=full)
    yield line()
    yield summary_line(report)


def _spread(blocks: Sequence[_Block], *, full: bool) -> Iterator[Line]:
    """Spends the detailed lines on the worst blocks; the rest gets one line each."""
    used = brief = 0
    apart = True  # whether a blank line stands before the next block
    for block in blocks:
        detailed = full or used < _DETAILED_LINES or block.brief is None
        lines = list(block.lines()) if detailed or block.brief is None else [block.brief]
        brief += not detailed
        if not detailed and brief > _BRIEF_LINES:
            continue
        if apart or len(lines) > 1:
            yield line()
        yield from lines
        used += len(lines) if detailed else 0
        apart = len(lines) > 1
    if brief:
        yield line()
        yield from _left_out(brief)


def _left_out(brief: int) -> Iterator[Line]:
    if brief > _BRIEF_LINES:
        more = brief - _BRIEF_LINES
        yield line(
            Span(f"… and {more} more tools, none of them worse (--name-only lists all)", "dim")
        )
    yield line(Span("shortened: --only NAME tells one tool in detail, --all everything", "dim"))


def _blocks(tools: Sequence[ToolEntry], *, full: bool) -> Iterator[_Block]:
    if full:
        yield from (_tool_block(tool, tool["findings"], full=True) for tool in tools)
        return
    changed = [tool for tool in tools if tool["status"] == "changed"]
    folded = fold([tool for tool in changed if _loud(tool)], _tells)
    for shared in folded.shared:
        yield _shared_block(shared)
    for own in folded.own:
        if own.findings or not own.shared:
            yield _tool_block(own.tool, own.findings, shared=own.shared)
    quiet = [tool for tool in changed if not _loud(tool)]
    if quiet:
        yield _list_block("presentation", "~", "only presented differently", quiet)
    nameless = [tool for tool in tools if tool["name"] is None]
    folded_up = {id(tool) for tool in nameless[_NAMELESS:]}
    for level in {tool["level"] for tool in nameless[_NAMELESS:]}:
        yield _counted(level, sum(tool["level"] == level for tool in nameless[_NAMELESS:]))
    rest = [tool for tool in tools if id(tool) not in folded_up]
    for status in ("invalid", "removed", "added"):
        yield from _listed([tool for tool in rest if tool["status"] == status], status)


def _counted(level: str, count: int) -> _Block:
    told = f"… and {count} more tools without a name"
    return _Block(rank(level), 1, "", lambda: [group_heading("!", told, level)])


def _loud(tool: ToolEntry) -> bool:
    return Level(tool["level"]).semantic or any(map(_tells, tool["findings"]))


def _tells(finding: FindingEntry) -> bool:
    return Level(finding["level"]).semantic or "overridden" in finding


def _listed(tools: Sequence[ToolEntry], status: str) -> Iterator[_Block]:
    alike: dict[tuple[str, str], list[ToolEntry]] = {}
    for tool in tools:
        if status == "invalid" or _remarkable(tool):
            yield _tool_block(tool, _beyond_the_heading(tool))
        else:
            alike.setdefault((tool["level"], outcome(tool)), []).append(tool)
    for (level, what), group in alike.items():
        if len(group) >= _LISTED_FROM:
            yield _list_block(level, MARKS[status], what, group)
        else:
            yield from (_tool_block(tool, _beyond_the_heading(tool)) for tool in group)


def _remarkable(tool: ToolEntry) -> bool:
    hinted = "renamed_from" in tool or "renamed_to" in tool
    return hinted or any(_beyond(tool, finding) for finding in tool["findings"])


def _list_block(level: str, mark: str, what: str, tools: Sequence[ToolEntry]) -> _Block:
    names = [tool_name(tool) for tool in tools]
    if len(names) == 1:
        alone = group_heading(mark, names[0], level, f"  {what}")
        return _Block(rank(level), 1, names[0], lambda: [alone])
    head = group_heading(mark, f"{len(names)} tools {what}", level)
    most = 2 if level == Level.PRESENTATION else None
    return _Block(rank(level), len(names), "", lambda: [head, *_packed(names, 6, most)])


def _shared_block(shared: Shared) -> _Block:
    findings = sorted(shared.findings, key=lambda finding: -rank(finding["level"]))
    level, names = findings[0]["level"], [tool_name(tool) for tool in shared.tools]
    told = f"{len(names)} tools changed in the same way"

    def lines() -> Iterator[Line]:
        yield group_heading("~", told, level)
        yield from _packed(names, 6, 3, "all of: ")
        for finding in findings:
            yield from finding_lines(finding, 2, of=names[0], under=_alone(findings))

    short = group_heading("~", told, level, *worst(findings, level))
    return _Block(rank(level), len(names), "", lines, short)


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


def _tool_block(
    tool: ToolEntry, findings: Sequence[FindingEntry], *, full: bool = False, shared: int = 0
) -> _Block:
    told = sorted(findings, key=lambda finding: -rank(finding["level"]))
    said = tool["level"] if not shared and _alone(told) == tool["level"] else ""

    def lines() -> Iterator[Line]:
        yield heading(tool, beside(shared))
        shown = told if full else told[:_FINDINGS_EACH]
        for finding in shown:
            yield from finding_lines(finding, 2, full=full, under=said)
        if len(told) > len(shown):
            more = number(len(told) - len(shown), "more finding")
            yield line("  ", Span(f"… and {more}", "dim"))

    # What came or became unusable makes the exit code 1, whatever its level: it stands first.
    unusable = tool["status"] == "invalid" and tool["level"] != Level.IDENTICAL
    place = len(Level) if unusable else rank(tool["level"])
    if shared and told:
        place = rank(told[0]["level"])
    return _Block(place, 1, tool_name(tool), lines, None if full else brief(tool, told, shared))


def _beyond_the_heading(tool: ToolEntry) -> list[FindingEntry]:
    """Leaves out what the heading of an added, removed or invalid tool says already."""
    return [finding for finding in tool["findings"] if _beyond(tool, finding)]


def _beyond(tool: ToolEntry, finding: FindingEntry) -> bool:
    return finding["path"] not in ("", tool.get("path")) or "overridden" in finding
