"""A server of tools in the same process, whose answers and faults a test decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from live_rig import Definition
from toolsync import live
from toolsync.live.events import Event

Page = dict[str, Any]


class Server:
    """Answers `tools/list` in pages of `size`; `faults` are answers or errors that come first."""

    def __init__(self, *tools: Definition, size: int = 1000) -> None:
        self.tools: list[Definition] = list(tools)
        self.size = size
        self.asked: list[str | None] = []
        self.faults: list[Any] = []
        self.delay = 0.0
        self.open = self.most_open = 0
        self.on_list: Callable[[], None] = lambda: None

    @property
    def lists(self) -> int:
        """How many walks have begun."""
        return self.asked.count(None)

    async def list_page(self, cursor: str | None) -> Any:
        self.asked.append(cursor)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            self.on_list()
            if self.delay:
                await asyncio.sleep(self.delay)
            return await self._answer(cursor)
        finally:
            self.open -= 1

    async def _answer(self, cursor: str | None) -> Any:
        if self.faults:
            fault = self.faults.pop(0)
            if isinstance(fault, BaseException):
                raise fault
            if asyncio.iscoroutinefunction(fault):
                return await fault()
            return fault
        first = int(cursor or 0)
        page: Page = {"tools": self.tools[first : first + self.size]}
        if first + self.size < len(self.tools):
            page["nextCursor"] = str(first + self.size)
        return page

    def remote(self, **options: Any) -> live.RemoteCatalog:
        """Follows this server, on the time of the running loop."""
        loop = asyncio.get_running_loop()
        return live.RemoteCatalog(self.list_page, clock=loop.time, **options)


async def hang() -> Any:
    """Never answers."""
    await asyncio.get_running_loop().create_future()


def heard(remote: live.RemoteCatalog) -> list[Event]:
    """Gives a list that every event is appended to."""
    events: list[Event] = []
    remote.subscribe(events.append)
    return events


def now() -> float:
    """Reads the clock of the running loop."""
    return asyncio.get_running_loop().time()


async def filled(server: Server, **options: Any) -> live.RemoteCatalog:
    remote = server.remote(**options)
    assert await remote.refresh() == "applied"
    return remote
