"""A hub as an MCP server: stdio and streamable HTTP, both eras of the protocol in one."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final
from uuid import uuid4

import anyio
import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.subscriptions import (
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
)
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from mcp_types import methods as wire_methods

from toolsync.bridge.mcp._compat import AnnouncingServer, connection_of
from toolsync.bridge.mcp.errors import RemoteError
from toolsync.bridge.mcp.features import Features, framed, passed_methods, plain_params
from toolsync.bridge.mcp.http import HttpApp, http_app
from toolsync.bridge.mcp.peers import (
    ConnectedPeer,
    ModernPeers,
    Peer,
    Select,
    SelectFor,
    client_name,
)
from toolsync.bridge.mcp.progress import Report, reports_to
from toolsync.bridge.mcp.results import failure_of, result_of
from toolsync.bridge.mcp.stdio import stdio_streams
from toolsync.bridge.mcp.wire import CursorError, Era, ToolPages, era_of
from toolsync.catalog import Catalog
from toolsync.errors import ToolsyncError
from toolsync.live.errors import ToolChanged, UnknownTool
from toolsync.live.hub import Hub
from toolsync.live.session import Session
from toolsync.live.timing import Clock, Tasks

log: Final = logging.getLogger("toolsync.bridge.mcp")

_Context = ServerRequestContext[Any, Any]
_Answer = Callable[[_Context], Awaitable[dict[str, Any]]]
_PEER: Final = "toolsync.peer"

MAX_STREAMS: Final = 10_000
"""How many subscriptions may be open; as many as the SDK lets sessions be."""


class McpServer:
    """Serves the tools of a hub's sessions to MCP clients, and tells each client of its changes.

    `select` decides which tools this endpoint offers; `select_for` may decide it for
    each client of the handshake era. `ttl`: for how many seconds a client of 2026-07-28
    may keep a list unasked, so how long a change of mere looks may stay unseen.
    `features` are handed through beside the tools.
    """

    def __init__(  # noqa: PLR0913  each is told in the sentence above, and has a default
        self,
        hub: Hub,
        *,
        name: str,
        version: str = "",
        instructions: str | None = None,
        ttl: float = 2.0,
        page_size: int = 1000,
        select: Select | None = None,
        select_for: SelectFor | None = None,
        features: Features | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        if not 0 <= ttl <= 86_400:
            raise ValueError(f"ttl: expected 0 to 86400 seconds, got {ttl}")
        self._hub, self._select, self._select_for = hub, select, select_for
        self._ttl_ms = int(ttl * 1000)
        self._features = features
        self._modern = ModernPeers(f"modern-{uuid4().hex}", clock)
        self._connected: dict[str, ConnectedPeer] = {}
        self._pages = ToolPages(page_size, self._frame, log.warning)
        self._listen = ListenHandler(self._modern.bus, max_subscriptions=MAX_STREAMS)
        self._tasks = Tasks()
        self._answers: dict[str, _Answer] = {"tools/list": self._list, "tools/call": self._call}
        self._server = self._made(name, version, instructions)
        self._unsubscribe = self._pass_features()

    def _made(self, name: str, version: str, instructions: str | None) -> AnnouncingServer:
        server = AnnouncingServer(
            name,
            version=version,
            instructions=instructions,
            get_tool_input_schema=self._input_schema,
            on_subscriptions_listen=self._listening,
        )
        server.middleware.append(self._answered)
        server.add_request_handler("tools/list", types.PaginatedRequestParams, self._late)
        server.add_request_handler("tools/call", types.CallToolRequestParams, self._late)
        return server

    def _pass_features(self) -> Callable[[], None]:
        if self._features is None:
            return lambda: None
        for method, params in passed_methods(self._features).items():
            self._answers[method] = self._passed
            self._server.add_request_handler(method, params, self._late)
        changing = {
            name: bool((self._features.capabilities.get(name) or {}).get("listChanged"))
            for name in ("prompts", "resources")
        }
        self._server.changing = NotificationOptions(
            changing["prompts"], changing["resources"], tools_changed=True
        )
        return self._features.on_notification(self._feature_notified)

    def _frame(self, era: Era) -> dict[str, Any]:
        if era == "handshake":
            return {}
        stamp = {types.SERVER_INFO_META_KEY: self._server.server_info_stamp}
        return {"resultType": "complete", "ttlMs": self._ttl_ms, "cacheScope": "private",
                "_meta": stamp}  # fmt: skip

    # Requests: answered before the SDK's own shaping, which would drop what it does not know.

    async def _answered(self, ctx: _Context, call_next: CallNext) -> HandlerResult:
        answer = self._answers.get(ctx.method)
        if answer is None:
            return await self._watched(ctx, call_next)
        try:
            wire_methods.validate_client_request(ctx.method, ctx.protocol_version, ctx.params)
        except KeyError:
            return await call_next(ctx)
        if not connection_of(ctx).initialize_accepted:
            return await call_next(ctx)
        return await answer(ctx)

    async def _watched(self, ctx: _Context, call_next: CallNext) -> HandlerResult:
        """Lets the SDK answer, and takes note of how a connection begins."""
        result = await call_next(ctx)
        if ctx.method == "initialize":
            await self._session(ctx)
        elif ctx.method == "notifications/initialized":
            await self._session(ctx)
            await self._peer(ctx).opened()
        return result

    async def _late(self, ctx: _Context, _: Any) -> dict[str, Any]:
        """Answers where the middleware has let a request pass."""
        return await self._answers[ctx.method](ctx)

    async def _session(self, ctx: _Context) -> Session:
        if era_of(ctx.protocol_version) == "modern":
            return await self._modern.attached(self._hub, self._select)
        peer = self._peer(ctx)
        return peer.session or await peer.attached(self._hub, self._selection(ctx, peer))

    def _selection(self, ctx: _Context, peer: ConnectedPeer) -> Select | None:
        if self._select_for is None:
            return self._select
        headers = ctx.request.headers if ctx.request is not None else {}
        return self._select_for(Peer(peer.id, client_name(ctx.params), headers))

    def _peer(self, ctx: _Context) -> ConnectedPeer:
        connection = connection_of(ctx)
        peer: ConnectedPeer | None = connection.state.get(_PEER)
        if peer is None:
            over_http = connection.session_id is not None
            name = connection.session_id or f"stdio-{uuid4().hex}"
            peer = connection.state[_PEER] = ConnectedPeer(connection, name, streams=over_http)
            self._connected[name] = peer
            connection.exit_stack.push_async_callback(self._disconnected, peer)
        return peer

    async def _disconnected(self, peer: ConnectedPeer) -> None:
        self._connected.pop(peer.id, None)
        await peer.detach(self._hub)

    async def _list(self, ctx: _Context) -> dict[str, Any]:
        session = await self._session(ctx)
        catalog = session.catalog
        try:
            page = self._pages.page(
                catalog, ctx.protocol_version, (ctx.params or {}).get("cursor")
            )
        except CursorError as error:
            raise MCPError(INVALID_PARAMS, f"cursor: {error}") from None
        if page.last:
            self._listed(ctx, catalog)
        return page.result

    def _listed(self, ctx: _Context, catalog: Catalog) -> None:
        if era_of(ctx.protocol_version) == "modern":
            self._modern.listed(catalog)
        else:
            self._peer(ctx).listed(catalog)

    async def _call(self, ctx: _Context) -> dict[str, Any]:
        session = await self._session(ctx)
        params = ctx.params or {}
        name, modern = params["name"], era_of(ctx.protocol_version) == "modern"
        if modern:
            self._modern.calling()
        try:
            with reports_to(_progress_of(ctx)):
                value = await session.call(name, params.get("arguments") or {})
            return result_of(value, modern=modern)
        except UnknownTool as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None
        except ToolChanged as error:
            data = {"tool": name, "revision": error.revision}
            raise MCPError(INVALID_PARAMS, str(error), data) from None
        except RemoteError as error:
            raise MCPError(error.code, error.text, error.data) from None
        except Exception as error:  # a tool may raise anything; the session goes on
            log.debug("tool %s failed", name, exc_info=error)
            return failure_of(name, error, modern=modern)

    async def _passed(self, ctx: _Context) -> dict[str, Any]:
        assert self._features is not None  # noqa: S101  only then are these methods answered
        try:
            result = await self._features.request(ctx.method, plain_params(ctx.params))
        except RemoteError as error:
            raise MCPError(error.code, error.text, error.data) from None
        except ToolsyncError as error:  # the server behind is gone
            raise MCPError(INTERNAL_ERROR, str(error)) from None
        return framed(ctx.method, result, modern=era_of(ctx.protocol_version) == "modern")

    def _feature_notified(self, method: str, _: Mapping[str, Any] | None) -> None:
        self._tasks.start(self._told_of, method)

    async def _told_of(self, method: str) -> None:
        about_prompts = method == "notifications/prompts/list_changed"
        event = PromptsListChanged() if about_prompts else ResourcesListChanged()
        await self._modern.bus.publish(event)
        for peer in tuple(self._connected.values()):
            self._tasks.start(peer.tell, method)

    async def _listening(
        self, ctx: _Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        if not params.notifications.tools_list_changed:
            return await self._listen(ctx, params)
        await self._session(ctx)
        self._modern.listening()
        # Runs after the stream has subscribed, which it does before it first waits.
        self._tasks.start(self._modern.opened)
        try:
            return await self._listen(ctx, params)
        finally:
            self._modern.left()

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        session = self._modern.session
        if session is None or name not in session.catalog:
            return None
        schema: Mapping[str, Any] = session.catalog[name].definition["inputSchema"]
        return schema

    # Transports.

    async def run(
        self,
        read: ReadStream[SessionMessage | Exception],
        write: WriteStream[SessionMessage],
    ) -> None:
        """Serves one client over a pair of the SDK's streams until it leaves."""
        await self._server.run(read, write, self._server.create_initialization_options())

    async def serve_stdio(self) -> None:
        """Serves the client at standard input and output until it leaves.

        Meanwhile descriptor 1 points at standard error, so that no stray print can
        spoil the protocol.
        """
        try:
            async with stdio_streams() as (read, write):
                await self.run(read, write)
        finally:
            await self.aclose()

    def app(
        self,
        *,
        token: str | None = None,
        hosts: Sequence[str] = (),
        origins: Sequence[str] = (),
        idle: float = 1800.0,
    ) -> HttpApp:
        """Makes the ASGI application that answers at `/mcp`.

        `hosts` and `origins` are allowed beside those of this machine; `token` is asked
        for as a bearer token; a session of the handshake era that was not heard of for
        `idle` seconds ends.
        """
        return http_app(self, self._server, token=token, hosts=hosts, origins=origins, idle=idle)

    async def stream_opened(self, session: str) -> None:
        """Notes that a client of the handshake era opened its GET stream."""
        peer = self._connected.get(session)
        if peer is not None:
            await peer.stream_opened()

    def stream_closed(self, session: str) -> None:
        """Notes that such a stream went."""
        peer = self._connected.get(session)
        if peer is not None:
            peer.stream_closed()

    def end_streams(self) -> None:
        """Ends every stream of 2026-07-28 with its result: clients know that it was meant."""
        self._listen.close()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Lets go of everything when what runs inside ends."""
        try:
            yield
        finally:
            await self.aclose()

    async def aclose(self) -> None:
        """Takes what is left of this server from the hub."""
        with anyio.CancelScope(shield=True):
            self._unsubscribe()
            await self._tasks.aclose()
            for peer in tuple(self._connected.values()):
                await self._disconnected(peer)
            await self._modern.detach(self._hub)


def _progress_of(ctx: _Context) -> Report | None:
    """Gives where the progress of a call goes, if its caller asked for it."""
    meta = (ctx.params or {}).get("_meta")
    asked = isinstance(meta, Mapping) and meta.get("progressToken") is not None
    return ctx.session.report_progress if asked else None
