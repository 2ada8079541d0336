"""Plugins, adapters and time made of paper: what the tests of the live part are played with."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import anyio
import anyio.lowlevel

from toolsync import Catalog, live
from toolsync.changes import Changes

Definition = dict[str, Any]

BAD_SCHEMA = {"type": "object", "properties": {"q": {"type": "strin"}}}


def tool(name: str, description: str | None = None, **properties: Any) -> Definition:
    """Returns a definition whose properties are given as `q="string"` or as schemas."""
    schemas = {
        key: {"type": value} if isinstance(value, str) else value
        for key, value in properties.items()
    }
    made: Definition = {"name": name, "inputSchema": {"type": "object", "properties": schemas}}
    return made if description is None else made | {"description": description}


def bad(name: str) -> Definition:
    """Returns a definition that nobody can use."""
    return {"name": name, "inputSchema": BAD_SCHEMA}


async def let_run(turns: int = 30) -> None:
    """Lets all other tasks go on until they wait for something."""
    for _ in range(turns):
        await anyio.lowlevel.checkpoint()


class PaperTime:
    """A clock that stands still until somebody turns it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._order = count()
        self._sleepers: list[tuple[float, int, anyio.Event]] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        event = anyio.Event()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._order), event))
        await event.wait()

    async def turn(self, seconds: float) -> None:
        """Turns the clock on; whoever sleeps wakes at the right time, one after the other."""
        end = self.now + seconds
        await let_run()
        while self._sleepers and self._sleepers[0][0] <= end:
            self.now, _, event = heapq.heappop(self._sleepers)
            event.set()
            await let_run()
        self.now = end


class Workshop:
    """Builds plugins and notes what happens to each version, in order."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.gates: dict[str, anyio.Event] = {}

    def build(self, label: str, *tools: Any, **more: Any) -> Callable[[], Awaitable[live.Plugin]]:
        async def built() -> live.Plugin:
            self.log.append(f"build {label}")
            await self._pass(f"build {label}")
            return live.Plugin(tools, call=self._call(label), close=self._close(label), **more)

        return built

    def failing(self, label: str, error: BaseException) -> Callable[[], Awaitable[live.Plugin]]:
        async def built() -> live.Plugin:
            self.log.append(f"build {label}")
            raise error

        return built

    def hold(self, what: str) -> anyio.Event:
        """Makes `build x`, `close x` or `call x` wait until the returned event is set."""
        self.gates[what] = anyio.Event()
        return self.gates[what]

    async def _pass(self, what: str) -> None:
        if what in self.gates:
            await self.gates[what].wait()

    def _call(self, label: str) -> Callable[[str, Any], Awaitable[Any]]:
        async def call(name: str, arguments: Any) -> Any:
            await self._pass(f"call {label}")
            return f"{label} ran {name}"

        return call

    def _close(self, label: str) -> Callable[[], Awaitable[None]]:
        async def close() -> None:
            await self._pass(f"close {label}")
            self.log.append(f"close {label}")

        return close


class Recorder:
    """An adapter that takes everything, and keeps what it was given."""

    announces = False

    def __init__(self, answer: Any = "applied") -> None:
        self.live = True
        self.answer = answer
        self.seen: list[tuple[Catalog, Changes]] = []
        self.gate: asyncio.Event | None = None
        self.meanwhile: Callable[[], Awaitable[None]] | None = None
        self.closed = 0

    async def apply(self, catalog: Catalog, changes: Changes) -> str:
        self.seen.append((catalog, changes))
        if self.gate is not None:
            await self.gate.wait()
        if self.meanwhile is not None:
            await self.meanwhile()
        if isinstance(self.answer, BaseException):
            raise self.answer
        answer: str = self.answer
        return answer

    async def close(self) -> None:
        self.closed += 1

    @property
    def names(self) -> list[list[str]]:
        return [[each.name for each in catalog] for catalog, _ in self.seen]


def names(catalog: Catalog) -> list[str]:
    return [each.name for each in catalog]


@asynccontextmanager
async def opened(**options: Any) -> AsyncIterator[live.Registry]:
    """Gives a registry without debounce, and ends it."""
    registry = live.Registry(**({"debounce": 0} | options))
    try:
        yield registry
    finally:
        await registry.aclose()


@asynccontextmanager
async def hubbed(**options: Any) -> AsyncIterator[tuple[live.Registry, live.Hub]]:
    """Gives a registry with a hub, both on the same time."""
    timing = {name: options[name] for name in ("clock", "sleep") if name in options}
    timeout = {name: options.pop(name) for name in ("timeout",) if name in options}
    async with opened(**options) as registry:
        hub = live.Hub(registry, **timing, **timeout)
        try:
            yield registry, hub
        finally:
            await hub.aclose()
