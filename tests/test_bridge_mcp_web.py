"""The client side over streamable HTTP: announcements wherever they come, servers that go."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from mcp_rig import bench, over_http, tool, until
from scripted_web import TOOLS, web
from toolsync.bridge.mcp import owner as mcp_owner
from toolsync.bridge.mcp import web as mcp_web
from toolsync.bridge.mcp.client import (
    ConnectionFailed,
    ConnectionLost,
    Http,
    Mode,
    RemoteError,
    Upstream,
    connect,
)
from toolsync.bridge.mcp.http import bind
from toolsync.live.events import SubscriptionLost

pytestmark = pytest.mark.anyio

MODES: list[Mode] = ["legacy", "auto"]
TOKEN = "s3cret"  # noqa: S105  it guards nothing


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (mcp_owner, mcp_web):
        monkeypatch.setattr(module, "_FIRST_PAUSE", 0.01)
        monkeypatch.setattr(module, "_LAST_PAUSE", 0.05)


@asynccontextmanager
async def joined(
    url: str, mode: Mode = "legacy", max_message: int = 1 << 24, **headers: str
) -> AsyncIterator[Upstream]:
    target = Http(url, headers)
    async with connect(target, name="s1", mode=mode, max_message=max_message) as upstream:
        await upstream.remote.refresh()
        yield upstream


async def failing(url: str, **options: Any) -> str:
    with pytest.raises(ConnectionFailed) as caught:
        await connect(Http(url), name="s1", **options).__aenter__()
    assert "\n" not in str(caught.value)
    return str(caught.value)


async def test_the_stream_is_opened_only_where_the_server_announces() -> None:
    """RC12."""
    async with web(tools=[tool("a")], list_changed=False) as made:
        async with joined(made.url) as upstream:
            assert [each.name for each in upstream.remote.catalog.tools] == ["a"]
            assert upstream.server_name == "web"
            assert upstream.protocol_version == "2025-06-18"
        assert made.opened == 0


async def test_a_server_without_tools_has_none() -> None:
    async with web(tools=None) as made, joined(made.url) as upstream:
        assert upstream.remote.failure is None
        assert len(upstream.remote.catalog) == 0
        assert made.opened == 0


async def test_an_announcement_on_the_stream_is_heard_and_the_stream_is_closed_at_the_end() -> None:
    """RC12."""
    async with web(tools=[tool("a")]) as made:
        async with joined(made.url) as upstream:
            assert made.opened == 1
            assert not upstream.remote.pending
            made.say({"jsonrpc": "2.0", "method": TOOLS})
            await until(lambda: upstream.remote.pending)
        await until(lambda: not made._streams)


async def test_an_announcement_inside_the_answer_to_a_post_is_heard() -> None:
    """RC12."""
    async with web(tools=[tool("a")]) as made, joined(made.url) as upstream:
        made.with_notice = True
        assert upstream.remote.pending is False
        result = await upstream.call("a", {})
        await until(lambda: upstream.remote.pending)
        assert result["structuredContent"] == {"odd": 1 << 70}


async def test_a_lost_stream_comes_back_and_the_list_is_looked_at_again() -> None:
    """RC7."""
    async with web(tools=[tool("a")]) as made, joined(made.url) as upstream:
        events: list[Any] = []
        upstream.remote.subscribe(events.append)
        made.tools = [tool("b")]
        made.say(None)
        await until(lambda: made.opened == 2)
        assert events == [SubscriptionLost("the server ended the stream")]
        assert await upstream.remote.refresh() == "applied"
        assert [each.name for each in upstream.remote.catalog.tools] == ["b"]


async def test_a_session_that_the_server_forgot_is_lost_for_good() -> None:
    async with web(tools=[tool("a")]) as made, joined(made.url) as upstream:
        made.known = False
        made.say(None)
        reason = await asyncio.wait_for(upstream.wait_lost(), 10)
        assert reason == "the server does not know the session any more (HTTP 404)"
        with pytest.raises(ConnectionLost, match="HTTP 404"):
            await upstream.call("a", {})


async def test_a_server_that_is_away_for_a_while_is_found_again() -> None:
    """RC7: over HTTP the connection outlives the server's process."""
    async with AsyncExitStack() as first:
        made = await first.enter_async_context(web(tools=[tool("a")]))
        port = int(made.url.rsplit(":", 1)[1].split("/")[0])
        async with joined(made.url) as upstream:
            await first.aclose()
            with pytest.raises(ConnectionLost, match=r"cannot reach http://127\.0\.0\.1"):
                await upstream.call("a", {})
            async with web(port, tools=[tool("b")]) as again:
                await until(lambda: again.opened == 1)
                assert upstream.remote.pending
                await until(lambda: upstream.remote._cooling() <= 0)
                assert await upstream.remote.refresh() == "applied"
                assert upstream.lost_reason is None


