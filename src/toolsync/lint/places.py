"""Every schema that stands in an input schema, with its place; bounded, and never recursive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from toolsync.schema.dialect import subschemas
from toolsync.schema.pointer import pointer
from toolsync.schema.validity import reading_dialect

MAX_LOOKED_AT: Final = 100_000
MAX_DEPTH: Final = 500


@dataclass(frozen=True, slots=True)
class Place:
    """One schema, the tokens that lead to it from the tool, and how many objects hold it."""

    schema: dict[str, Any] | bool
    tokens: tuple[str, ...]
    level: int = 0

    @property
    def is_root(self) -> bool:
        """Tells whether it is the schema of all arguments."""
        return len(self.tokens) == 1

    def at(self, *steps: str) -> str:
        """Returns the JSON Pointer of something within it."""
        return pointer((*self.tokens, *steps))

    @property
    def keywords(self) -> dict[str, Any]:
        """What the schema says; nothing where it is `true` or `false`."""
        return {} if isinstance(self.schema, bool) else self.schema

    @property
    def types(self) -> tuple[str, ...]:
        """The types that are allowed, none where nothing is said of them."""
        told = self.keywords.get("type", ())
        return (told,) if isinstance(told, str) else tuple(told)


def places(schema: dict[str, Any]) -> Iterator[Place]:
    """Yields an input schema and all within it, as far as the bounds go."""
    dialect = reading_dialect(schema)
    pending = [Place(schema, ("inputSchema",))]
    budget = MAX_LOOKED_AT
    while pending and budget:
        budget -= 1
        place = pending.pop()
        yield place
        if len(place.tokens) > MAX_DEPTH:
            continue
        inner = place.level + ("object" in place.types)
        found = [Place(child, place.tokens + steps, inner)
                 for steps, child in subschemas(place.schema, dialect)]  # fmt: skip
        pending.extend(reversed(found[: budget - len(pending)]))
