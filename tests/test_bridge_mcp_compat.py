"""What toolsync leans on in the SDK without promise: a new release must fail here, not in use."""

from __future__ import annotations

import importlib.metadata
import inspect
import re
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import streamable_http
from mcp.client.client import Client
from mcp.client.session import ClientSession
from mcp.server.connection import Connection
from mcp.server.lowlevel.server import Server
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared import jsonrpc_dispatcher
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED

from mcp_rig import bench, over_http, tool
from toolsync.bridge.mcp import _compat


def test_the_sdk_is_the_release_that_was_looked_at() -> None:
    installed = importlib.metadata.version("mcp")
    assert installed.startswith(_compat.TESTED + "."), (
        f"mcp {installed}: run the tests of tests/test_bridge_mcp_*.py, look at each function of "
        "bridge/mcp/_compat.py, then raise TESTED"
    )


def parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def test_a_session_of_the_server_knows_its_connection() -> None:
    assert "_connection" in inspect.getsource(ServerSession.__init__)
    made = Connection.from_envelope("2026-07-28", None, None)
    for name in ("state", "exit_stack", "session_id", "initialized", "initialize_accepted"):
        assert hasattr(made, name), name
    assert inspect.iscoroutinefunction(Connection.send_tool_list_changed)
    assert parameters(Connection.notify)[:3] == ["self", "method", "params"]


def test_a_session_of_the_client_stamps_and_sends() -> None:
    source = inspect.getsource(ClientSession.__init__)
    for name in ("_stamp", "_dispatcher", "_x_mcp_header_maps"):
        assert f"self.{name}" in source, name
    assert "_stamp(data, opts)" in inspect.getsource(ClientSession.send_request)


def test_errors_without_an_answer_are_worded_as_they_are_told_by() -> None:
    closed = jsonrpc_dispatcher._CLOSED_OUTCOME
    assert _compat.unanswered(MCPError(closed.code, closed.message, closed.data))
    web = inspect.getsource(streamable_http)
    texts = re.findall(r'ctx\.read_stream_writer, original_request_id, f?"([^"]*)"', web)
    assert len(texts) >= 3
    for text in texts:
        assert _compat.unanswered(MCPError(CONNECTION_CLOSED, text))
    assert not _compat.unanswered(MCPError(CONNECTION_CLOSED, "busy"))


def test_the_manager_asks_for_options_without_arguments() -> None:
    assert "init_options" not in inspect.getsource(StreamableHTTPSessionManager)
    assert parameters(Server.create_initialization_options) == parameters(
        _compat.AnnouncingServer.create_initialization_options
    )
    options = _compat.AnnouncingServer("s").create_initialization_options()
    assert options.capabilities.tools is None, "declared only where there are tools"


def test_the_stdio_transport_takes_lines_write_and_flush() -> None:
    assert parameters(stdio_server) == ["stdin", "stdout"]
    source = inspect.getsource(stdio_server)
    assert "async for line in stdin" in source
    assert "stdout.write(" in source
    assert "stdout.flush()" in source


@pytest.mark.anyio
async def test_the_get_stream_is_registered_before_its_opening_is_told() -> None:
    """The order that the flush of a deferred change relies on, seen 20 times."""
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("a0"))
        for number in range(1, 21):
            headers = {"accept": "application/json, text/event-stream"}
            async with httpx2.AsyncClient(timeout=10, headers=headers) as web:
                begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                    "protocolVersion": "2025-11-25", "capabilities": {},
                    "clientInfo": {"name": "x", "version": "0"}}}  # fmt: skip
                answer = await web.post(url, json=begin)
                web.headers["mcp-session-id"] = answer.headers["mcp-session-id"]
                done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
                await web.post(url, json=done)
                await made.serve(tool(f"a{number}"))
                await made.hub.push()
                with anyio.fail_after(5):
                    async with web.stream("GET", url) as stream:
                        async for event in httpx2.EventSource(stream):
                            assert "tools/list_changed" in event.data
                            break
                await web.delete(url)


@pytest.mark.anyio
async def test_a_result_of_the_middleware_is_sent_as_it_is() -> None:
    """Unknown members and their order survive, in both eras."""
    async with bench() as made, over_http(made.server) as url:
        own = {"x-own": {"b": 1, "a": [None, 1 << 70]}}
        await made.serve(tool("a", **own))
        for mode in ("legacy", "2026-07-28"):
            async with Client(url, mode=mode, cache=None) as client:
                page = await _compat.raw_request(client.session, "tools/list", None)
                assert page["tools"] == [tool("a", **own)]
                assert list(page["tools"][0]["inputSchema"]) == ["type", "properties"]
