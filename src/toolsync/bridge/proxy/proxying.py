"""Any MCP server, kept behind one that is always there, always whole, and quiet.

What clients see is one published catalogue. Behind it lives one connection after the
other: a new one takes over only once it has a usable list, the one before it ends after
its calls have. While there is none, the last good catalogue stays, and calls wait a
moment for the next connection before they are told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup

from toolsync.bridge.logs import LogLevel, tell
from toolsync.bridge.mcp.client import ConnectionFailed, ConnectionLost, Upstream
from toolsync.bridge.proxy.features import FeatureNews
from toolsync.bridge.proxy.state import Shown
from toolsync.catalog import Catalog, Tool
from toolsync.errors import SourceError
from toolsync.live.errors import told
from toolsync.live.events import Event, RefreshFailed
from toolsync.live.state import Published
from toolsync.safe import named

Connect = Callable[[], AbstractAsyncContextManager[Upstream]]
"""Opens a connection to the server; a new process where it is a command."""

Notified = Callable[[str, Mapping[str, Any] | None], None]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long things may take, in seconds.

    `calls`: a call waits for a connection. `drain`: a connection that was replaced stays
    for its calls. `first` and `longest`: the pause between attempts to connect again.
    `steady`: after that long a connection counts as sound.
    """

    calls: float = 10.0
    drain: float = 30.0
    first: float = 0.1
    longest: float = 15.0
    steady: float = 10.0


class _Life:
    """One connection, from its start to its end."""

    def __init__(self) -> None:
        self.upstream: Upstream | None = None
        self.error: Exception | None = None
        self.settled, self.stop, self.ended = anyio.Event(), anyio.Event(), anyio.Event()
        self.taken, self.announced = anyio.Event(), anyio.Event()
        self.idle = anyio.Event()
        self.idle.set()
        self.calls = 0
        self.begun = 0.0

    def enter(self) -> None:
        """Notes a call that this connection has to live for."""
        self.calls += 1
        self.idle = anyio.Event() if self.calls == 1 else self.idle

    def leave(self) -> None:
        """Notes that it has ended."""
        self.calls -= 1
        if not self.calls:
            self.idle.set()


