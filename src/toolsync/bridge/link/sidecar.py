"""The engine as a process of its own: plugins' tools come in over a host link, verdicts go out.

Whatever language a host is written in, it says what its plugins offer and which sessions
it has; it is told what changed, and each session what differs. docs/live/host-link.md
tells the protocol method by method.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from typing import Any, Final, Literal

import anyio
import anyio.to_thread

from toolsync.bridge.link import wire
from toolsync.bridge.link.framing import MAX_LINE, Streams
from toolsync.bridge.link.host_link import HostLink
from toolsync.bridge.link.pipes import StandardPipes
from toolsync.bridge.link.rpc import ANSWER_WITHIN, Answer, LinkClosedError, Method
from toolsync.bridge.link.wire import INVALID_PARAMS, REGISTRATION, TOOL_CHANGED, RpcError
from toolsync.catalog import Catalog, Tool
from toolsync.changes import diff
from toolsync.changes.choice import chosen
from toolsync.live.errors import RegistrationError, ToolChanged, UnknownTool
from toolsync.live.hub import Hub
from toolsync.live.outcome import ContributionsChanged, Event, Outcome
from toolsync.live.plugin import Commit, Plugin, Rejected
from toolsync.live.registry import Registry
from toolsync.overrides import MAX_GLOB
from toolsync.safe import named

CALL: Final = "plugin/call"
CLOSED: Final = "plugin/closed"
CONTRIBUTED: Final = "contributions/changed"
_MOST_GLOBS: Final = 1000
Params = Mapping[str, Any]
Select = Callable[[Tool], bool]


@dataclass(frozen=True, slots=True)
class Settings:
    """How the engine treats plugins; see `Registry`."""

    on_invalid: Literal["reject", "skip"] = "reject"
    debounce: float = 0.1
    timeout: float = ANSWER_WITHIN
    max_line: int = MAX_LINE


_USUAL: Final = Settings()


class Sidecar:
    """A registry and a hub whose plugins and sessions are a peer's."""

    def __init__(self, settings: Settings = _USUAL) -> None:
        self._registry = Registry(on_invalid=settings.on_invalid, debounce=settings.debounce)
        self._hub = Hub(self._registry)
        self._link = HostLink(self._hub, timeout=settings.timeout, max_line=settings.max_line)
        self._contributed: frozenset[str] = frozenset()
        self._news = anyio.Event()

    async def serve(self, streams: Streams) -> None:
        """Serves one host until its stream ends, and then closes everything."""
        unsubscribe = self._hub.subscribe(self._heard)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._tell_contributions)
                await self._link.serve(streams, methods=self._methods())
                tasks.cancel_scope.cancel()
        finally:
            unsubscribe()
            with anyio.CancelScope(shield=True):
                await self._hub.aclose()
                await self._registry.aclose()

    def _methods(self) -> dict[str, Method]:
        return {
            "plugin/apply": self._apply,
            "plugin/remove": self._remove,
            "session/attach": self._attach,
            "session/detach": self._detach,
            "session/reconcile": self._reconcile,
            "session/call": self._call,
            "catalog/get": self._catalog,
            "status/get": self._status,
            "diff": _diff,
        }

    async def _apply(self, params: Params) -> Any:
        plugin, version = wire.text(params, "plugin"), wire.text(params, "version")
        built = Plugin(
            tools=wire.objects(params, "tools"),
            call=partial(self._run, plugin, version),
            close=partial(self._close, plugin, version),
            contributes=wire.members(params, "contributes"),
        )

        async def build() -> Plugin:
            return built

        return await self._committed(self._registry.apply(plugin, version, build))

    async def _remove(self, params: Params) -> Any:
        return await self._committed(self._registry.remove(wire.text(params, "plugin")))

    async def _committed(self, change: Awaitable[Commit]) -> dict[str, Any]:
        try:
            commit = await change
        except RegistrationError as error:
            data = {"revision": self._registry.revision, **_fault(error)}
            data["rejected"] = [_fault(each) for each in error.rejected]
            raise RpcError(REGISTRATION, str(error), data) from error
        return {
            "revision": commit.revision,
            "report": commit.changes.to_dict(),
            "rejected": [_fault(each) for each in commit.rejected],
        }

    async def _attach(self, params: Params) -> Answer:
        session = wire.text(params, "session")
        if session in self._hub.sessions:
            raise RpcError(INVALID_PARAMS, f"session {named(session)} is attached already")
        only, ignore = wire.strings(params, "only"), wire.strings(params, "ignore")
        await self._link.attach(session, select=_selection(only, ignore))
        return self._link.handed_over(session)

    async def _detach(self, params: Params) -> Any:
        session = wire.text(params, "session")
        known = session in self._hub.sessions
        await self._link.detach(session)
        return {"session": session, "detached": known}

    async def _reconcile(self, params: Params) -> Any:
        session = wire.text(params, "session")
        tools = wire.objects(params, "tools") if "tools" in params else None
        return _outcome(await self._hub.reconcile(session, tools))

    async def _call(self, params: Params) -> Any:
        session = self._hub.sessions.get(wire.text(params, "session"))
        if session is None:
            raise RpcError(INVALID_PARAMS, f"no session {named(params['session'])}")
        try:
            arguments = wire.members(params, "arguments")
            return await session.call(wire.text(params, "name"), arguments)
        except UnknownTool as error:
            raise RpcError(INVALID_PARAMS, str(error)) from error
        except ToolChanged as error:
            data = {"name": error.name, "revision": error.revision, "reason": error.reason}
            raise RpcError(TOOL_CHANGED, str(error), data) from error

    async def _catalog(self, _: Params) -> Any:
        catalog = self._registry.catalog
        return {
            "revision": self._registry.revision,
            "digest": catalog.digest,
            "semantic": catalog.semantic_digest,
            "tools": [tool.definition for tool in catalog],
        }

    async def _status(self, _: Params) -> Any:
        plugins = {name: asdict(status) for name, status in self._registry.status().items()}
        sessions = {
            name: {"revision": session.revision, "outcome": _outcome(session.outcome)}
            for name, session in self._hub.sessions.items()
        }
        return {
            "revision": self._registry.revision,
            "plugins": plugins,
            "sessions": sessions,
            "warnings": list(self._registry.warnings),
        }

    async def _run(self, plugin: str, version: str, name: str, arguments: Any) -> Any:
        call = {"plugin": plugin, "version": version, "name": name, "arguments": arguments}
        return await self._link.request(CALL, call, timeout=math.inf)

    async def _close(self, plugin: str, version: str) -> None:
        with suppress(LinkClosedError):  # a host that went has closed everything itself
            await self._link.notify(CLOSED, {"plugin": plugin, "version": version})

    def _heard(self, event: Event) -> None:
        if isinstance(event, ContributionsChanged):
            self._contributed |= event.plugins
            self._news.set()

    async def _tell_contributions(self) -> None:
        """Tells which plugins brought something else beside tools; what waits is one set."""
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            plugins, self._contributed = sorted(self._contributed), frozenset()
            with suppress(LinkClosedError):
                told = {"revision": self._registry.revision, "plugins": plugins}
                await self._link.notify(CONTRIBUTED, told)


