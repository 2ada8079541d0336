"""Which tools look renamed: hints on top of one that went and one that came."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from toolsync.catalog import Tool
from toolsync.changes.outcome import ToolChange
from toolsync.classify import statement
from toolsync.classify.renames import unique_matches
from toolsync.compare import key, projected

_ALIKE = 0.5  # of the arguments of the smaller of two tools with one description


class _Shape(NamedTuple):
    """What of a tool does not depend on its name."""

    whole: bytes
    schema: bytes
    description: str | None
    arguments: frozenset[str]


def with_renames(made: Sequence[ToolChange]) -> list[ToolChange]:
    """Marks the tools that look renamed, on both sides."""
    result = list(made)
    gone = _shapes(result, "removed")
    came = _shapes(result, "added")
    if not gone or not came:
        return result
    for left, right in unique_matches(gone, came, (_whole, _schema)).items():
        _mark(result, left, right)
        del gone[left], came[right]
    for left, right in unique_matches(gone, came, (_description,)).items():
        if _similar(gone[left], came[right]):
            _mark(result, left, right)
    return result


def _shapes(made: Sequence[ToolChange], status: str) -> dict[int, _Shape]:
    return {
        index: _shape(tool)
        for index, one in enumerate(made)
        if one.status == status and (tool := one.new or one.old) is not None
    }


def _shape(tool: Tool) -> _Shape:
    parts = projected(tool)
    schema: dict[str, Any] = parts["inputSchema"]
    properties = schema.get("properties")
    names = frozenset(properties) if isinstance(properties, dict) else frozenset()
    return _Shape(key(parts), key(schema), parts.get("description"), names)


def _whole(shape: _Shape) -> Hashable | None:
    return shape.whole if shape.arguments else None


def _schema(shape: _Shape) -> Hashable | None:
    return shape.schema if shape.arguments else None


def _description(shape: _Shape) -> Hashable | None:
    return shape.description if shape.arguments else None


def _similar(one: _Shape, other: _Shape) -> bool:
    common = len(one.arguments & other.arguments)
    return common >= _ALIKE * min(len(one.arguments), len(other.arguments))


def _mark(made: list[ToolChange], gone: int, came: int) -> None:
    old, new = made[gone], made[came]
    hint = statement("tool-renamed", renamed=f"`{old.name}` looks renamed to `{new.name}`")
    made[gone] = replace(old, renamed_to=new.name, findings=(*old.findings, hint))
    made[came] = replace(new, renamed_from=old.name, findings=(*new.findings, hint))
