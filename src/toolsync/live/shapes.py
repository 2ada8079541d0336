"""What an element of an agent's tool list looks like, and what it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Final, Literal

from toolsync.catalog import Tool

Shape = Callable[[Tool], Any]
"""Makes the element of a list out of a tool."""

ShapeName = Literal["mcp", "openai", "anthropic"]


def _mcp(tool: Tool) -> dict[str, Any]:
    # A copy: what a loop does to its list must reach neither the catalogue nor another list.
    return deepcopy(tool.definition)


def _openai(tool: Tool) -> dict[str, Any]:
    return {"type": "function", "function": _described(tool, "parameters")}


def _anthropic(tool: Tool) -> dict[str, Any]:
    return _described(tool, "input_schema")


def _described(tool: Tool, schema: str) -> dict[str, Any]:
    definition = _mcp(tool)
    described: dict[str, Any] = {"name": tool.name}
    if isinstance(definition.get("description"), str):
        described["description"] = definition["description"]
    described[schema] = definition["inputSchema"]
    return described


SHAPES: Final[Mapping[str, Shape]] = {"mcp": _mcp, "openai": _openai, "anthropic": _anthropic}


def shape_of(shape: ShapeName | Shape) -> Shape:
    """Gives the function for a shape that is known by name. Raises ValueError for others."""
    if callable(shape):
        return shape
    found = SHAPES.get(shape)
    if found is None:
        raise ValueError(f"shape: expected {', '.join(SHAPES)} or a function, got {shape!r}")
    return found


def name_of(element: object) -> str | None:
    """Finds the name of a dict in any of the shapes, of a tool object or of a function."""
    if isinstance(element, Mapping):
        inner = element.get("function")
        found = inner.get("name") if isinstance(inner, Mapping) else element.get("name")
    else:
        found = getattr(element, "name", None) or getattr(element, "__name__", None)
    return found if isinstance(found, str) and found else None