class Proxy:
    """Publishes the tools of a server that may come and go, and passes calls on to it.

    It lives in the task group that it is given: that one ending ends all connections.
    """

    def __init__(
        self, connect: Connect, group: TaskGroup, *, name: str, patience: Patience | None = None
    ) -> None:
        self._connect, self._group, self._name = connect, group, name
        self._patience = patience or Patience()
        self._current: _Life | None = None
        self._shown = Shown()
        self._features = FeatureNews()
        self._notified: tuple[Notified, ...] = ()
        self._capabilities: Mapping[str, Any] = {}
        self._instructions: str | None = None
        self._wanted = anyio.Event()
        self._restart = False
        self._connected = anyio.Event()
        self._trouble = ""
        self._warned: tuple[str, ...] = ()
        self._failing = ""

    @property
    def catalog(self) -> Catalog:
        """The last good catalogue."""
        return self._shown.catalog

    @property
    def revision(self) -> int:
        """Grows by one with every change that a session must learn of."""
        return self._shown.revision

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the server offered when it was first reached: clients were told so."""
        return self._capabilities

    @property
    def instructions(self) -> str | None:
        """What the server then said about itself."""
        return self._instructions

    @property
    def server_name(self) -> str:
        """The name that the server gives itself, or else what it is called here."""
        upstream = None if self._current is None else self._current.upstream
        return (None if upstream is None else upstream.server_name) or self._name

    @property
    def is_down(self) -> bool:
        """Tells whether there is no connection at present."""
        life = self._current
        return life is None or life.upstream is None or _is_over(life)

    def subscribe(self, listener: Callable[[Published], None]) -> Callable[[], None]:
        """Calls a listener right after every swap; the returned function ends that."""
        return self._shown.subscribe(listener)

    def on_notification(self, listener: Notified) -> Callable[[], None]:
        """Calls the listener with announcements that are not about tools."""
        self._notified = (*self._notified, listener)

        def unsubscribe() -> None:
            self._notified = tuple(each for each in self._notified if each is not listener)

        return unsubscribe

    async def start(self) -> None:
        """Connects for the first time. Raises ConnectionFailed or SourceError, one line."""
        life = await self._begin()
        if life.upstream is None:
            raise life.error or SourceError(f"{self._name}: could not be reached")
        self._capabilities = dict(life.upstream.capabilities)
        self._instructions = life.upstream.instructions
        self._take(life)

    def restart(self) -> None:
        """Asks for a new connection; the present one serves until that is usable."""
        self._restart = True
        self._wanted.set()

    async def run(self) -> None:
        """Connects again whenever that is asked for or has become needed."""
        pause, mourned = self._patience.first, None
        while True:
            await self._needed()
            restarting, self._restart, self._wanted = self._restart, False, anyio.Event()
            before = self._current
            if restarting:
                tell(LogLevel.INFO, "restarting", f"{self._name}: starting anew")
            elif before is not None and before is not mourned:
                mourned = before  # once: what follows are attempts that failed, however late
                if anyio.current_time() - before.begun > self._patience.steady:
                    pause = self._patience.first
            if not restarting:
                await self._rest(pause)
                pause = min(pause * 2, self._patience.longest)
            life = await self._begin()
            if life.upstream is not None:
                self._take(life)
                tell(LogLevel.INFO, "restarted" if restarting else "connected",
                     f"{self._name}; tools: {len(self.catalog)}", server=self._name)  # fmt: skip
            else:
                self._complain(life, restarting=restarting)

    async def _needed(self) -> None:
        """Waits until a new connection is asked for, or the present one has ended."""
        while not self._restart:
            life = self._current
            if life is None or life.ended.is_set():
                return
            async with anyio.create_task_group() as group:
                group.start_soon(_cancels, life.ended, group.cancel_scope)
                group.start_soon(_cancels, self._wanted, group.cancel_scope)

    async def _rest(self, pause: float) -> None:
        with anyio.move_on_after(pause):
            await self._wanted.wait()

    def _complain(self, life: _Life, *, restarting: bool) -> None:
        self._trouble = str(life.error) if isinstance(life.error, Exception) else "ended"
        alive = self._current is not None and not self._current.ended.is_set()
        stays = "the one before goes on" if alive else "serving the last good catalogue"
        tell(
            LogLevel.ERROR,
            "restart-failed" if restarting else "connect-failed",
            f"{self._trouble}; {stays}",
            server=self._name,
            reason=self._trouble,
        )

    # Connections.

    async def _begin(self) -> _Life:
        """Opens a connection and waits until its list is usable, or it has failed."""
        life = _Life()
        self._group.start_soon(self._live, life)
        await life.settled.wait()
        return life

    async def _live(self, life: _Life) -> None:
        try:
            async with self._connect() as upstream:
                await self._list(upstream)
                life.upstream, life.begun = upstream, anyio.current_time()
                life.settled.set()
                await self._follow(life, upstream)
        except Exception as error:  # noqa: BLE001  whatever ends a connection ends it alone
            life.error = error if isinstance(error, (ConnectionFailed, SourceError)) else (
                SourceError(f"{self._name}: {told(error)}")
            )  # fmt: skip
            if life.upstream is not None:
                self._lose(str(life.error))
        finally:
            life.ended.set()
            life.settled.set()

    async def _list(self, upstream: Upstream) -> None:
        """Fetches the first list. Raises SourceError where there is no usable one."""
        if upstream.capabilities.get("tools") is None:
            return
        if await upstream.remote.refresh() == "failed":
            failure = upstream.remote.failure
            raise SourceError(f"{self._name}: {'no list' if failure is None else failure.reason}")

    async def _follow(self, life: _Life, upstream: Upstream) -> None:
        """Passes on what the server announces, until the connection is to end, or does."""
        unsubscribe = upstream.remote.subscribe(lambda event: self._heard(life, event))
        unlisten = upstream.on_notification(lambda *_: life.announced.set())
        try:
            async with anyio.create_task_group() as group:
                if upstream.capabilities.get("tools") is not None:
                    group.start_soon(upstream.remote.follow)
                    group.start_soon(self._glance, life, upstream)
                group.start_soon(self._tell_features, life, upstream)
                group.start_soon(_cancels, life.stop, group.cancel_scope)
                self._lose(f"{self._name}: {await upstream.wait_lost()}")
                group.cancel_scope.cancel()
        finally:
            unsubscribe()
            unlisten()

    def _lose(self, reason: str) -> None:
        self._trouble = reason
        said = f"{reason}; connecting again"
        tell(LogLevel.WARNING, "lost", said, server=self._name, reason=reason)

    def _show(self, upstream: Upstream) -> None:
        """Publishes the newest list, and tells what had to be put right in it."""
        self._shown.publish(upstream.remote.catalog)
        warnings = upstream.remote.warnings
        for warning in warnings if warnings is not self._warned else ():
            if warning not in self._warned:
                tell(LogLevel.WARNING, "list", f"{self._name}: {warning}", server=self._name)
        self._warned = warnings

    async def _glance(self, life: _Life, upstream: Upstream) -> None:
        """Takes up changes of mere looks, of which a remote catalogue says nothing."""
        while True:
            await anyio.sleep(_GLANCE)
            if life is self._current:
                self._show(upstream)

    def _take(self, life: _Life) -> None:
        """Makes a connection the present one; the one before ends after its calls."""
        before, self._current = self._current, life
        upstream = life.upstream
        if upstream is not None and upstream.capabilities.get("tools") is not None:
            self._show(upstream)
        life.taken.set()
        self._connected.set()
        self._connected = anyio.Event()  # for those who will wait for the next one
        if before is not None:
            self._group.start_soon(self._drain, before)

    async def _drain(self, life: _Life) -> None:
        with anyio.move_on_after(self._patience.drain):
            await life.idle.wait()
        life.stop.set()

    def _heard(self, life: _Life, event: Event) -> None:
        if life is not self._current or life.upstream is None:
            return
        if isinstance(event, RefreshFailed):
            # It is tried again every second, maybe for hours: the same trouble is told once.
            is_known = event.age > 0 and event.reason == self._failing
            self._failing = event.reason
            tell(LogLevel.DEBUG if is_known else LogLevel.WARNING, "refresh-failed",
                 f"{event.reason}; serving the last good catalogue",
                 server=self._name, reason=event.reason)  # fmt: skip
        self._show(life.upstream)

    async def _tell_features(self, life: _Life, upstream: Upstream) -> None:
        await life.taken.wait()  # before that, clients are not to hear of it

        def woken() -> anyio.Event:
            life.announced = anyio.Event()
            return life.announced

        def tell_on(method: str) -> None:
            for listener in self._notified if life is self._current else ():
                listener(method, None)

        await self._features.follow(upstream, woken, tell_on)

    # Requests.

    async def call(self, name: str, arguments: Any, *, advertised: Tool | None = None) -> Any:
        """Passes a call on and gives the result as it came.

        Raises:
            UnknownTool: there is none of that name.
            ToolChanged: the present definition refuses arguments made for an earlier one.
            ConnectionLost: the server is not there, or went away meanwhile.
        """
        self._shown.tool(name)
        life, upstream = await self._usable()
        self._shown.check(name, arguments, advertised)
        life.enter()
        try:
            return await upstream.call(name, arguments)
        finally:
            life.leave()

    async def request(self, method: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
        """Passes any other request on; raises as `call` does."""
        life, upstream = await self._usable()
        life.enter()
        try:
            return await upstream.request(method, params)
        finally:
            life.leave()

    async def _usable(self) -> tuple[_Life, Upstream]:
        """Gives the present connection; waits a while for the next where there is none."""
        with anyio.move_on_after(self._patience.calls):
            while True:
                life = self._current
                if life is not None and life.upstream is not None and not _is_over(life):
                    return life, life.upstream
                await self._connected.wait()
        raise ConnectionLost(
            f"server {named(self._name)} is not there ({self._trouble or 'ended'}); "
            "it is being connected to again, try later"
        )


_GLANCE: Final = 0.5


def _is_over(life: _Life) -> bool:
    lost = life.upstream is not None and life.upstream.lost_reason is not None
    return lost or life.ended.is_set()


async def _cancels(event: anyio.Event, scope: anyio.CancelScope) -> None:
    await event.wait()
    scope.cancel()
