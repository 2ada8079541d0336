"""The HTTP end of an MCP server: who may come in, streams that open late, a clean end."""

from __future__ import annotations

import asyncio
import errno
import hmac
import ipaddress
import logging
import math
import re
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import anyio
import uvicorn
from mcp.server.lowlevel.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INTERNAL_ERROR
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolsync.errors import SourceError
from toolsync.live.timing import Tasks
from toolsync.safe import safe_text

log: Final = logging.getLogger("toolsync.bridge.mcp")

PATH: Final = "/mcp"
MAX_BODY: Final = 4 << 20
"""How many bytes a request may have."""

GRACE: Final = 5.0
"""For how many seconds requests in flight may go on when the server is told to stop."""

_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SESSION: Final = "mcp-session-id"
_STOPPING: Final = {
    "jsonrpc": "2.0", "id": None,
    "error": {"code": INTERNAL_ERROR, "message": "the server is stopping"},
}  # fmt: skip


class Streams(Protocol):
    """What the HTTP end tells the server about streams, and asks of it at the end."""

    async def stream_opened(self, session: str) -> None:
        """A GET stream is open."""

    def stream_closed(self, session: str) -> None:
        """It is gone."""

    def end_streams(self) -> None:
        """No stream shall stay open."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """What the server holds is let go of when this ends."""
        ...


def http_app(  # noqa: PLR0913  what `McpServer.app` takes, and whom it is for
    streams: Streams,
    server: Server[Any],
    *,
    token: str | None,
    hosts: Sequence[str],
    origins: Sequence[str],
    idle: float,
) -> HttpApp:
    """Makes the ASGI application of a server; see `McpServer.app`."""
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY,
        session_idle_timeout=idle,
        # The guard in front looks at both headers already, and at every path.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return HttpApp(inner, streams, Guard(token, hosts, origins))


class Guard:
    """Tells which requests may come in: by host, by origin, by token."""

    def __init__(self, token: str | None, hosts: Sequence[str], origins: Sequence[str]) -> None:
        if token is not None and not re.fullmatch("[!-~]+", token):
            raise ValueError("token: expected printable ASCII characters without spaces")
        self._token = None if token is None else token.encode()
        self._hosts = _LOCAL | {_bare(host) for host in hosts}
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    def refusal(self, scope: Scope) -> PlainTextResponse | None:
        """Gives the answer to a request that may not come in; None for one that may."""
        headers = Headers(scope=scope)
        if not self._is_ours(headers.getlist("host")):
            return PlainTextResponse("Host not allowed\n", 421)
        if not self._may_call(headers.getlist("origin")):
            return PlainTextResponse("Origin not allowed\n", 403)
        if not self._is_known(headers.getlist("authorization")):
            return PlainTextResponse(
                "Bearer token required\n", 401, {"www-authenticate": 'Bearer realm="mcp"'}
            )
        return None

    def _is_ours(self, hosts: list[str]) -> bool:
        # A page that had its own name point at this machine still sends that name.
        return len(hosts) == 1 and _bare(hosts[0]) in self._hosts

    def _may_call(self, origins: list[str]) -> bool:
        if not origins:
            return True
        if len(origins) > 1:
            return False
        origin = origins[0].lower()
        if origin in self._origins:
            return True
        scheme, _, rest = origin.partition("://")
        return scheme in ("http", "https") and "/" not in rest and _bare(rest) in self._hosts

    def _is_known(self, given: list[str]) -> bool:
        if self._token is None:
            return True
        if len(given) != 1:
            return False
        scheme, _, token = given[0].partition(" ")
        # Compared in full whatever it is, so that time tells nothing of the token.
        equal = hmac.compare_digest(token.strip().encode(), self._token)
        return equal and scheme.lower() == "bearer"


def _bare(host: str) -> str:
    """Gives the name of a `Host` header without its port; nothing for one that is none."""
    if any(char in host for char in "@/\\ "):
        return ""
    try:
        return (urlsplit("//" + host.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""


class HttpApp:
    """The ASGI application of an MCP server at `/mcp`, with its guard in front."""

    def __init__(self, inner: Starlette, streams: Streams, guard: Guard) -> None:
        self._inner: ASGIApp = inner
        self._streams = streams
        self._guard = guard
        self._tasks = Tasks()
        self._open: set[anyio.CancelScope] = set()
        self._busy: set[anyio.CancelScope] = set()
        self._ending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request; see the ASGI specification."""
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._streams.running():
            try:
                await self._inner(scope, receive, send)
            finally:
                await self._tasks.aclose()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._guard.refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        session = Headers(scope=scope).get(_SESSION)
        if scope["method"] != "GET" or session is None:
            await self._through(self._busy, scope, receive, _Seen(send))
        elif self._ending:
            await PlainTextResponse("The server is stopping\n", 503)(scope, receive, send)
        else:
            await self._stream(session, scope, receive, send)

    async def _stream(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a GET stream through; tells the server when it opens and when it is gone."""
        seen = _Seen(send, lambda: self._tasks.start(self._streams.stream_opened, session))
        try:
            await self._through(self._open, scope, receive, seen)
        finally:
            if seen.status == 200:
                self._streams.stream_closed(session)

    async def _through(
        self, running: set[anyio.CancelScope], scope: Scope, receive: Receive, seen: _Seen
    ) -> None:
        """Answers a request; one that the end cuts short is ended as the protocol demands."""
        with anyio.CancelScope() as ending:
            running.add(ending)
            try:
                await self._inner(scope, receive, seen)
            finally:
                running.discard(ending)
        if ending.cancelled_caught and seen.status is None:
            await JSONResponse(_STOPPING, 503)(scope, receive, seen)
        elif ending.cancelled_caught and not seen.is_finished:
            await seen({"type": "http.response.body", "body": b"", "more_body": False})

    def end_streams(self) -> None:
        """Ends every open stream, and opens no other."""
        self._ending = True
        self._streams.end_streams()
        for scope in tuple(self._open):
            scope.cancel()

    def end_requests(self) -> None:
        """Ends the requests that are still being answered."""
        for scope in tuple(self._busy):
            scope.cancel()


class _Seen:
    """Watches what a request is answered with; `opened` is called once an answer has begun."""

    def __init__(self, send: Send, opened: Callable[[], object] | None = None) -> None:
        self._send = send
        self._opened = opened
        self.status: int | None = None
        self.is_finished = False

    async def __call__(self, message: Message) -> None:
        await self._send(message)
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self._opened is not None and self.status == 200:
                self._opened()
        else:
            self.is_finished = not message.get("more_body", False)


class _Uvicorn(uvicorn.Server):
    """A uvicorn that says when it is ready, and leaves signals to whoever runs it."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_http(
    app: HttpApp,
    host: str,
    port: int,
    *,
    on_ready: Callable[[str], None] | None = None,
    grace: float = GRACE,
) -> None:
    """Serves an application until it is cancelled, then ends it in order.

    `on_ready` is given the address, with the port that was chosen where `port` is 0.
    Raises SourceError where the address cannot be had.
    """
    bound = bind(host, port)
    address = address_of(bound)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="on", ws="none",
        timeout_graceful_shutdown=math.ceil(grace) + 2, server_header=False,
    )  # fmt: skip
    server = _Uvicorn(config, lambda: on_ready(address) if on_ready is not None else None)
    serving = asyncio.get_running_loop().create_task(server.serve([bound]))
    try:
        await asyncio.shield(serving)
    finally:
        app.end_streams()
        server.should_exit = True
        with anyio.CancelScope(shield=True):
            await asyncio.wait({serving}, timeout=grace)
            app.end_requests()
            await asyncio.wait({serving})
        bound.close()
        if not serving.cancelled():
            serving.exception()  # seen, where this was cancelled


