"""A whole host on paper time: servers and plugins in, sessions and an agent run out, all watched.

Everything between the actors is the real thing. What must hold at every moment is looked
at as it happens and noted; `converge` stops the faults and demands that all agree.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from live_actors import Client, PluginSource, Server, Source, State
from paper_loop import PaperLoop
from toolsync import Catalog, diff, live
from toolsync.live.events import Event
from toolsync.live.semantics import moved_names

MOST_TASKS = 80
BUILD_TIMEOUT = 5.0


@dataclass(frozen=True)
class Parts:
    """The classes that a world is made of; a planted bug exchanges one."""

    registry: type[live.Registry] = live.Registry
    hub: type[live.Hub] = live.Hub
    remote: type[live.RemoteCatalog] = live.RemoteCatalog
    tool_list: type[live.ToolList] = live.ToolList


class World:
    """One server that pushes, one that is asked before model steps, two plugins, four sessions."""

    def __init__(self, parts: Parts) -> None:
        self.violations: list[str] = []
        self.loop = PaperLoop()
        self.parts = parts
        self.servers = [Server("s1", judge=self), Server("s2", judge=self, strict=False)]
        self.plugins = [PluginSource("p1", judge=self), PluginSource("p2", judge=self)]
        self.clients = [
            Client(self, "all", ("s1.", "p1.", "p2."), lists=False),
            Client(self, "lists", ("s1.", "p1.", "p2."), lists=True),
            Client(self, "server", ("s1.",), lists=True),
            Client(self, "plugins", ("p1.", "p2."), lists=True),
        ]
        # Readers come to states one by one: each has its own view of how far a source is.
        self.reached: dict[tuple[str, str], int] = {}
        self.serial = 0
        self.run(self._start())

    async def _start(self) -> None:
        now = self.loop.time
        self.registry = self.parts.registry(
            clock=now, build_timeout=BUILD_TIMEOUT, drain=60.0, on_invalid="reject"
        )
        self.hub = self.parts.hub(self.registry, clock=now, timeout=3.0)
        self.remotes = [self._remote(server) for server in self.servers]
        self.fed: Catalog = self.remotes[0].catalog
        self.registry.subscribe(self._published)
        self.hub.subscribe(self._told)
        self.revisions: dict[str, int] = {}
        self.listened = [remote.catalog for remote in self.remotes]
        for at, remote in enumerate(self.remotes):
            remote.subscribe(partial(self._heard, at))
        self.following = self.loop.create_task(self.remotes[0].follow())
        self.asked: set[asyncio.Task[Any]] = set()
        self.target: list[Any] = []
        self.agent: list[Any] = []
        sources = [self.agent, self.remotes[1], self.registry]
        self.tool_list = self.parts.tool_list(self.target, sources)
        for plugin in self.plugins:
            self.install(plugin, "good")
        for client in self.clients:
            await self.attach(client)

    def _remote(self, server: Server) -> live.RemoteCatalog:
        made = self.parts.remote(
            server.list_page, name=server.name, clock=self.loop.time, max_tools=50,
            recheck=0.25 if server.strict else None,
        )  # fmt: skip
        server.announce = made.mark_stale
        return made

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(work)

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = self.loop.create_task(work)
        self.asked.add(task)
        task.add_done_callback(self.asked.discard)
        return task

    def close(self) -> None:
        self.run(self._close())
        self.loop.close()

    async def _close(self) -> None:
        self.following.cancel()
        await self.hub.aclose()
        await self.registry.aclose()
        for remote in self.remotes:
            await remote.aclose()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    # What must not be

    def violated(self, invariant: str, what: str) -> None:
        self.violations.append(f"{invariant}: {what} (at {self.loop.time() - 1000:.2f} s)")

    def seen(self, catalog: Catalog, where: str, *, only: tuple[str, ...] = ()) -> None:
        """Looks at what a reader sees: of every source one complete state, none older (I2, I13)."""
        found = {tool.name: tool.definition for tool in catalog}
        for source in self._sources():
            if not only or f"{source.name}." in only:
                self._judge(source, where, found)
        if only and any(not name.startswith(only) for name in found):
            self.violated("I2", f"{where} sees tools that are not its own")

    def _judge(self, source: Source, where: str, found: State) -> None:
        part = {name: tool for name, tool in found.items() if name.startswith(f"{source.name}.")}
        key = (source.name, where)
        source.reached = self.reached.get(key, 0)
        if not source.admits(part):
            versions = {name: tool.get("description") for name, tool in part.items()}
            self.violated("I2/I13", f"{where} sees of {source.name} no state it had: {versions}")
        self.reached[key] = source.reached

    def _sources(self) -> list[Source]:
        return [self.servers[0], *self.plugins]

    def _published(self, event: Any) -> None:
        self.seen(event.catalog, "a reader of the registry")
        moved = diff(event.previous, event.catalog).notify
        before = self.revisions.get("registry", 0)
        if event.revision != before + moved:
            self.violated("I1/I3", f"the registry goes from {before} to {event.revision}")
        self.revisions["registry"] = event.revision
        names = moved_names(diff(event.previous, event.catalog))
        for client in self.clients:
            if any(name.startswith(client.prefixes) for name in names):
                client.changed_at = self.loop.time()

    def _told(self, event: Any) -> None:
        if isinstance(event, live.Outcome):
            before = self.revisions.get(event.session, 0)
            if event.revision < before:
                self.violated("I1", f"{event.session} goes from {before} to {event.revision}")
            self.revisions[event.session] = event.revision

    def _heard(self, at: int, event: Event) -> None:
        remote, name = self.remotes[at], self.servers[at].name
        if isinstance(event, live.ToolsUpdated):
            found = {tool.name: tool.definition for tool in event.catalog}
            self._judge(self.servers[at], "the remote catalogue", found)
            before = self.revisions.get(name, 0)
            first = before == 0
            if event.revision != before + 1 or not (first or event.changes.notify):
                self.violated("I3", f"{name} announces {event.revision} after {before}")
            self.revisions[name] = event.revision
            self.listened[at] = event.catalog
            if at == 0:
                self._feed()
        elif diff(self.listened[at], remote.catalog).notify:
            self.violated("I5", f"{name} changed, and told nobody: {event}")

    def _feed(self) -> None:
        """Hands the list of the first server on, as a proxy does."""
        catalog = self.remotes[0].catalog
        if catalog is not self.fed:
            self.fed = catalog
            tools = [tool.definition for tool in catalog]

            async def build() -> live.Plugin:
                return live.Plugin(tools)

            self.start(self._applied("s1", catalog.digest, build))

    async def _applied(self, plugin_id: str, version: str, build: Any) -> None:
        began = self.loop.time()
        with suppress(live.RegistrationError, live.Closed):
            await self.registry.apply(plugin_id, version, build)
        # One lane for all: a plugin waits for the builds before it, each of them bounded.
        if self.loop.time() - began > 4 * BUILD_TIMEOUT:
            self.violated("I7", f"{plugin_id} waited {self.loop.time() - began:.1f} s")

    # What happens

    def advance(self, seconds: float) -> None:
        self.run(asyncio.sleep(seconds))
        self._feed()
        self.watch()

    def watch(self) -> None:
        """Looks at what holds between events."""
        self.seen(self.registry.catalog, "a reader of the registry")
        for server, remote in zip(self.servers, self.remotes, strict=True):
            found = {tool.name: tool.definition for tool in remote.catalog}
            self._judge(server, "the remote catalogue", found)
            if not remote.pending and not server.is_shown(found):
                self.violated("I4", f"a change of {server.name} was announced, and never read")
        for client in self.clients:
            self._watch_client(client)
        # What was asked of it from outside, such as a long call, is no queue of its own.
        tasks = len(asyncio.all_tasks(self.loop)) - len(self.asked)
        if tasks > MOST_TASKS:
            self.violated("I8", f"{tasks} tasks are running")

    def _watch_client(self, client: Client) -> None:
        """Looks whether a session that is well was told in time, whatever the others do."""
        told_since = self.loop.time() - client.changed_at
        if client.session is None or client.mode != "ok" or told_since < 4:
            return
        if client.well_since < client.changed_at:
            newest = {tool.name: tool.definition for tool in client.session.catalog}
            if _plain(newest) != _plain(client.held):
                self.violated("I7", f"session {client.name} was not told for {told_since:.1f} s")

    def install(self, plugin: PluginSource, how: str) -> None:
        self.serial += 1
        label = f"{plugin.name}-{self.serial}"
        self.start(self._applied(plugin.name, label, plugin.build(how, label)))

    def uninstall(self, plugin: PluginSource) -> None:
        plugin.states.append({})
        self.start(self.registry.remove(plugin.name))

    async def attach(self, client: Client) -> None:
        client.attached(await self.hub.attach(client, id=client.name, select=client.select))

    async def turn(self, client: Client) -> None:
        """Lets a session's next turn begin: it says what it holds."""
        if client.session is not None:
            client.known = None
            await self.hub.reconcile(client.name, list(client.held.values()))

    def turn_and_look(self, client: Client) -> None:
        """A turn repairs whatever a session has missed."""
        began = self.loop.time()
        self.run(self.turn(client))
        self.advance(0.2)
        if client.session is not None and client.mode == "ok" and client.changed_at < began:
            newest = {tool.name: tool.definition for tool in client.session.catalog}
            if _plain(newest) != _plain(client.held):
                self.violated("I4", f"session {client.name} is not repaired by its turn")

    def call(self, client: Client, place: int, seconds: float) -> None:
        gone = [name for plugin in self.plugins for name in plugin.states[-2]]
        names = [*gone, "p1.never", *client.held]
        name = names[place % len(names)]
        self.start(self._called(self.registry.call, self.registry.catalog, name, seconds))
        if client.session is not None:
            self.start(self._called(client.session.call, client.session.catalog, name, seconds))

    async def _called(self, call: Any, catalog: Catalog, name: str, seconds: float) -> None:
        known = name in catalog and name in self.registry.catalog
        owner = name.partition(".")[0]
        status = self.registry.status().get(owner)
        try:
            result = await call(name, {"seconds": seconds})
        except live.UnknownTool:
            if known:
                self.violated("I10", f"{name} was there, and was called unknown")
        except live.ToolChanged:
            pass
        except Exception as error:  # noqa: BLE001  whatever else is wrong
            if owner != "s1":  # whose tools nobody runs here
                self.violated("I10", f"{name}: {error!r}")
        else:
            if not known:
                self.violated("I10", f"{name} was gone, and ran")
            if owner != "s1" and (status is None or result != status.version):
                self.violated("I9", f"{name} was admitted by {status} and ran on {result}")

    def model_step(self) -> None:
        self.run(asyncio.wait_for(self.tool_list.step(), 60))
        names = [tool["name"] for tool in self.target]
        if len(names) != len(set(names)):
            self.violated("I2", f"the run's list has a name twice: {names}")
        found = {tool["name"]: tool for tool in self.target}
        for source in (*self.servers, *self.plugins):
            self._judge(source, "the agent's run", found)
        if self.tool_list.refresh():
            self.violated("I18", "a second refresh changes the list again")

    # The end

    def converge(self) -> None:
        """Stops all faults; then everything must agree, and stay silent."""
        self.advance(1)  # what was about to happen happens
        self.heal()
        self.advance(60)
        for server, remote in zip(self.servers, self.remotes, strict=True):
            if server.missed:  # announced to nobody: only a time to live helps
                remote.mark_stale()
        self.advance(60)
        self.model_step()
        for client in self.clients:
            self.run(self.turn(client))
        self.advance(10)
        self.agree()
        applied = [client.applied for client in self.clients]
        walks = [server.walks for server in self.servers]
        self.advance(3600)
        self.model_step()
        if applied != [client.applied for client in self.clients]:
            self.violated("I3", "sessions are told although nothing happens")
        if walks != [server.walks for server in self.servers]:
            self.violated("I18", "servers are asked although nothing happens")

    def heal(self) -> None:
        for server in self.servers:
            server.faults.clear()
            server.delay = 0.0
            before = len(server.states)
            server.mend()
            reconnected = not (server.connected and server.subscribed)
            if reconnected:
                self.reconnect(server)
            if len(server.states) > before:
                server.notify()
        for plugin in self.plugins:
            plugin.mend()
            self.install(plugin, "good")
        for client in self.clients:
            client.mode, client.well_since = "ok", self.loop.time()
            if client.session is None:
                self.run(self.attach(client))
            else:
                self.start(client.session.flush())

    def reconnect(self, server: Server) -> None:
        server.connected = server.subscribed = True
        server.told_all()
        self.remotes[self.servers.index(server)].lost("reconnected")

    def agree(self) -> None:
        """Compares what everybody holds with what the sources have (I4, I6)."""
        everything: State = {}
        for source in self._sources():
            everything |= source.states[-1]
        self._same(
            "the registry", {t.name: t.definition for t in self.registry.catalog}, everything
        )
        for client in self.clients:
            wanted = {n: t for n, t in everything.items() if n.startswith(client.prefixes)}
            self._same(f"session {client.name}", client.held, wanted)
        found = {tool["name"]: tool for tool in self.target}
        self._same("the agent's run", found, everything | self.servers[1].states[-1])
        for remote in self.remotes:
            if remote.pending:
                self.violated("I4", f"{remote!r} is still pending")

    def _same(self, who: str, held: State, wanted: State) -> None:
        if _plain(held) != _plain(wanted):
            self.violated("I4", f"{who} holds {_plain(held)}, and not {_plain(wanted)}")


def _plain(state: State) -> dict[str, Any]:
    """Leaves out what a session need not learn of."""
    return {name: tool.get("description") for name, tool in sorted(state.items())}
