"""What `toolsync lint` found, as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NotRequired, TypedDict, cast

from toolsync.safe import safe_text, safe_words

from .cut import MOST_OF_ALL, bounded_entries, clipped
from .line import Line, Span, line

_NAMELESS: Final = 100


class Remark(TypedDict):
    """Says of one tool where it is wrong, and why."""

    name: str | None
    index: NotRequired[int]
    path: str
    reason: str
    rule: NotRequired[str]
    cut: NotRequired[Literal[True]]


class LintReport(TypedDict):
    """All that was found in one catalogue."""

    source: str | None
    tools: int
    invalid: list[Remark]
    refused: list[Remark]
    doubtful: list[Remark]
    warnings: list[str]


def bounded_lint(report: LintReport) -> LintReport:
    """Returns a report in which remarks are cut where they are too much."""
    invalid, left = bounded_entries(report["invalid"], MOST_OF_ALL)
    refused, left = bounded_entries(report["refused"], left)
    doubtful, _ = bounded_entries(report["doubtful"], left)
    cut = {"invalid": invalid, "refused": refused, "doubtful": doubtful}
    return cast("LintReport", {**report, **cut})


def lint_lines(report: LintReport) -> Iterator[Line]:
    """Names invalid tools, then refused and doubtful ones; counts nameless ones past 100."""
    nameless = 0
    for remark in report["invalid"]:
        nameless += remark["name"] is None
        if remark["name"] is not None or nameless <= _NAMELESS:
            yield _remark("! ", remark, "invalid", "invalid")
    if nameless > _NAMELESS:
        yield line(Span(f"… and {nameless - _NAMELESS} more without a name", "dim"))
    for remark in report["refused"]:
        yield _remark("! ", remark, "refused", "breaking")
    for remark in report["doubtful"]:
        yield _remark("? ", remark, "doubtful", "dangerous")
    if report["invalid"] or report["refused"] or report["doubtful"]:
        yield line()
    yield _summary(report)


def _remark(mark: str, remark: Remark, what: str, look: str) -> Line:
    name = remark["name"]
    told = _nameless(remark) if name is None else safe_words(clipped(name))
    return line(
        Span(mark, look),
        Span(told, "name"),
        "  ",
        Span(what, look),
        "  ",
        Span(safe_text(clipped(remark["path"])), "path"),
        "  " if remark["path"] else "",
        safe_text(clipped(remark["reason"], 400)),
        Span(f"  [{safe_text(remark['rule'])}]" if "rule" in remark else "", "dim"),
        hang=4,
    )


def _nameless(remark: Remark) -> str:
    return f"tools[{remark['index']}]" if "index" in remark else "the catalogue"


def _summary(report: LintReport) -> Line:
    count, invalid = report["tools"], _tools(report["invalid"])
    refused, doubtful = _tools(report["refused"]), _tools(report["doubtful"])
    numbers = ((invalid, "invalid"), (refused, "refused"), (doubtful, "doubtful"))
    told = [f"{number} {what}" for number, what in numbers if number]
    looks = ((invalid, "invalid"), (refused, "breaking"), (doubtful, "dangerous"))
    level = next((look for number, look in looks if number), "identical")
    tools = f"{count} tool{'' if count == 1 else 's'}"
    return line(f"{tools}: ", Span(", ".join(told) or "none invalid, none doubtful", level))


def _tools(remarks: list[Remark]) -> int:
    return len({(remark["name"], remark.get("index")) for remark in remarks})
