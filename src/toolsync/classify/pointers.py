"""What the tokens of a pointer into a tool are: keywords, names, numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

Pointer = tuple[str, ...]
POOLS: Final = frozenset(("$defs", "definitions"))
_MAPS: Final = POOLS | {"properties", "patternProperties", "dependentSchemas", "dependencies"}
_LISTS: Final = frozenset(("prefixItems", "anyOf", "oneOf", "allOf"))
_PARTS: Final = frozenset((
    "properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "items",
    "prefixItems", "additionalItems", "unevaluatedItems", "contains", "propertyNames",
))  # fmt: skip


Step = tuple[str, str | None, int]
"""One step from a schema into a part of it: keyword, name, and where in the pointer it ends."""


def steps(path: Pointer) -> Iterator[Step]:
    """Yields the steps of a pointer that begins with `inputSchema` or `outputSchema`."""
    index = 1
    while index < len(path):
        keyword, rest = path[index], path[index + 1 : index + 2]
        named = keyword in _MAPS or keyword in _LISTS or (keyword == "items" and _digits(rest))
        index += 2 if named and rest else 1
        yield keyword, rest[0] if named and rest else None, index


def _digits(rest: Sequence[str]) -> bool:
    return bool(rest) and rest[0].isdecimal()


def value_place(path: Pointer) -> Pointer:
    """Returns the place of the value that a subschema, and all beside it, describes."""
    end = 1
    for keyword, name, ends in steps(path):
        if name is not None or keyword not in _MAPS:
            end = ends if keyword in _PARTS or keyword in POOLS else end
    return path[:end]
