"""An ACP agent as agents are: a process that connects to the MCP servers of each session.

`ext_method("tools")` tells what a session's servers offer and how often they announced a
change; `"wait"` waits until they have announced so many; `"call"` calls a tool.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from typing import Any

import httpx2
from acp import PROTOCOL_VERSION, run_agent
from acp.schema import (
    AgentCapabilities,
    HttpMcpServer,
    InitializeResponse,
    McpCapabilities,
    McpServerStdio,
    NewSessionResponse,
)
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


class Listening:
    """One session's MCP client."""

    def __init__(self) -> None:
        self.client: Client
        self.announced = 0
        self.news = asyncio.Condition()

    async def heard(self, message: Any) -> None:
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            await self.told()

    async def told(self) -> None:
        async with self.news:
            self.announced += 1
            self.news.notify_all()


class Agent:
    """Keeps its MCP clients open for as long as it runs."""

    def __init__(self, mode: str, *, http: bool) -> None:
        self._mode = mode
        self._http = http
        self._sessions: dict[str, Listening] = {}
        self._stack = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []

    def on_connect(self, conn: Any) -> None:
        """Has no use for the way back."""

    async def initialize(self, **_: Any) -> InitializeResponse:
        mcp = McpCapabilities(http=self._http)
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=AgentCapabilities(mcp_capabilities=mcp),
        )

    async def new_session(self, mcp_servers: Any = None, **_: Any) -> NewSessionResponse:
        session = f"session-{len(self._sessions) + 1}"
        listening = self._sessions[session] = Listening()
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks.append(asyncio.create_task(self._follow(mcp_servers[0], listening, ready)))
        await ready
        return NewSessionResponse(session_id=session)

    async def _follow(self, server: Any, listening: Listening, ready: asyncio.Future[None]) -> None:
        # The SDK's client is entered and left in one task.
        try:
            async with AsyncExitStack() as stack:
                target = await self._target(server, stack)
                heard = listening.heard if self._mode == "legacy" else None
                client = Client(target, mode=self._mode, message_handler=heard, cache=None)
                listening.client = await stack.enter_async_context(client)
                if self._mode == "legacy":
                    ready.set_result(None)
                    await asyncio.Event().wait()
                listen = listening.client.listen(tools_list_changed=True)
                events = await stack.enter_async_context(listen)
                ready.set_result(None)
                async for _ in events:
                    await listening.told()
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)

    async def _target(self, server: Any, stack: AsyncExitStack) -> Any:
        if isinstance(server, HttpMcpServer):
            headers = {each.name: each.value for each in server.headers}
            web = await stack.enter_async_context(httpx2.AsyncClient(headers=headers))
            return streamable_http_client(server.url, http_client=web)
        assert isinstance(server, McpServerStdio)
        env = {each.name: each.value for each in server.env}
        return StdioServerParameters(
            command=server.command, args=server.args, env={**os.environ, **env}
        )

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        listening = self._sessions[params["session"]]
        if method == "wait":
            async with listening.news, asyncio.timeout(10):
                await listening.news.wait_for(lambda: listening.announced >= params["announced"])
        if method == "call":
            result = await listening.client.call_tool(params["name"], params["arguments"])
            text = getattr(result.content[0], "text", None)
            return {"text": text, "isError": bool(result.is_error)}
        listed = await listening.client.list_tools()
        return {"tools": [each.name for each in listed.tools], "announced": listening.announced}


if __name__ == "__main__":
    asyncio.run(
        run_agent(Agent(os.environ["AGENT_MODE"], http="AGENT_HTTP" in os.environ))  # type: ignore[arg-type]  # it has what is asked of it
    )
