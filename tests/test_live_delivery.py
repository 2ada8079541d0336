"""One session: what counts as told and held, what is deferred, what an end leaves behind."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from live_rig import PaperTime, Recorder, Workshop, hubbed, let_run, names, tool
from toolsync import Tool, live

pytestmark = pytest.mark.anyio


class Announcing(Recorder):
    """An adapter whose session lists again after it was told."""

    announces = True


async def _change(registry: live.Registry, shop: Workshop, version: str, *tools: Any) -> None:
    await registry.apply("a", version, shop.build(version, *tools))


async def test_a_session_counts_as_told_what_it_found_when_it_came() -> None:
    shop, adapter = Workshop(), Announcing()
    async with hubbed() as (registry, hub):
        await _change(registry, shop, "1", tool("x"))
        session = await hub.attach(adapter, id="s")
        assert session.told is session.held is session.catalog is registry.catalog
        assert (session.outcome, session.revision) == (None, 1)
        assert [each.status for each in await hub.push()] == ["unchanged"]


async def test_an_announced_set_is_held_once_it_was_served() -> None:
    shop = Workshop()
    async with hubbed() as (registry, hub):
        session = await hub.attach(Announcing(), id="announced")
        other = await hub.attach(Recorder(), id="applied")
        await _change(registry, shop, "1", tool("x"))
        await hub.push()
        assert (names(session.told), names(session.held)) == (["x"], [])
        assert (names(other.told), names(other.held)) == (["x"], ["x"])
        session.served(session.catalog)
        assert names(session.held) == ["x"]


async def test_a_set_that_was_served_before_its_announcement_is_not_announced() -> None:
    shop, adapter = Workshop(), Announcing()
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")
        registry.subscribe(lambda _: session.served(session.catalog))
        await _change(registry, shop, "1", tool("x"))
        assert [each.status for each in await hub.push()] == ["unchanged"]
        assert adapter.seen == []


async def test_a_list_answered_late_leaves_the_announcement_standing() -> None:
    shop, adapter = Workshop(), Announcing()
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")
        old = session.catalog
        await _change(registry, shop, "1", tool("x"))
        await hub.push()
        session.served(old)
        assert (names(session.told), names(session.held)) == (["x"], [])
        assert (await session.flush()).status == "unchanged"
        assert len(adapter.seen) == 1


async def test_a_set_served_while_an_older_one_is_being_announced_counts() -> None:
    shop, adapter = Workshop(), Announcing()
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")
        gate = adapter.gate = asyncio.Event()
        await _change(registry, shop, "1", tool("x"))
        await let_run()
        await _change(registry, shop, "2", tool("y"))
        session.served(session.catalog)
        gate.set()
        await hub.push()
        assert adapter.names == [["x"]]
        assert names(session.told) == ["y"]


async def test_what_was_deferred_is_delivered_in_one_notification_or_none() -> None:
    shop, adapter = Workshop(), Announcing("deferred")
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")
        for number in range(3):
            await _change(registry, shop, str(number), tool(f"t{number}"))
            assert [each.status for each in await hub.push()] == ["deferred"]
        adapter.answer = "applied"
        adapter.seen.clear()
        outcome = await session.flush()
        assert (outcome.status, outcome.tools) == ("applied", ("t2",))
        assert (await session.flush()).status == "unchanged"
        assert adapter.names == [["t2"]]


async def test_a_flush_while_the_same_set_is_under_way_sends_no_second() -> None:
    shop, adapter = Workshop(), Announcing()
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")
        gate = adapter.gate = asyncio.Event()
        await _change(registry, shop, "1", tool("x"))
        await let_run()
        flushing = asyncio.create_task(session.flush())
        holding = asyncio.create_task(hub.reconcile("s", []))
        await let_run()
        gate.set()
        assert (await flushing).status == "applied"
        assert (await holding).status == "applied"
        assert len(adapter.seen) == 1


async def test_a_session_that_cannot_be_told_takes_the_newest_when_it_can() -> None:
    shop, adapter = Workshop(), Recorder()
    adapter.live = False
    async with hubbed() as (registry, hub):
        await hub.attach(adapter, id="s")
        await _change(registry, shop, "1", tool("x"))
        assert [each.status for each in await hub.push()] == ["deferred"]
        adapter.live = True
        await _change(registry, shop, "2", tool("x"), tool("y"))
        outcome = (await hub.push())[0]
        assert (outcome.status, outcome.tools) == ("applied", ("x", "y"))


async def test_presentation_after_a_failure_does_not_try_again() -> None:
    shop, adapter = Workshop(), Recorder(OSError("away"))
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")
        await _change(registry, shop, "1", tool("x"))
        await hub.push()
        await _change(registry, shop, "2", tool("x") | {"title": "X"})
        assert [each.status for each in await hub.push()] == ["unchanged"]
        assert len(adapter.seen) == 1
        adapter.answer = "applied"
        assert (await session.flush()).status == "applied"


async def test_a_selection_that_raises_fails_its_session_and_no_other() -> None:
    shop, well = Workshop(), Recorder()
    ill = False

    def select(each: Tool) -> bool:
        if ill:
            raise LookupError(each.name)
        return True

    async with hubbed() as (registry, hub):
        await _change(registry, shop, "1", tool("x"))
        session = await hub.attach(Recorder(), id="ill", select=select)
        await hub.attach(well, id="well")
        ill = True
        await _change(registry, shop, "2", tool("y"))
        failed, fine = await hub.push()
        assert (failed.status, failed.error) == ("failed", "the selection raised LookupError: y")
        assert fine.status == "applied"
        assert names(session.catalog) == ["x"]
        with pytest.raises(LookupError):
            await hub.attach(Recorder(), id="new", select=select)
        assert "new" not in hub.sessions
        ill = False
        await _change(registry, shop, "3", tool("z"))
        assert [each.status for each in await hub.push()] == ["applied", "applied"]


async def test_a_selection_that_cannot_be_hashed_works_too() -> None:
    class Select(list[str]):
        def __call__(self, each: Tool) -> bool:
            return each.name in self

    shop = Workshop()
    async with hubbed() as (registry, hub):
        session = await hub.attach(Recorder(), id="s", select=Select(["x"]))
        await _change(registry, shop, "1", tool("x"), tool("y"))
        assert names(session.catalog) == ["x"]
        await hub.detach("s")


async def test_an_id_stands_for_one_session() -> None:
    async with hubbed() as (_, hub):
        await hub.attach(Recorder(), id="s")
        with pytest.raises(ValueError, match="'s' is attached already"):
            await hub.attach(Recorder(), id="s")
        await hub.detach("s")
        await hub.detach("s")
        assert dict(hub.sessions) == {}


async def test_a_detached_session_is_closed_once_and_told_nothing_more() -> None:
    shop, adapter = Workshop(), Recorder()
    adapter.gate = asyncio.Event()
    before = asyncio.all_tasks()
    async with hubbed() as (registry, hub):
        await hub.attach(adapter, id="s")
        await _change(registry, shop, "1", tool("x"))
        await let_run()
        pushing = asyncio.create_task(hub.push())
        await let_run()
        await hub.detach("s")
        assert [each.status for each in await pushing] == ["unchanged"]
        await _change(registry, shop, "2", tool("y"))
        assert await hub.push() == []
        await let_run()
        assert (adapter.closed, len(adapter.seen)) == (1, 1)
        assert asyncio.all_tasks() == before


async def test_a_session_that_has_gone_is_no_session() -> None:
    async with hubbed() as (_, hub):
        session = await hub.attach(Recorder(), id="s")
        await hub.detach("s")
        outcome = await session.flush()
        assert (outcome.status, outcome.error) == ("no_session", "session 's' has gone")


async def test_a_flag_that_cannot_be_read_means_no() -> None:
    class Odd(Recorder):
        @property
        def live(self) -> bool:
            raise OSError("not now")

        @live.setter
        def live(self, value: bool) -> None:
            pass

    shop = Workshop()
    async with hubbed() as (registry, hub):
        await hub.attach(Odd(), id="s")
        await _change(registry, shop, "1", tool("x"))
        assert [each.status for each in await hub.push()] == ["deferred"]


async def test_an_adapter_may_let_its_own_session_go() -> None:
    shop = Workshop()

    adapter = Recorder("no_session")
    async with hubbed() as (registry, hub):
        adapter.meanwhile = lambda: hub.detach("s")
        await hub.attach(adapter, id="s")
        await _change(registry, shop, "1", tool("x"))
        await let_run()
        assert (dict(hub.sessions), adapter.closed) == ({}, 1)


async def test_closing_an_adapter_that_raises_or_hangs_stops_nobody() -> None:
    class Raising(Recorder):
        async def close(self) -> None:
            raise OSError("mine")

    class Hanging(Recorder):
        async def close(self) -> None:
            await asyncio.Event().wait()

    time, last = PaperTime(), Recorder()
    async with hubbed(clock=time.clock, sleep=time.sleep, timeout=5.0) as (_, hub):
        for number, adapter in enumerate([Raising(), Hanging(), last]):
            await hub.attach(adapter, id=str(number))
        closing = asyncio.create_task(hub.aclose())
        await let_run()
        assert (closing.done(), last.closed) == (False, 1)
        await time.turn(5)
        await closing
        with pytest.raises(live.Closed):
            await hub.attach(Recorder(), id="late")


async def test_an_adapter_that_will_not_be_stopped_is_not_called_again_until_it_ends() -> None:
    shop, time = Workshop(), PaperTime()
    gate = asyncio.Event()

    async def stay() -> None:
        while not gate.is_set():
            with suppress(asyncio.CancelledError):
                await gate.wait()

    adapter = Recorder()
    adapter.meanwhile = stay
    async with hubbed(clock=time.clock, sleep=time.sleep, timeout=5.0) as (registry, hub):
        session = await hub.attach(adapter, id="s")
        await _change(registry, shop, "1", tool("x"))
        await time.turn(5)
        assert [each.status for each in await hub.push()] == ["failed"]
        await _change(registry, shop, "2", tool("y"))
        outcome = (await hub.push())[0]
        assert (outcome.status, outcome.error) == ("failed", "still busy with an earlier set")
        assert outcome.tools == ("y",)
        assert len(adapter.seen) == 1
        gate.set()
        await let_run()
        assert adapter.names == [["x"], ["y"]]
        assert (session.told, names(session.told)) == (session.catalog, ["y"])


async def test_a_hub_that_ends_before_a_push_has_begun_ends_at_once() -> None:
    shop, time, adapter = Workshop(), PaperTime(), Recorder()
    async with hubbed(clock=time.clock, sleep=time.sleep) as (registry, hub):
        await hub.attach(adapter, id="s")
        ending: list[asyncio.Task[None]] = []
        registry.subscribe(lambda _: ending.append(asyncio.create_task(hub.aclose())))
        await _change(registry, shop, "1", tool("x"))
        await let_run()
        assert ending[0].done()
        assert adapter.closed == 1


async def test_an_ended_hub_leaves_no_task_and_hears_of_nothing() -> None:
    shop, adapter = Workshop(), Recorder()
    before = asyncio.all_tasks()
    async with hubbed() as (registry, hub):
        for number in range(20):
            await hub.attach(adapter, id=str(number))
        await _change(registry, shop, "1", tool("x"))
        await hub.aclose()
        await _change(registry, shop, "2", tool("y"))
        assert (adapter.closed, dict(hub.sessions)) == (20, {})
        assert ["y"] not in adapter.names
    assert asyncio.all_tasks() == before


async def test_a_listener_may_let_sessions_go() -> None:
    shop, adapters = Workshop(), [Recorder() for _ in range(3)]
    leaving: list[asyncio.Task[None]] = []

    async with hubbed() as (registry, hub):
        for number, adapter in enumerate(adapters):
            adapter.live = False
            await hub.attach(adapter, id=str(number))
        hub.subscribe(lambda _: leaving.append(asyncio.create_task(hub.detach("2"))))
        await _change(registry, shop, "1", tool("x"))
        await hub.push()
        await asyncio.gather(*leaving)
        await _change(registry, shop, "2", tool("y"))
        assert [each.session for each in await hub.push()] == ["0", "1"]
        assert [each.closed for each in adapters] == [0, 0, 1]
