"""Two catalogues, tool by tool: which are equal, which differ, which came and went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from toolsync import _diff
from toolsync.catalog import Catalog, Side, Tool, candidates

Keep = Callable[[str], bool]


class Pairing(NamedTuple):
    """Says what became of each tool; equal tools are only counted, and were not parsed.

    `presentation` pairs have equal semantic digests, `changed` pairs do not. In
    `doubtful` ones among the former, what the digest leaves out may make one side
    unusable; in all others both sides are usable, or neither is.
    """

    added: tuple[Tool, ...] = ()
    removed: tuple[Tool, ...] = ()
    presentation: tuple[tuple[Tool, Tool], ...] = ()
    changed: tuple[tuple[Tool, Tool], ...] = ()
    doubtful: tuple[tuple[Tool, Tool], ...] = ()
    identical: int = 0


def pair(old: Catalog, new: Catalog, keep: Keep | None = None) -> Pairing:
    """Pairs tools by name and parts equal ones from those that differ.

    With `keep`, tools whose name it refuses are left out before anything is paired.
    """
    if keep is None:
        before, after = candidates(old, new)
        total = len(new)
    else:
        before, after = _kept(old, keep), _kept(new, keep)
        total = len(after[0])
    parts = _diff.differing(*before, *after)
    added, removed, changed, presentation, doubtful = parts
    identical = total - len(added) - len(presentation) - len(changed)
    return Pairing(
        tuple(added),
        tuple(removed),
        tuple(presentation),
        tuple(changed),
        tuple(doubtful),
        identical,
    )


def _kept(catalog: Catalog, keep: Keep) -> Side:
    tools = tuple(tool for tool in catalog.tools if keep(tool.name))
    return tools, {tool.name: place for place, tool in enumerate(tools)}


def projected(tool: Tool) -> dict[str, Any]:
    """Returns what the semantic digest of a tool is made from, without the name."""
    parts: dict[str, Any] = _diff.parse(_diff.projection(tool.text))
    del parts["name"]
    return parts
