"""One source of an agent's tools, and what was last read from it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

from toolsync.catalog import Catalog, Tool
from toolsync.live.errors import told
from toolsync.live.shapes import Shape, name_of

Entry = tuple[str, Any]
"""The name of an element, and the element."""


class Offered:
    """Reads a source as far as it has changed; this one offers nothing, or not yet.

    Whatever is new there is taken whole or not at all: then `refused` says why, and
    what was read before stays.
    """

    __slots__ = ("actual", "entries", "place", "refused", "source")

    def __init__(self, source: Any, actual: Any, place: int) -> None:
        self.source, self.actual, self.place = source, actual, place
        self.refused: str | None = None
        self.entries: tuple[Entry, ...] = ()

    def is_current(self) -> bool:
        """Tells whether nothing has come or gone; looks at no element but the last."""
        return True

    def read(self, *, whole: bool) -> None:
        """Reads what came; `whole` reads also what may have been exchanged in its place."""
        if not whole and self.is_current():
            return
        self.refused = None
        try:
            self._read(whole=whole)
        except Exception as error:  # noqa: BLE001  a shape or an element is not ours
            self.refused = told(error)

    def _read(self, *, whole: bool) -> None:
        pass


class OfferedList(Offered):
    """A plain list of elements, whoever keeps it."""

    __slots__ = ("_last", "_length")

    def __init__(self, source: Any, actual: Sequence[Any], place: int) -> None:
        super().__init__(source, actual, place)
        self._length = 0
        self._last: object = None

    def is_current(self) -> bool:
        """Tells whether length and last element are what they were."""
        actual, length = self.actual, self._length
        return len(actual) == length and (not length or actual[-1] is self._last)

    def _read(self, *, whole: bool) -> None:
        # What was appended stands behind what was last; everything else is another list.
        before, elements = self._length, self.actual
        grown = not whole and 0 < before < len(elements) and elements[before - 1] is self._last
        first = before if grown else 0
        fresh = list(elements[first:])
        # Noted first: what cannot be taken is not tried again at every step.
        self._length = first + len(fresh)
        self._last = fresh[-1] if fresh else None
        entries = tuple(_entries(fresh, first))
        self.entries = (*self.entries, *entries) if grown else entries


class OfferedCatalog(Offered):
    """A catalogue, or something that always has the newest one."""

    __slots__ = ("_holder", "_made", "_seen", "_shape")

    def __init__(self, source: Any, actual: Any, place: int, shape: Shape) -> None:
        super().__init__(source, actual, place)
        self._holder = _Fixed(actual) if isinstance(actual, Catalog) else actual
        self._seen: object = None
        self._shape = shape
        self._made: dict[Tool, Any] = {}

    def is_current(self) -> bool:
        """Tells whether the catalogue is the very one that was read."""
        return self._holder.catalog is self._seen

    def _read(self, *, whole: bool) -> None:  # noqa: ARG002  a catalogue never changes in place
        self._seen = catalog = self._holder.catalog  # noted first, as in a list
        made = {tool: self._element(tool) for tool in catalog}
        self.entries = tuple((tool.name, element) for tool, element in made.items())
        self._made = made

    def _element(self, tool: Tool) -> Any:
        known = self._made.get(tool)
        return self._shape(tool) if known is None else known


class _Fixed:
    __slots__ = ("catalog",)

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog


def offered(source: Any, actual: Any, place: int, shape: Shape) -> Offered:
    """Makes what reads a source; `actual` is what it has led to, None before that."""
    if actual is None:
        return Offered(source, actual, place)
    if isinstance(actual, Sequence):
        return OfferedList(source, actual, place)
    return OfferedCatalog(source, actual, place, shape)


def _entries(elements: Iterable[Any], first: int) -> Iterable[Entry]:
    for place, element in enumerate(elements, first):
        name = name_of(element)
        if name is None:
            raise ValueError(f"element {place + 1} is no tool with a name")
        yield name, element


def is_source(source: object) -> bool:
    """Tells whether something is a list, a catalogue, or has one."""
    if isinstance(source, (str, bytes)):
        return False
    return isinstance(source, (Sequence, Catalog)) or hasattr(source, "catalog")


def connects(source: object) -> bool:
    """Tells whether something is an async function that leads to a source."""
    return inspect.iscoroutinefunction(source) or inspect.iscoroutinefunction(
        getattr(source, "__call__", None)  # noqa: B004  an object may have an async one
    )
