"""One connected MCP server: its catalogue, followed; its tools, called; the rest, asked for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

import anyio
import orjson
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, METHOD_NOT_FOUND
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolsync.bridge.mcp._compat import mirrored, raw_request, unanswered
from toolsync.bridge.mcp.ear import Ear, Listener
from toolsync.bridge.mcp.errors import UNREACHED, ConnectionLost, RemoteError
from toolsync.bridge.mcp.progress import reporting
from toolsync.live.remote import RemoteCatalog
from toolsync.safe import named, safe_text

log: Final = logging.getLogger("toolsync.bridge.mcp")

SHORTEST_TTL: Final = 1.0
"""For how many seconds a list may be kept at least, whatever the server says."""

SHORTEST_TTL_LISTENING: Final = 30.0
"""The same where the server announces its changes: then only those of looks go unsaid."""


class Upstream:
    """One connected MCP server: its catalogue, followed, and a way to call its tools."""

    def __init__(self, name: str, **limits: Any) -> None:
        self.name = name
        self.remote = RemoteCatalog(self._list_page, name=name, **limits)
        self.warnings: tuple[str, ...] = ()
        self.lost_reason: str | None = None
        self._session: ClientSession | None = None
        self._over_http = False
        self.listening = False
        self.ear = Ear(self.remote.mark_stale, self.ended)
        self._lost = anyio.Event()
        self._listed = anyio.Event()
        self._ttl: float | None = None

    def __repr__(self) -> str:
        state = "lost" if self._lost.is_set() else "connected"
        return f"<Upstream {safe_text(self.name)} {state}>"

    @property
    def instructions(self) -> str | None:
        """What the server says about itself to a model."""
        return self._connected().instructions

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """The capabilities that the server declared, as JSON."""
        found = self._connected().server_capabilities
        return {} if found is None else found.model_dump(by_alias=True, exclude_none=True)

    @property
    def server_name(self) -> str | None:
        """The name that the server gives itself."""
        info = self._connected().server_info
        return None if info is None else info.name

    @property
    def protocol_version(self) -> str | None:
        """The version of the protocol that was agreed on."""
        return self._connected().protocol_version

    async def call(self, name: str, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
        """Calls a tool; gives the result as it came, `isError` included.

        Raises:
            RemoteError: the server answered with an error of the protocol, or asks back.
            ConnectionLost: the server went away; the call may have been carried out.
        """
        params = {"name": name, "arguments": dict(arguments or {})}
        result = await self._asked("tools/call", params)
        kind = result.get("resultType", "complete")
        if kind == "complete":
            return result
        # Nobody here can answer: this client declares that it takes no questions.
        where = f"server {named(self.name)}: tools/call"
        text = f"{named(name)} wants more than its arguments ({safe_text(str(kind))})"
        raise RemoteError(where, INTERNAL_ERROR, text)

    async def request(self, method: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
        """Sends any request of the protocol; gives the result as it came. Raises as `call`."""
        return await self._asked(method, params)

    def on_notification(self, listener: Listener) -> Callable[[], None]:
        """Calls the listener with announcements that are not about tools."""
        return self.ear.subscribe(listener)

    async def wait_lost(self) -> str:
        """Waits until the connection is lost for good; gives the reason."""
        await self._lost.wait()
        return self.lost_reason or ""

    def joined(self, session: ClientSession | None, *, over_http: bool) -> None:
        """Takes the session that the handshake made; None when it ends."""
        self._session, self._over_http = session, over_http

    def _connected(self) -> ClientSession:
        if self._session is None:
            reason = self.lost_reason or "not connected"
            raise ConnectionLost(f"server {named(self.name)}: {reason}")
        return self._session

    async def _asked(self, method: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
        return await self._answer(f"server {named(self.name)}: {method}", method, params)

    async def _answer(
        self, where: str, method: str, params: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        if self._session is None:
            raise ConnectionLost(f"{where}: {self.lost_reason or 'not connected'}")
        try:
            return await raw_request(self._session, method, params, reporting())
        except MCPError as error:
            if not self._is_lost(error):
                raise RemoteError(where, error.code, error.message, error.data) from None
            reason = self.lost_reason or safe_text(error.message)
            raise ConnectionLost(f"{where}: {reason}") from None

    def _is_lost(self, error: MCPError) -> bool:
        if error.code != CONNECTION_CLOSED:
            return False
        return self.lost_reason is not None or error.data == UNREACHED or unanswered(error)

    # The list.

    async def _list_page(self, cursor: str | None) -> dict[str, Any]:
        params = None if cursor is None else {"cursor": cursor}
        try:
            # The catalogue that asks names the server itself.
            page = await self._answer("tools/list", "tools/list", params)
        except RemoteError as error:
            if error.code != METHOD_NOT_FOUND or "tools" in self.capabilities:
                raise
            return {"tools": []}  # it never said that it has any
        if self.is_modern:
            self._note_ttl(page)
            if self._over_http:
                page = self._usable(page)
        return page

    @property
    def is_modern(self) -> bool:
        """Tells whether the connection speaks 2026-07-28 or later."""
        return self._session is not None and (
            self._session.protocol_version in MODERN_PROTOCOL_VERSIONS
        )

    def _note_ttl(self, page: Mapping[str, Any]) -> None:
        """Notes for how long the list may be kept unasked, once its last page is here."""
        if page.get("nextCursor") is not None:
            return
        told = page.get("ttlMs")
        known = isinstance(told, (int, float)) and not isinstance(told, bool)
        ttl = max(float(told), 0.0) / 1000 if known else 0.0  # type: ignore[arg-type]
        # A server that announces its changes keeps only changes of looks to itself.
        self._ttl = max(ttl, SHORTEST_TTL_LISTENING if self.listening else SHORTEST_TTL)
        self._listed.set()

    async def expire(self) -> None:
        """Marks the list stale when its time is up."""
        while True:
            await self._listed.wait()
            self._listed = anyio.Event()
            while self._ttl is not None:
                ttl, self._ttl = self._ttl, None
                await anyio.sleep(ttl)
            self.remote.mark_stale()

    def _usable(self, page: dict[str, Any]) -> dict[str, Any]:
        """Leaves out tools whose header marks are wrong: 2026-07-28 forbids to offer them."""
        tools = page.get("tools")
        if not isinstance(tools, list) or self._session is None or not _marks_headers(tools):
            return page
        refused = mirrored(self._session, [tool for tool in tools if isinstance(tool, dict)])
        if not refused:
            return page
        server = named(self.name)
        self.warnings = tuple(
            f"server {server}: tool {named(tool)} left out: x-mcp-header: {safe_text(why)}"
            for tool, why in refused.items()
        )
        for warning in self.warnings:
            log.warning(warning)
        kept = [t for t in tools if not (isinstance(t, dict) and t.get("name") in refused)]
        return {**page, "tools": kept}

    def ended(self, reason: str) -> None:
        """Notes that the connection is lost for good."""
        if not self._lost.is_set():
            self.lost_reason = reason
            self._lost.set()
            self.remote.lost(reason)


def _marks_headers(tools: list[Any]) -> bool:
    """Tells cheaply whether any tool speaks of headers: hardly any does."""
    try:
        return b'"x-mcp-header"' in orjson.dumps(tools)
    except TypeError:  # numbers or nesting beyond orjson
        return True
