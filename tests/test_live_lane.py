"""One lane for all changes: bursts become one, nothing is lost, nobody stops the others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from live_rig import PaperTime, Workshop, bad, let_run, names, opened, tool
from toolsync import live

pytestmark = pytest.mark.anyio


def _paper(time: PaperTime, **more: Any) -> dict[str, Any]:
    return {"clock": time.clock, "sleep": time.sleep, "debounce": 0.1} | more


async def test_pl7_a_burst_builds_once_the_newest_and_all_callers_get_it() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(**_paper(time)) as registry:
        builds = [shop.build(f"a{n}", tool(f"t{n}")) for n in range(1, 6)]
        asked = []
        for version, build in enumerate(builds, start=1):
            asked.append(asyncio.create_task(registry.apply("a", str(version), build)))
            await time.turn(0.05)
        assert shop.log == []
        await time.turn(0.1)
        commits = [await each for each in asked]
        assert shop.log == ["build a5"]
        assert {id(commit) for commit in commits} == {id(commits[0])}
        assert names(registry.catalog) == ["t5"]


async def test_pl7_changes_that_never_stop_are_carried_out_all_the_same() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(**_paper(time)) as registry:
        asked = []
        for version in range(30):
            build = shop.build(f"a{version}", tool("x"))
            asked.append(asyncio.create_task(registry.apply("a", str(version), build)))
            await time.turn(0.05)
        assert 1 <= len(shop.log) <= 4
        await time.turn(2)
        assert [(await each).revision for each in asked] == [1] * 30
        assert shop.log[-2:] == ["build a29", f"close a{shop.log[-3].split()[1][1:]}"]


async def test_pl7_a_change_that_arrives_during_a_reload_is_not_lost() -> None:
    shop = Workshop()
    async with opened() as registry:
        gate = shop.hold("build a1")
        first = asyncio.create_task(registry.apply("a", "1", shop.build("a1", tool("x"))))
        await let_run()
        second = asyncio.create_task(registry.apply("a", "2", shop.build("a2", tool("y"))))
        third = asyncio.create_task(registry.apply("a", "3", shop.build("a3", tool("z"))))
        await let_run()
        gate.set()
        assert (await first).revision == 1
        assert (await second) is (await third)
        assert shop.log == ["build a1", "build a3", "close a1"]
        assert names(registry.catalog) == ["z"]


async def test_pl7_a_removal_during_a_reload_comes_after_it() -> None:
    shop = Workshop()
    async with opened() as registry:
        gate = shop.hold("build a1")
        first = asyncio.create_task(registry.apply("a", "1", shop.build("a1", tool("x"))))
        await let_run()
        second = asyncio.create_task(registry.remove("a"))
        await let_run()
        gate.set()
        assert [(await first).revision, (await second).revision] == [1, 2]
        assert registry.status() == {}
        assert shop.log == ["build a1", "close a1"]


async def test_pl7_a_file_that_is_saved_by_deleting_it_first_is_one_change() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(**_paper(time)) as registry:
        first = asyncio.create_task(registry.apply("a", "1", shop.build("a1", tool("x"))))
        await time.turn(0.1)
        await first
        seen: list[list[str]] = []
        registry.subscribe(lambda event: seen.append(names(event.catalog)))
        gone = asyncio.create_task(registry.remove("a"))
        await time.turn(0.02)
        back = asyncio.create_task(registry.apply("a", "2", shop.build("a2", tool("x", q="null"))))
        await time.turn(0.1)
        assert (await gone) is (await back)
        assert seen == [["x"]]


async def test_pl7_a_removal_is_not_lost_when_the_version_after_it_fails() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(**_paper(time)) as registry:
        first = asyncio.create_task(registry.apply("a", "1", shop.build("a1", tool("x"))))
        await time.turn(0.1)
        await first
        gone = asyncio.create_task(registry.remove("a"))
        await let_run()
        back = asyncio.create_task(registry.apply("a", "2", shop.build("a2", bad("x"))))
        await time.turn(0.1)
        with pytest.raises(live.RegistrationError):
            await back
        assert [each.name for each in (await gone).changes.removed] == ["x"]
        assert names(registry.catalog) == []
        assert registry.status()["a"].state == "failed"
        assert sorted(shop.log[2:]) == ["close a1", "close a2"]


async def test_pl7_a_plugin_that_is_disabled_and_enabled_at_once_is_built_anew() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(**_paper(time)) as registry:
        first = asyncio.create_task(registry.apply("a", "1", shop.build("a1", tool("x"))))
        await time.turn(0.1)
        await first
        asked = [
            asyncio.create_task(registry.remove("a")),
            asyncio.create_task(registry.apply("a", "1", shop.build("again", tool("x")))),
        ]
        await time.turn(0.1)
        assert {(await each).revision for each in asked} == {1}
        assert shop.log == ["build a1", "build again", "close a1"]


async def test_pl7_one_reload_at_a_time_in_the_order_in_which_they_came() -> None:
    shop = Workshop()
    async with opened() as registry:
        gate = shop.hold("build b")
        asked = [
            asyncio.create_task(registry.apply(each, "1", shop.build(each, tool(each))))
            for each in "bac"
        ]
        await let_run()
        assert shop.log == ["build b"]
        gate.set()
        await asyncio.gather(*asked)
        assert shop.log == ["build b", "build a", "build c"]
        assert names(registry.catalog) == ["b", "a", "c"]


async def test_pl7_waiting_for_one_plugin_holds_up_no_other() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(**_paper(time)) as registry:
        asked = [asyncio.create_task(registry.apply("a", "1", shop.build("a", tool("a"))))]
        await time.turn(0.05)
        asked.append(asyncio.create_task(registry.apply("b", "1", shop.build("b", tool("b")))))
        await time.turn(0.04)
        asked.append(asyncio.create_task(registry.apply("a", "2", shop.build("a2", tool("a")))))
        await time.turn(0.07)
        assert shop.log == ["build b"]
        await time.turn(0.05)
        assert shop.log == ["build b", "build a2"]
        await asyncio.gather(*asked)


async def test_pl7_a_build_that_hangs_ends_at_its_time_and_the_lane_goes_on() -> None:
    shop, time = Workshop(), PaperTime()
    options = _paper(time, debounce=0, build_timeout=5.0)
    async with opened(**options) as registry:
        shop.hold("build a1")
        hanging = asyncio.create_task(registry.apply("a", "1", shop.build("a1", tool("x"))))
        other = asyncio.create_task(registry.apply("b", "1", shop.build("b1", tool("y"))))
        await time.turn(4.9)
        assert not other.done()
        await time.turn(0.2)
        with pytest.raises(live.RegistrationError, match="the build took longer than 5 seconds"):
            await hanging
        assert (await other).revision == 1
        assert registry.status()["a"].state == "failed"


async def test_pl7_a_build_that_will_not_be_stopped_delays_nobody_and_is_closed_when_late() -> None:
    shop, time = Workshop(), PaperTime()
    gate = asyncio.Event()

    async def stubborn() -> live.Plugin:
        while not gate.is_set():
            try:
                await gate.wait()
            except asyncio.CancelledError:
                shop.log.append("refused to stop")
        return await shop.build("late", tool("x"))()

    async with opened(**_paper(time, debounce=0, build_timeout=5.0)) as registry:
        hanging = asyncio.create_task(registry.apply("a", "1", stubborn))
        other = asyncio.create_task(registry.apply("b", "1", shop.build("b1", tool("y"))))
        await time.turn(5)
        with pytest.raises(live.RegistrationError):
            await hanging
        await other
        gate.set()
        await let_run()
        assert shop.log == ["refused to stop", "build b1", "build late", "close late"]
        assert names(registry.catalog) == ["y"]


async def test_pl7_a_caller_that_is_cancelled_cancels_no_change() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(**_paper(time)) as registry:
        caller = asyncio.create_task(registry.apply("a", "1", shop.build("a1", tool("x"))))
        other = asyncio.create_task(registry.apply("a", "2", shop.build("a2", tool("x"))))
        await let_run()
        caller.cancel()
        await time.turn(0.1)
        assert caller.cancelled()
        assert (await other).revision == 1
        assert shop.log == ["build a2"]


async def test_pl8_an_error_ends_no_loop_and_a_corrected_version_activates() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        for _ in range(3):
            with pytest.raises(live.RegistrationError):
                await registry.apply("a", "2", shop.build("a2", bad("x")))
        commit = await registry.apply("a", "2", shop.build("a2", tool("x", q="string")))
        assert commit.revision == 2
        assert registry.status()["a"].version == "2"


@pytest.mark.parametrize("mode", ["reject", "skip"])
async def test_pl8_restart_with_the_bad_plugin_present_brings_up_everything_else(
    mode: Any,
) -> None:
    shop = Workshop()
    async with opened(on_invalid=mode) as registry:
        builds = {
            "a": shop.build("a", tool("a")),
            "bad": shop.build("bad", tool("good"), bad("worse")),
            "broken": shop.failing("broken", ImportError("gone")),
            "c": shop.build("c", tool("c")),
        }
        asked = [registry.apply(plugin, "1", build) for plugin, build in builds.items()]
        done = await asyncio.gather(*asked, return_exceptions=True)
        failed = [isinstance(each, live.RegistrationError) for each in done]
        expected = ["a", "good", "c"] if mode == "skip" else ["a", "c"]
        assert names(registry.catalog) == expected
        assert failed == [False, mode == "reject", True, False]
        assert list(registry.status()) == list(builds)


async def test_pl8_a_listener_that_raises_breaks_neither_swap_nor_the_others() -> None:
    shop = Workshop()
    seen: list[int] = []

    def raising(event: live.Published) -> None:
        raise asyncio.CancelledError if event.revision == 1 else ValueError("mine")

    async with opened() as registry:
        registry.subscribe(raising)
        end = registry.subscribe(lambda event: seen.append(event.revision))
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        await registry.apply("a", "2", shop.build("a2", tool("y")))
        twice = registry.subscribe(seen.append)  # type: ignore[arg-type]
        end()
        end()
        twice()
        await registry.apply("a", "3", shop.build("a3", tool("z")))
        assert seen == [1, 2]
        assert registry.revision == 3


async def test_pl8_closing_that_raises_or_hangs_stops_nobody() -> None:
    shop, time = Workshop(), PaperTime()

    async def close() -> None:
        raise ValueError("on the way out")

    async def build() -> live.Plugin:
        return live.Plugin([tool("x")], close=close)

    async with opened(**_paper(time, debounce=0)) as registry:
        await registry.apply("a", "1", build)
        assert (await registry.apply("a", "2", shop.build("a2", tool("y")))).revision == 2
        gate = shop.hold("close a2")
        asked = asyncio.create_task(registry.apply("a", "3", shop.build("a3", tool("z"))))
        other = asyncio.create_task(registry.apply("b", "1", shop.build("b", tool("w"))))
        await let_run()
        assert (other.done(), asked.done()) == (True, False)
        await time.turn(1)
        assert (await asked).revision == 3
        gate.set()


async def test_an_ended_registry_takes_nothing_more_and_leaves_no_task() -> None:
    shop, time = Workshop(), PaperTime()
    before = asyncio.all_tasks()
    registry = live.Registry(**_paper(time))
    first = asyncio.create_task(registry.apply("a", "1", shop.build("a1", tool("x"))))
    await time.turn(0.1)
    await first
    shop.hold("build b")
    waiting = [asyncio.create_task(registry.apply("b", "1", shop.build("b", tool("y"))))]
    await time.turn(0.1)
    waiting.append(asyncio.create_task(registry.remove("a")))
    await let_run()
    await registry.aclose()
    for each in waiting:
        with pytest.raises(live.Closed):
            await each
    with pytest.raises(live.Closed):
        await registry.apply("c", "1", shop.build("c", tool("z")))
    with pytest.raises(live.Closed):
        await registry.call("x", {})
    assert shop.log == ["build a1", "build b", "close a1"]
    assert asyncio.all_tasks() == before


async def test_a_registry_that_ends_before_anything_began_ends_at_once() -> None:
    registry = live.Registry(debounce=0)
    asked = asyncio.create_task(registry.apply("a", "1", Workshop().build("a1", tool("x"))))
    await asyncio.sleep(0)  # asked for, and no more
    await registry.aclose()
    with pytest.raises(live.Closed):
        await asked


async def test_a_registry_that_ends_during_a_judgement_closes_the_candidate() -> None:
    shop = Workshop()
    registry = live.Registry(debounce=0)
    tools = [tool(f"t{number}", q="string") for number in range(500)]
    asked = asyncio.create_task(registry.apply("a", "1", shop.build("a1", *tools)))
    while not shop.log:
        await asyncio.sleep(0)
    await let_run(5)
    assert len(registry.catalog) == 0
    await registry.aclose()
    with pytest.raises(live.Closed):
        await asked
    assert shop.log == ["build a1", "close a1"]
    assert len(registry.catalog) == 0


@pytest.mark.parametrize(
    "options",
    [{"on_invalid": "warn"}, {"debounce": -1}, {"drain": -1}, {"build_timeout": 0}],
    ids=str,
)
async def test_options_that_mean_nothing_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        live.Registry(**options)


async def test_arguments_of_the_wrong_kind_are_the_callers_error() -> None:
    async with opened() as registry:
        with pytest.raises(TypeError, match="plugin_id"):
            await registry.apply(1, "1", Workshop().build("a"))  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="version"):
            await registry.apply("a", None, Workshop().build("a"))  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="build"):
            await registry.apply("a", "1", live.Plugin([]))  # type: ignore[arg-type]
