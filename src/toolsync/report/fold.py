"""What many tools share is told once.

An upgrade of a framework changes every tool in the same way. Two hundred times the
same line hides the two lines that matter, so a finding that stands word for word in
several tools is taken out of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from .shape import FindingEntry, ToolEntry
from .values import json_text

_SHARED_BY: Final = 4

_Key = tuple[str, str, str, str, str, str, str]


class Shared(NamedTuple):
    """What a group of tools has in common, and the group."""

    findings: tuple[FindingEntry, ...]
    tools: tuple[ToolEntry, ...]


class Own(NamedTuple):
    """A tool, the findings that it alone has, and how many it shares."""

    tool: ToolEntry
    findings: tuple[FindingEntry, ...]
    shared: int


class Folded(NamedTuple):
    """A report's changed tools, with what they share taken out."""

    shared: tuple[Shared, ...]
    own: tuple[Own, ...]


def fold(tools: Sequence[ToolEntry], counts: Callable[[FindingEntry], bool]) -> Folded:
    """Takes out of the tools every finding that at least four of them share.

    Findings that do not count are left out altogether.
    """
    keyed = [[(_key(f), f) for f in tool["findings"] if counts(f)] for tool in tools]
    holders: dict[_Key, list[int]] = {}
    findings: dict[_Key, FindingEntry] = {}
    for place, found in enumerate(keyed):
        for key, finding in found:
            findings.setdefault(key, finding)
            holders.setdefault(key, []).append(place)
    groups: dict[tuple[int, ...], list[_Key]] = {}
    for key, places in holders.items():
        if len(places) >= _SHARED_BY:
            groups.setdefault(tuple(places), []).append(key)
    shared = {key for keys in groups.values() for key in keys}
    return Folded(
        tuple(
            Shared(tuple(findings[key] for key in keys), tuple(tools[place] for place in places))
            for places, keys in groups.items()
        ),
        tuple(_own(tool, found, shared) for tool, found in zip(tools, keyed, strict=True)),
    )


def _own(tool: ToolEntry, found: list[tuple[_Key, FindingEntry]], shared: set[_Key]) -> Own:
    own = tuple(finding for key, finding in found if key not in shared)
    return Own(tool, own, len(found) - len(own))


def _key(finding: FindingEntry) -> _Key:
    # The witness is left out: it holds whatever else its tool requires.
    return (
        finding["rule"],
        finding["level"],
        finding["path"],
        finding["message"],
        json_text(finding["old"]) if "old" in finding else "",
        json_text(finding["new"]) if "new" in finding else "",
        json_text(finding["overridden"]) if "overridden" in finding else "",
    )
