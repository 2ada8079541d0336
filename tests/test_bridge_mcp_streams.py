"""Channels that open late, break, or end: what was deferred is told once when it can be."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from mcp_rig import MARK, TOOLS, Heard, bench, listening, over_http, shaken, streams, tool, until

pytestmark = pytest.mark.anyio


class HeldGet(httpx2.AsyncHTTPTransport):
    """A network on which GET streams open only when they are let."""

    def __init__(self) -> None:
        super().__init__()
        self.open = anyio.Event()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            await self.open.wait()
        return await super().handle_async_request(request)


@pytest.mark.parametrize("lists", [False, True])
async def test_a_client_whose_stream_opens_late_is_told_once_unless_it_has_listed(
    lists: bool,
) -> None:
    """HB6: deferred, then delivered when the push channel opens."""
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("a"))
        heard, net = Heard(), HeldGet()
        async with (
            httpx2.AsyncClient(transport=net, timeout=10) as web,
            listening(streamable_http_client(url, http_client=web), "legacy", heard) as client,
        ):
            await client.list_tools()
            await made.serve(tool("a"), tool("b"))
            await made.serve(tool("a"), tool("b"), tool("c"))
            assert [each.status for each in await made.hub.push()] == ["deferred"]
            if lists:
                await client.list_tools()
            net.open.set()
            await streams(made)
            assert await heard.marked(await made.mark()) == (0 if lists else 1)
            await made.serve(tool("a"))
            assert await heard.marked(await made.mark()) == (1 if lists else 2)


@pytest.mark.parametrize("changes", [0, 2])
async def test_a_stream_that_broke_after_an_announcement_is_told_again_when_it_returns(
    changes: int,
) -> None:
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("a"))
        async with httpx2.AsyncClient(timeout=10) as web:
            headers = await shaken(web, url)
            async with web.stream("GET", url, headers=headers) as first:
                assert first.status_code == 200
                await streams(made)
                await made.serve(tool("a"), tool("b"))
                await made.hub.push()
            await until(lambda: not any(p.live for p in made.server._connected.values()))
            for number in range(changes):
                await made.serve(tool(f"c{number}"))
            async with web.stream("GET", url, headers=headers) as again:
                await streams(made)
                await made.mark()
                events = httpx2.EventSource(again)
                methods = []
                async for event in events:
                    methods.append(event.json()["method"])  # type: ignore[index]
                    if methods[-1] == MARK:
                        break
            assert methods == [TOOLS, MARK]


async def test_open_streams_end_in_order_when_the_server_stops() -> None:
    async with bench() as made:
        await made.serve(tool("a"))
        async with AsyncExitStack() as server, httpx2.AsyncClient(timeout=10) as web:
            url = await server.enter_async_context(over_http(made.server))
            headers = await shaken(web, url)
            response = await web.send(web.build_request("GET", url, headers=headers), stream=True)
            await streams(made)
            await server.aclose()
            ended = [chunk async for chunk in response.aiter_raw()]
            await response.aclose()
            assert all(chunk.startswith(b":") for chunk in ended)


async def test_a_client_that_has_not_said_it_is_ready_is_told_when_it_does() -> None:
    """HB6: over stdio the push channel is open once the client says `initialized`."""
    async with (
        bench() as made,
        create_client_server_memory_streams() as ((read, write), theirs),
        anyio.create_task_group() as tasks,
    ):
        await made.serve(tool("a"))
        tasks.start_soon(made.server.run, *theirs)
        params = {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "0"},
        }  # fmt: skip
        await write.send(request(1, "initialize", params))
        await read.receive()
        await made.serve(tool("b"))
        assert [each.status for each in await made.hub.push()] == ["deferred"]
        ready = JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")
        await write.send(SessionMessage(ready))
        first = await read.receive()
        await write.send(request(2, "ping", {}))
        second = await read.receive()
        assert isinstance(first, SessionMessage)
        assert isinstance(second, SessionMessage)
        assert isinstance(first.message, JSONRPCNotification)
        assert first.message.method == TOOLS
        assert isinstance(second.message, JSONRPCResponse), "and only once"
        tasks.cancel_scope.cancel()


def request(number: int, method: str, params: dict[str, Any]) -> SessionMessage:
    return SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=params))


async def test_a_client_that_pages_and_calls_before_it_was_asked_to_is_refused() -> None:
    async with (
        bench() as made,
        create_client_server_memory_streams() as ((read, write), theirs),
        anyio.create_task_group() as tasks,
    ):
        await made.serve(tool("a"))
        tasks.start_soon(made.server.run, *theirs)
        for number, method in enumerate(("tools/list", "tools/call")):
            await write.send(request(number, method, {"name": "a"}))
            answer = await read.receive()
            assert isinstance(answer, SessionMessage)
            assert isinstance(answer.message, JSONRPCError)
        assert not made.hub.sessions
        tasks.cancel_scope.cancel()
