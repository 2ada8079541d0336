"""The one lane that all changes go through: one after the other, bursts of one plugin as one."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final, Protocol

import anyio

from toolsync.live.errors import Closed, RegistrationError
from toolsync.live.plugin import Build, Commit
from toolsync.live.timing import Clock, Running, Sleep, Tasks

MOST_DELAYED: Final = 10
"""How many debounce windows a change waits at most while newer ones keep coming."""


class Ticket:
    """Waits for what became of a change; any number of callers may."""

    __slots__ = ("_commit", "_done", "_error")

    def __init__(self) -> None:
        self._done = anyio.Event()
        self._commit: Commit | None = None
        self._error: BaseException | None = None

    def settle(self, commit: Commit | None, error: BaseException | None = None) -> None:
        """Tells the callers; only the first telling counts."""
        if not self._done.is_set():
            self._commit, self._error = commit, error
            self._done.set()

    async def wait(self) -> Commit:
        """Gives the commit, or raises what stood against it."""
        await self._done.wait()
        if isinstance(self._error, RegistrationError):
            raise self._error.again() from self._error.__cause__
        if self._commit is None:
            raise self._error or Closed("the registry is closed")
        return self._commit


@dataclass(slots=True)
class Request:
    """A wanted version of a plugin, or its removal where `build` is None; the newest wins.

    A removal that a version came after is not lost: its `removal` stands, and counts if that
    version fails. `place` counts requests, `latest` is when it is carried out even if newer
    ones come.
    """

    plugin_id: str
    version: str
    build: Build | None
    place: int
    latest: float
    due: float
    ticket: Ticket
    removal: Ticket | None = None

    def renew(self, version: str, build: Build | None) -> Ticket:
        """Becomes a newer request of the same plugin."""
        if build is not None and self.build is None and self.removal is None:
            self.removal, self.ticket = self.ticket, Ticket()
        self.version, self.build = version, build
        return self.ticket if build is not None else self.removal or self.ticket

    def settle(self, commit: Commit | None, error: BaseException | None = None) -> None:
        """Tells all callers that have not been told."""
        self.ticket.settle(commit, error)
        if self.removal is not None:
            self.removal.settle(commit, error)


class Perform(Protocol):
    """Carries out one request; it settles the ticket."""

    def __call__(self, request: Request, /) -> Awaitable[None]:
        """Carries it out."""


class Lane:
    """Carries out requests one at a time; it runs only while there are some."""

    __slots__ = (
        "_asked", "_clock", "_debounce", "_pending", "_perform", "_reached", "_running",
        "_sleep", "_tasks", "_work",
    )  # fmt: skip

    def __init__(
        self, tasks: Tasks, clock: Clock, sleep: Sleep, debounce: float, perform: Perform
    ) -> None:
        self._tasks = tasks
        self._clock = clock
        self._sleep = sleep
        self._debounce = debounce
        self._perform = perform
        self._pending: dict[str, Request] = {}
        self._asked = 0
        self._reached = float("-inf")
        self._running = False
        self._work: Running | None = None

    def ask(self, plugin_id: str, version: str, build: Build | None) -> Ticket:
        """Takes a request; one of the same plugin that still waits becomes this one."""
        now = self._now()
        waiting = self._pending.get(plugin_id)
        if waiting is None:
            self._asked += 1
            latest = now + MOST_DELAYED * self._debounce
            due = now + self._debounce
            waiting = Request(plugin_id, version, build, self._asked, latest, due, Ticket())
            self._pending[plugin_id] = waiting
            ticket = waiting.ticket
        else:
            ticket = waiting.renew(version, build)
            waiting.due = min(now + self._debounce, waiting.latest)
        if not self._running:
            self._running = True  # before it starts: a task may begin at once
            self._work = self._tasks.start(self._run)
        return ticket

    async def stop(self) -> None:
        """Ends the lane; what has not been carried out is told so."""
        for request in self._pending.values():
            request.settle(None)
        self._pending.clear()
        if self._work is not None and not self._work.current:
            self._work.cancel()
            await self._work.ended.wait()

    def _now(self) -> float:
        # A sleep may end a rounding error before its time: what was waited for has come.
        return max(self._clock(), self._reached)

    async def _run(self) -> None:
        try:
            while self._pending:
                request = min(self._pending.values(), key=lambda one: (one.due, one.place))
                if request.due > self._now():
                    due = request.due
                    await self._sleep(due - self._now())
                    self._reached = due
                    continue  # it may have been put off meanwhile
                del self._pending[request.plugin_id]
                await self._carried_out(request)
        finally:
            self._running = False

    async def _carried_out(self, request: Request) -> None:
        try:
            await self._perform(request)
        except Exception as error:  # noqa: BLE001  whatever it is, it ends one request, not the lane
            request.settle(None, error)
        except BaseException:
            request.settle(None)
            raise
