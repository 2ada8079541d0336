"""A report in blocks, worst first: one tool, what many share, or a list of names.

A catalogue in which hundreds of tools changed stays readable by this: what tools share
is told once, and lists of added and removed tools are lists of names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from toolsync.model import Level

from .fold import fold
from .heading import MARKS, outcome, tool_name
from .shape import FindingEntry, ToolEntry
from .summary import rank

LISTED_FROM: Final = 8
"""How many tools of one outcome are told as a list of names."""

_NAMELESS: Final = 100


class Block(NamedTuple):
    """What one place of the report tells.

    `tool` tells one tool and `findings` of it, beside `shared` ones that are told elsewhere;
    `shared` tells findings of several tools; `list` tells tools that have all said by `told`;
    `count` tells only how many.
    """

    kind: Literal["tool", "shared", "list", "count"]
    level: str
    told: str
    tools: tuple[ToolEntry, ...] = ()
    findings: tuple[FindingEntry, ...] = ()
    shared: int = 0

    @property
    def mark(self) -> str:
        """The sign of what became of its tools."""
        return "!" if self.kind == "count" else MARKS[self.tools[0]["status"]]

    @property
    def place(self) -> tuple[int, int, str]:
        """Sorts the worst first, then what concerns most tools, then by name."""
        lone = len(self.tools) == 1
        many = max(len(self.tools), 1)
        return -self._rank(), -many, tool_name(self.tools[0]) if lone else ""

    def _rank(self) -> int:
        unusable = self.kind == "tool" and self.tools[0]["status"] == "invalid"
        if unusable and self.tools[0]["level"] != Level.IDENTICAL:
            return len(Level)  # what came or became so makes the exit code 1: it stands first
        return rank(self.level)


def blocks(tools: Sequence[ToolEntry]) -> list[Block]:
    """Returns the blocks of a report's tools, the worst first."""
    return sorted(_blocks(tools), key=lambda block: block.place)


def whole_blocks(tools: Sequence[ToolEntry]) -> list[Block]:
    """Returns one block a tool, with all of its findings, the worst first."""
    made = (_alone(tool, tool["findings"]) for tool in tools)
    return sorted(made, key=lambda block: block.place)


def _blocks(tools: Sequence[ToolEntry]) -> Iterator[Block]:
    changed = [tool for tool in tools if tool["status"] == "changed"]
    yield from _folded([tool for tool in changed if _loud(tool)])
    quiet = [tool for tool in changed if not _loud(tool)]
    if quiet:
        yield Block("list", "presentation", "only presented differently", tuple(quiet))
    nameless = [tool for tool in tools if tool["name"] is None][_NAMELESS:]
    for level in {tool["level"]: None for tool in nameless}:
        count = sum(tool["level"] == level for tool in nameless)
        yield Block("count", level, f"… and {count} more tools without a name")
    folded_up = {id(tool) for tool in nameless}
    rest = [tool for tool in tools if id(tool) not in folded_up]
    for status in ("invalid", "removed", "added"):
        yield from _listed([tool for tool in rest if tool["status"] == status], status)


def _folded(tools: Sequence[ToolEntry]) -> Iterator[Block]:
    found = fold(tools, _tells)
    for shared in found.shared:
        findings = _worst_first(shared.findings)
        told = f"{len(shared.tools)} tools changed in the same way"
        yield Block("shared", findings[0]["level"], told, shared.tools, findings)
    for own in found.own:
        if own.findings or not own.shared:
            yield _alone(own.tool, own.findings, own.shared)


def _alone(tool: ToolEntry, findings: Sequence[FindingEntry], shared: int = 0) -> Block:
    told = _worst_first(findings)
    level = told[0]["level"] if shared and told else tool["level"]
    return Block("tool", level, "", (tool,), told, shared)


def _worst_first(findings: Sequence[FindingEntry]) -> tuple[FindingEntry, ...]:
    return tuple(sorted(findings, key=lambda finding: -rank(finding["level"])))


def _loud(tool: ToolEntry) -> bool:
    return Level(tool["level"]).semantic or any(map(_tells, tool["findings"]))


def _tells(finding: FindingEntry) -> bool:
    return Level(finding["level"]).semantic or "overridden" in finding


def _listed(tools: Sequence[ToolEntry], status: str) -> Iterator[Block]:
    alike: dict[tuple[str, str], list[ToolEntry]] = {}
    for tool in tools:
        if status == "invalid" or _remarkable(tool):
            yield _alone(tool, _beyond_the_heading(tool))
        else:
            alike.setdefault((tool["level"], outcome(tool)), []).append(tool)
    for (level, what), group in alike.items():
        if len(group) >= LISTED_FROM:
            yield Block("list", level, what, tuple(group))
        else:
            yield from (_alone(tool, _beyond_the_heading(tool)) for tool in group)


def _remarkable(tool: ToolEntry) -> bool:
    hinted = "renamed_from" in tool or "renamed_to" in tool
    return hinted or bool(_beyond_the_heading(tool))


def _beyond_the_heading(tool: ToolEntry) -> list[FindingEntry]:
    """Leaves out what the heading of an added, removed or invalid tool says already."""
    said = ("", tool.get("path"))
    return [
        finding
        for finding in tool["findings"]
        if finding["path"] not in said or "overridden" in finding
    ]
