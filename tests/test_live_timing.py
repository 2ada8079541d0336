"""Time and tasks come in as parameters: nothing runs on a clock or in a task of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import anyio
import pytest

from live_rig import PaperTime, Recorder, Workshop, let_run, tool
from toolsync import live
from toolsync.live.deadlines import Deadlines
from toolsync.live.foreign import Errand, Stopped
from toolsync.live.timing import Tasks

pytestmark = pytest.mark.anyio


async def test_every_task_is_started_by_the_spawn_that_was_given() -> None:
    own = asyncio.all_tasks()
    spawned: list[asyncio.Task[None]] = []

    def spawn(coroutine: Coroutine[Any, Any, None]) -> None:
        spawned.append(asyncio.create_task(coroutine))
        strangers.update(asyncio.all_tasks() - own - set(spawned))

    strangers: set[Any] = set()
    shop, time, adapter = Workshop(), PaperTime(), Recorder()
    timing: dict[str, Any] = {"clock": time.clock, "sleep": time.sleep, "spawn": spawn}
    registry = live.Registry(debounce=0.1, **timing)
    hub = live.Hub(registry, **timing)
    await hub.attach(adapter, id="s")
    for version in "12":
        build = shop.build(version, tool(version))
        asked = asyncio.create_task(registry.apply("a", version, build))
        own |= {asked}
        await time.turn(0.1)
        await asked
    await hub.aclose()
    await registry.aclose()
    assert strangers == set()
    assert len(adapter.seen) == 2
    await let_run()
    assert all(task.done() for task in spawned)


async def test_the_same_changes_give_the_same_history_every_time() -> None:
    async def history() -> list[str]:
        shop, time, told = Workshop(), PaperTime(), []
        registry = live.Registry(clock=time.clock, sleep=time.sleep)
        hub = live.Hub(registry, clock=time.clock, sleep=time.sleep)
        hub.subscribe(lambda event: told.append(repr(event)))
        for number in range(8):
            await hub.attach(Recorder(), id=f"s{number}", select=lambda each: each.name != "t2")
        asked = [
            asyncio.create_task(registry.apply(f"p{n}", "1", shop.build(f"p{n}", tool(f"t{n}"))))
            for n in range(4)
        ]
        await time.turn(0.5)
        await asyncio.gather(*asked)
        await hub.aclose()
        await registry.aclose()
        return told + shop.log

    first, second = await history(), await history()
    assert first == second
    assert len(first) == 8 * 3 + 4 + 4


async def test_what_a_task_raises_is_logged_and_not_lost(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def failing() -> None:
        raise LookupError("gone\x1b[2J")

    tasks = Tasks()
    tasks.start(failing)
    await let_run()
    assert [record.getMessage() for record in caplog.records] == [
        "a task ended with LookupError: gone\\u{1B}[2J"
    ]
    await tasks.aclose()


async def test_a_task_that_was_cancelled_before_it_began_never_does() -> None:
    begun: list[int] = []

    async def begin() -> None:
        begun.append(1)

    tasks = Tasks()
    tasks.start(begin).cancel()
    await let_run()
    assert begun == []


async def test_closing_waits_for_an_orderly_end_and_insists() -> None:
    ended: list[str] = []
    never = asyncio.Event()

    async def orderly() -> None:
        try:
            await never.wait()
        finally:
            await asyncio.sleep(0)
            ended.append("orderly")

    async def reluctant() -> None:
        for _ in range(3):
            with suppress(asyncio.CancelledError):
                await never.wait()
        ended.append("reluctant")

    time = PaperTime()
    tasks = Tasks(sleep=time.sleep)
    tasks.start(orderly)
    tasks.start(reluctant)
    await let_run()
    closing = asyncio.create_task(tasks.aclose())
    await time.turn(0.9)
    assert (ended, closing.done()) == (["orderly"], False)
    await time.turn(0.2)
    await closing
    assert sorted(ended) == ["orderly", "reluctant"]


async def test_closing_leaves_behind_what_never_ends(caplog: pytest.LogCaptureFixture) -> None:
    gate = asyncio.Event()

    async def stubborn() -> None:
        while not gate.is_set():
            with suppress(asyncio.CancelledError):
                await gate.wait()

    time = PaperTime()
    tasks = Tasks(sleep=time.sleep)
    tasks.start(stubborn)
    await let_run()
    closing = asyncio.create_task(tasks.aclose())
    await time.turn(1)
    await closing
    assert "1 tasks do not end" in caplog.text
    gate.set()


async def test_waiting_for_an_event_ends_with_it_or_at_its_time() -> None:
    time = PaperTime()
    tasks = Tasks(sleep=time.sleep)
    event = anyio.Event()
    assert not await tasks.happens(event, 0)
    for seconds in (5.0, float("inf")):
        waiting = asyncio.create_task(tasks.happens(event, seconds))
        await time.turn(6)
        assert waiting.done() is (seconds == 5.0)
        if waiting.done():
            assert not await waiting
    event.set()
    assert await waiting
    assert await tasks.happens(event, 0)
    await tasks.aclose()


async def test_deadlines_call_back_for_what_is_not_done_in_time() -> None:
    time, late = PaperTime(), list[str]()
    before = asyncio.all_tasks()
    tasks = Tasks(sleep=time.sleep)
    deadlines = Deadlines(tasks, time.clock, time.sleep, 10.0)
    first = deadlines.add(lambda: late.append("first"))
    await time.turn(4)
    deadlines.add(lambda: late.append("second"))
    deadlines.drop(first)
    deadlines.drop(first)
    await time.turn(7)
    assert late == []
    await time.turn(4)
    assert late == ["second"]
    await let_run()
    assert asyncio.all_tasks() == before


async def test_an_errand_whose_result_nobody_waits_for_any_more_gives_it_back() -> None:
    made: list[str] = []
    spared: list[str] = []
    gate = asyncio.Event()

    async def work() -> str:
        with suppress(asyncio.CancelledError):
            await gate.wait()
        made.append("made")
        return "made"

    tasks = Tasks()
    for turns in range(6):  # around the very moment at which it is done
        waiting = asyncio.create_task(Errand(work, spared.append).run(tasks, float("inf")))
        await let_run()
        gate.set()
        await let_run(turns)
        waiting.cancel()
        await let_run()
        if not waiting.cancelled():
            spared.append(waiting.result())
        gate.clear()
    assert spared == made == ["made"] * 6
    await tasks.aclose()


async def test_an_errand_takes_a_plain_function_too() -> None:
    tasks = Tasks()
    assert await Errand(lambda: 5).run(tasks, 1.0) == 5
    with pytest.raises(ZeroDivisionError):
        await Errand(lambda: 1 // 0).run(tasks, 1.0)
    with pytest.raises(Stopped, match="SystemExit"):
        await Errand(lambda: sys.exit(1)).run(tasks, 1.0)
    await tasks.aclose()
