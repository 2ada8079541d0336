"""Reports kept to a size: one long name may stand in thousands of findings.

A finding is cut where it is long by itself, or where the report is full: its texts are
shortened, and values that have no room are left out, never shortened. It says so by `cut`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, cast

from .shape import Report

MOST_OF_ONE: Final = 1 << 16
MOST_OF_ALL: Final = 1 << 26
"""How many characters one finding, and all of a report, may hold."""

KEPT: Final = 200
KEPT_IN_FULL: Final = 4096
"""How many characters are left of a text that is cut, and where everything is told."""

_TEXTS: Final = ("name", "path", "message", "reason", "property", "renamed_from", "renamed_to")
_VALUES: Final = (("old", "new"), ("witness", "witness_of"))
Entry = Mapping[str, Any]


def clipped(text: str, most: int = KEPT) -> str:
    """Returns a text of which at most so many characters are left; a longer one says its length."""
    if len(text) <= most:
        return text
    # A pointer stays one: a tilde in it is followed by 0 or 1.
    return f"{text[:most].rstrip('~')}… ({len(text):,} characters)"


def bounded(report: Report) -> Report:
    """Returns a report of `toolsync diff` in which findings are cut where they are too much."""
    left = MOST_OF_ALL
    tools = []
    for tool in report["tools"]:
        findings, left = bounded_entries(tool["findings"], left)
        tools.append({**tool, "findings": findings})
    return cast("Report", {**report, "tools": tools})


def bounded_entries(entries: Iterable[Any], left: int) -> tuple[list[Any], int]:
    """Returns entries that are cut where they are too much, and how much room is left."""
    kept: list[Entry] = []
    for entry in entries:
        room = min(left, MOST_OF_ONE)
        size = _size(entry, room)
        kept.append(entry if size <= room else _cut(entry, room))
        left = max(left - min(size, room), 0)
    return kept, left


def _cut(entry: Entry, room: int) -> Entry:
    kept = dict(entry)
    for key in _TEXTS:
        if isinstance(kept.get(key), str):
            kept[key] = clipped(kept[key])
    if "overridden" in kept:
        kept["overridden"] = {**kept["overridden"], "reason": clipped(kept["overridden"]["reason"])}
    values = {key: kept.pop(key) for keys in _VALUES for key in keys if key in kept}
    for keys in _VALUES:
        more: dict[str, Any] = {key: values[key] for key in keys if key in values}
        if _size((kept, more), room) <= room:
            kept |= more
    # In the order that it had.
    cut = {key: kept[key] for key in entry if key in kept}
    return entry if cut == entry else {**cut, "cut": True}


def _size(value: Any, most: int) -> int:
    """Counts the characters of a value; past `most` it looks no further."""
    size = 0
    open_values: list[Iterator[Any]] = [iter((value,))]
    while open_values and size <= most:
        for each in open_values[-1]:
            size += _own_size(each)
            inner = _inside(each)
            if inner is not None:
                open_values.append(inner)
                break
            if size > most:
                break
        else:
            open_values.pop()
    return size


def _own_size(value: Any) -> int:
    if isinstance(value, str):
        return len(value) + 4
    return value.bit_length() // 3 + 3 if isinstance(value, int) else 8


def _inside(value: Any) -> Iterator[Any] | None:
    if isinstance(value, Mapping):
        return chain.from_iterable(value.items())
    return iter(value) if isinstance(value, list | tuple) else None
