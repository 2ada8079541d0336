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
from .line import Line, Span, line
from .safe import safe_text
from .shape import FindingEntry, Report, Side, ToolEntry

_MARKS: Final = {"added": "+", "removed": "-", "changed": "~", "invalid": "!", "unchanged": "="}
_PROVISOS: Final = {"unknown": ", for want of proof", "dangerous": ", after a look at the danger"}
_WIDE: Final = 100
_DETAILED_LINES: Final = 250
_BRIEF_LINES: Final = 500
_FINDINGS_EACH: Final = 12
_LISTED_FROM: Final = 8


class _Block(NamedTuple):
    """Is what one place of the report tells, in full or in one line; the worst first."""

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
    yield line(*_side(report["old"], "old"), Span(" → ", "dim"), *_side(report["new"], "new"))
    blocks = sorted(_blocks(report["tools"], full=full), key=lambda block: block.place)
    yield from _spread(blocks, full=full)
    yield line()
    yield summary_line(report)


def tool_name(tool: ToolEntry) -> str:
    """Is the safe name of a tool; a nameless one is called by its place."""
    name = tool["name"]
    return f"tools[{tool.get('index', '?')}]" if name is None else safe_text(name)


def summary_line(report: Report) -> Line:
    """Is the last line: the level, what happened to how many tools, and how badly."""
    summary, level = report["summary"], report["level"]
    counts = [
        f"{summary['added']} added",
        f"{summary['removed']} removed",
        f"{summary['changed']} changed",
        f"{summary['invalid']} invalid",
        f"{summary['unchanged']} unchanged",
    ]
    told = ", ".join(text for text in counts if not text.startswith("0 ")) or "no tools"
    levels = [
        f"{summary['levels'][each]} {each}"
        for each in reversed(Level)
        if each is not Level.IDENTICAL and summary["levels"].get(each)
    ]
    unusable = Span(" with unusable tools" if summary["invalid"] else "", "invalid")
    counted = f" ({', '.join(levels)})" if levels else ""
    return line(Span(level, level), unusable, f": {told}{counted}{_bump(report)}{_decided(report)}")


def _bump(report: Report) -> str:
    bump = report["summary"]["bump"]
    return "" if bump == "none" else f"; suggested bump: {bump}{_PROVISOS.get(report['level'], '')}"


def _decided(report: Report) -> str:
    """Counts the findings whose level is not toolsync's."""
    findings = [finding for tool in report["tools"] for finding in tool["findings"]]
    count = sum("overridden" in finding for finding in findings)
    return f"; {count} level{'' if count == 1 else 's'} overridden" if count else ""


def rank(level: str) -> int:
    """Counts up with severity."""
    return Level(level).rank


def _side(side: Side, otherwise: str) -> Iterator[str | Span]:
    count = side["tools"]
    yield Span(safe_text(side["source"] or otherwise), "name")
    yield f" ({count} tool{'' if count == 1 else 's'})"


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
    for status in ("invalid", "removed", "added"):
        yield from _listed([tool for tool in tools if tool["status"] == status], status)


def _loud(tool: ToolEntry) -> bool:
    return Level(tool["level"]).semantic or any(map(_tells, tool["findings"]))


def _tells(finding: FindingEntry) -> bool:
    return Level(finding["level"]).semantic or "overridden" in finding


def _listed(tools: Sequence[ToolEntry], status: str) -> Iterator[_Block]:
    plain = [tool for tool in tools if not _remarkable(tool)]
    if status == "invalid" or len(plain) < _LISTED_FROM:
        plain = []
    else:
        yield _list_block(plain[0]["level"], _MARKS[status], status, plain)
    listed = {id(tool) for tool in plain}
    for tool in tools:
        if id(tool) not in listed:
            yield _tool_block(tool, _beyond_the_heading(tool))


def _remarkable(tool: ToolEntry) -> bool:
    hinted = "renamed_from" in tool or "renamed_to" in tool
    return hinted or any(_beyond(tool, finding) for finding in tool["findings"])


def _list_block(level: str, mark: str, what: str, tools: Sequence[ToolEntry]) -> _Block:
    names = [tool_name(tool) for tool in tools]
    if len(names) == 1:
        alone = _group_line(mark, names[0], level, f"  {what}")
        return _Block(rank(level), 1, names[0], lambda: [alone])
    head = _group_line(mark, f"{len(names)} tools {what}", level)
    most = 2 if level == Level.PRESENTATION else None
    return _Block(rank(level), len(names), "", lambda: [head, *_packed(names, 6, most)])


