"""Sessions that fail, hang, sleep and come back: told little, in order, and right at last."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from live_rig import PaperTime, let_run, tool
from toolsync import Catalog, Changes, diff, live

SETS = [
    Catalog([]),
    Catalog([tool("a")]),
    Catalog([tool("a") | {"title": "A"}]),  # presentation
    Catalog([tool("a", q="string"), tool("b")]),
    Catalog([tool("b"), tool("c")]),
]
ANSWERS = ["applied", "unchanged", "deferred", "no_session", "failed", "raises", "hangs"]
TIMEOUT = 5.0


class Source:
    """A publisher of any sets in any order."""

    def __init__(self) -> None:
        self.catalog, self.revision = SETS[0], 0
        self._listeners: list[Callable[[Any], None]] = []

    def subscribe(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def call(self, name: str, arguments: Any, *, advertised: Any = None) -> Any:
        return name, arguments, advertised

    def publish(self, number: int) -> None:
        new = Catalog.of(SETS[number].tools)  # another object every time
        self.revision += diff(self.catalog, new).notify
        self.catalog = new
        for listener in self._listeners:
            listener(None)


class Moody:
    """An adapter that answers as it is told, and checks what it is asked."""

    def __init__(self, source: Source) -> None:
        self.live = True
        self.answer = "applied"
        self.asked = 0
        self.holds = source.catalog
        self._source = source
        self._newest = 0
        self._busy = False

    async def apply(self, catalog: Catalog, changes: Changes) -> str:
        assert not self._busy, "two pushes at once"
        assert changes.new is catalog
        assert self._source.revision >= self._newest, "an older set after a newer one"
        assert catalog.digest == self._source.catalog.digest, "not the newest set"
        self._newest = self._source.revision
        self.asked += 1
        self._busy = True
        try:
            return await self._answered(catalog)
        finally:
            self._busy = False

    async def _answered(self, catalog: Catalog) -> str:
        await asyncio.sleep(0)
        if self.answer == "hangs":
            await asyncio.Event().wait()
        if self.answer == "raises":
            raise OSError("away")
        if self.answer == "applied":
            self.holds = catalog
        return self.answer

    async def close(self) -> None:
        pass


steps = st.one_of(
    st.tuples(st.just("publish"), st.integers(0, len(SETS) - 1)),
    st.tuples(st.just("answer"), st.sampled_from(ANSWERS)),
    st.tuples(st.just("live"), st.booleans()),
    st.tuples(st.sampled_from(["flush", "reconcile", "tell what it holds", "serve"]), st.none()),
    st.tuples(st.just("wait"), st.sampled_from([0.0, TIMEOUT])),
)


class Play:
    """One session through any number of steps."""

    def __init__(self) -> None:
        self.time = PaperTime()
        self.source = Source()
        self.moody = Moody(self.source)
        self.asks = self.moves = 0
        self.hub = live.Hub(
            self.source, timeout=TIMEOUT, clock=self.time.clock, sleep=self.time.sleep
        )

    async def step(self, what: str, value: Any) -> None:
        session = self.hub.sessions["s"]
        if what == "publish":
            before = self.source.catalog
            self.source.publish(value)
            self.moves += diff(before, self.source.catalog).notify
        elif what == "serve":
            session.served(session.catalog)
            self.moody.holds = session.catalog
        elif what == "wait":
            await self.time.turn(value)
        elif what in ("answer", "live"):
            setattr(self.moody, what, value)
        else:
            await self._ask(what)

    async def _ask(self, what: str) -> None:
        self.asks += 1
        session = self.hub.sessions["s"]
        holds = self.moody.holds if what == "tell what it holds" else None
        asking = session.flush() if what == "flush" else self.hub.reconcile("s", holds)
        asked = asyncio.create_task(asking)
        await self.time.turn(2 * TIMEOUT)
        assert asked.done(), "somebody waits for ever"
        outcome = await asked
        assert (outcome.session, outcome.revision) == ("s", self.source.revision)

    async def end(self) -> None:
        """Lets the faults stop, and demands that all comes right."""
        await self.time.turn(2 * TIMEOUT)
        assert self.moody.asked <= self.moves + self.asks
        self.moody.live, self.moody.answer = True, "applied"
        await self._ask("tell what it holds")
        session = self.hub.sessions["s"]
        assert session.catalog.digest == self.source.catalog.digest
        for held in (self.moody.holds, session.told):
            assert not diff(held, session.catalog).notify
        quiet = self.moody.asked
        await self._ask("flush")
        await self._ask("reconcile")
        assert self.moody.asked == quiet


@given(st.lists(steps, max_size=20))
def test_whatever_happens_comes_right_and_costs_at_most_one_push_a_change(
    sequence: list[tuple[str, Any]],
) -> None:
    async def play() -> None:
        before = asyncio.all_tasks()
        play = Play()
        await play.hub.attach(play.moody, id="s")
        for what, value in sequence:
            await play.step(what, value)
        await play.end()
        await play.hub.aclose()
        await let_run()
        assert asyncio.all_tasks() == before

    asyncio.run(play())
