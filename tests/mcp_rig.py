"""An MCP server with a registry behind it, and SDK clients that write down what they hear."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp.client.client import Client
from mcp.client.session import IncomingMessage

from toolsync.bridge.mcp.http import serve_http
from toolsync.bridge.mcp.server import McpServer
from toolsync.catalog import Tool
from toolsync.live.hub import Hub
from toolsync.live.plugin import Commit, Plugin
from toolsync.live.registry import Registry

TOOLS = "notifications/tools/list_changed"
MARK = "notifications/prompts/list_changed"
ERAS = ("legacy", "2026-07-28")

Called = Callable[[str, Any], Awaitable[Any]]


def tool(name: str, description: str = "Does it.", /, **members: Any) -> dict[str, Any]:
    """A definition; `properties` and `required` go into its input schema."""
    schema = {"type": "object", "properties": members.pop("properties", {})}
    if "required" in members:
        schema["required"] = members.pop("required")
    return {"name": name, "description": description, "inputSchema": schema, **members}


async def until(condition: Callable[[], bool]) -> None:
    """Waits for a condition, at most ten seconds."""
    with anyio.fail_after(10):
        while not condition():
            await anyio.sleep(0.005)


@dataclass
class Heard:
    """The methods of the notifications that a client was sent, in their order."""

    methods: list[str] = field(default_factory=list)

    async def __call__(self, message: IncomingMessage) -> None:
        assert not isinstance(message, Exception), message
        self.methods.append(message.method)

    @property
    def changes(self) -> int:
        return self.methods.count(TOOLS)

    async def marked(self, marks: int) -> int:
        """Waits for so many marks, and gives how many changes were announced before them."""
        await until(lambda: self.methods.count(MARK) >= marks)
        return self.changes


class Bench:
    """A registry, a hub and a server; each change of the tools is one version of a plugin."""

    def __init__(self, **options: Any) -> None:
        self.registry = Registry(debounce=0)
        self.hub = Hub(self.registry)
        self.server = McpServer(self.hub, name="bench", version="1.2", **options)
        self.marks = 0
        self._versions = 0

    async def serve(self, *tools: Mapping[str, Any], call: Called | None = None) -> Commit:
        self._versions += 1
        version = self._versions

        async def answer(name: str, arguments: Any) -> Any:
            return f"{version}:{name}"

        async def build() -> Plugin:
            return Plugin(tools=list(tools), call=call or answer)

        return await self.registry.apply("plugin", str(version), build)

    async def mark(self) -> int:
        """Sends every stream a mark behind what it was sent so far; gives how many by now."""
        await self.hub.push()
        self.marks += 1
        await self.server._told_of(MARK)
        return self.marks

    async def aclose(self) -> None:
        await self.hub.aclose()
        await self.registry.aclose()


@asynccontextmanager
async def bench(**options: Any) -> AsyncIterator[Bench]:
    made = Bench(**options)
    try:
        yield made
    finally:
        await made.aclose()


@asynccontextmanager
async def over_http(server: McpServer, **options: Any) -> AsyncIterator[str]:
    """Serves over loopback HTTP, and gives the address."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    app = server.app(**options)
    serving = asyncio.create_task(
        serve_http(app, "127.0.0.1", 0, on_ready=ready.set_result, grace=1.0)
    )
    try:
        yield await asyncio.wait_for(ready, 10)
    finally:
        serving.cancel()
        await asyncio.wait({serving})


@asynccontextmanager
async def listening(target: Any, mode: str, heard: Heard) -> AsyncIterator[Client]:
    """An SDK client that hears of changes: by its connection, or by a subscription."""
    async with Client(target, mode=mode, message_handler=heard, cache=None) as client:
        if mode == "legacy":
            yield client
            return
        async with (
            client.listen(tools_list_changed=True, prompts_list_changed=True) as events,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(_drain, events)
            yield client
            tasks.cancel_scope.cancel()


async def _drain(events: AsyncIterator[Any]) -> None:
    async for _ in events:
        pass


async def streams(bench: Bench) -> None:
    """Waits until every connected client of the handshake era can be told."""
    await until(lambda: all(peer.live for peer in bench.server._connected.values()))


def text_of(result: types.CallToolResult | Any) -> str:
    """The text of a result's first block."""
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text


def named_like(prefix: str) -> Callable[[Tool], bool]:
    """A selection by the beginning of names."""

    def select(each: Tool) -> bool:
        return each.name.startswith(prefix)

    return select


async def shaken(web: httpx2.AsyncClient, url: str, version: str = "2025-11-25") -> dict[str, str]:
    """Shakes hands by hand, and gives the headers of the session."""
    headers = {"accept": "application/json, text/event-stream"}
    begin = {
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": version, "capabilities": {},
                   "clientInfo": {"name": "by hand", "version": "0"}},
    }  # fmt: skip
    answer = await web.post(url, json=begin, headers=headers)
    assert answer.status_code == 200, answer.text
    assert '"listChanged":true' in answer.text
    assert f'"protocolVersion":"{version}"' in answer.text
    headers |= {"mcp-session-id": answer.headers["mcp-session-id"]}
    headers |= {"mcp-protocol-version": version}
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await web.post(url, json=done, headers=headers)).status_code == 202
    return headers
