"""Following a server: one fetch for all, the last good list kept, events (RC 1, 2, 6–9, 11)."""

from __future__ import annotations

import asyncio
import tracemalloc
from typing import Any

import anyio
import pytest

from live_rig import names, tool
from live_server import Server, filled, hang, heard, now
from paper_loop import PaperLoop
from toolsync import live

pytestmark = pytest.mark.anyio

A, B, C = tool("a"), tool("b"), tool("c")


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": PaperLoop}


async def test_an_empty_catalogue_stands_before_the_first_success() -> None:
    server = Server(A)
    remote = server.remote()
    assert (len(remote.catalog), remote.revision, remote.pending) == (0, 0, True)
    assert await remote.refresh() == "applied"
    assert (names(remote.catalog), remote.revision, remote.pending) == (["a"], 1, False)


async def test_rc1_a_notification_lists_nothing_by_itself() -> None:
    server = Server(A)
    remote = await filled(server)
    for _ in range(1000):
        remote.mark_stale()
    await asyncio.sleep(60)
    assert server.lists == 1
    assert remote.pending


async def test_rc1_nothing_pending_costs_no_request_and_no_memory() -> None:
    server = Server(A)
    remote = await filled(server)
    at = now()
    for _ in range(10):
        await remote.refresh()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(1000):
        await remote.refresh()
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 1000  # of all thousand
    assert peak - before < 4000
    assert (server.lists, now()) == (1, at)


async def test_rc2_concurrent_refreshes_share_one_fetch() -> None:
    server = Server(A)
    server.delay = 0.1
    remote = server.remote()
    outcomes = await asyncio.gather(*(remote.refresh() for _ in range(50)))
    assert outcomes == ["applied"] * 50
    assert server.lists == 1


async def test_rc2_one_who_gives_up_ends_nobody_elses_fetch() -> None:
    server = Server(A)
    server.delay = 0.1
    remote = server.remote()
    first, second = (asyncio.create_task(remote.refresh()) for _ in range(2))
    await asyncio.sleep(0.05)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await second == "applied"
    assert server.lists == 1


async def test_rc2_when_the_last_one_gives_up_the_fetch_ends_and_the_next_one_begins_anew() -> None:
    server = Server(A)
    server.delay = 0.1
    remote = server.remote()
    waiting = asyncio.create_task(remote.refresh())
    await asyncio.sleep(0.05)
    waiting.cancel()
    again = asyncio.create_task(remote.refresh())
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await again == "applied"
    assert (server.lists, server.open) == (2, 0)
    assert remote.failure is None


async def test_rc6_a_failure_keeps_the_last_usable_catalogue_and_says_how_old_it_is() -> None:
    server = Server(A)
    remote = await filled(server)
    events = heard(remote)
    before = (remote.catalog, remote.catalog.digest, remote.revision)
    server.faults = [OSError("no route")] * 6
    remote.mark_stale()
    assert await remote.refresh() == "failed"
    await asyncio.sleep(10)
    assert await remote.refresh() == "failed"
    assert (remote.catalog, remote.catalog.digest, remote.revision) == before
    first, second = events
    assert isinstance(first, live.RefreshFailed)
    assert isinstance(second, live.RefreshFailed)
    assert first.reason == second.reason == "page 1 failed: OSError: no route"
    assert first.age == 0.0
    assert second.age == pytest.approx(10.0, abs=0.1)
    await asyncio.sleep(2)
    assert await remote.refresh() == "unchanged"
    assert remote.failure is None


async def test_rc6_a_valid_empty_list_is_applied() -> None:
    server = Server(A)
    remote = await filled(server)
    server.tools = []
    remote.mark_stale()
    assert await remote.refresh() == "applied"
    assert (len(remote.catalog), remote.revision) == (0, 2)


async def test_rc6_an_empty_list_at_first_is_applied_too() -> None:
    remote = Server().remote()
    events = heard(remote)
    assert await remote.refresh() == "applied"
    assert (remote.revision, remote.pending, len(events)) == (1, False, 1)


async def test_rc7_a_late_answer_never_replaces_a_newer_catalogue() -> None:
    server = Server(A)
    remote = await filled(server, timeout=1.0)
    answer = asyncio.get_running_loop().create_future()

    async def deaf() -> Any:
        while True:  # a transport that resists being cancelled
            try:
                return await asyncio.shield(answer)
            except asyncio.CancelledError:
                continue

    server.faults = [deaf]
    remote.mark_stale()
    assert await remote.refresh() == "failed"
    assert server.open == 1
    server.tools = [A, B]
    await asyncio.sleep(1.1)
    assert await remote.refresh() == "applied"
    answer.set_result({"tools": [C]})
    await asyncio.sleep(1)
    assert (names(remote.catalog), server.open) == (["a", "b"], 0)


