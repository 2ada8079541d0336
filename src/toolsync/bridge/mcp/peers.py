"""The MCP clients of one server as sessions of the hub: who is told how, and when.

A client of the handshake era is one connection, so it is one session. From 2026-07-28
on there are no connections and the set of tools may not vary between clients: all of
them together are one session, and the SDK's bus carries its one announcement to each
stream that asked for tools.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged

from toolsync.catalog import Catalog, Tool
from toolsync.changes import Changes
from toolsync.live.hub import Hub
from toolsync.live.session import Session
from toolsync.live.timing import Clock

Select = Callable[[Tool], bool]

FORGET: Final = 60.0
"""For how many seconds after a change calls of 2026-07-28 may stem from the list before it."""


@dataclass(frozen=True, slots=True)
class Peer:
    """What is known of a client of the handshake era when its selection is decided."""

    session: str
    client: str
    headers: Mapping[str, str] = field(default_factory=dict)


SelectFor = Callable[[Peer], Select | None]


class ConnectedPeer:
    """One connection of the handshake era: announces, or defers until its channel opens.

    Over HTTP the channel is the GET stream, which a client may open late, or lose.
    """

    announces = True

    def __init__(self, connection: Connection, name: str, *, streams: bool) -> None:
        self.id = name
        self._connection = connection
        self._needs_stream = streams
        self._stream = not streams
        self._lock = anyio.Lock()
        self._unlisted = self._repeated = False
        self.session: Session | None = None

    @property
    def live(self) -> bool:
        """Tells whether a notification would reach the client now."""
        return self._stream and self._connection.initialized.is_set()

    async def apply(self, catalog: Catalog, changes: Changes) -> str:
        """Announces that the list changed."""
        del catalog, changes  # a client is told that something changed, not what
        self._unlisted, self._repeated = True, False
        await self._connection.send_tool_list_changed()
        return "applied"

    async def close(self) -> None:
        """Has nothing to let go of: the connection belongs to the transport."""

    async def attached(self, hub: Hub, select: Select | None) -> Session:
        """Gives the hub's session, attaching it for the first request of the connection."""
        async with self._lock:
            if self.session is None:
                self.session = await hub.attach(self, id=self.id, select=select)
            return self.session

    async def detach(self, hub: Hub) -> None:
        """Takes the session from the hub when the connection ends."""
        if self.id in hub.sessions:
            await hub.detach(self.id)

    def listed(self, catalog: Catalog) -> None:
        """Notes that the client has just been given a whole list."""
        self._unlisted = False
        if self.session is not None:
            self.session.served(catalog)

    async def opened(self) -> None:
        """Delivers what was deferred, now that the channel is open."""
        if not self.live or self.session is None:
            return
        doubtful = self._unlisted and self._needs_stream and not self._repeated
        outcome = await self.session.flush()
        if doubtful and outcome.status != "applied":
            # The stream that carried the announcement is gone, perhaps before it arrived.
            self._repeated = True
            await self._connection.send_tool_list_changed()

    async def tell(self, method: str) -> None:
        """Sends a notification about something else than tools, if the channel is open."""
        if self.live:
            await self._connection.notify(method, None)

    async def stream_opened(self) -> None:
        """Notes that the client opened its GET stream."""
        self._stream = True
        await self.opened()

    def stream_closed(self) -> None:
        """Notes that the GET stream went: announcements wait for the next one."""
        self._stream = not self._needs_stream


class ModernPeers:
    """All clients of 2026-07-28 together: one session, one bus, as many streams as there are."""

    live = True
    announces = True

    def __init__(self, name: str, clock: Clock) -> None:
        self.id = name
        self.bus = InMemorySubscriptionBus()
        self._clock = clock
        self._streams = 0
        self._changed: float | None = None
        self._lock = anyio.Lock()
        self.session: Session | None = None

    async def apply(self, catalog: Catalog, changes: Changes) -> str:
        """Announces the change to every stream that asked for tools."""
        del catalog, changes  # clients are told that something changed, not what
        self._changed = self._clock()
        if not self._streams:
            return "deferred"
        await self.bus.publish(ToolsListChanged())
        return "applied"

    async def close(self) -> None:
        """Has nothing to let go of: streams belong to the transport."""

    async def attached(self, hub: Hub, select: Select | None) -> Session:
        """Gives the hub's session, attaching it for the first request of this era."""
        async with self._lock:
            if self.session is None:
                self.session = await hub.attach(self, id=self.id, select=select)
            return self.session

    async def detach(self, hub: Hub) -> None:
        """Takes the session from the hub when the server ends."""
        if self.id in hub.sessions:
            await hub.detach(self.id)

    def listed(self, catalog: Catalog) -> None:
        """Notes that a client was given a whole list.

        With streams open this settles nothing: another client may still wait for its
        announcement.
        """
        if self.session is not None and not self._streams:
            self.session.served(catalog)

    def calling(self) -> None:
        """Forgets, some time after a change, that clients may still hold the list before it."""
        session = self.session
        if session is None or self._changed is None or session.told is not session.catalog:
            return
        if self._clock() - self._changed > FORGET:
            self._changed = None
            session.served(session.catalog)

    def listening(self) -> None:
        """Counts a stream that asked for tools."""
        self._streams += 1

    async def opened(self) -> None:
        """Delivers what was deferred, now that a stream is open."""
        if self.session is not None:
            await self.session.flush()

    def left(self) -> None:
        """Notes that such a stream ended."""
        self._streams -= 1


def client_name(params: Mapping[str, Any] | None) -> str:
    """Gives the name that a client gave itself at the handshake."""
    info = (params or {}).get("clientInfo")
    name = info.get("name") if isinstance(info, Mapping) else None
    return name if isinstance(name, str) else ""
