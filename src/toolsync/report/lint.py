"""What `toolsync lint` found, as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NotRequired, TypedDict

from .line import Line, Span, line
from .safe import safe_text


class Remark(TypedDict):
    """Says of one tool where it is wrong, and why."""

    name: str | None
    index: NotRequired[int]
    path: str
    reason: str
    rule: NotRequired[str]


class LintReport(TypedDict):
    """Is all that was found in one catalogue."""

    source: str | None
    tools: int
    invalid: list[Remark]
    doubtful: list[Remark]
    warnings: list[str]


def lint_lines(report: LintReport) -> Iterator[Line]:
    """Names invalid tools, then doubtful ones, and sums up."""
    for remark in report["invalid"]:
        yield _remark("! ", remark, "invalid", "invalid")
    for remark in report["doubtful"]:
        yield _remark("? ", remark, "doubtful", "dangerous")
    if report["invalid"] or report["doubtful"]:
        yield line()
    yield _summary(report)


def _remark(mark: str, remark: Remark, what: str, look: str) -> Line:
    name = remark["name"]
    told = f"tools[{remark.get('index', '?')}]" if name is None else safe_text(name)
    return line(
        Span(mark, look),
        Span(told, "name"),
        "  ",
        Span(what, look),
        "  ",
        Span(safe_text(remark["path"]), "path"),
        "  " if remark["path"] else "",
        safe_text(remark["reason"]),
        Span(f"  [{safe_text(remark['rule'])}]" if "rule" in remark else "", "dim"),
        hang=4,
    )


def _summary(report: LintReport) -> Line:
    count, invalid = report["tools"], _tools(report["invalid"])
    doubtful = _tools(report["doubtful"])
    told = [
        text
        for number, text in ((invalid, f"{invalid} invalid"), (doubtful, f"{doubtful} doubtful"))
        if number
    ]
    level = "invalid" if invalid else "dangerous" if doubtful else "identical"
    tools = f"{count} tool{'' if count == 1 else 's'}"
    return line(f"{tools}: ", Span(", ".join(told) or "none invalid, none doubtful", level))


def _tools(remarks: list[Remark]) -> int:
    return len({(remark["name"], remark.get("index")) for remark in remarks})
