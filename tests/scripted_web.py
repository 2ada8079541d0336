"""A scripted MCP server of the handshake era over HTTP, for what a well-behaved one never does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from toolsync.bridge.mcp.http import address_of, bind

TOOLS = "notifications/tools/list_changed"


class Web:
    """Answers POSTs as SSE or JSON, keeps GET streams open until told, counts both."""

    def __init__(self, **options: Any) -> None:
        self.list_changed = options.get("list_changed", True)
        self.tools: list[dict[str, Any]] | None = options.get("tools", [])
        self.with_notice = False
        self.session = "one"
        self.known = True
        self.breaks = False
        self.posts: list[dict[str, Any]] = []
        self.opened = 0
        self.url = ""
        self._streams: set[asyncio.Queue[dict[str, Any] | None]] = set()

    def app(self) -> Starlette:
        return Starlette(routes=[
            Route("/mcp", self._post, methods=["POST"]),
            Route("/mcp", self._get, methods=["GET"]),
            Route("/mcp", self._bye, methods=["DELETE"]),
            Route("/old", self._old, methods=["GET"]),
            Route("/bare", lambda _: Response("no", 404), methods=["GET", "POST"]),
        ])  # fmt: skip

    async def _bye(self, _: Request) -> Response:
        return Response(status_code=200)

    async def _post(self, request: Request) -> Response:
        message = json.loads(await request.body())
        self.posts.append(message)
        if not self.known and message["method"] not in ("initialize", "server/discover"):
            return Response("unknown session", 404)
        if "id" not in message:
            return Response(status_code=202)
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] == "initialize":
            answer["result"] = {
                "protocolVersion": "2025-06-18", "serverInfo": {"name": "web", "version": "0"},
                "capabilities": {} if self.tools is None else
                                {"tools": {"listChanged": self.list_changed}},
            }  # fmt: skip
        elif message["method"] == "tools/list" and self.tools is not None:
            answer["result"] = {"tools": self.tools}
        elif message["method"] == "tools/call":
            answer["result"] = {"content": [], "structuredContent": {"odd": 1 << 70}}
        else:
            answer["error"] = {"code": -32601, "message": "Method not found"}
        headers = {"mcp-session-id": self.session}
        if self.breaks:
            return StreamingResponse(_broken(), media_type="application/json", headers=headers)
        if not self.with_notice:
            return JSONResponse(answer, headers=headers)
        frames = [{"jsonrpc": "2.0", "method": TOOLS}, answer]
        text = "".join(_frame(each) for each in frames)
        return Response(text, media_type="text/event-stream", headers=headers)

    async def _get(self, request: Request) -> Response:
        assert request.headers["mcp-session-id"] == self.session
        self.opened += 1
        if not self.known:
            return Response("unknown session", 404)
        queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._streams.add(queue)

        async def frames() -> AsyncIterator[str]:
            yield ": open\n\n"
            try:
                while (message := await queue.get()) is not None:
                    yield _frame(message)
            finally:
                self._streams.discard(queue)

        return StreamingResponse(frames(), media_type="text/event-stream")

    async def _old(self, _: Request) -> Response:
        async def frames() -> AsyncIterator[str]:
            yield "event: endpoint\ndata: /messages?id=1\n\n"
            await asyncio.Event().wait()

        return StreamingResponse(frames(), media_type="text/event-stream")

    def say(self, message: dict[str, Any] | None) -> None:
        """Sends a message on every open stream; None ends them."""
        for queue in tuple(self._streams):
            queue.put_nowait(message)


async def _broken() -> AsyncIterator[str]:
    yield '{"jsonrpc":'
    raise ConnectionAbortedError


def _frame(message: dict[str, Any]) -> str:
    return f"event: message\ndata: {json.dumps(message)}\n\n"


@asynccontextmanager
async def web(port: int = 0, **options: Any) -> AsyncIterator[Web]:
    """Serves a scripted server on loopback."""
    made = Web(**options)
    bound = bind("127.0.0.1", port)
    made.url = address_of(bound)
    config = uvicorn.Config(
        made.app(), log_config=None, ws="none", lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server._serve([bound]))
    try:
        yield made
    finally:
        made.say(None)
        server.should_exit = True
        await asyncio.wait({serving})