@pytest.mark.parametrize("mode", MODES)
async def test_our_own_server_is_followed(mode: Mode) -> None:
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("a"))
        async with joined(url, mode) as upstream:
            assert not upstream.remote.pending
            await made.serve(tool("a", title="looks"))
            await made.serve(tool("b"))
            await until(lambda: upstream.remote.pending)
            assert await upstream.remote.refresh() == "applied"
            assert [each.name for each in upstream.remote.catalog.tools] == ["b"]
        await until(lambda: len(made.hub.sessions) == (0 if mode == "legacy" else 1))


async def test_a_subscription_that_the_server_ended_is_made_anew() -> None:
    """RC7, RC13."""
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("a"))
        async with joined(url, "auto") as upstream:
            events: list[Any] = []
            upstream.remote.subscribe(events.append)
            made.server.end_streams()
            await until(lambda: bool(events) and upstream.listening)
            assert events == [SubscriptionLost("the server ended the subscription")]
            await upstream.remote.refresh()
            await made.serve(tool("b"))
            await until(lambda: upstream.remote.pending)


async def test_the_old_transport_is_named() -> None:
    """RC13."""
    async with web() as made:
        text = await failing(made.url.replace("/mcp", "/old"))
        assert text == (
            "server 's1': speaks only the old HTTP+SSE transport, which is not supported; "
            "ask for its streamable HTTP address"
        )
        assert await failing(made.url.replace("/mcp", "/bare")) == "server 's1': HTTP 404"


async def test_an_address_where_nobody_listens() -> None:
    bound = bind("127.0.0.1", 0)
    port = bound.getsockname()[1]
    bound.close()
    text = await failing(f"http://user:secret@127.0.0.1:{port}/mcp?key=secret")
    assert text.startswith(f"server 's1': cannot reach http://127.0.0.1:{port}/mcp: ")
    assert "secret" not in text
    for url in ("nonsense", "ftp://127.0.0.1/", "http://", "http://\x1b[2J/"):
        assert (await failing(url)).isprintable()


async def test_a_server_that_never_answers() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    hanging = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = hanging.sockets[0].getsockname()[1]
    try:
        text = await failing(f"http://127.0.0.1:{port}/mcp", timeout=0.5)
        assert text == "server 's1': no answer to the handshake within 0.5 seconds"
    finally:
        hanging.close()
        await hanging.wait_closed()


async def test_a_token_is_asked_for_and_sent_along() -> None:
    async with bench() as made, over_http(made.server, token=TOKEN) as url:
        await made.serve(tool("a"))
        assert await failing(url) == "server 's1': HTTP 401"
        async with joined(url, "legacy", authorization=f"Bearer {TOKEN}") as upstream:
            assert len(upstream.remote.catalog) == 1


async def test_arguments_marked_for_headers_are_mirrored_and_bad_marks_cost_their_tool() -> None:
    """2026-07-28 over HTTP: the server refuses a call whose headers and body differ."""
    region = {"region": {"type": "string", "x-mcp-header": "Region"}}
    twice = {"a": {"type": "string", "x-mcp-header": "One two"}}
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("good", properties=region), tool("bad", properties=twice))
        async with joined(url, "auto") as upstream:
            assert [each.name for each in upstream.remote.catalog.tools] == ["good"]
            assert len(upstream.warnings) == 1
            assert upstream.warnings[0].startswith("server 's1': tool 'bad' left out: x-mcp-head")
            result = await upstream.call("good", {"region": "eu"})
            assert result["content"][0]["text"] == "1:good"


async def test_a_large_list_comes_through() -> None:
    many = [tool(f"t{n}", "x" * 2000) for n in range(1500)]
    async with bench(page_size=5000) as made, over_http(made.server) as url:
        await made.serve(*many)
        for mode in MODES:
            async with joined(url, mode) as upstream:
                assert len(upstream.remote.catalog) == 1500


async def test_an_answer_that_breaks_off_is_that_requests_failure() -> None:
    async with web(tools=[tool("a")]) as made, joined(made.url) as upstream:
        made.breaks = True
        with pytest.raises(RemoteError, match="the answer broke off"):
            await upstream.call("a", {})
        made.breaks = False
        assert await upstream.call("a", {})


async def test_a_session_that_ends_without_a_stream_is_lost_too() -> None:
    async with web(list_changed=False) as made, joined(made.url) as upstream:
        made.known = False
        with pytest.raises(ConnectionLost, match="HTTP 404"):
            await upstream.call("a", {})
        assert upstream.lost_reason is not None


async def test_an_answer_without_end_is_bounded() -> None:
    async with (
        web(tools=[tool("a")]) as made,
        joined(made.url, max_message=100_000) as upstream,
    ):
        made.tools = [tool("a", "x" * 200_000)]
        upstream.remote.mark_stale()
        assert await upstream.remote.refresh() == "failed"
        failure = upstream.remote.failure
        assert failure is not None
        assert "100000 bytes" in failure.reason
        assert json.dumps(failure.reason).isprintable()
        assert await upstream.call("a", {})
