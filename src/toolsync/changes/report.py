"""Changes as the JSON report, version 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolsync.catalog import Catalog, Tool, share_digests
from toolsync.changes.bump import BUMPS
from toolsync.changes.outcome import ToolChange
from toolsync.model import ABSENT, Finding, Level, Overridden

_VERSION: Final = 1
_STATUSES: Final = ("added", "removed", "changed", "invalid")
Entry = dict[str, Any]


class Untold(NamedTuple):
    """How many tools there are that the changes do not name, and why."""

    unchanged: int
    still_invalid: int = 0
    otherwise_changed: int = 0
    left_out: int = 0


def report(
    sides: tuple[Catalog, Catalog],
    level: Level,
    changes: Sequence[ToolChange],
    untold: Untold,
    rest: Iterable[ToolChange] = (),
) -> Entry:
    """Returns the whole report; `rest` holds tools without changes that are to be told too."""
    told = sorted((*changes, *rest), key=order)
    share_digests(*sides)
    return {
        "report": _VERSION,
        "toolsync": _release(),
        "old": _side(sides[0]),
        "new": _side(sides[1]),
        "level": level.value,
        "notify": level.semantic,
        "summary": _summary(level, changes, untold),
        "tools": [_tool(change) for change in told],
    }


def order(change: ToolChange) -> tuple[bool, str, int]:
    """Sorts by name, tools without one last, then by their places."""
    return change.name is None, change.name or "", change.index


def _release() -> str:
    import toolsync  # noqa: PLC0415  the package imports this module while it loads

    return toolsync.__version__


def _side(catalog: Catalog) -> Entry:
    return {
        "source": catalog.source,
        "tools": len(catalog),
        **_counted(malformed=len(catalog.invalid)),
        "digest": catalog.digest,
        "semantic": catalog.semantic_digest,
    }


def _summary(level: Level, changes: Sequence[ToolChange], untold: Untold) -> Entry:
    counts = dict.fromkeys(_STATUSES, 0)
    levels = {str(each): 0 for each in Level}
    levels[str(Level.IDENTICAL)] = untold.unchanged
    for change in changes:
        counts[change.status] += 1
        levels[str(change.level)] += 1
    return {
        **counts,
        "unchanged": untold.unchanged,
        **_counted(
            still_invalid=untold.still_invalid,
            otherwise_changed=untold.otherwise_changed,
            left_out=untold.left_out,
        ),
        "levels": _counted(**levels),
        "bump": BUMPS[level],
    }


def _tool(change: ToolChange) -> Entry:
    entry: Entry = {"name": change.name}
    if change.name is None:
        entry["index"] = change.index
    entry |= {"status": change.status, "level": str(change.level), "notify": change.notify}
    entry |= _told(
        old=_digests(change.old),
        new=_digests(change.new),
        renamed_from=change.renamed_from,
        renamed_to=change.renamed_to,
        path=change.path,
        reason=change.reason,
    )
    entry["findings"] = [_finding(finding) for finding in change.findings]
    return entry


def _counted(**counts: int) -> Entry:
    return {name: count for name, count in counts.items() if count}


def _told(**parts: Any) -> Entry:
    return {name: value for name, value in parts.items() if value is not None}


def _digests(tool: Tool | None) -> Mapping[str, str] | None:
    if tool is None:
        return None
    return {"digest": tool.digest, "semantic": tool.semantic_digest}


def _finding(finding: Finding) -> Entry:
    entry: Entry = {"rule": finding.rule, "level": str(finding.level), "path": finding.path}
    if finding.property is not None:
        entry["property"] = finding.property
    entry["message"] = finding.message
    for name in ("old", "new", "witness"):
        value = getattr(finding, name)
        if value is not ABSENT:
            entry[name] = value
    if finding.renamed_from is None is finding.renamed_to and finding.overridden is None:
        if finding.witness_of is not None:
            entry["witness_of"] = finding.witness_of
        return entry
    entry |= _told(
        witness_of=finding.witness_of,
        renamed_from=finding.renamed_from,
        renamed_to=finding.renamed_to,
        overridden=_overridden(finding.overridden),
    )
    return entry


def _overridden(was: Overridden | None) -> Entry | None:
    return None if was is None else {"level": was.level.value, "reason": was.reason}
