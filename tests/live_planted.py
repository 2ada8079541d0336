"""Bugs, planted: each is a mistake that hosts and bridges have really made.

What is exchanged is one class of the real thing; the simulation has to notice.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from live_model import Parts
from toolsync import Catalog, Tool, diff, live
from toolsync.live.events import ToolsUpdated
from toolsync.live.keeping import Kept
from toolsync.live.remote import Refreshed
from toolsync.live.state import State
from toolsync.live.walk import Listing


class TornCatalogue(live.RemoteCatalog):
    """Takes the pages that came for the whole list when a later one fails."""

    def __init__(self, list_page: Any, **options: Any) -> None:
        async def torn(cursor: str | None) -> Mapping[str, Any]:
            try:
                page: Mapping[str, Any] = await list_page(cursor)
            except Exception:
                if cursor is None:
                    raise
                return {"tools": []}
            return page

        super().__init__(torn, **options)


class WipeOnFailure(live.RemoteCatalog):
    """Forgets its tools when they cannot be listed."""

    def _fail(self, reason: str) -> Refreshed:
        self._catalog = Catalog()
        return super()._fail(reason)


class IgnoresOvertaking(live.RemoteCatalog):
    """Uses a list although the server announced a change while it was read."""

    def _is_settled(self, generation: int, listing: Listing, found: Kept) -> bool:
        del generation, listing, found
        return True


class ForgetsWhatCameMeanwhile(live.RemoteCatalog):
    """Takes notifications that came during a fetch for answered by it."""

    def _use(self, found: Kept, generation: int) -> Refreshed:
        del generation
        return super()._use(found, self._notices.generation)


class GivesUpAfterFailure(live.RemoteCatalog):
    """Takes a failed refresh for the end of the matter."""

    def _fail(self, reason: str) -> Refreshed:
        self._notices.covered = self._notices.generation
        return super()._fail(reason)


class UnboundedQueue(live.RemoteCatalog):
    """Answers every notification by a task that lists."""

    def mark_stale(self) -> None:
        super().mark_stale()
        self._tasks = [*getattr(self, "_tasks", []), self._loop.create_task(self._listed())]

    def __init__(self, list_page: Any, **options: Any) -> None:
        super().__init__(list_page, **options)
        self._loop = asyncio.get_running_loop()

    async def _listed(self) -> None:
        with contextlib.suppress(Exception):
            await self._list_page(None)
        await self.refresh()


class BumpsWithoutChange(live.RemoteCatalog):
    """Counts and announces every list that it has read."""

    def _use(self, found: Kept, generation: int) -> Refreshed:
        before = self._revision
        outcome = super()._use(found, generation)
        if self._revision == before:
            self._revision += 1
            changes = diff(found.catalog, found.catalog)
            self._emit(ToolsUpdated(self._revision, found.catalog, changes))
        return outcome


class NoResync(live.RemoteCatalog):
    """Does not look again after a subscription was lost."""

    def lost(self, reason: str) -> None:
        del reason


class PoisonAll(live.Registry):
    """Takes everything down with one plugin that fails."""

    async def apply(self, plugin_id: str, version: str, build: Any) -> live.Commit:
        try:
            return await super().apply(plugin_id, version, build)
        except live.RegistrationError:
            self._state = State(revision=self._state.revision)
            raise


class ClosesUnderCalls(live.Registry):
    """Closes a replaced version at once."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"drain": 0.0})


class RunsWhatIsGone(live.Registry):
    """Runs a call by the version that was there before."""

    async def call(self, name: str, arguments: Any, *, advertised: Tool | None = None) -> Any:
        routes = self.__dict__.setdefault("routes", {})
        routes.update(self._state.routes)
        route = routes.get(name)
        if route is None:
            raise live.UnknownTool(name)
        del advertised
        return await route.version.call(name, arguments)


class CommitsBeforeItIsBuilt(live.Registry):
    """Takes the old version out before the new one is there."""

    async def apply(self, plugin_id: str, version: str, build: Any) -> live.Commit:
        await super().remove(plugin_id)
        return await super().apply(plugin_id, version, build)


class TellsTwice(live.Hub):
    """Announces to every session after every commit, whatever it was."""

    def _noticed(self, event: object) -> None:
        super()._noticed(event)
        for delivery in self._deliveries.values():
            delivery.told = Catalog()
            delivery._want()


class NoReconcile(live.Hub):
    """Leaves a missed push missed."""

    async def reconcile(self, id: str, tools: Any = None) -> live.Outcome:  # noqa: A002  as there
        del tools
        return live.Outcome("unchanged", id, self._revision)


class WaitsForTheSlowest(live.Hub):
    """Tells one session after the other, each when the last one is done."""

    def _noticed(self, event: object) -> None:
        deliveries, self._deliveries = self._deliveries, {}
        with contextlib.suppress(Exception):
            super()._noticed(event)
        self._deliveries = deliveries
        for delivery in [each for each in deliveries.values() if not each._pushing]:
            delivery.advance()
            if delivery._pushing:
                break


class KeepsWhatIsGone(live.ToolList):
    """Only ever adds to a run's list."""

    def _show(self, joined: dict[str, Any]) -> None:
        super()._show(self._shown | joined)


class SnapshotsAtStart(live.ToolList):
    """Reads its sources once."""

    def _is_current(self) -> bool:
        return True


PLANTED: dict[type, tuple[Parts, str]] = {
    TornCatalogue: (Parts(remote=TornCatalogue), "I2/I13|I4"),
    WipeOnFailure: (Parts(remote=WipeOnFailure), "I5|I2/I13"),
    IgnoresOvertaking: (Parts(remote=IgnoresOvertaking), "I2/I13"),
    ForgetsWhatCameMeanwhile: (Parts(remote=ForgetsWhatCameMeanwhile), "I4"),
    GivesUpAfterFailure: (Parts(remote=GivesUpAfterFailure), "I4"),
    UnboundedQueue: (Parts(remote=UnboundedQueue), "I8"),
    BumpsWithoutChange: (Parts(remote=BumpsWithoutChange), "I3"),
    NoResync: (Parts(remote=NoResync), "I4"),
    PoisonAll: (Parts(registry=PoisonAll), "I2/I13"),
    ClosesUnderCalls: (Parts(registry=ClosesUnderCalls), "I9"),
    RunsWhatIsGone: (Parts(registry=RunsWhatIsGone), "I10"),
    CommitsBeforeItIsBuilt: (Parts(registry=CommitsBeforeItIsBuilt), "I2/I13"),
    TellsTwice: (Parts(hub=TellsTwice), "I3"),
    NoReconcile: (Parts(hub=NoReconcile), "I4"),
    WaitsForTheSlowest: (Parts(hub=WaitsForTheSlowest), "I7"),
    KeepsWhatIsGone: (Parts(tool_list=KeepsWhatIsGone), "I2/I13"),
    SnapshotsAtStart: (Parts(tool_list=SnapshotsAtStart), "I4"),
}
"""What a world is made of with each bug, and the invariants that it violates first."""
