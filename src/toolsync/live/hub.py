"""Hub: one catalogue to many sessions, each told what it must learn of, once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from toolsync.catalog import Catalog
from toolsync.live import timing
from toolsync.live.adapter import Adapter, Publisher
from toolsync.live.deadlines import Deadlines
from toolsync.live.delivery import Delivery, Desk
from toolsync.live.errors import Closed
from toolsync.live.foreign import Listeners
from toolsync.live.outcome import ContributionsChanged, Event, Outcome
from toolsync.live.session import Session
from toolsync.live.timing import Clock, Sleep, Spawn, Tasks
from toolsync.live.view import Comparisons, Select, View
from toolsync.safe import named


class Hub:
    """Brings every change of a source to the sessions attached to it, by itself.

    An adapter that takes longer than `timeout` seconds counts as failed.
    """

    def __init__(
        self,
        registry: Publisher,
        *,
        timeout: float = 30.0,
        clock: Clock = timing.monotonic,
        sleep: Sleep = timing.sleep,
        spawn: Spawn | None = None,
    ) -> None:
        if timeout <= 0:
            raise ValueError(f"timeout: expected more than 0 seconds, got {timeout}")
        self._publisher = registry
        self._tasks = Tasks(spawn, sleep)
        deadlines = Deadlines(self._tasks, clock, sleep, timeout)
        self._desk = Desk(self._tasks, deadlines, timeout, lambda: self._revision, self._tell)
        self._catalog = registry.catalog
        self._revision = registry.revision
        self._deliveries: dict[str, Delivery] = {}
        self._sessions: dict[str, Session] = {}
        self._comparisons = Comparisons()
        self._views: dict[object, View] = {}
        self._listeners: Listeners[Event] = Listeners()
        self._closed = False
        self._unsubscribe = registry.subscribe(self._noticed)

    @property
    def sessions(self) -> Mapping[str, Session]:
        """The attached sessions, in the order in which they came."""
        return MappingProxyType(self._sessions)

    async def attach(self, adapter: Adapter, *, id: str, select: Select | None = None) -> Session:  # noqa: A002  the name in the protocol
        """Takes a session in; its set is that of this moment, and counts as told.

        `select` decides on each tool whether the session sees it. Sessions with the same
        function share one set.

        Raises:
            ValueError: a session of that id is attached already.
            Closed: the hub has ended.
        """
        if self._closed:
            raise Closed("the hub is closed")
        if id in self._sessions:
            raise ValueError(f"session {named(id)} is attached already; detach it first")
        delivery = Delivery(id, adapter, self._view(select), self._desk)
        self._deliveries[id] = delivery
        self._sessions[id] = Session(delivery, self._publisher)
        return self._sessions[id]

    async def push(self) -> list[Outcome]:
        """Waits for what is under way, and gives each session's newest outcome.

        An outcome that an earlier push has given is told as "unchanged".
        """
        deliveries = tuple(self._deliveries.values())
        for delivery in deliveries:
            await delivery.settle()
        return [delivery.take() for delivery in deliveries]

    async def reconcile(
        self,
        id: str,  # noqa: A002  as in `attach`
        tools: Iterable[Mapping[str, Any]] | Catalog | None = None,
    ) -> Outcome:
        """Brings a session up to date that may have missed something.

        `tools` are those that it says it holds, where that is known.
        """
        delivery = self._deliveries.get(id)
        if delivery is None:
            return Outcome("no_session", id, self._revision, error=f"no session {named(id)}")
        return await delivery.reconcile(_catalog_of(tools))

    async def detach(self, id: str) -> None:  # noqa: A002  the name in the protocol
        """Lets a session go and closes its adapter; an unknown one is no error."""
        delivery = self._deliveries.get(id)
        if delivery is not None:
            await self._let_go(delivery).ended.wait()

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Calls a listener with what became of every push, and with changed contributions.

        What was not pushed, since nothing had changed, is not told. The returned function
        ends that.
        """
        return self._listeners.add(listener)

    async def aclose(self) -> None:
        """Lets all sessions go."""
        self._closed = True
        self._unsubscribe()
        leaving = [self._let_go(each) for each in tuple(self._deliveries.values())]
        for delivery in leaving:
            await delivery.ended.wait()
        await self._tasks.aclose()

    def _let_go(self, delivery: Delivery) -> Delivery:
        del self._deliveries[delivery.id], self._sessions[delivery.id]
        if all(each.view is not delivery.view for each in self._deliveries.values()):
            del self._views[_key(delivery.view.select)]
        # In a task of its own: an adapter may detach itself, and a cancelled caller ends nothing.
        self._tasks.start(delivery.end)
        return delivery

    def _noticed(self, event: object) -> None:
        """Follows the source. The event says only that there is news: what counts is its state."""
        catalog, revision = self._publisher.catalog, self._publisher.revision
        if revision < self._revision:
            return
        self._revision = revision
        if catalog is not self._catalog:
            self._catalog = catalog
            self._advance(dict.fromkeys(self._views.values()))
        plugins = getattr(event, "contributed", None)
        if plugins:
            self._tell(ContributionsChanged(revision, plugins))

    def _advance(self, views: dict[View, None]) -> None:
        self._comparisons.forget()
        for view in views:
            view.advance(self._catalog)
        for delivery in tuple(self._deliveries.values()):
            if delivery.view in views:
                delivery.advance()

    def _tell(self, event: Event) -> None:
        self._listeners.tell(event)

    def _view(self, select: Select | None) -> View:
        key = _key(select)
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = View(select, self._catalog, self._comparisons)
        elif view.fault is not None:
            self._advance({view: None})
            if view.fault is not None:
                raise view.fault
        return view


def _key(select: Select | None) -> object:
    """Tells selections apart; a view keeps its own, so that no other gets its identity."""
    try:
        hash(select)
    except TypeError:
        return id(select)
    return select


def _catalog_of(tools: Iterable[Mapping[str, Any]] | Catalog | None) -> Catalog | None:
    return tools if tools is None or isinstance(tools, Catalog) else Catalog(tools)