def _shared_block(shared: Shared) -> _Block:
    findings = sorted(shared.findings, key=lambda finding: -rank(finding["level"]))
    level, names = findings[0]["level"], [tool_name(tool) for tool in shared.tools]
    told = f"{len(names)} tools changed in the same way"

    def lines() -> Iterator[Line]:
        yield _group_line("~", told, level)
        for finding in findings:
            yield from finding_lines(finding, 2, full=False, of=names[0])
        yield from _packed(names, 6, 3)

    brief = line(*_group_line("~", told, level).spans, *_first(findings, level), hang=4)
    return _Block(rank(level), len(names), "", lines, brief)


def _group_line(mark: str, told: str, level: str, more: str = "") -> Line:
    return line(Span(f"{mark} ", level), Span(told, "name"), "  ", Span(level, level), more, hang=4)


def _packed(names: Iterable[str], indent: int, most: int | None = None) -> Iterator[Line]:
    """Fills lines with names; past `most` lines the rest is counted."""
    rows: list[list[str]] = [[]]
    width = indent
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
        yield line(" " * indent, ", ".join(row), end, hang=indent)


def _tool_block(
    tool: ToolEntry, findings: Sequence[FindingEntry], *, full: bool = False, shared: int = 0
) -> _Block:
    told = sorted(findings, key=lambda finding: -rank(finding["level"]))

    def lines() -> Iterator[Line]:
        yield _heading(tool, _beside(shared))
        shown = told if full else told[:_FINDINGS_EACH]
        for finding in shown:
            yield from finding_lines(finding, 2, full=full)
        if len(told) > len(shown):
            yield line("  ", Span(f"… and {len(told) - len(shown)} more findings", "dim"))

    # An unusable tool makes the exit code 1, whatever its level: it stands first.
    place = len(Level) if tool["status"] == "invalid" else rank(tool["level"])
    if shared and told:
        place = rank(told[0]["level"])
    return _Block(place, 1, tool_name(tool), lines, _brief(tool, told, shared))


def _beyond_the_heading(tool: ToolEntry) -> list[FindingEntry]:
    """Leaves out what the heading of an added, removed or invalid tool says already."""
    return [finding for finding in tool["findings"] if _beyond(tool, finding)]


def _beyond(tool: ToolEntry, finding: FindingEntry) -> bool:
    return finding["path"] not in ("", tool.get("path")) or "overridden" in finding


def _beside(shared: int) -> Span:
    if not shared:
        return Span("")
    return Span(f"  beside {shared} shared finding{'' if shared == 1 else 's'}", "dim")


def _heading(tool: ToolEntry, *more: Span) -> Line:
    status, level = tool["status"], tool["level"]
    look = "invalid" if status == "invalid" else level
    return line(
        Span(f"{_MARKS[status]} ", look),
        Span(tool_name(tool), "name"),
        "  ",
        Span(_outcome(tool), look),
        *_status(tool),
        *more,
        hang=4,
    )


def _outcome(tool: ToolEntry) -> str:
    if tool["status"] == "unchanged":
        return "unchanged"
    if tool["status"] == "invalid":
        return "invalid, breaking" if tool["level"] == Level.BREAKING else "invalid"
    return tool["level"]


def _status(tool: ToolEntry) -> Iterator[str | Span]:
    if tool["status"] == "invalid":
        yield "  "
        yield Span(safe_text(tool.get("path", "")), "path")
        yield "  " if tool.get("path") else ""
        yield safe_text(tool.get("reason", ""))
    elif tool["status"] in ("added", "removed"):
        yield f"  {tool['status']}"
    if "renamed_to" in tool:
        yield f", perhaps renamed to {safe_text(tool['renamed_to'])}"
    if "renamed_from" in tool:
        yield f", perhaps renamed from {safe_text(tool['renamed_from'])}"


def _brief(tool: ToolEntry, findings: Sequence[FindingEntry], shared: int) -> Line:
    return _heading(tool, *_first(findings, tool["level"]), _beside(shared))


def _first(findings: Sequence[FindingEntry], level: str) -> Iterator[Span]:
    """Tells the worst of some findings, and how many there are besides."""
    for first in findings[:1]:
        if first["level"] != level:
            yield Span(f"  {first['level']}", first["level"])
        if first["path"]:
            yield Span(f"  {safe_text(first['path'])}", "path")
        yield Span(f"  {safe_text(first['message'])}")
    if len(findings) > 1:
        yield Span(f"  and {len(findings) - 1} more", "dim")
