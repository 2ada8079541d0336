"""The report as plain data: the types behind report.schema.json.

Presence carries meaning: `null` is a value, a missing key is nothing at all.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Digests(TypedDict):
    """Holds both digests of one tool on one side."""

    digest: str
    semantic: str


class Side(TypedDict):
    """Says which catalogue stood on one side, and its digests."""

    source: str | None
    tools: int
    malformed: NotRequired[int]
    digest: str
    semantic: str


class OverriddenEntry(TypedDict):
    """Says what level a finding had by itself, and why it has another."""

    level: str
    reason: str


class FindingEntry(TypedDict):
    """One judged change: where, what was, what is, who is hurt."""

    rule: str
    level: str
    path: str
    message: str
    property: NotRequired[str]
    old: NotRequired[Any]
    new: NotRequired[Any]
    witness: NotRequired[Any]
    witness_of: NotRequired[Literal["arguments", "result"]]
    renamed_from: NotRequired[str]
    renamed_to: NotRequired[str]
    overridden: NotRequired[OverriddenEntry]
    cut: NotRequired[Literal[True]]


class ToolEntry(TypedDict):
    """The outcome of one tool."""

    name: str | None
    index: NotRequired[int]
    status: str
    level: str
    notify: bool
    findings: list[FindingEntry]
    old: NotRequired[Digests]
    new: NotRequired[Digests]
    renamed_from: NotRequired[str]
    renamed_to: NotRequired[str]
    path: NotRequired[str]
    reason: NotRequired[str]


class Summary(TypedDict):
    """Counts tools by status and by level; says which version these ask for."""

    added: int
    removed: int
    changed: int
    invalid: int
    unchanged: int
    still_invalid: NotRequired[int]
    otherwise_changed: NotRequired[int]
    left_out: NotRequired[int]
    levels: dict[str, int]
    bump: Literal["major", "minor", "patch", "none"]


class Report(TypedDict):
    """The whole report, version 1."""

    report: int
    toolsync: str
    settings: NotRequired[str]
    old: Side
    new: Side
    level: str
    notify: bool
    summary: Summary
    tools: list[ToolEntry]
