"""RemoteCatalog: the tools of one MCP server, followed; always complete, never half old."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import anyio

from toolsync.catalog import Catalog
from toolsync.changes import diff
from toolsync.live.errors import told
from toolsync.live.events import Event, RefreshFailed, SubscriptionLost, ToolsUpdated
from toolsync.live.following import Pace
from toolsync.live.foreign import tell_all
from toolsync.live.keeping import Kept, fingerprint, kept
from toolsync.live.plugin import Rejected
from toolsync.live.quiet import Notices
from toolsync.live.semantics import differs
from toolsync.live.sharing import Shared
from toolsync.live.timing import Clock, Sleep
from toolsync.live.walk import BadList, Bounds, Listing, ListPage, RepeatedCursor, Walk
from toolsync.safe import named, safe_text

Refreshed = Literal["applied", "unchanged", "failed"]
"""How a refresh ended; `unchanged` says that nothing differs which a session must learn of."""

_MOST_OUTSTANDING: Final = 2
_PROMPT: Final = 0.05


@dataclass(frozen=True, slots=True)
class Failure:
    """Says why refreshes fail, and since when on the clock."""

    reason: str
    since: float


class RemoteCatalog:
    """Follows the list of one MCP server: fetched when something is pending, used when complete."""

    def __init__(  # noqa: PLR0913  each is a promise that a caller may tighten
        self,
        list_page: ListPage,
        *,
        name: str = "",
        max_pages: int = 1000,
        max_tools: int = 100_000,
        max_bytes: int = 256 << 20,
        timeout: float = 5.0,
        attempts: int = 3,
        cooldown: float = 1.0,
        quiet: float = 0.03,
        quiet_max: float = 0.5,
        recheck: float | None = 0.25,
        repeated_cursor: RepeatedCursor = "error",
        clock: Clock = time.monotonic,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        if repeated_cursor not in ("error", "stop"):
            raise ValueError(f"repeated_cursor: expected 'error' or 'stop', got {repeated_cursor}")
        if attempts < 1:
            raise ValueError(f"attempts: expected at least 1, got {attempts}")
        self._list_page, self._repeated_cursor = list_page, repeated_cursor
        self._bounds = Bounds(max_pages, max_tools, max_bytes, timeout)
        self._attempts, self._cooldown, self._recheck = attempts, cooldown, recheck
        self._clock, self._sleep, self._name = clock, sleep, name
        self._notices = Notices(clock, sleep, quiet, quiet_max)
        self._catalog, self._revision, self._is_filled = Catalog(), 0, False
        self._isolated: tuple[Rejected, ...] = ()
        self._warnings: tuple[str, ...] = ()
        self._failure: Failure | None = None
        self._cool_until: float | None = None
        self._overtaken: str | None = None
        self._refreshing: Shared[Refreshed] = Shared(self._refresh)
        self._outstanding: set[asyncio.Task[Listing]] = set()
        self._listeners: dict[object, Callable[[Event], None]] = {}
        self._waker: anyio.Event | None = None

    def __repr__(self) -> str:
        state = "pending" if self.pending else "current"
        return f"<RemoteCatalog {safe_text(self._name)} {len(self._catalog)} tools, {state}>"

    @property
    def catalog(self) -> Catalog:
        """The last usable catalogue; an empty one before the first success."""
        return self._catalog

    @property
    def revision(self) -> int:
        """Grows by one with every change that matters; 0 before the first success."""
        return self._revision

    @property
    def name(self) -> str:
        """What messages call this server."""
        return self._name

    @property
    def pending(self) -> bool:
        """Tells whether the list is to be fetched: never yet, announced since, or failed."""
        return self._notices.covered != self._notices.generation

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was put right or left out in the list that is in use."""
        return self._warnings

    @property
    def isolated(self) -> tuple[Rejected, ...]:
        """The tools that the server lists and nobody can use; last valid definitions stay."""
        return self._isolated

    @property
    def failure(self) -> Failure | None:
        """Why refreshes fail at present; None after a success."""
        return self._failure

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Calls the listener with every event from now on; gives what ends that."""
        key = object()
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe

    def _emit(self, event: Event) -> None:
        tell_all(tuple(self._listeners.values()), event)

    def mark_stale(self) -> None:
        """Notes that the server announced a change; asks it nothing.

        Call it in the thread of the event loop.
        """
        self._notices.mark()
        waker = self._waker
        if waker is not None:
            self._waker = None
            waker.set()

    def lost(self, reason: str) -> None:
        """Notes that the subscription went: what was announced since may never have come."""
        self._emit(SubscriptionLost(safe_text(reason)))
        self.mark_stale()

    async def refresh(self) -> Refreshed:
        """Fetches the list if something is pending, once for all who ask meanwhile.

        Never raises for a server's fault: the last usable catalogue stays, `failure` says why.
        """
        if self._notices.covered == self._notices.generation:
            return "unchanged"
        if not self._refreshing.running and self._cooling() > 0:
            return "failed"
        return await self._refreshing.result("failed")

    def _cooling(self) -> float:
        return 0.0 if self._cool_until is None else self._cool_until - self._clock()

    async def _refresh(self) -> Refreshed:
        deadline = self._clock() + self._bounds.timeout
        await self._notices.settle()
        outcome = await self._tried(deadline)
        if outcome == "unchanged" and self._notices.take_recheck():
            outcome = await self._looked_again(deadline)
        return outcome

    async def _tried(self, deadline: float) -> Refreshed:
        fault, clashed = BadList("the server announced changes during every attempt"), False
        for _ in range(self._attempts):
            try:
                outcome = await self._attempted(deadline)
            except BadList as bad:
                fault = bad
                if not bad.again or (bad.clash and clashed):
                    break
                clashed = clashed or bad.clash
                continue
            if outcome is not None:
                return outcome
        return self._fail(str(fault))

    async def _looked_again(self, deadline: float) -> Refreshed:
        """Looks for what a server announced before it was so; without success nothing is lost."""
        if self._recheck is not None:
            await self._sleep(self._recheck)
            with suppress(BadList):
                return await self._attempted(deadline) or "unchanged"
        return "unchanged"

    async def _attempted(self, deadline: float) -> Refreshed | None:
        """Fetches the list once and uses it, unless it was overtaken. Raises BadList."""
        generation = self._notices.generation
        listing = await self._fetched(deadline)
        found = await kept(listing, self._catalog, self._name)
        if self._is_settled(generation, listing, found):
            return self._use(found, generation)
        return None

    async def _fetched(self, deadline: float) -> Listing:
        left = deadline - self._clock()
        if left <= 0:
            raise self._bounds.overdue()
        if len(self._outstanding) >= _MOST_OUTSTANDING:
            raise BadList(f"{_MOST_OUTSTANDING} earlier requests neither answered nor ended")
        # A task of its own: a transport that resists being cancelled holds nobody up, and
        # what it answers later is looked at by no one.
        walk = Walk(self._list_page, self._bounds, self._repeated_cursor)
        overdue = partial(self._is_over, deadline)
        task = asyncio.get_running_loop().create_task(walk.run(overdue))
        self._outstanding.add(task)
        task.add_done_callback(self._ended)
        self._notices.fetch_began()
        try:
            await self._waited(task, left)
        finally:
            self._notices.fetch_ended()
            if not task.done():
                task.cancel()
        if not task.done():
            raise self._bounds.overdue()
        if task.cancelled():  # by the transport: nobody else had it
            raise BadList("a page failed: its request was cancelled", again=True)
        try:
            return task.result()
        except Exception as error:
            if isinstance(error, BadList):
                raise
            raise BadList(f"the list cannot be read: {told(error)}") from error

    async def _waited(self, task: asyncio.Task[Listing], left: float) -> None:
        # Most lists are here before a timer on our own clock would be worth its task.
        await asyncio.wait({task}, timeout=min(left, _PROMPT))
        if task.done():
            return
        timer = asyncio.get_running_loop().create_task(self._slept(left - _PROMPT))
        try:
            await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()

    async def _slept(self, seconds: float) -> None:
        await self._sleep(max(seconds, 0.0))

    def _is_over(self, deadline: float) -> bool:
        return self._clock() >= deadline

    def _ended(self, task: asyncio.Task[Listing]) -> None:
        self._outstanding.discard(task)
        if not task.cancelled():
            task.exception()  # seen, where nobody waits for it any more

    def _is_settled(self, generation: int, listing: Listing, found: Kept) -> bool:
        """Tells whether a list may be used although the server has announced something since.

        One that was seen twice is no torn one; and a server that announces on every list
        would otherwise never have a change of its own arrive.
        """
        if self._notices.generation == generation:
            return True
        if self._is_filled and found.catalog.digest == self._catalog.digest:
            return True
        before, self._overtaken = self._overtaken, fingerprint(listing)
        return self._overtaken == before

    def _use(self, found: Kept, generation: int) -> Refreshed:
        changes = diff(self._catalog, found.catalog)
        is_news = not self._is_filled or differs(changes)
        self._notices.covered = generation
        self._failure = self._cool_until = self._overtaken = None
        self._isolated, self._warnings = found.isolated, found.warnings
        self._catalog, self._is_filled = found.catalog, True
        if not is_news:
            return "unchanged"
        self._revision += 1
        self._emit(ToolsUpdated(self._revision, found.catalog, changes))
        return "applied"

    def _fail(self, reason: str) -> Refreshed:
        now = self._clock()
        since = now if self._failure is None else self._failure.since
        if self._name:
            reason = f"server {named(self._name)}: {reason}"
        self._failure = Failure(reason, since)
        self._cool_until = now + self._cooldown
        self._emit(RefreshFailed(reason, now - since))
        return "failed"

    async def follow(self) -> None:
        """Refreshes whenever something is pending, until it is cancelled."""
        pace = Pace(self._clock, self._sleep)
        while True:
            await self._stale()
            if (rest := self._cooling()) > 0:
                await self._sleep(rest)
            await pace.keep(self._notices)
            pace.note(outcome := await self.refresh())
            if outcome == "failed":  # not at once again, even where no cooldown is wanted
                await self._sleep(max(self._cooling(), _PROMPT))

    async def _stale(self) -> None:
        while not self.pending:
            if self._waker is None:
                self._waker = anyio.Event()
            await self._waker.wait()

    async def aclose(self) -> None:
        """Ends what is under way; the catalogue stays readable."""
        tasks: list[asyncio.Task[Any]] = [*self._outstanding, *self._refreshing.stop()]
        for task in self._outstanding:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=self._bounds.timeout)
