"""Streamable HTTP as the streams of one MCP connection, kept from growing or hanging.

The SDK speaks the protocol. What stands between it and the network here bounds
answers, turns a server that cannot be reached into an answer (the SDK would end the
whole connection), and keeps the GET stream of the handshake era: the SDK opens it
whether the server announces anything or not, and gives it up silently.
"""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._stream_protocols import ReadStream
from mcp.shared.message import SessionMessage
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR

from toolsync.bridge.mcp.child import message_of
from toolsync.bridge.mcp.ear import Ear
from toolsync.bridge.mcp.errors import UNREACHED
from toolsync.bridge.mcp.target import Http, Stdio, Target
from toolsync.safe import safe_text

FORGOTTEN: Final = "the server does not know the session any more (HTTP 404)"

# A stream may be silent for hours: whether the other side is still there, the system asks.
_ALIVE: Final = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)] + [
    (socket.IPPROTO_TCP, getattr(socket, name), value)
    for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
    if hasattr(socket, name)
]

_CONNECT: Final = 10.0
_LOOK: Final = 3.0
_LOOK_BYTES: Final = 1 << 16
_FIRST_PAUSE: Final = 0.25
_LAST_PAUSE: Final = 30.0
_BUSY: Final = (408, 409, 425, 429)  # 409: the server has not noticed yet that the last one went
_OURS: Final = "x-toolsync-stream"
_SESSION: Final = "mcp-session-id"
_VERSION: Final = "mcp-protocol-version"


class Network(httpx2.AsyncBaseTransport):
    """The network as the SDK sees it; remembers what the GET stream has to send along."""

    def __init__(
        self, url: str, max_bytes: int, forgotten: Callable[[], None] = lambda: None
    ) -> None:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
        self._wire = httpx2.AsyncHTTPTransport(
            limits=limits, proxy=_proxy_for(url), socket_options=_ALIVE
        )
        self._max_bytes = max_bytes
        self._forgotten = forgotten
        self.session_headers: dict[str, str] = {}
        self.refused: int | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Sends a request; see httpx."""
        ours = request.headers.pop(_OURS, None)
        if request.method == "GET" and ours is None:
            return httpx2.Response(405, request=request)  # the SDK's own; ours is `keep_stream`
        try:
            response = await self._wire.handle_async_request(request)
        except httpx2.TransportError as error:
            return _unreachable(request, error)
        self._note(request, response)
        if response.status_code >= 400 and request.method == "POST" and not _is_json(response):
            await response.aclose()
            return _answered(request, f"HTTP {response.status_code}", INTERNAL_ERROR)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            return _answered(request, "the answer is compressed, which was not asked for")
        if not _is_stream(response):
            assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101  it is async
            response.stream = _Bounded(response.stream, self._max_bytes)
        return response

    def _note(self, request: httpx2.Request, response: httpx2.Response) -> None:
        if request.method != "POST":
            return
        if response.status_code >= 400 and not _is_json(response):
            self.refused = response.status_code
        if response.status_code == 404 and _SESSION in request.headers:
            self._forgotten()
        for source, name in ((request.headers, _VERSION), (response.headers, _SESSION)):
            if name in source:
                self.session_headers[name] = source[name]

    async def aclose(self) -> None:
        """Closes what is open; see httpx."""
        await self._wire.aclose()


def _proxy_for(url: str) -> str | None:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "127.0.0.1", "::1") or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)


def _is_stream(response: httpx2.Response) -> bool:
    return _kind(response) == "text/event-stream"


def _is_json(response: httpx2.Response) -> bool:
    return _kind(response) == "application/json"


def _kind(response: httpx2.Response) -> str:
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower()


class _Bounded(httpx2.AsyncByteStream):
    """Bytes of an answer, up to a limit; what goes wrong is that one request's failure."""

    def __init__(self, stream: httpx2.AsyncByteStream, limit: int) -> None:
        self._stream = stream
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        try:
            async for chunk in self._stream:
                left -= len(chunk)
                if left < 0:
                    raise httpx2.StreamError(f"an answer of over {self._limit} bytes (max_message)")
                yield chunk
        except httpx2.TransportError as error:  # this one the SDK takes for the end of everything
            raise httpx2.StreamError(f"the answer broke off: {_words(error)}") from error

    async def aclose(self) -> None:
        await self._stream.aclose()


def _unreachable(request: httpx2.Request, error: httpx2.TransportError) -> httpx2.Response:
    place = request.url.copy_with(userinfo=b"", query=None, fragment=None)
    return _answered(request, f"cannot reach {place}: {_words(error)}")


