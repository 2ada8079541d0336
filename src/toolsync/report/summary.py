"""The first line of a report and the last: what was compared, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolsync.model import Level
from toolsync.safe import safe_text

from .line import Line, Span, line
from .shape import Report, Side, Summary

_PROVISOS: Final = {"unknown": ", for want of proof", "dangerous": ", after a look at the danger"}


def rank(level: str) -> int:
    """Counts up with severity."""
    return Level(level).rank


def number(count: int, thing: str) -> str:
    """Counts things: `1 tool`, `2 tools`."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def title_line(report: Report) -> Line:
    """Names both catalogues, and how much each of them holds."""
    return line(*_side(report["old"], "old"), Span(" → ", "dim"), *_side(report["new"], "new"))


def _side(side: Side, otherwise: str) -> Iterator[str | Span]:
    yield Span(safe_text(side["source"] or otherwise), "name")
    yield f" ({held(side)})"


def held(side: Side) -> str:
    """Counts the tools of one catalogue."""
    malformed = f", {side['malformed']} malformed" if "malformed" in side else ""
    return f"{number(side['tools'], 'tool')}{malformed}"


def summary_line(report: Report) -> Line:
    """Tells the level, what happened to how many tools, and how badly."""
    summary, level = report["summary"], report["level"]
    told = ", ".join(_counts(summary))
    if not told:
        return line(_nothing(summary))
    levels = [
        f"{summary['levels'][each]} {each}"
        for each in reversed(Level)
        if each is not Level.IDENTICAL and summary["levels"].get(each)
    ]
    unusable = Span(" with unusable tools" if summary["invalid"] else "", "invalid")
    counted = f" ({', '.join(levels)})" if levels else ""
    return line(Span(level, level), unusable, f": {told}{counted}{_bump(report)}{_decided(report)}")


def _counts(summary: Summary) -> Iterator[str]:
    counts = (
        (summary["added"], "added"),
        (summary["removed"], "removed"),
        (summary["changed"], "changed"),
        (summary["invalid"], "invalid"),
        (summary["unchanged"], "unchanged"),
        (summary.get("still_invalid", 0), "malformed as before"),
        (summary.get("otherwise_changed", 0), "with other changes"),
    )
    return (f"{count} {what}" for count, what in counts if count)


def _nothing(summary: Summary) -> str:
    left_out = summary.get("left_out", 0)
    if left_out:
        return f"nothing left to compare ({number(left_out, 'tool')} left out)"
    return f"{Level.IDENTICAL}: no tools"


def _bump(report: Report) -> str:
    bump = report["summary"]["bump"]
    return "" if bump == "none" else f"; suggested bump: {bump}{_PROVISOS.get(report['level'], '')}"


def _decided(report: Report) -> str:
    """Counts the findings whose level is not toolsync's, and says who decided."""
    findings = [finding for tool in report["tools"] for finding in tool["findings"]]
    count = sum("overridden" in finding for finding in findings)
    by = f" by {safe_text(report['settings'])}" if "settings" in report else ""
    return f"; {number(count, 'level')} overridden{by}" if count else ""