async def test_rc7_requests_that_never_end_are_at_most_two() -> None:
    server = Server(A)
    remote = await filled(server, timeout=1.0)
    answer = asyncio.get_running_loop().create_future()

    async def deaf() -> Any:
        while not answer.done():
            try:
                await asyncio.shield(answer)
            except asyncio.CancelledError:
                continue
        return {"tools": []}

    server.faults = [deaf] * 9
    remote.mark_stale()
    for _ in range(5):
        assert await remote.refresh() == "failed"
        await asyncio.sleep(1.1)
    assert (server.open, server.most_open) == (2, 2)
    assert remote.failure is not None
    assert "2 earlier requests neither answered nor ended" in remote.failure.reason
    answer.set_result(None)
    server.faults.clear()
    await asyncio.sleep(1.1)
    assert await remote.refresh() == "unchanged"


async def test_rc7_after_a_lost_subscription_only_the_difference_is_announced() -> None:
    server = Server(A, B)
    remote = await filled(server)
    events = heard(remote)
    remote.lost("the stream ended\x07")
    assert events == [live.SubscriptionLost("the stream ended\\u{7}")]
    assert remote.pending
    server.tools = [B, A]  # in another order, which is no difference
    was = remote.catalog
    assert await remote.refresh() == "unchanged"
    assert (len(events), remote.revision) == (1, 1)
    assert remote.catalog is was
    remote.lost("again")
    server.tools = [C, B, A]
    assert await remote.refresh() == "applied"
    assert isinstance(events[-1], live.ToolsUpdated)
    assert [each.name for each in events[-1].changes.tools] == ["c"]
    assert names(remote.catalog) == ["a", "b", "c"]  # what was there keeps its place


async def test_rc8_the_new_catalogue_is_used_from_the_next_step_on() -> None:
    server = Server(A)
    remote = await filled(server)
    request = remote.catalog  # sent to a model
    server.tools = [A, B]
    remote.mark_stale()
    assert remote.catalog is request
    await remote.refresh()
    assert names(request) == ["a"]
    assert names(remote.catalog) == ["a", "b"]


async def test_rc9_events_go_to_those_who_subscribed_and_one_who_fails_keeps_it_from_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    one, other = Server(A), Server(B)
    first, second = one.remote(), other.remote()

    def faulty(event: object) -> None:
        raise RuntimeError("a listener's own fault")

    first.subscribe(faulty)
    mine, theirs = heard(first), heard(second)
    silent: list[Any] = []
    first.subscribe(silent.append)()
    await first.refresh()
    await second.refresh()
    assert [type(event) for event in mine] == [live.ToolsUpdated]
    assert isinstance(theirs[0], live.ToolsUpdated)
    assert names(theirs[0].catalog) == ["b"]
    assert silent == []
    assert "a listener's own fault" in caplog.text


async def test_rc9_a_presentation_change_is_served_and_announced_to_nobody() -> None:
    server = Server(A)
    remote = await filled(server)
    events = heard(remote)
    digest = remote.catalog.digest
    server.tools = [A | {"title": "The A"}]
    remote.mark_stale()
    assert await remote.refresh() == "unchanged"
    assert (remote.revision, events) == (1, [])
    assert remote.catalog.digest != digest


async def test_rc11_derived_surfaces_are_rebuilt_in_the_same_step() -> None:
    server = Server(A)
    remote = server.remote()
    surface: list[str] = []

    def rebuild(event: object) -> None:
        if isinstance(event, live.ToolsUpdated):
            assert event.catalog is remote.catalog
            assert event.revision == remote.revision
            surface[:] = names(event.catalog)

    remote.subscribe(rebuild)
    await remote.refresh()
    assert surface == ["a"]
    server.tools = [B]
    remote.mark_stale()
    await remote.refresh()
    assert surface == ["b"]


async def test_closing_ends_what_is_under_way() -> None:
    server = Server(A)
    remote = server.remote()
    server.faults = [hang]
    waiting = asyncio.create_task(remote.refresh())
    await asyncio.sleep(0.1)
    assert server.open == 1
    await remote.aclose()
    assert await waiting == "failed"
    assert server.open == 0


async def test_a_cancelled_scope_ends_the_refresh_in_it_and_nothing_else() -> None:
    server = Server(A)
    remote = server.remote()
    server.faults = [hang]
    with anyio.move_on_after(1) as scope:
        await remote.refresh()
    assert scope.cancelled_caught
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (server.open, remote.failure) == (0, None)
    assert await remote.refresh() == "applied"


async def test_a_request_that_the_transport_cancels_is_a_failing_page() -> None:
    server = Server(A)
    server.faults = [asyncio.CancelledError()] * 3
    remote = server.remote()
    assert await remote.refresh() == "failed"
    assert remote.failure is not None
    assert remote.failure.reason == "a page failed: its request was cancelled"