def bind(host: str, port: int) -> socket.socket:
    """Opens the socket to listen on. Raises SourceError, one line, where that cannot be."""
    place = safe_text(f"{host}:{port}")
    if not 0 <= port <= 65_535:
        raise SourceError(f"cannot listen on {place}: expected a port from 0 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
    except (OSError, OverflowError, UnicodeError) as error:
        raise SourceError(f"cannot listen on {place}: {_reason(error)}") from None
    try:
        if sys.platform != "win32":  # where it would let two listen on one port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(256)
    except (OSError, OverflowError) as error:
        bound.close()
        raise SourceError(f"cannot listen on {place}: {_reason(error)}") from None
    bound.setblocking(False)  # noqa: FBT003  the standard library's
    return bound


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return "the port is in use; choose another one, or 0 for any that is free"
    if isinstance(error, OSError) and error.errno == errno.EACCES:
        return "not allowed; ports below 1024 are the system's"
    return safe_text(getattr(error, "strerror", None) or str(error))


def address_of(bound: socket.socket) -> str:
    """Gives the address that clients are configured with."""
    host, port = bound.getsockname()[:2]
    if isinstance(ipaddress.ip_address(host), ipaddress.IPv6Address):
        host = f"[{host}]"
    return f"http://{host}:{port}{PATH}"
