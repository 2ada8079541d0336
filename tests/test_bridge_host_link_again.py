"""The host link when it begins, breaks and comes again."""

from __future__ import annotations

from typing import Any

import pytest

from link_engine import (
    CAPABLE,
    LIST,
    UPDATE,
    Engine,
    connected,
    engine,
    expect,
    introduce,
    take,
    tool,
)
from toolsync.bridge.link.toolset import Toolset

pytestmark = pytest.mark.anyio


async def test_an_offline_peer_gets_the_newest_state_at_reconnect() -> None:
    async with engine(tool("a")) as made:
        await made.link.attach("t1")
        for name in ("b", "c", "d"):
            await made.change(tool(name))
        assert (await made.outcomes())["t1"].status == "deferred"
        async with connected(made) as peer:
            await introduce(peer, **CAPABLE)
            peer.answer(await expect(peer, LIST), {"sessions": [{"threadId": "t1"}]})
            update, _ = await take(peer, None)
            assert [each["name"] for each in update["tools"]] == ["d"]
            assert await peer.quiet()


async def _held_by(made: Engine, *, then: tuple[dict[str, Any], ...] = ()) -> Toolset:
    """Lets a peer take one set, go, and miss another."""
    async with connected(made) as peer:
        await introduce(peer, **CAPABLE)
        peer.answer(await expect(peer, LIST), {"sessions": ["t1"]})
        _, held = await take(peer, None)
        await made.outcomes()
    if then:
        await made.change(*then)
        await made.outcomes()
    return held


async def test_a_peer_that_still_holds_the_newest_set_is_sent_nothing() -> None:
    async with engine(tool("a")) as made:
        await made.link.attach("t1")
        held = await _held_by(made)
        async with connected(made) as peer:
            await introduce(peer, **CAPABLE)
            listed = [{"threadId": "t1", "digest": held.catalog.digest}]
            peer.answer(await expect(peer, LIST), {"sessions": listed})
            assert await peer.quiet()
            await made.change(tool("a"), tool("b"))
            update, _ = await take(peer, held)
            assert [each["name"] for each in update["changed"]] == ["b"]


async def test_a_peer_that_missed_a_change_gets_the_difference_after_a_reconnect() -> None:
    async with engine(tool("a")) as made:
        await made.link.attach("t1")
        held = await _held_by(made, then=(tool("a"), tool("b")))
        async with connected(made) as peer:
            await introduce(peer, **CAPABLE)
            listed = [{"threadId": "t1", "digest": held.catalog.digest}]
            peer.answer(await expect(peer, LIST), {"sessions": listed})
            update, held = await take(peer, held)
            assert [each["name"] for each in update["changed"]] == ["b"]
            assert held.catalog.digest == made.registry.catalog.digest


@pytest.mark.parametrize("left", [(tool("a"),), ()])
async def test_a_restarted_peer_gets_the_whole_set(left: tuple[dict[str, Any], ...]) -> None:
    async with engine(tool("a")) as made:
        await made.link.attach("t1")
        await _held_by(made)
        await made.change(*left)
        await made.outcomes()
        async with connected(made) as peer:
            await introduce(peer, **CAPABLE)
            listed = [{"threadId": "t1", "digest": "of another life"}]
            peer.answer(await expect(peer, LIST), {"sessions": listed})
            update, _ = await take(peer, None)
            assert update["tools"] == list(left)


@pytest.mark.parametrize("code", [-32601, -32000, None])
async def test_a_peer_that_cannot_list_its_threads_is_brought_up_to_date_all_the_same(
    code: int | None,
) -> None:
    async with engine(tool("a")) as made:
        await made.link.attach("t1")
        async with connected(made) as peer:
            await introduce(peer, **CAPABLE)
            asked = await expect(peer, LIST)
            if code is None:
                peer.answer(asked, {"sessions": "all"})
            else:
                peer.refuse(asked, code)
            await take(peer, None)
            assert await peer.quiet()


