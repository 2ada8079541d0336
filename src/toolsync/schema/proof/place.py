"""Where a subschema stands; spelt out as a JSON Pointer only when somebody is told."""

from __future__ import annotations

from toolsync.schema.pointer import escaped


class Place:
    """A step of a path through a schema.

    It leads from `below` to `last`, a name or index, which stands under
    `keyword` where there is one; the first place has nothing below it, and its
    pointer as `last`. `depth` counts the values above the described one,
    `steps` the subschemas that were passed.
    """

    __slots__ = ("below", "depth", "keyword", "last", "steps")

    def __init__(
        self,
        below: Place | None = None,
        last: str | int = "",
        depth: int = 0,
        steps: int = 0,
        keyword: str | None = None,
    ) -> None:
        self.below = below
        self.last = last
        self.keyword = keyword
        self.depth = depth
        self.steps = steps

    def at(self, last: str | int, keyword: str | None = None) -> Place:
        """Steps on within the same value: to a keyword, or to a name or index under it."""
        return Place(self, last, self.depth, self.steps + 1, keyword)

    def into(self, last: str | int, keyword: str | None = None) -> Place:
        """Steps into a part of the value."""
        return Place(self, last, self.depth + 1, self.steps + 1, keyword)

    def __str__(self) -> str:
        parts: list[str] = []
        here: Place | None = self
        while here is not None:
            if here.below is None:
                parts.append(str(here.last))
            else:
                parts.append("/" + escaped(str(here.last)))
                if here.keyword is not None:
                    parts.append("/" + here.keyword)
            here = here.below
        return "".join(reversed(parts))
