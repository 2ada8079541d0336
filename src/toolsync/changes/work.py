"""What there is to look at in two catalogues, likely worst first, each piece on its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from toolsync.allowance import Allowance
from toolsync.catalog import Catalog, Tool
from toolsync.changes import likeness, outcome
from toolsync.changes.outcome import ToolChange
from toolsync.classify import Reading
from toolsync.compare import Keep, Pairing
from toolsync.model import Invalid

Piece = tuple[object, Callable[[], ToolChange]]


class Scene(NamedTuple):
    """Two catalogues, how their tools pair, and how they are to be read."""

    old: Catalog
    new: Catalog
    pairing: Pairing
    reading: Reading
    keep: Keep | None
    allowance: Allowance

    def pieces(self) -> Iterator[Piece]:
        """Yields a key and the work for every tool that differs."""
        yield from self._loud()
        yield from self._respelled(self.pairing.presentation)

    def loud_pieces(self) -> Iterator[Piece]:
        """Yields as `pieces` does, without the tools that are surely no more than respelled."""
        yield from self._loud()
        yield from self._respelled(self.pairing.doubtful)

    def _loud(self) -> Iterator[Piece]:
        yield from self._removed()
        yield from self._changed()
        yield from self._added()
        yield from self._malformed()

    def _removed(self) -> Iterator[Piece]:
        broken = _by_name(self.new)
        for tool in self.pairing.removed:
            fault = broken.get(tool.name)
            if fault is None:
                index = self.old.index[tool.name]
                yield tool.name, partial(outcome.removed, tool, index)
            else:
                yield tool.name, partial(outcome.became_malformed, tool, fault)

    def _changed(self) -> Iterator[Piece]:
        for old, new in self.pairing.changed:
            place = self.new.index[new.name]
            yield new.name, partial(outcome.changed, old, new, place, self.reading, self.allowance)

    def _respelled(self, pairs: Iterable[tuple[Tool, Tool]]) -> Iterator[Piece]:
        doubtful = {new.name for _, new in self.pairing.doubtful}
        for old, new in pairs:
            place, doubt = self.new.index[new.name], new.name in doubtful
            yield new.name, partial(outcome.respelled, old, new, place, doubtful=doubt)

    def _added(self) -> Iterator[Piece]:
        broken = _by_name(self.old)
        twins = likeness.twins([tool.name for tool in self.pairing.added], self._names())
        for tool in self.pairing.added:
            index = self.new.index[tool.name]
            was = broken.get(tool.name)
            if was is None:
                yield tool.name, partial(outcome.added, tool, index, twins.get(tool.name))
            else:
                yield tool.name, partial(outcome.became_well_formed, tool, index, was)

    def _names(self) -> Iterator[str]:
        """Yields every name there is or was, also of tools that nobody asked about."""
        yield from self.new.index
        yield from self.old.index

    def _malformed(self) -> Iterator[Piece]:
        """Yields malformed tools that stand on one side only, or differ."""
        if not self.old.invalid and not self.new.invalid:
            return
        before = Counter(map(_bytes, self._bad(self.old)))
        after = _by_name(self.new)
        for fault in self._bad(self.new):
            if before[_bytes(fault)] > 0:
                before[_bytes(fault)] -= 1
            elif after.get(fault.name) is not fault or not _only_in(self.old, self.new, fault):
                yield ("new", fault.index), partial(outcome.malformed, fault)
        for fault in self._bad(self.old):
            if before[_bytes(fault)] > 0:
                before[_bytes(fault)] -= 1
                if fault.name not in after and not _only_in(self.new, self.old, fault):
                    yield ("old", fault.index), partial(outcome.malformed_gone, fault)

    def _bad(self, catalog: Catalog) -> Iterator[Invalid]:
        for fault in catalog.invalid:
            if self.keep is None or self.keep(fault.name or ""):
                yield fault


def _only_in(one: Catalog, other: Catalog, fault: Invalid) -> bool:
    """Tells whether a tool of that name is well-formed in one catalogue and not in the other."""
    return fault.name in one and fault.name not in other


def _by_name(catalog: Catalog) -> dict[str | None, Invalid]:
    return {fault.name: fault for fault in catalog.invalid if fault.name is not None}


def _bytes(fault: Invalid) -> tuple[str | None, bytes]:
    # A malformed tool has no digest: its own text is all there is to compare.
    return fault.name, fault.text
