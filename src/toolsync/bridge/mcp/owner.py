"""The one task that owns a connection to an MCP server, from the handshake to its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Literal

import anyio
from mcp.client.client import Client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, METHOD_NOT_FOUND, Implementation

import toolsync
from toolsync.bridge.mcp.child import GRACE, Reading, child_streams
from toolsync.bridge.mcp.errors import ConnectionFailed
from toolsync.bridge.mcp.target import Stdio, Target
from toolsync.bridge.mcp.upstream import Upstream
from toolsync.bridge.mcp.web import Web, is_old_sse
from toolsync.safe import named, safe_text

log: Final = logging.getLogger("toolsync.bridge.mcp")

Mode = Literal["auto", "legacy", "2026-07-28"]
"""How the era is chosen: by asking the server, or fixed."""

SUBSCRIBE: Final = 2.0
"""For how many seconds a connection waits for its stream of announcements before it is used."""

_FIRST_PAUSE: Final = 0.25
_LAST_PAUSE: Final = 30.0


class Owner:
    """Enters and leaves the SDK's client in one task, as it demands, and keeps it listening."""

    def __init__(
        self,
        upstream: Upstream,
        target: Target,
        mode: Mode,
        say: Callable[[str], None],
        max_message: int,
    ) -> None:
        self._upstream = upstream
        self._max_message = max_message
        self._target = target
        self._mode: Mode = mode
        self._say = say
        self._shaken = anyio.Event()
        self._ready = anyio.Event()
        self._leave = anyio.Event()
        self._web: Web | None = None
        self._reading = Reading()

    async def run(self) -> None:
        """Holds the connection until it is to be left, or lost."""
        try:
            await self._connected(self._streams())
        except Exception as error:  # whatever ends the SDK's tasks ends this connection
            if not self._shaken.is_set():
                raise
            self._upstream.ended(said(error, "the connection failed"))

    def _streams(self) -> AbstractAsyncContextManager[Any]:
        ear = self._upstream.ear
        if isinstance(self._target, Stdio):
            return child_streams(self._target, ear, self._say, self._reading, self._max_message)
        self._web = Web(self._target, ear, self._max_message)
        return self._web.streams()

    async def _connected(self, streams: AbstractAsyncContextManager[Any]) -> None:
        info = Implementation(name="toolsync", version=toolsync.__version__)
        async with Client(streams, mode=self._mode, cache=None, client_info=info) as client:
            self._upstream.joined(client.session, over_http=self._web is not None)
            self._shaken.set()
            try:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._subscribe, client)
                    if self._upstream.is_modern:
                        tasks.start_soon(self._upstream.expire)
                    tasks.start_soon(self._leave_when_lost)
                    await self._leave.wait()
                    tasks.cancel_scope.cancel()
            finally:
                self._upstream.joined(None, over_http=False)

    async def _leave_when_lost(self) -> None:
        await self._upstream.wait_lost()
        self._leave.set()

    # Beginning and end, as the one who asked for the connection sees them.

    async def reached(self, running: asyncio.Task[None], timeout: float) -> None:
        """Waits until the server can be used. Raises ConnectionFailed, one line, if it cannot."""
        server = f"server {named(self._upstream.name)}"
        try:
            if not await self._happened(self._shaken, running, timeout):
                raise ConnectionFailed(f"{server}: {await self._failure(running, timeout)}")
            await self._happened(self._ready, running, SUBSCRIBE)
        finally:
            self._ready.set()
        if self._upstream.lost_reason is not None:
            raise ConnectionFailed(f"{server}: {self._upstream.lost_reason}")

    async def _happened(
        self,
        event: anyio.Event,
        running: asyncio.Task[None],
        timeout: float,
    ) -> bool:
        waiting = asyncio.get_running_loop().create_task(event.wait())
        try:
            await asyncio.wait(
                {waiting, running}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            waiting.cancel()
        return event.is_set()

    async def _failure(self, running: asyncio.Task[None], timeout: float) -> str:
        if self._upstream.lost_reason is not None:
            return f"{self._upstream.lost_reason} before it had answered{self._reading.hint}"
        if not running.done():
            return f"no answer to the handshake within {timeout:g} seconds{self._reading.hint}"
        error = running.exception() if not running.cancelled() else None
        if self._web is not None and self._web.network.refused is not None:
            if await is_old_sse(self._target):
                return (
                    "speaks only the old HTTP+SSE transport, which is not supported; "
                    "ask for its streamable HTTP address"
                )
            return f"HTTP {self._web.network.refused}"
        return "the connection was ended" if error is None else said(error)

    async def left(self, running: asyncio.Task[None]) -> None:
        """Ends the connection, and whatever it started."""
        self._leave.set()
        if self._shaken.is_set():
            await asyncio.wait({running}, timeout=4 * GRACE)
        running.cancel()
        await asyncio.wait({running})
        if not running.cancelled():
            running.exception()  # seen
        await self._upstream.remote.aclose()

    # Announcements.

    async def _subscribe(self, client: Client) -> None:
        capabilities = self._upstream.capabilities
        changing = {
            name
            for name in ("tools", "prompts", "resources")
            if (capabilities.get(name) or {}).get("listChanged")
        }
        if not changing:
            self._ready.set()
        elif self._upstream.is_modern:
            await self._listen(client, changing)
        elif self._web is None:
            self._opened()
        else:
            await self._keep_stream(self._web)

    async def _listen(self, client: Client, changing: set[str]) -> None:
        """Keeps a subscription of 2026-07-28 open."""
        pause = _FIRST_PAUSE
        while True:
            try:
                async with client.listen(
                    tools_list_changed="tools" in changing,
                    prompts_list_changed="prompts" in changing,
                    resources_list_changed="resources" in changing,
                ) as subscription:
                    pause = _FIRST_PAUSE
                    self._opened()
                    async for _ in subscription:
                        pass  # the ear has heard it already
                reason = "the server ended the subscription"
            except MCPError as error:
                if error.code == METHOD_NOT_FOUND:
                    self._ready.set()
                    return
                reason = safe_text(error.message)
            except (SubscriptionLost, TimeoutError) as error:
                reason = safe_text(str(error))
            self._interrupted(reason)
            await anyio.sleep(pause)
            pause = min(pause * 2, _LAST_PAUSE)

    async def _keep_stream(self, web: Web) -> None:
        """Keeps the GET stream of the handshake era open."""
        refused = await web.keep_stream(self._opened, self._interrupted)
        server = named(self._upstream.name)
        log.info("server %s gives no stream of announcements: %s", server, refused)
        self._ready.set()

    def _opened(self) -> None:
        self._upstream.listening = True
        if self._ready.is_set():  # what was announced meanwhile has not been heard
            self._upstream.remote.mark_stale()
        self._ready.set()

    def _interrupted(self, reason: str) -> None:
        if self._upstream.listening:
            self._upstream.listening = False
            self._upstream.remote.lost(reason)
        self._ready.set()


def said(error: BaseException, what: str = "the handshake failed") -> str:
    """Says in one line what ended a connection: the first cause of a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ConnectionFailed):
        return str(error)
    if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
        return safe_text(error.message)
    text = safe_text(" ".join(str(error).split())[:500])
    if isinstance(error, MCPError):
        return f"{what}: error {error.code}: {text}"
    return f"{what}: {text or type(error).__name__}"
