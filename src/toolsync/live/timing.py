"""Time and tasks as parameters, so that everything above can be run on a clock of paper."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import anyio
import anyio.lowlevel

from toolsync.live.errors import told

Clock = Callable[[], float]
"""Gives seconds that never run backwards."""

Sleep = Callable[[float], Awaitable[None]]
"""Waits so many seconds of the clock."""

Spawn = Callable[[Coroutine[Any, Any, None]], None]
"""Runs a coroutine beside its caller, to its end."""

monotonic: Final[Clock] = time.monotonic
sleep: Final[Sleep] = anyio.sleep

GRACE: Final = 1.0
"""How many seconds a cancelled task may take to put things in order."""

MOST_CANCELLED: Final = 100
"""How many times a task is cancelled that does not end after that."""

log: Final = logging.getLogger("toolsync.live")


class Background:
    """Runs coroutines as asyncio tasks, each referred to until it ends."""

    __slots__ = ("_running",)

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def __call__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Starts a task; what it raises unexpectedly is logged."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task ended with %s", told(error), exc_info=error)


class Running:
    """A function that runs beside its owner; cancelling it twice does nothing more."""

    __slots__ = ("_ended", "_task", "cancelled", "done")

    def __init__(self) -> None:
        self.cancelled = self.done = False
        self._ended: anyio.Event | None = None  # made when somebody waits: most never do
        self._task: asyncio.Task[Any] | None = None

    @property
    def current(self) -> bool:
        """Tells whether it is this function that asks."""
        return self._task is not None and self._task is asyncio.current_task()

    def cancel(self, *, again: bool = False) -> None:
        """Stops it where it waits; one that has not begun does not. `again` insists."""
        if self._task is not None and (again or not self.cancelled):
            self._task.cancel()
        self.cancelled = True

    @property
    def ended(self) -> anyio.Event:
        """Is set once it has ended, whether it had begun or not."""
        if self._ended is None:
            self._ended = anyio.Event()
            if self.done:
                self._ended.set()
        return self._ended

    def end(self) -> None:
        """Says that it has ended."""
        self.done = True
        if self._ended is not None:
            self._ended.set()

    async def run(
        self, function: Callable[..., Coroutine[Any, Any, None]], args: tuple[object, ...]
    ) -> None:
        """Runs it, unless it was cancelled before."""
        self._task = asyncio.current_task()
        if self.cancelled:
            return
        try:
            await function(*args)
        except asyncio.CancelledError:
            if not self.cancelled:  # by somebody else, such as a loop that ends
                raise


class Tasks:
    """What runs beside one owner, who can cancel each of it, and all of it when it closes."""

    __slots__ = ("_ended", "_running", "_sleep", "_spawn")

    def __init__(self, spawn: Spawn | None = None, sleep: Sleep = sleep) -> None:
        self._spawn = spawn or Background()
        self._sleep = sleep
        self._running: dict[Running, None] = {}
        self._ended: anyio.Event | None = None

    def start(self, function: Callable[..., Coroutine[Any, Any, None]], *args: object) -> Running:
        """Starts a function of ours."""
        running = Running()
        self._running[running] = None
        self._spawn(self._run(running, function, args))
        return running

    async def _run(
        self,
        running: Running,
        function: Callable[..., Coroutine[Any, Any, None]],
        args: tuple[object, ...],
    ) -> None:
        try:
            await running.run(function, args)
        finally:
            del self._running[running]
            running.end()
            if self._ended is not None:
                self._ended.set()

    async def happens(self, event: anyio.Event, seconds: float) -> bool:
        """Waits for an event, at most so many seconds; tells whether it has come."""
        if event.is_set() or seconds <= 0:
            return event.is_set()
        if math.isinf(seconds):
            await event.wait()
            return True
        with anyio.CancelScope() as waiting:
            timer = self.start(self._cancel_after, seconds, waiting)
            try:
                await event.wait()
            finally:
                timer.cancel()
        return event.is_set()

    async def _cancel_after(self, seconds: float, scope: anyio.CancelScope) -> None:
        await self._sleep(seconds)
        scope.cancel()

    async def aclose(self) -> None:
        """Cancels what runs, and waits for its end; what will not end is left behind at last."""
        for running in self._others():
            running.cancel()
        if await self._end_within(GRACE):
            return
        for _ in range(MOST_CANCELLED):
            for running in self._others():
                running.cancel(again=True)
            await anyio.lowlevel.checkpoint()
        if others := self._others():
            log.error("%d tasks do not end when they are cancelled", len(others))

    def _others(self) -> list[Running]:
        """Lists what runs, apart from a task that asks itself."""
        return [each for each in self._running if not each.current]

    async def _end_within(self, seconds: float) -> bool:
        if not self._others():
            return True
        timer = self.start(self._rest, seconds)
        while self._others() != [timer] and timer in self._running:
            self._ended = anyio.Event()
            await self._ended.wait()
        timer.cancel()
        while timer in self._running:
            await anyio.lowlevel.checkpoint()
        self._ended = None
        return not self._others()

    async def _rest(self, seconds: float) -> None:
        await self._sleep(seconds)
