"""What the tokens of a pointer into a tool are: keywords, names, numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

Pointer = tuple[str, ...]
POOLS: Final = frozenset(("$defs", "definitions"))
_MAPS: Final = POOLS | {"properties", "patternProperties", "dependentSchemas", "dependencies"}
_LISTS: Final = frozenset(("prefixItems", "anyOf", "oneOf", "allOf"))
_PARTS: Final = frozenset((
    "properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "items",
    "prefixItems", "additionalItems", "unevaluatedItems", "contains", "propertyNames",
))  # fmt: skip


class Step(NamedTuple):
    """One step from a schema into a part of it, and where in the pointer it ends."""

    keyword: str
    name: str | None
    end: int


def steps(path: Pointer) -> Iterator[Step]:
    """Yields the steps of a pointer that begins with `inputSchema` or `outputSchema`."""
    index = 1
    while index < len(path):
        keyword, rest = path[index], path[index + 1 : index + 2]
        named = keyword in _MAPS or keyword in _LISTS or (keyword == "items" and _digits(rest))
        index += 2 if named and rest else 1
        yield Step(keyword, rest[0] if named and rest else None, index)


def _digits(rest: Sequence[str]) -> bool:
    return bool(rest) and rest[0].isdecimal()


def value_place(path: Pointer) -> Pointer:
    """Returns the place of the value that a subschema, and all beside it, describes."""
    end = 1
    for step in steps(path):
        if step.name is not None or step.keyword not in _MAPS:
            end = step.end if step.keyword in _PARTS or step.keyword in POOLS else end
    return path[:end]
