"""Brings one session up to date: one push at a time, always the newest set, each change once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import anyio

from toolsync.catalog import Catalog
from toolsync.live.deadlines import Deadlines
from toolsync.live.errors import told
from toolsync.live.foreign import OUTSIDE, Errand
from toolsync.live.outcome import STATUSES, Outcome, Status
from toolsync.live.timing import Running, Tasks, log
from toolsync.live.view import Comparison, View
from toolsync.safe import named, safe_text


@dataclass(frozen=True, slots=True)
class Desk:
    """What all deliveries of a hub share."""

    tasks: Tasks
    deadlines: Deadlines
    seconds: float
    revision: Callable[[], int]
    tell: Callable[[Outcome], None]


class Delivery:
    """Keeps one session current through its adapter.

    `told` is the last set that the session was told of or given, `held` the last one that
    it was given. After a failure it may hold either the set that it was told of or the one
    that failed: that is the `doubt`.
    """

    __slots__ = (
        "_adapter", "_alone", "_desk", "_done", "_doubt", "_due", "_given", "_gone", "_pushing",
        "_stuck", "_tried", "_waiting", "_wanted", "_work", "ended", "held", "id", "notable",
        "noted", "outcome", "told", "untold", "view",
    )  # fmt: skip

    def __init__(self, session_id: str, adapter: Any, view: View, desk: Desk) -> None:
        self.id = session_id
        self.view = view
        self.told = self.held = view.catalog
        self.outcome: Outcome | None = None
        self.untold: Outcome | None = None
        self.notable: Outcome | None = None
        self.noted = 0
        self.ended = anyio.Event()
        self._adapter = adapter
        self._desk = desk
        self._doubt: Catalog | None = None
        self._given = self._wanted = self._tried = self._done = 0
        self._pushing = self._stuck = self._alone = self._gone = False
        self._due: int | None = None
        self._work: Running | None = None
        self._waiting: list[anyio.Event] = []

    @property
    def revision(self) -> int:
        """The number of the newest set."""
        return self._desk.revision()

    def advance(self) -> None:
        """Follows the view one step: asks for a push where the session must learn of it."""
        if self.view.fault is not None:
            error = f"the selection raised {told(self.view.fault)}"
            self._record(self._outcome("failed", error=error))
        elif self.view.moved:
            self._want()
        elif self.view.previous is not self.view.catalog:
            if self.told is self.view.previous:
                self.told = self.view.catalog
            self._record(self._outcome("unchanged"))

    def served(self, catalog: Catalog) -> None:
        """Notes that the session was just given a set."""
        self.held = catalog
        # A list that was answered before the last announcement leaves that standing.
        if catalog is self.view.catalog or self.told is not self.view.catalog:
            self._knows(catalog)

    def holds(self, catalog: Catalog) -> None:
        """Notes what the session itself says that it holds."""
        self.held = catalog
        self._knows(catalog)

    def _knows(self, catalog: Catalog) -> None:
        self.told = catalog
        self._doubt = None
        self._given += 1

    def ask_again(self) -> None:
        """Takes note that another peer may be at the far end now: one that can be told."""
        self._alone = False

    async def deliver(self) -> Outcome:
        """Tells the session what it has not been told, and gives what became of it."""
        if self._gone:
            return self._outcome("no_session", error=f"session {named(self.id)} has gone")
        noted = self.noted
        self._want()
        await self.settle()
        if self.noted > noted and self.notable is not None:
            return self.notable
        return self._outcome("unchanged")

    async def settle(self) -> None:
        """Waits until what was wanted up to now has been tried."""
        wanted = self._wanted
        while self._pushing and self._done < wanted and not (self._gone or self._stuck):
            event = anyio.Event()
            self._waiting.append(event)
            await event.wait()

    async def reconcile(self, holds: Catalog | None) -> Outcome:
        """Delivers what was not acknowledged, or what the set that the session holds lacks."""
        noted = self.noted
        await self.settle()  # what is under way may be newer than what the session says
        if self.noted > noted and self.notable is not None and self.notable.status == "applied":
            return self.notable
        if holds is not None:
            differs = Comparison(holds, self.view.catalog).moves
            self.holds(holds if differs else self.view.catalog)
        return await self.deliver()

    async def end(self) -> None:
        """Stops pushing, then closes the adapter."""
        self._gone = True
        if self._work is not None:
            self._work.cancel()
        self._wake()
        try:
            if self._work is not None:
                await self._desk.tasks.happens(self._work.ended, self._desk.seconds)
            await self._close()
        finally:
            self.ended.set()

    async def _close(self) -> None:
        close = getattr(self._adapter, "close", None)
        if close is None:
            return
        try:
            await Errand(close).run(self._desk.tasks, self._desk.seconds)
        except Exception as error:  # noqa: BLE001  a session that goes stops nobody
            log.warning("closing session %s: %s", named(self.id), told(error))

    def take(self) -> Outcome:
        """Gives the newest outcome that was not taken before, or "unchanged"."""
        taken, self.untold = self.untold, None
        return taken or self._outcome("unchanged")

    def _want(self) -> None:
        if self._gone:
            return
        self._wanted += 1
        if self._stuck and self._pushing:
            error = "still busy with an earlier set"
            self._record(self._outcome("failed", self._owed(), error))
        elif not self._pushing:
            self._start()

    def _start(self) -> None:
        self._pushing = True
        self._watch()  # already here: sessions that start together share one timer
        self._work = self._desk.tasks.start(self._run)

    async def _run(self) -> None:
        try:
            while self._tried < self._wanted and not self._gone:
                self._watch()
                self._stuck = False
                self._tried = self._wanted
                self._record(await self._pushed())
                self._done = self._tried
                self._unwatch()
                self._wake()
        finally:
            self._unwatch()
            self._pushing = False
            self._work = None  # a thousand finished tasks would be the collector's to look at
            self._wake()
            if self._tried < self._wanted and not self._gone:
                self._start()  # it was late, and something newer has come

    def _watch(self) -> None:
        if self._due is None:
            self._due = self._desk.deadlines.add(self._late)

    def _unwatch(self) -> None:
        if self._due is not None:
            self._desk.deadlines.drop(self._due)
            self._due = None

    async def _pushed(self) -> Outcome:
        owed = self._owed()
        if owed is None:
            self.told, self._doubt = self.view.catalog, None
            return self._outcome("unchanged")
        if self._alone:
            return self._outcome("unsupported", owed)
        if not self._says("live"):
            return self._outcome("deferred", owed)
        target, given = self.view.catalog, self._given
        status, error = await self._applied(target, owed)
        if given == self._given:  # otherwise it was given a set meanwhile, which counts more
            self._acknowledge(status, target)
        return self._outcome(status, owed, error)

    def _says(self, flag: str) -> bool:
        """Asks the adapter for one of its flags; one that is absent or cannot be read is off."""
        try:
            return bool(getattr(self._adapter, flag, False))
        except Exception as error:  # noqa: BLE001  an adapter's fault is no other session's
            log.warning("session %s, reading %s: %s", named(self.id), flag, told(error))
            return False

    def _owed(self) -> Comparison | None:
        """Gives what leads to the newest set, if the session must learn of it."""
        for known in (self.told, self._doubt):
            if known is not None and (found := self.view.compared(known)).moves:
                return found
        return None

    async def _applied(self, target: Catalog, owed: Comparison) -> tuple[Status, str | None]:
        try:
            answer: object = await self._adapter.apply(target, owed.changes)
        except OUTSIDE as error:
            if self._work is not None and self._work.cancelled:
                self._doubt = target
                raise
            return "failed", told(error)
        if isinstance(answer, str) and answer in STATUSES:
            return cast("Status", answer), "the adapter says so" if answer == "failed" else None
        expected = ", ".join(sorted(STATUSES))
        return "failed", f"the adapter answered {safe_text(repr(answer)[:80])}, not {expected}"

    def _late(self) -> None:
        """Gives up on an adapter that hangs; nobody waits for it any more."""
        self._stuck = True
        self._done = self._tried
        error = f"took longer than {self._desk.seconds:g} seconds"
        self._record(self._outcome("failed", self._owed(), error))
        self._wake()
        if self._work is not None:
            self._work.cancel()

    def _acknowledge(self, status: Status, target: Catalog) -> None:
        if status in ("applied", "unchanged"):
            self.told, self._doubt = target, None
            if not self._says("announces"):
                self.held = target
        elif status == "failed":
            self._doubt = target
        elif status == "unsupported":
            self._alone = True
            log.debug("session %s takes no updates; it is left alone", named(self.id))

    def _outcome(
        self, status: Status, owed: Comparison | None = None, error: str | None = None
    ) -> Outcome:
        if owed is None:
            return Outcome(status, self.id, self.revision, error=error)
        return Outcome(status, self.id, self.revision, owed.names, owed.changes, error)

    def _record(self, outcome: Outcome) -> None:
        self.outcome = outcome
        if outcome.status == "unchanged" and outcome.changes is None:
            return  # nothing was asked of the adapter
        self.untold = self.notable = outcome
        self.noted += 1
        self._desk.tell(outcome)

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            event.set()
