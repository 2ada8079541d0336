"""What clients of a proxy see: one catalogue, swapped whole, in an order that stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from toolsync.catalog import Catalog, Tool
from toolsync.changes import diff
from toolsync.live.errors import ToolChanged, UnknownTool
from toolsync.live.foreign import tell_all
from toolsync.live.semantics import alike, differs, moved_names
from toolsync.live.state import Published
from toolsync.schema.arguments import refusal


@dataclass(frozen=True, slots=True)
class _State:
    """All that readers see; swapped by one assignment. `moved` holds each tool's revision."""

    catalog: Catalog
    revision: int
    moved: Mapping[str, int]


class Shown:
    """Holds the last good catalogue of a server, and tells of each new one."""

    def __init__(self) -> None:
        self._found = Catalog()
        self._state = _State(self._found, 0, {})
        self._listeners: tuple[Callable[[Published], None], ...] = ()

    @property
    def catalog(self) -> Catalog:
        """The last good catalogue."""
        return self._state.catalog

    @property
    def revision(self) -> int:
        """Grows by one with every change that a session must learn of."""
        return self._state.revision

    def subscribe(self, listener: Callable[[Published], None]) -> Callable[[], None]:
        """Calls a listener right after every swap; the returned function ends that."""
        self._listeners = (*self._listeners, listener)

        def unsubscribe() -> None:
            self._listeners = tuple(each for each in self._listeners if each is not listener)

        return unsubscribe

    def publish(self, found: Catalog) -> None:
        """Swaps the catalogue where it differs, and tells those who subscribed."""
        if found is self._found:
            return
        self._found, state = found, self._state
        catalog = in_place(found, state.catalog)
        if catalog is state.catalog:
            return
        changes = diff(state.catalog, catalog)
        revision, moved = state.revision, state.moved
        if differs(changes):
            revision += 1
            kept = {name: at for name, at in moved.items() if name in catalog}
            moved = kept | dict.fromkeys(moved_names(changes), revision)
        self._state = _State(catalog, revision, moved)
        tell_all(self._listeners, Published(revision, catalog, state.catalog))

    def tool(self, name: str) -> Tool:
        """Gives a definition; raises UnknownTool where there is none."""
        catalog = self._state.catalog
        if name not in catalog:
            raise UnknownTool(name)
        return catalog[name]

    def check(self, name: str, arguments: Any, advertised: Tool | None) -> None:
        """Looks at a call that was made for an earlier definition.

        Raises:
            UnknownTool: there is none of that name.
            ToolChanged: the present definition refuses the arguments.
        """
        state, tool = self._state, self.tool(name)
        if advertised is None or alike(advertised, tool):
            return
        reason = refusal(tool.definition["inputSchema"], arguments)
        if reason is not None:
            raise ToolChanged(name, state.moved.get(name, state.revision), reason)


def in_place(found: Catalog, before: Catalog) -> Catalog:
    """Keeps the order that clients know, and the very tools where they are the same.

    A server that was started anew may list in another order; to a client, and to the
    prompt cache of its model, that would look like a change of everything.
    """
    kept = {}
    for tool in found.tools:
        known = before[tool.name] if tool.name in before else None  # noqa: SIM401  no dict
        kept[tool.name] = known if known is not None and known.text == tool.text else tool
    names = [*(name for name in before.index if name in kept),
             *(name for name in kept if name not in before)]  # fmt: skip
    tools = [kept[name] for name in names]
    if len(tools) == len(before) and all(map(_is, tools, before.tools)):
        return before
    return Catalog.of(tools, source=found.source)


def _is(one: Tool, other: Tool) -> bool:
    return one is other
