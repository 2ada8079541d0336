"""ToolList: an agent run's own list of tools, kept current in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import anyio

from toolsync.errors import ToolsyncError
from toolsync.live.errors import told
from toolsync.live.offered import Entry, Offered, connects, is_source, offered
from toolsync.live.shapes import Shape, ShapeName, name_of, shape_of
from toolsync.live.walk import label


class DuplicateName(ToolsyncError, ValueError):  # noqa: N818  says what it is
    """Says which tool stands in two sources of a run at its start."""


class ToolList:
    """Keeps a run's list equal to its sources, in their order; all else in the list stays.

    A source is a plain list (dicts or callables), a `Catalog`, whatever has a `catalog`
    (a registry, a remote catalogue), or an async function that connects and gives one of
    these within `connect_timeout` seconds. `sources` may be a list that grows. `shape`
    makes list elements of tools. Raises DuplicateName where two sources offer one name.
    """

    def __init__(
        self,
        target: list[Any],
        sources: Sequence[Any],
        *,
        shape: ShapeName | Shape = "mcp",
        connect_timeout: float = 30.0,
    ) -> None:
        self._target, self._sources = target, sources
        self._shape, self._patience = shape_of(shape), connect_timeout
        self._offered: list[Offered] = []
        self._connected: dict[int, tuple[Any, Any]] = {}
        self._before: tuple[Entry, ...] = ()
        self._after: tuple[Entry, ...] = ()
        self._shown: dict[str, Any] = {}
        self._retired: dict[str, Any] = {}
        self._withheld: set[str] = set()
        self._failed: dict[int, tuple[Any, str]] = {}
        self._warnings: tuple[str, ...] = ()
        self._length = len(target)
        self._touched = False
        self._start()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is left out of the list at present, and why."""
        return self._warnings

    def touch(self) -> None:
        """Says that something was exchanged in its place: the next refresh reads every source."""
        self._touched = True
        self._failed.clear()

    def find(self, name: str) -> Any | None:
        """Gives the element of that name; one that the last refresh took away, too.

        A call that was requested before the refresh is thus still carried out.
        """
        found = self._shown.get(name)
        return self._retired.get(name) if found is None else found

    def refresh(self) -> bool:
        """Brings the list up to date before a model step.

        Tells whether it differs from what it was after the refresh before.
        """
        if self._retired:
            self._retired = {}
        if self._is_current():
            return False
        return self._rebuilt()

    async def step(self) -> bool:
        """Brings the sources up to date that can be, then the list; tells whether it changed."""
        behind = [source for source in self._sources if self._is_behind(source)]
        if behind:
            async with anyio.create_task_group() as group:
                for source in behind:
                    group.start_soon(self._bring, source)
        return self.refresh()

    def _is_current(self) -> bool:
        known, sources = self._offered, self._sources
        if self._touched or len(self._target) != self._length or len(sources) != len(known):
            return False
        for source, each in zip(sources, known, strict=True):
            if source is not each.source or not each.is_current():
                return False
        return True

    def _is_behind(self, source: Any) -> bool:
        pending = getattr(source, "pending", None)
        if pending is not None or is_source(source):
            return bool(pending)
        if id(source) in self._connected:
            return bool(getattr(self._connected[id(source)][1], "pending", False))
        return id(source) not in self._failed

    async def _bring(self, source: Any) -> None:
        try:
            if not is_source(source) and id(source) not in self._connected:
                await self._connect(source)
            actual = self._actual(source)
            if getattr(actual, "pending", False):
                await actual.refresh()
            failed = None
        except Exception as error:  # noqa: BLE001  one source that fails leaves the run going
            failed = source, told(error)
        if self._failed.pop(id(source), None) != failed:
            self._touched = True
        if failed is not None:
            self._failed[id(source)] = failed

    async def _connect(self, source: Any) -> None:
        with anyio.fail_after(self._patience):
            actual = await source()
        if not is_source(actual):
            raise TypeError(f"expected a source of tools, got {type(actual).__name__}")
        self._connected[id(source)] = source, actual
        self._touched = True

    def _actual(self, source: Any) -> Any:
        if is_source(source):
            return source
        return self._connected.get(id(source), (None, None))[1]

    def _start(self) -> None:
        for source in self._sources:
            if not is_source(source) and not connects(source):
                raise TypeError(f"expected a source of tools, got {type(source).__name__}")
        self._read()
        for each in self._offered:
            if each.refused:
                raise ValueError(f"{_place(each)}: {each.refused}")
        theirs = {id(element) for each in self._offered for _, element in each.entries}
        own = [element for element in self._target if id(element) not in theirs]
        self._before = tuple((_named(element), element) for element in own)
        _refuse_duplicates(self._before, self._offered)
        self._show(self._joined(()))

    def _read(self) -> None:
        """Takes over what stands in `sources` now; what was read from a source before is kept."""
        known = {id(each.source): each for each in self._offered}
        read = []
        for place, source in enumerate(self._sources, 1):
            actual = self._actual(source)
            each = known.pop(id(source), None)
            if each is None or each.actual is not actual:
                each = offered(source, actual, place, self._shape)
            each.place = place
            each.read(whole=self._touched)
            read.append(each)
        self._offered, self._touched = read, False

    def _rebuilt(self) -> bool:
        self._note_host()
        self._read()
        joined = self._joined(self._complaints())
        before = self._shown
        self._show(joined)
        self._retired = {name: each for name, each in before.items() if name not in joined}
        return [*map(id, before.values())] != [*map(id, joined.values())]

    def _note_host(self) -> None:
        """Keeps what the host has put into the list itself, and out what it has taken out."""
        target = self._target
        present = {id(element) for element in target}
        shown = {id(element) for element in self._shown.values()}
        self._before = tuple(entry for entry in self._before if id(entry[1]) in present)
        kept = tuple(entry for entry in self._after if id(entry[1]) in present)
        fresh = tuple((_named(each), each) for each in target if id(each) not in shown)
        self._after = (*kept, *fresh)
        self._withheld |= {n for n, each in self._shown.items() if id(each) not in present}

    def _complaints(self) -> tuple[str, ...]:
        refused = [f"{_place(each)}: {each.refused}" for each in self._offered if each.refused]
        ids = {id(each.source): _place(each) for each in self._offered}
        failed = [f"{ids[at]}: {why}" for at, (_, why) in self._failed.items() if at in ids]
        return (*refused, *failed)

    def _joined(self, complaints: tuple[str, ...]) -> dict[str, Any]:
        """Gives every element under its name; the first one of a name counts."""
        joined: dict[str, Any] = {}
        warnings = list(complaints)
        for where, (name, element) in self._candidates():
            if joined.setdefault(name, element) is not element:
                warnings.append(f"{where}: tool {label(name)} is there already; left out")
        self._warnings = tuple(warnings)
        return joined

    def _candidates(self) -> Iterator[tuple[str, Entry]]:
        self._withheld &= {name for each in self._offered for name, _ in each.entries}
        for entry in self._before:
            yield "the list itself", entry
        for each in self._offered:
            for entry in each.entries:
                if entry[0] not in self._withheld:
                    yield _place(each), entry
        for entry in self._after:
            yield "the list itself", entry

    def _show(self, joined: dict[str, Any]) -> None:
        # One assignment: who iterates sees the old list or the new one.
        self._target[:] = list(joined.values())
        self._shown, self._length = joined, len(joined)


def _place(each: Offered) -> str:
    name = getattr(each.actual, "name", None)
    return f"source {each.place}" + (f" ({label(name)})" if isinstance(name, str) and name else "")


def _named(element: Any) -> str:
    """Gives a name to go by; what the host puts in is its own affair, named or not."""
    return name_of(element) or f"\0{id(element)}"


def _refuse_duplicates(own: tuple[Entry, ...], others: list[Offered]) -> None:
    first: dict[str, tuple[str, Any]] = {}
    places = [("the list itself", own), *((_place(each), each.entries) for each in others)]
    for where, entries in places:
        for name, element in entries:
            known, other = first.setdefault(name, (where, element))
            if other is not element:
                raise DuplicateName(f"tool {label(name)} is in {known} and in {where}; rename one")
