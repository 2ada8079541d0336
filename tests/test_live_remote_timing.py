"""When a server is asked: not in a storm, not without end, and again after a failure (RC 5, 10)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from live_rig import names, tool
from live_server import Server, filled, heard, now
from paper_loop import PaperLoop

pytestmark = pytest.mark.anyio

A, B, C = tool("a"), tool("b"), tool("c")


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": PaperLoop}


async def test_rc5_a_storm_is_waited_out_until_a_quiet_moment() -> None:
    server = Server(A)
    remote = await filled(server)
    began = now()

    async def storm() -> None:
        for _ in range(10):
            remote.mark_stale()
            await asyncio.sleep(0.02)

    listed: list[float] = []
    server.on_list = lambda: listed.append(now() - began)
    server.tools = [A, B]
    storming = asyncio.create_task(storm())
    await asyncio.sleep(0)
    assert await remote.refresh() == "applied"
    await storming
    assert listed == [pytest.approx(0.18 + 0.03)]


async def test_rc5_a_storm_without_end_cannot_starve_a_refresh() -> None:
    server = Server(A)
    remote = await filled(server)
    server.tools = [A, B]
    began = now()

    async def storm() -> None:
        while True:
            remote.mark_stale()
            await asyncio.sleep(0.001)

    server.delay = 0.01
    storming = asyncio.create_task(storm())
    await asyncio.sleep(0)
    assert await remote.refresh() == "applied"  # seen twice alike, though overtaken each time
    storming.cancel()
    assert now() - began < 0.5 + 0.1
    assert server.lists == 1 + 2
    assert names(remote.catalog) == ["a", "b"]


async def test_rc5_a_list_that_was_overtaken_is_not_used() -> None:
    server = Server(A)
    remote = await filled(server)
    torn = [[A, B], [A, C], [B, C]]

    def change() -> None:
        if torn:
            server.tools = torn.pop(0)
            remote.mark_stale()

    server.on_list = change
    remote.mark_stale()
    assert await remote.refresh() == "failed"
    assert names(remote.catalog) == ["a"]
    assert server.lists == 1 + 3
    await asyncio.sleep(1.1)
    assert await remote.refresh() == "applied"
    assert names(remote.catalog) == ["b", "c"]


async def test_rc5_a_server_that_announces_on_every_list_starves_no_change() -> None:
    server = Server(A)
    remote = await filled(server)
    server.on_list = remote.mark_stale
    server.tools = [A, B]
    remote.mark_stale()
    assert await remote.refresh() == "applied"
    assert names(remote.catalog) == ["a", "b"]
    assert server.lists == 1 + 2
    assert remote.pending  # what it announced meanwhile may have been true


async def test_rc5_after_a_failure_the_server_is_left_alone_and_then_asked_again() -> None:
    server = Server(A)
    remote = await filled(server, cooldown=1.0)
    server.faults = [ConnectionError()] * 3
    server.tools = [A, B]
    remote.mark_stale()
    assert await remote.refresh() == "failed"
    asked = len(server.asked)
    assert await remote.refresh() == "failed"
    remote.mark_stale()
    assert await remote.refresh() == "failed"
    assert len(server.asked) == asked
    await asyncio.sleep(1.01)
    assert await remote.refresh() == "applied"  # no new notification was needed


async def test_rc5_attempts_and_time_are_bounded_in_all() -> None:
    server = Server(A)
    remote = await filled(server)

    async def slowly() -> Any:
        await asyncio.sleep(2)
        raise ConnectionError

    server.faults = [slowly] * 5
    remote.mark_stale()
    began = now()
    assert await remote.refresh() == "failed"
    assert now() - began == pytest.approx(5.0, abs=0.1)
    assert server.lists == 1 + 3


async def test_rc10_a_refresh_that_finds_nothing_looks_once_more_once_per_burst() -> None:
    server = Server(A)
    remote = await filled(server, recheck=0.25)

    async def later() -> None:
        await asyncio.sleep(0.2)
        server.tools = [A, B]

    changing = asyncio.create_task(later())
    remote.mark_stale()
    assert await remote.refresh() == "applied"
    assert (server.lists, names(remote.catalog)) == (3, ["a", "b"])
    await changing
    for _ in range(3):  # one burst
        remote.mark_stale()
        assert await remote.refresh() == "unchanged"
        await asyncio.sleep(0.1)
    assert server.lists == 3 + 3
    await asyncio.sleep(5)
    remote.mark_stale()
    assert await remote.refresh() == "unchanged"
    assert server.lists == 6 + 2


async def test_rc10_none_turns_it_off() -> None:
    server = Server(A)
    remote = await filled(server, recheck=None)
    remote.mark_stale()
    assert await remote.refresh() == "unchanged"
    assert server.lists == 2


async def test_rc10_a_second_look_that_fails_is_no_failed_refresh() -> None:
    server = Server(A)
    remote = await filled(server)
    events = heard(remote)
    server.faults = [{"tools": [A]}, ConnectionError()]
    remote.mark_stale()
    assert await remote.refresh() == "unchanged"
    assert (server.lists, server.faults, events) == (3, [], [])
    assert remote.failure is None
    assert not remote.pending


async def test_rc10_a_server_that_announces_because_it_is_listed_is_not_listed_twice_for_that() -> (
    None
):
    server = Server(A)
    remote = await filled(server)
    server.on_list = remote.mark_stale
    remote.mark_stale()
    assert await remote.refresh() == "unchanged"
    assert server.lists == 1 + 2
    for step in range(1, 6):
        await asyncio.sleep(30)
        assert await remote.refresh() == "unchanged"
        assert server.lists == 3 + step


async def test_following_refreshes_by_itself_and_a_storm_lists_little() -> None:
    server = Server(A)
    remote = server.remote()
    events = heard(remote)
    following = asyncio.create_task(remote.follow())
    await asyncio.sleep(1)
    assert server.lists == 1
    for _ in range(60 * 3):  # three a second, for a minute
        remote.mark_stale()
        await asyncio.sleep(1 / 3)
    assert server.lists < 40
    server.tools = [A, B]
    remote.mark_stale()
    await asyncio.sleep(3)
    assert names(remote.catalog) == ["a", "b"]
    assert len(events) == 2
    await asyncio.sleep(60)
    asked = server.lists
    await asyncio.sleep(3600)
    assert server.lists == asked
    following.cancel()


async def test_following_outlasts_failures_without_a_new_notification() -> None:
    server = Server(A)
    remote = server.remote()
    server.faults = [OSError()] * 30
    following = asyncio.create_task(remote.follow())
    await asyncio.sleep(20)
    assert names(remote.catalog) == ["a"]
    following.cancel()


async def test_following_without_a_cooldown_leaves_a_failing_server_some_peace() -> None:
    server = Server(A)
    remote = server.remote(cooldown=0, attempts=1)
    server.faults = [OSError()] * 1000
    following = asyncio.create_task(remote.follow())
    await asyncio.sleep(1)
    assert 5 < server.lists < 50
    following.cancel()


async def test_following_notices_a_change_of_a_server_that_announces_every_list() -> None:
    server = Server(A)
    remote = server.remote()
    server.on_list = remote.mark_stale
    following = asyncio.create_task(remote.follow())
    await asyncio.sleep(60)
    assert server.lists < 40
    server.tools = [A, B]
    remote.mark_stale()
    began = now()
    while len(remote.catalog) < 2 and now() - began < 10:
        await asyncio.sleep(0.05)
    assert now() - began < 1.0
    following.cancel()
