"""JSON Patch (RFC 6902): what makes the new catalogue of the old one.

Both are taken as the document `{"tools": [...]}`, the tools in their own order and in MCP
spelling: for a file with a tools/list result, the file itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolsync.catalog import Catalog, Tool
from toolsync.compare.equality import same
from toolsync.schema.pointer import escaped

from .alignment import pairs
from .json import pieces

Operation = dict[str, Any]
_TOOLS: Final = "/tools"


def patch(old: Catalog, new: Catalog) -> Iterator[str]:
    """Yields the patch as JSON text, in pieces; equal catalogues give `[]`."""
    yield from pieces(list(operations(old, new)))


def document(catalog: Catalog) -> dict[str, Any]:
    """Returns the document that a patch is made for."""
    return {"tools": [tool.parsed for tool in catalog]}


def operations(old: Catalog, new: Catalog) -> Iterator[Operation]:
    """Yields the operations: tools that went, moved and came, then what changed in each."""
    names = [tool.name for tool in old]
    for place in range(len(names) - 1, -1, -1):
        if names[place] not in new:
            yield {"op": "remove", "path": f"{_TOOLS}/{place}"}
    kept = [new.index[name] for name in names if name in new]
    yield from _moves(kept)
    for place, tool in enumerate(new):
        if tool.name not in old:
            yield {"op": "add", "path": f"{_TOOLS}/{place}", "value": tool.parsed}
    for place, tool in enumerate(new):
        if tool.name in old:
            yield from _changes(old[tool.name], tool, place)


def _changes(old: Tool, new: Tool, place: int) -> Iterator[Operation]:
    if old.text != new.text:
        yield from differences(old.parsed, new.parsed, f"{_TOOLS}/{place}")


def _moves(places: Sequence[int]) -> Iterator[Operation]:
    """Yields the moves that sort distinct numbers: as few as can be, each to its last place."""
    settled = _rising(places)
    order = list(places)
    fixed = sorted(settled)
    for item in sorted(set(places) - settled):
        before = order.index(item)
        del order[before]
        at = bisect_left(fixed, item)
        after = 0 if not at else order.index(fixed[at - 1]) + 1
        order.insert(after, item)
        fixed.insert(at, item)
        yield {"op": "move", "from": f"{_TOOLS}/{before}", "path": f"{_TOOLS}/{after}"}


def _rising(numbers: Sequence[int]) -> set[int]:
    """Returns a longest rising subsequence of distinct numbers: what need not be moved."""
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        at = bisect_left(ends, number)
        before[number] = ends[at - 1] if at else None
        ends[at : at + 1] = [number]
    found: set[int] = set()
    last = ends[-1] if ends else None
    while last is not None:
        found.add(last)
        last = before[last]
    return found


def differences(old: Any, new: Any, path: str) -> Iterator[Operation]:
    """Yields what makes one JSON value of another."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _in_object(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _in_array(old, new, path)
    elif not same(old, new):
        yield {"op": "replace", "path": path, "value": new}


def _in_object(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[Operation]:
    for name in old:
        if name not in new:
            yield {"op": "remove", "path": f"{path}/{escaped(name)}"}
    for name, value in new.items():
        place = f"{path}/{escaped(name)}"
        if name not in old:
            yield {"op": "add", "path": place, "value": value}
        elif old[name] is not value:
            yield from differences(old[name], value, place)


def _in_array(old: list[Any], new: list[Any], path: str) -> Iterator[Operation]:
    at = 0
    for before, after in pairs(old, new):
        if after is None:
            yield {"op": "remove", "path": f"{path}/{at}"}
            continue
        if before is None:
            yield {"op": "add", "path": f"{path}/{at}", "value": new[after]}
        else:
            yield from differences(old[before], new[after], f"{path}/{at}")
        at += 1