def _words(error: Exception) -> str:
    return safe_text(str(error) or type(error).__name__)


def _answered(
    request: httpx2.Request, reason: str, code: int = CONNECTION_CLOSED
) -> httpx2.Response:
    said: dict[str, int | str] = {"code": code, "message": reason}
    if code == CONNECTION_CLOSED:  # a code that servers answer with, too
        said["data"] = UNREACHED
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": said})
    return httpx2.Response(
        502, request=request, content=body, headers={"content-type": "application/json"}
    )


class Web:
    """One connection to an address: the SDK's streams, and the GET stream beside them."""

    def __init__(self, target: Http, ear: Ear, max_bytes: int) -> None:
        self._target = target
        self._ear = ear
        self._max_bytes = max_bytes
        self._to_sdk: MemoryObjectSendStream[SessionMessage | Exception] | None = None
        self._client: httpx2.AsyncClient | None = None
        self.network = Network(target.url, max_bytes, lambda: ear.ended(FORGOTTEN))

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[TransportStreams]:
        """Gives the streams that the SDK talks to the server through."""
        headers = {**self._target.headers, "accept-encoding": "identity"}
        timeout = httpx2.Timeout(_CONNECT, read=None)
        self._to_sdk, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        async with (
            httpx2.AsyncClient(transport=self.network, headers=headers, timeout=timeout) as client,
            streamable_http_client(
                self._target.url, http_client=client, max_sse_event_size=self._max_bytes
            ) as (heard, write),
            anyio.create_task_group() as tasks,
        ):
            self._client = client
            tasks.start_soon(self._relay, heard)
            try:
                yield read, write
            finally:
                self._client = None
                self._to_sdk.close()
                read.close()
                tasks.cancel_scope.cancel()

    async def _relay(self, heard: ReadStream[SessionMessage | Exception]) -> None:
        async for each in heard:
            if isinstance(each, Exception) or not self._ear.hears(each.message):
                await self._pass(each)

    async def _pass(self, message: SessionMessage | Exception) -> None:
        if self._to_sdk is not None:
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                await self._to_sdk.send(message)

    async def keep_stream(
        self, opened: Callable[[], None], lost: Callable[[str], None]
    ) -> str:
        """Keeps the GET stream of the handshake era open; gives the reason where it cannot."""
        pause = _FIRST_PAUSE
        while True:
            try:
                async with self._stream() as events:
                    opened()
                    pause = _FIRST_PAUSE
                    async for event in events:
                        await self._hear(event)
                reason = "the server ended the stream"
            except httpx2.HTTPStatusError as error:
                status = error.response.status_code
                if status == 404:
                    self._ear.ended(FORGOTTEN)
                    return f"HTTP {status}"
                if status < 500 and status not in _BUSY:
                    return f"HTTP {status}"
                reason = f"HTTP {status}"
            except httpx2.HTTPError as error:
                reason = _words(error)
            lost(reason)
            await anyio.sleep(pause)
            pause = min(pause * 2, _LAST_PAUSE)

    @asynccontextmanager
    async def _stream(self) -> AsyncIterator[httpx2.EventSource]:
        assert self._client is not None  # noqa: S101  streams are kept while connected
        headers = {**self.network.session_headers, "accept": "text/event-stream", _OURS: "1"}
        async with self._client.stream("GET", self._target.url, headers=headers) as response:
            response.raise_for_status()
            yield httpx2.EventSource(response, max_event_size=self._max_bytes)

    async def _hear(self, event: httpx2.ServerSentEvent) -> None:
        message = message_of(event.data.encode()) if event.data else None
        if message is not None and not self._ear.hears(message):
            await self._pass(SessionMessage(message))


async def is_old_sse(target: Target) -> bool:
    """Tells whether an address speaks the old HTTP+SSE transport, by its first event."""
    if isinstance(target, Stdio):
        return False
    headers = {**target.headers, "accept": "text/event-stream", _OURS: "1"}
    with anyio.move_on_after(_LOOK):
        try:
            async with (
                httpx2.AsyncClient(transport=Network(target.url, _LOOK_BYTES)) as client,
                client.stream("GET", target.url, headers=headers) as response,
            ):
                async for event in httpx2.EventSource(response, max_event_size=_LOOK_BYTES):
                    return event.event == "endpoint"
        except (httpx2.HTTPError, httpx2.InvalidURL):
            return False
    return False
