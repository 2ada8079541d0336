"""Claim: 100,000 notifications with nothing changed: 2 fetches at most, nothing passed on, < 10 MB.

They come in bursts, through a remote catalogue, a registry and a hub to a session.
"""

from __future__ import annotations

import asyncio
import tracemalloc

import catalogues
from toolsync import Catalog, live
from toolsync.changes import Changes

NOTIFICATIONS = 100_000
BURST = 1_000


class Server:
    """Answers after a while, as one on a network does, and counts what it is asked."""

    def __init__(self, tools: list[catalogues.Tool]) -> None:
        self.tools = tools
        self.open = self.most_open = self.lists = 0

    async def list_page(self, cursor: str | None) -> dict[str, list[catalogues.Tool]]:
        """Answers with fresh objects, as a parser makes them."""
        assert cursor is None
        self.lists += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        await asyncio.sleep(0.01)
        self.open -= 1
        return {"tools": [dict(tool) for tool in self.tools]}


class Session:
    """Counts what it is told."""

    live = True

    def __init__(self) -> None:
        self.told = 0

    async def apply(self, catalog: Catalog, changes: Changes) -> str:
        """Takes the set."""
        assert changes.new is catalog
        self.told += 1
        return "applied"

    async def close(self) -> None:
        """Has nothing to let go of."""


async def _storm(server: Server) -> tuple[int, float]:
    """Gives how often the session was told, and by how many bytes memory grew."""
    remote, registry = live.RemoteCatalog(server.list_page), live.Registry(debounce=0)
    hub = live.Hub(registry)

    async def build() -> live.Plugin:
        return live.Plugin([tool.definition for tool in remote.catalog])

    async def feed() -> None:
        await registry.apply("server", remote.catalog.digest, build)

    feeding: set[asyncio.Task[None]] = set()
    await remote.refresh()
    await feed()
    session = Session()
    await hub.attach(session, id="session")
    remote.subscribe(lambda _: feeding.add(asyncio.get_running_loop().create_task(feed())))
    following = asyncio.create_task(remote.follow())
    await _notified(remote, BURST)  # what is made once is made now
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    await _notified(remote, NOTIFICATIONS)
    grown = tracemalloc.get_traced_memory()[1] - before
    assert feeding == set()
    following.cancel()
    await hub.aclose()
    await registry.aclose()
    return session.told, grown


async def _notified(remote: live.RemoteCatalog, times: int) -> None:
    for _ in range(times // BURST):
        for _ in range(BURST):
            remote.mark_stale()
        await asyncio.sleep(0.02)
    while remote.pending:
        await asyncio.sleep(0.05)


def test_storm(tools: list[catalogues.Tool]) -> None:
    server = Server(tools[:1_000])
    tracemalloc.start()
    try:
        told, grown = asyncio.run(_storm(server))
    finally:
        tracemalloc.stop()
    print(
        f"{NOTIFICATIONS:,} notifications: {server.lists} lists, {server.most_open} at a time, "
        f"{told} passed on, {grown / 1e6:.1f} MB more at the peak"
    )
    assert server.most_open <= 2
    assert told == 0
    assert grown < 10_000_000
