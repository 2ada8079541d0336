"""What all sessions of one selection see: one catalogue for them, and what moved in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolsync.catalog import Catalog, Tool
from toolsync.changes import Changes, diff
from toolsync.live.semantics import differs, moved_names

Select = Callable[[Tool], bool]
"""Tells whether a session sees a tool; asked again after every change of the catalogue."""

MOST_COMPARED: Final = 1024
"""How many comparisons are kept: laggards may hold many earlier sets."""


class Comparison:
    """What leads from one set to another; worked out once for all sessions that need it."""

    __slots__ = ("_names", "changes", "moves")

    def __init__(self, old: Catalog, new: Catalog) -> None:
        self.changes: Changes = diff(old, new)
        self.moves = differs(self.changes)
        self._names: tuple[str, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The tools that a session must learn of."""
        if self._names is None:
            self._names = moved_names(self.changes)
        return self._names


class Comparisons:
    """The comparisons that the sessions of a hub need for the present catalogue."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Comparison] = {}

    def of(self, old: Catalog, new: Catalog) -> Comparison:
        """Compares two sets, unless that was done."""
        at = (id(old), id(new))  # what was compared is kept, and its identity with it
        found = self._known.get(at)
        if found is None:
            if len(self._known) >= MOST_COMPARED:
                self.forget()
            found = self._known[at] = Comparison(old, new)
        return found

    def forget(self) -> None:
        """Drops all: a newer catalogue has come."""
        self._known.clear()


class View:
    """One selection's newest set. `moved` tells whether sessions must learn of the last step.

    A selection that raises leaves the set as it was, with the `fault`.
    """

    __slots__ = ("_comparisons", "catalog", "fault", "moved", "previous", "select")

    def __init__(self, select: Select | None, source: Catalog, comparisons: Comparisons) -> None:
        self.select = select
        self.catalog = self.previous = _selected(source, select)
        self.moved = False
        self.fault: Exception | None = None
        self._comparisons = comparisons

    def advance(self, source: Catalog) -> None:
        """Takes a new catalogue of the source."""
        self.previous = self.catalog
        self.fault = None
        try:
            new = _selected(source, self.select)
        except Exception as error:  # noqa: BLE001  a host's selection must not stop the others'
            self.fault = error
            self.moved = False
            return
        if not _same(new, self.catalog):
            self.catalog = new
        self.moved = self.compared(self.previous).moves

    def compared(self, old: Catalog) -> Comparison:
        """Compares an earlier set with the newest."""
        return self._comparisons.of(old, self.catalog)


def _selected(source: Catalog, select: Select | None) -> Catalog:
    if select is None:
        return source
    tools = [tool for tool in source.tools if select(tool)]
    return source if len(tools) == len(source) else Catalog.of(tools, source=source.source)


def _same(new: Catalog, old: Catalog) -> bool:
    if new is old or len(new) != len(old):
        return new is old
    return all(one is other for one, other in zip(new.tools, old.tools, strict=True))
