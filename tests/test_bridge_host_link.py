"""The host link: sessions of another process, told what differs, once."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from link_engine import CAPABLE, UPDATE, connected, engine, expect, introduce, take, tool
from toolsync.bridge.link.toolset import taken

pytestmark = pytest.mark.anyio


async def test_a_thread_gets_the_whole_set_and_then_what_differs() -> None:
    async with engine(tool("a"), tool("b")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        await made.link.attach("t1")
        await made.change(tool("a"), tool("b", "x"))
        first, held = await take(peer, None)
        assert [each["name"] for each in first["tools"]] == ["a", "b"]
        assert first["threadId"] == "t1"
        assert (await made.outcomes())["t1"].status == "applied"
        await made.change(tool("c"), tool("a"))
        second, held = await take(peer, held)
        assert second["base"] == first["revision"]
        assert [each["name"] for each in second["changed"]] == ["c"]
        assert second["removed"] == ["b"]
        assert held.catalog.digest == made.registry.catalog.digest == second["digest"]
        assert [each.name for each in held.catalog] == second["order"]
        outcome = (await made.outcomes())["t1"]
        assert (outcome.status, outcome.revision) == ("applied", second["revision"])


async def test_nothing_is_sent_for_the_same_set_or_for_presentation_alone() -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        await made.link.attach("t1")
        await made.change(tool("a"))
        await made.change(tool("a", title="A"))
        assert await peer.quiet()
        assert (await made.outcomes())["t1"].status == "unchanged"


async def test_a_change_of_looks_travels_with_the_next_change_as_part_of_the_difference() -> None:
    async with engine(tool("a"), tool("b")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        await made.link.attach("t1")
        await made.change(tool("a"), tool("b"), tool("c"))
        _, held = await take(peer, None)
        await made.outcomes()
        await made.change(tool("a", title="A"), tool("b"), tool("c"))
        await made.change(tool("a", title="A"), tool("b"), tool("c"), tool("d"))
        update, held = await take(peer, held)
        assert [each["name"] for each in update["changed"]] == ["a", "d"]
        assert held.catalog.digest == made.registry.catalog.digest


async def test_threads_of_two_selections_are_told_apart() -> None:
    async with engine(tool("a"), tool("b")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        await made.link.attach("t1", select=lambda each: each.name == "a")
        await made.link.attach("t2", select=lambda each: each.name == "b")
        await made.change(tool("a"), tool("b", "x"))
        update, _ = await take(peer, None)
        assert update["threadId"] == "t2"
        assert [each["name"] for each in update["tools"]] == ["b"]
        assert await peer.quiet()


@pytest.mark.parametrize("capabilities", [{}, {"threadToolsUpdate": False}, {"other": True}])
async def test_a_peer_without_the_capability_is_never_sent_an_update(
    capabilities: dict[str, Any],
) -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        await introduce(peer, **capabilities)
        await made.link.attach("t1")
        await made.change(tool("a", "x"))
        assert (await made.outcomes())["t1"].status == "deferred"
        assert await peer.quiet()
        got = await peer.call("thread/tools/get", threadId="t1")
        assert got["tools"] == [tool("a", "x")]


async def test_a_peer_that_does_not_know_the_call_is_left_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="toolsync")
    async with engine(tool("a")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        for name in ("t1", "t2"):
            await made.link.attach(name)
        await made.change(tool("a", "x"))
        for _ in range(2):
            peer.refuse(await expect(peer, UPDATE), -32601, "method not found")
        assert {each.status for each in (await made.outcomes()).values()} == {"unsupported"}
        await made.change(tool("a", "y"))
        await made.outcomes()
        assert await peer.quiet()
    assert {each.levelname for each in caplog.records if "left alone" in each.message} == {"DEBUG"}
    assert not [each for each in caplog.records if each.levelno > logging.DEBUG]


@pytest.mark.parametrize("code", [-32001, -32602])
async def test_a_delta_that_does_not_fit_is_followed_by_the_whole_set(code: int) -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        await made.link.attach("t1")
        await made.change(tool("a"), tool("b"))
        await take(peer, None)
        await made.outcomes()
        await made.change(tool("a"), tool("b"), tool("c"))
        message = await expect(peer, UPDATE)
        assert "base" in message["params"]
        peer.refuse(message, code)
        update, _ = await take(peer, None)
        assert update["revision"] == message["params"]["revision"]
        assert [each["name"] for each in update["tools"]] == ["a", "b", "c"]
        assert (await made.outcomes())["t1"].status == "applied"


async def test_a_peer_may_ask_for_whole_sets_only() -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        await introduce(peer, threadToolsUpdate={"deltas": False})
        await made.link.attach("t1")
        for name in ("b", "c"):
            await made.change(tool("a"), tool(name))
            update, _ = await take(peer, None)
            assert "tools" in update
            await made.outcomes()


@pytest.mark.parametrize(
    ("answer", "status", "error"),
    [
        ({"outcome": "no_session"}, "no_session", None),
        ({"outcome": "deferred"}, "deferred", None),
        ({"outcome": "unsupported"}, "unsupported", None),
        ({"outcome": "failed", "error": "disk\x07full"}, "failed", "disk\\u{7}full"),
        ({"outcome": "failed"}, "failed", "gave no reason"),
        ({"outcome": "splendid"}, "failed", "answered with no outcome"),
        ([1], "failed", "answered with no outcome"),
        (None, "failed", "answered with no outcome"),
    ],
)
async def test_what_the_peer_answers_is_the_outcome(
    answer: Any, status: str, error: str | None
) -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        await made.link.attach("t1")
        await made.change(tool("b"))
        peer.answer(await expect(peer, UPDATE), answer)
        outcome = (await made.outcomes())["t1"]
        assert outcome.status == status
        assert error is None or error in str(outcome.error)


async def test_after_a_failure_the_whole_set_goes_out() -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        await made.link.attach("t1")
        await made.change(tool("a"), tool("b"))
        await take(peer, None)
        await made.outcomes()
        await made.change(tool("a"), tool("c"))
        message = await expect(peer, UPDATE)
        assert "base" in message["params"]
        peer.answer(message, {"outcome": "failed", "error": "disk full"})
        await made.outcomes()
        await made.change(tool("a"), tool("d"))
        update, _ = await take(peer, None)
        assert [each["name"] for each in update["tools"]] == ["a", "d"]


async def test_a_peer_that_hangs_fails_its_push_and_delays_no_other() -> None:
    async with (
        engine(tool("a"), timeout=0.05) as made,
        connected(made) as peer,
    ):
        await introduce(peer, **CAPABLE)
        await made.link.attach("slow")
        await made.link.attach("quick")
        await made.change(tool("b"))
        for _ in range(2):
            message = await expect(peer, UPDATE)
            if message["params"]["threadId"] == "quick":
                peer.answer(message, {"outcome": "applied"})
        outcomes = await made.outcomes()
        assert outcomes["quick"].status == "applied"
        assert outcomes["slow"].status == "failed"
        assert "no answer" in str(outcomes["slow"].error)


async def test_a_burst_while_the_peer_is_slow_becomes_one_update_with_the_newest_set() -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        await made.link.attach("t1")
        await made.change(tool("b0"))
        first = await expect(peer, UPDATE)
        for number in range(1, 6):
            await made.change(tool(f"b{number}"))
        assert await peer.quiet()
        held = taken(None, first["params"])
        peer.answer(first, {"outcome": "applied"})
        second, held = await take(peer, held)
        assert [each.name for each in held.catalog] == ["b5"]
        assert second["revision"] > first["params"]["revision"]
        assert (await made.outcomes())["t1"].status == "applied"
        assert await peer.quiet()


async def test_a_set_that_was_asked_for_is_the_base_of_what_follows() -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        await made.link.attach("t1")
        got = await peer.call("thread/tools/get", threadId="t1")
        held = taken(None, got)
        await made.change(tool("a"), tool("b"))
        update, held = await take(peer, held)
        assert update["base"] == got["revision"]
        await made.outcomes()
        same = await peer.call("thread/tools/get", threadId="t1", base=held.revision)
        assert (same["changed"], same["removed"]) == ([], [])
        assert (await peer.call("thread/tools/get", threadId="t9"))["code"] == -32602


async def test_a_detached_thread_is_told_nothing_more() -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        await introduce(peer, **CAPABLE)
        await made.link.attach("t1")
        await made.link.detach("t1")
        await made.link.detach("t1")
        await made.change(tool("b"))
        assert await made.outcomes() == {}
        assert await peer.quiet()