async def test_a_thread_that_does_not_run_is_neither_sent_anything_nor_started() -> None:
    async with engine(tool("a")) as made:
        await made.link.attach("t1")
        await made.link.attach("t2")
        await made.change(tool("b"))
        async with connected(made) as peer:
            await introduce(peer, **CAPABLE)
            peer.answer(await expect(peer, LIST), {"sessions": [{"threadId": "t2"}, 7]})
            update, _ = await take(peer, None)
            assert update["threadId"] == "t2"
            assert await peer.quiet()


async def test_a_link_that_goes_during_a_push_defers_it() -> None:
    async with engine(tool("a")) as made:
        async with connected(made) as peer:
            await introduce(peer, **CAPABLE)
            await made.link.attach("t1")
            await made.change(tool("b"))
            await expect(peer, UPDATE)
        assert (await made.outcomes())["t1"].status == "deferred"
        assert not made.link.connected
        async with connected(made) as peer:
            await introduce(peer, **CAPABLE)
            peer.answer(await expect(peer, LIST), {"sessions": ["t1"]})
            update, _ = await take(peer, None)
            assert [each["name"] for each in update["tools"]] == ["b"]


async def test_the_newest_of_two_connections_counts() -> None:
    async with engine(tool("a")) as made, connected(made) as old:
        await introduce(old, **CAPABLE)
        await made.link.attach("t1")
        async with connected(made) as new:
            await introduce(new, **CAPABLE)
            listed = [{"threadId": "t1", "digest": made.registry.catalog.digest}]
            new.answer(await expect(new, LIST), {"sessions": listed})
            await made.change(tool("b"))
            await take(new, None)
            assert (await made.outcomes())["t1"].status == "applied"
            assert await old.quiet()
            old.leave()
        assert not made.link.connected


async def test_this_side_may_introduce_itself_first() -> None:
    async with engine(tool("a")) as made, connected(made, greet=True) as peer:
        hello = await expect(peer, "initialize")
        assert hello["params"]["protocol"] == 1
        assert hello["params"]["name"] == "toolsync"
        peer.answer(hello, {"protocol": 1, "capabilities": CAPABLE})
        await peer.call("ping")
        await made.link.attach("t1")
        await made.change(tool("b"))
        await take(peer, None)


@pytest.mark.parametrize("answer", [{}, {"protocol": "1"}, None, {"protocol": 0}])
async def test_a_peer_of_another_protocol_is_not_sent_anything(
    answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async with engine(tool("a")) as made, connected(made, greet=True) as peer:
        peer.answer(await expect(peer, "initialize"), answer)
        await made.link.attach("t1")
        await made.change(tool("b"))
        assert (await made.outcomes())["t1"].status == "deferred"
        assert not made.link.connected
    assert "the handshake failed: protocol: expected 1 or more" in caplog.text


async def test_nothing_works_before_the_handshake_and_there_is_one_only() -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        assert (await peer.call("ping"))["code"] == -32002
        assert (await peer.call("thread/tools/get", threadId="t1"))["code"] == -32002
        assert (await peer.call("initialize", protocol="new"))["code"] == -32602
        assert (await introduce(peer))["protocol"] == 1
        assert (await introduce(peer))["code"] == -32600


@pytest.mark.parametrize(
    "capabilities", [None, 7, [], {"threadToolsUpdate": "yes"}, {"threadToolsUpdate": None}]
)
async def test_odd_capabilities_mean_none(capabilities: Any) -> None:
    async with engine(tool("a")) as made, connected(made) as peer:
        await peer.call("initialize", protocol=1, capabilities=capabilities)
        await made.link.attach("t1")
        await made.change(tool("b"))
        assert await peer.quiet()


async def test_a_peer_that_has_learnt_the_call_is_asked_again_after_a_reconnect() -> None:
    async with engine(tool("a")) as made:
        async with connected(made) as peer:
            await introduce(peer, **CAPABLE)
            await made.link.attach("t1")
            await made.change(tool("a"), tool("b"))
            peer.refuse(await expect(peer, UPDATE), -32601, "method not found")
            assert (await made.outcomes())["t1"].status == "unsupported"
        async with connected(made) as peer:
            await introduce(peer, **CAPABLE)
            peer.answer(await expect(peer, LIST), {"sessions": [{"threadId": "t1"}]})
            update, _ = await take(peer, None)
            assert [each["name"] for each in update["tools"]] == ["a", "b"]