async def run(settings: Settings = _USUAL) -> None:
    """Serves the host at standard input and output, until that ends or SIGTERM comes."""
    pipes = StandardPipes()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_when_told, tasks.cancel_scope)
        try:
            await Sidecar(settings).serve(pipes.streams)
        finally:
            with anyio.CancelScope(shield=True):
                await pipes.flush()
        tasks.cancel_scope.cancel()


async def _stop_when_told(scope: anyio.CancelScope) -> None:
    # Windows has no such signal to wait for.
    with suppress(NotImplementedError), anyio.open_signal_receiver(signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()


async def _diff(params: Params) -> Any:
    """Compares two sets of tools that have nothing to do with any plugin."""
    old, new = wire.objects(params, "old"), wire.objects(params, "new")
    only, ignore = wire.strings(params, "only"), wire.strings(params, "ignore")
    _check_globs(only, ignore)

    def compared() -> dict[str, Any]:
        return diff(Catalog(old), Catalog(new), only=only, ignore=ignore).to_dict()

    # In a thread: two large sets take a moment, and sessions are not to wait for it.
    return await anyio.to_thread.run_sync(compared)


def _check_globs(*several: tuple[str, ...]) -> None:
    globs = [glob for given in several for glob in given]
    if len(globs) > _MOST_GLOBS or any(len(glob) > MAX_GLOB for glob in globs):
        most = f"at most {_MOST_GLOBS} globs of at most {MAX_GLOB} characters"
        raise RpcError(INVALID_PARAMS, f"only, ignore: expected {most}")


@lru_cache(maxsize=256)  # sessions with one selection share one object, and so what it selects
def _selection(only: tuple[str, ...], ignore: tuple[str, ...]) -> Select | None:
    _check_globs(only, ignore)
    test = chosen(only, ignore, rules=()).tool
    return None if test is None else lambda tool: test(tool.name)


def _fault(fault: Rejected | RegistrationError) -> dict[str, Any]:
    return {
        "plugin": fault.plugin,
        "tool": fault.tool,
        "path": fault.path,
        "reason": fault.reason,
    }


def _outcome(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    told = {
        "session": outcome.session,
        "outcome": outcome.status,
        "revision": outcome.revision,
        "tools": list(outcome.tools),
    }
    return told if outcome.error is None else {**told, "error": outcome.error}
