"""Reports made by hand, for tests of what is printed; every one satisfies the schema."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any, cast

import jsonschema
import referencing

from toolsync.changes.bump import BUMPS
from toolsync.model import Level
from toolsync.report.json import schema
from toolsync.report.shape import FindingEntry, Report, ToolEntry

_DIGESTS = {"digest": "sha256:" + "0" * 64, "semantic": "sha256:" + "1" * 64}


def finding(message: str = "the description changed", **parts: Any) -> FindingEntry:
    """Makes one finding; what is not given is a change of the description."""
    made = {
        "rule": "description-changed",
        "level": "documentation",
        "path": "/description",
        "message": message,
        **parts,
    }
    return cast("FindingEntry", made)


def tool(name: str | None, status: str, *findings: FindingEntry, **parts: Any) -> ToolEntry:
    """Makes one tool with the highest level of its findings."""
    level = max((Level(f["level"]) for f in findings), key=lambda e: e.rank, default="identical")
    made = {
        "name": name,
        "status": status,
        "level": str(level),
        "notify": Level(level).semantic,
        **({} if status == "added" else {"old": _DIGESTS}),
        **({} if status in ("removed", "invalid") else {"new": _DIGESTS}),
        "findings": list(findings),
        **parts,
    }
    return cast("ToolEntry", made)


def added(name: str, **parts: Any) -> ToolEntry:
    """Makes a tool that came."""
    message = "the tool was added"
    return tool(
        name,
        "added",
        finding(message, rule="tool-added", level="compatible", path=""),
        **parts,
    )


def removed(name: str, **parts: Any) -> ToolEntry:
    """Makes a tool that went."""
    message = "the tool is gone: every call of it fails"
    return tool(
        name,
        "removed",
        finding(message, rule="tool-removed", level="breaking", path=""),
        **parts,
    )


def report(*tools: ToolEntry, unchanged: int = 0) -> Report:
    """Makes a report of tools and checks it against the schema."""
    status = Counter(each["status"] for each in tools)
    levels = Counter(each["level"] for each in tools)
    levels["identical"] += unchanged
    known = [level for level in Level if levels[level]]
    made = {
        "report": 1,
        "toolsync": "0.1.0",
        "old": {"source": "old.json", "tools": len(tools) + unchanged, **_DIGESTS},
        "new": {"source": "new.json", "tools": len(tools) + unchanged, **_DIGESTS},
        "level": max(known, key=lambda level: level.rank, default="identical"),
        "notify": any(each["notify"] for each in tools),
        "summary": {
            **{name: status[name] for name in ("added", "removed", "changed", "invalid")},
            "unchanged": unchanged + status["unchanged"],
            "levels": {str(level): levels[level] for level in known},
            "bump": BUMPS[max(known, key=lambda level: level.rank, default=Level.IDENTICAL)],
        },
        "tools": list(tools),
    }
    check(made)
    return cast("Report", made)


def check(made: Any) -> None:
    """Holds a report against the schema that ships with the package."""
    _validator().validate(made)


@cache
def _validator() -> Any:
    # An empty registry: nothing is fetched, whatever the schema refers to.
    return jsonschema.Draft202012Validator(schema(), registry=referencing.Registry())
