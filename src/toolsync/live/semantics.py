"""What a running session must learn of, told about whole sets and about single tools."""

from __future__ import annotations

from typing import Final

from toolsync.catalog import Catalog, Tool
from toolsync.changes import Changes, diff
from toolsync.schema.proof.values import Undecidable, key

FIRST: Final = 8
"""How many tools that differ are judged before all are."""

MOST_JUDGED: Final = 50
"""How many tools that differ are judged one by one to name them."""


def differs(changes: Changes) -> bool:
    """Tells `changes.notify`, with as little judgement as that takes.

    Names that came or went decide at once, and so do mostly the first tools that differ:
    to judge thousands for this would hold up every session.
    """
    old, new = changes.old, changes.new
    if old is new:
        return False
    if old.index.keys() != new.index.keys():
        return True
    pairs = _moved_pairs(old, new)
    return bool(pairs and _judged(pairs[:FIRST]).notify) or changes.notify


def moved_names(changes: Changes) -> tuple[str, ...]:
    """Names the tools that a session must learn of, by name.

    Where very many differ they are not judged, and those that only were spelled in another
    way are named too.
    """
    old, new = changes.old, changes.new
    pairs = _moved_pairs(old, new)
    moved = {tool.name for _, tool in pairs}
    if pairs and len(pairs) <= MOST_JUDGED:
        moved = {each.name for each in _judged(pairs).tools if each.notify and each.name}
    return tuple(sorted(moved | (old.index.keys() ^ new.index.keys())))


def alike(one: Tool, other: Tool) -> bool:
    """Tells whether two definitions of a tool mean the same to who calls it."""
    if one is other or one.semantic_digest == other.semantic_digest:
        return True
    return not _judged([(one, other)]).notify


def _judged(pairs: list[tuple[Tool, Tool]]) -> Changes:
    """Compares tools apart from the others; what all of it may cost is bounded."""
    return diff(Catalog.of(old for old, _ in pairs), Catalog.of(new for _, new in pairs))


def _moved_pairs(old: Catalog, new: Catalog) -> list[tuple[Tool, Tool]]:
    """Lists the tools on both sides whose meaning may have changed."""
    pairs = [pair for pair in zip(old.tools, new.tools, strict=False) if pair[0] is not pair[1]]
    if any(one.name != other.name for one, other in pairs):  # something came, went or moved
        places = old.index
        pairs = [(old.tools[places[tool.name]], tool) for tool in new.tools if tool.name in places]
    return [pair for pair in pairs if pair[0].semantic_digest != pair[1].semantic_digest]


def same_value(one: object, other: object) -> bool:
    """Tells whether two values of any kind are the same; JSON is compared as JSON."""
    if one is other:
        return True
    try:
        return key(one) == key(other)
    except (Undecidable, RecursionError):
        return _equal(one, other)


def _equal(one: object, other: object) -> bool:
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001  what cannot be compared may have changed
        return False
