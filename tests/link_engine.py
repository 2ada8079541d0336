"""An engine behind a host link: a registry with one plugin, a hub, and the link over it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import anyio

from link_peer import BOUND, Peer, joined
from toolsync import live
from toolsync.bridge.link.host_link import HostLink
from toolsync.bridge.link.toolset import Toolset, taken
from toolsync.live import Outcome

UPDATE, LIST = "thread/tools/update", "provider/sessions/list"
CAPABLE: dict[str, Any] = {"threadToolsUpdate": True}


def tool(name: str, *arguments: str, **more: Any) -> dict[str, Any]:
    properties = {each: {"type": "string"} for each in arguments}
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}} | more


@dataclass(slots=True)
class Engine:
    """A registry, a hub and a link over it, and the one plugin that changes."""

    registry: live.Registry
    hub: live.Hub
    link: HostLink
    version: int = 0

    async def change(self, *tools: dict[str, Any]) -> live.Commit:
        async def build() -> live.Plugin:
            return live.Plugin(tools=tools)

        self.version += 1
        return await self.registry.apply("p", str(self.version), build)

    async def outcomes(self) -> dict[str, Outcome]:
        return {each.session: each for each in await self.hub.push()}


@contextlib.asynccontextmanager
async def engine(*tools: dict[str, Any], **options: Any) -> AsyncIterator[Engine]:
    registry = live.Registry(debounce=0)
    hub = live.Hub(registry)
    made = Engine(registry, hub, HostLink(hub, **options))
    await made.change(*tools)
    yield made
    with anyio.fail_after(BOUND):
        await hub.aclose()
        await registry.aclose()


@contextlib.asynccontextmanager
async def connected(made: Engine, *, greet: bool = False) -> AsyncIterator[Peer]:
    async with joined() as (streams, peer, writer), anyio.create_task_group() as tasks:
        ended = anyio.Event()

        async def serve() -> None:
            await made.link.serve(streams, greet=greet)
            writer.close()
            ended.set()

        tasks.start_soon(serve)
        yield peer
        peer.leave()
        with anyio.fail_after(BOUND):
            await ended.wait()


async def introduce(peer: Peer, **capabilities: Any) -> Any:
    return await peer.call("initialize", protocol=1, capabilities=capabilities)


async def expect(peer: Peer, method: str) -> dict[str, Any]:
    message = await peer.next()
    assert message["method"] == method
    return message


async def take(
    peer: Peer, held: Toolset | None, outcome: str = "applied"
) -> tuple[dict[str, Any], Toolset]:
    """Takes one update as a host does, and answers it."""
    message = await expect(peer, UPDATE)
    now = taken(held, message["params"])
    peer.answer(message, {"outcome": outcome})
    return message["params"], now
