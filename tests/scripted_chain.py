"""The whole chain: scripted servers → RemoteCatalog → Registry → Hub → McpServer → SDK clients."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Self

import anyio
from mcp.client.client import Client
from mcp.shared.memory import create_client_server_memory_streams

from mcp_rig import Heard
from toolsync.bridge.mcp.client import Stdio, Upstream, connect
from toolsync.bridge.mcp.server import McpServer
from toolsync.catalog import Catalog
from toolsync.live.errors import RegistrationError
from toolsync.live.hub import Hub
from toolsync.live.plugin import Plugin
from toolsync.live.registry import Registry

SCRIPTED = Path(__file__).parent / "scripted_server.py"


class Remote:
    """A scripted server as a child process, its control connection, and our connection to it."""

    def __init__(self, upstream: Upstream, orders: asyncio.StreamReader, to: Any) -> None:
        self.upstream = upstream
        self._answers = orders
        self._to = to
        self.seen: dict[str, Any] = {"requests": [], "held": 0}

    async def order(self, **order: Any) -> dict[str, Any]:
        """Gives an order, and waits until it has taken effect and is heard of on this side."""
        self._to.write(json.dumps(order).encode() + b"\n")
        with anyio.fail_after(60):
            self.seen = json.loads(await self._answers.readline())
            if order.get("announce") or order.get("set", {}).get("notify_burst"):
                await self.upstream.request("ping", None)  # its answer stands behind them
        return self.seen

    async def requests(self) -> list[Any]:
        """The cursors of every tools/list so far."""
        if self.upstream.lost_reason is None:
            await self.order()
        return [each["cursor"] for each in self.seen["requests"]]


@asynccontextmanager
async def scripted(
    name: str, era: str = "handshake", script: Path | None = None, **limits: Any
) -> AsyncIterator[Remote]:
    """Starts a scripted server and connects to it."""
    caller: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    control = await asyncio.start_server(
        lambda reader, writer: caller.set_result((reader, writer)), "127.0.0.1", 0, limit=1 << 26
    )
    port = control.sockets[0].getsockname()[1]
    command = [sys.executable, str(SCRIPTED), "--era", era, "--control", str(port)]
    if script is not None:
        command.append(str(script))
    target = Stdio(tuple(command))
    try:
        async with connect(target, name=name, on_stderr=lambda _: None, **limits) as upstream:
            reader, writer = await asyncio.wait_for(caller, 10)
            try:
                yield Remote(upstream, reader, writer)
            finally:
                writer.close()
    finally:
        control.close()


class Downstream:
    """One SDK client of the chain, and what it was sent; a task of its own holds it."""

    def __init__(self, server: McpServer) -> None:
        self.heard = Heard()
        self.session = ""
        self.client: Client
        self._server = server
        self._ready, self._leave = anyio.Event(), anyio.Event()

    async def join(self, hub: Hub) -> None:
        """Connects."""
        known = set(hub.sessions)
        self._task = asyncio.create_task(self._hold())
        with anyio.fail_after(10):
            await self._ready.wait()
        (self.session,) = set(hub.sessions) - known

    async def _hold(self) -> None:
        async with (
            create_client_server_memory_streams() as (ours, theirs),
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(self._server.run, *theirs)
            streams = _Streams(ours)
            async with Client(streams, mode="legacy", message_handler=self.heard) as self.client:
                self._ready.set()
                await self._leave.wait()
            tasks.cancel_scope.cancel()

    async def leave(self) -> None:
        """Disconnects."""
        self._leave.set()
        await self._task

    async def messages(self) -> int:
        """How many changes were announced so far; what is on its way has arrived."""
        await self.client.session.send_ping()
        return self.heard.changes

    async def tools(self) -> list[dict[str, Any]]:
        """Lists the tools, as JSON."""
        found = await self.client.list_tools()
        return [each.model_dump(by_alias=True, exclude_none=True) for each in found.tools]


class Chain:
    """Servers by name behind one registry, clients by name before it."""

    def __init__(self, order: tuple[str, ...] = ()) -> None:
        self.registry = Registry(debounce=0, order=order)
        self.hub = Hub(self.registry)
        self.server = McpServer(self.hub, name="chain")
        self.remotes: dict[str, Remote] = {}
        self.clients: dict[str, Downstream] = {}
        self.refused: list[str] = []
        self.published: list[Catalog] = []
        self._versions: dict[str, int] = {}
        self._taken: dict[str, Catalog] = {}
        self._ends: dict[str, AsyncExitStack] = {}
        self.registry.subscribe(lambda event: self.published.append(event.catalog))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for name in tuple(self._ends):
            await self._ends.pop(name).aclose()
        for client in self.clients.values():
            await client.leave()
        await self.hub.aclose()
        await self.registry.aclose()

    async def add(self, name: str, era: str = "handshake", **limits: Any) -> Remote:
        """Starts and connects a server."""
        end = self._ends[name] = AsyncExitStack()
        self.remotes[name] = await end.enter_async_context(scripted(name, era, **limits))
        return self.remotes[name]

    async def disconnect(self, name: str) -> None:
        """Ends a server and its connection; its tools stay."""
        del self.remotes[name]
        await self._ends.pop(name).aclose()

    async def remove(self, name: str) -> None:
        """Ends a server, and takes its tools out."""
        await self.disconnect(name)
        self._taken.pop(name, None)
        await self.registry.remove(name)
        await self.hub.push()

    async def refresh(self, name: str) -> str:
        """Brings the registry up to what a server lists; gives how the refresh ended."""
        scripted, remote = self.remotes[name], self.remotes[name].upstream
        asked = len(await scripted.requests())
        with anyio.fail_after(60):
            outcome = await remote.remote.refresh()
            # After a failure it is left in peace for a while: then nothing was asked.
            while outcome == "failed" and remote.lost_reason is None:
                if len(await scripted.requests()) > asked:
                    break
                await anyio.sleep(0.05)
                outcome = await remote.remote.refresh()
        catalog = remote.remote.catalog
        if self._taken.get(name) is not catalog and remote.remote.revision:
            await self._take(name, remote, catalog)
        await self.hub.push()
        return outcome

    async def _take(self, name: str, upstream: Upstream, catalog: Catalog) -> None:
        self._taken[name] = catalog

        async def build() -> Plugin:
            return Plugin([each.definition for each in catalog.tools], upstream.call)

        self._versions[name] = self._versions.get(name, 0) + 1
        try:
            await self.registry.apply(name, str(self._versions[name]), build)
        except RegistrationError as error:
            self.refused.append(str(error))

    async def join(self, name: str) -> Downstream:
        """Connects an SDK client."""
        made = self.clients[name] = Downstream(self.server)
        await made.join(self.hub)
        return made

    async def leave(self, name: str) -> None:
        """Disconnects an SDK client."""
        await self.clients.pop(name).leave()

    def told(self) -> list[str]:
        """Every sentence that somebody would read about what went wrong."""
        lines = [*self.refused, *self.registry.warnings]
        for remote in self.remotes.values():
            followed = remote.upstream.remote
            prefix = f"server {followed.name}: "
            lines += [prefix + each for each in followed.warnings]
            lines += [prefix + each.told for each in followed.isolated]
            if followed.failure is not None:
                lines.append(followed.failure.reason)
        return lines


class _Streams:
    """A pair of streams as a transport."""

    def __init__(self, streams: Any) -> None:
        self._streams = streams

    async def __aenter__(self) -> Any:
        return self._streams

    async def __aexit__(self, *_: object) -> None:
        return None


def words_of(text: str) -> set[str]:
    """The words of a sentence that tell it from others."""
    plain = "".join(char if char.isalnum() or char in "_-" else " " for char in text.lower())
    return set(plain.split()) - {"and", "on", "the", "a", "of", "names"}


def definitions(tools: list[dict[str, Any]]) -> Mapping[str, dict[str, Any]]:
    """Tools by name."""
    return {each["name"]: each for each in tools}
