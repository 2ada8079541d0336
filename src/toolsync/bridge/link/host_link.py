"""Host link: keeps sessions current that live in another process, over JSON-RPC.

The peer holds the sessions (it calls them threads); this side holds the hub. What the
peer acknowledged last is known for as long as the connection lasts, so that only what
differs from it travels. docs/live/host-link.md tells the protocol method by method.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import anyio

import toolsync
from toolsync.bridge.link import wire
from toolsync.bridge.link.framing import MAX_LINE, Streams
from toolsync.bridge.link.rpc import (
    ANSWER_WITHIN,
    Answer,
    LinkClosedError,
    Method,
    NoAnswerError,
    Rpc,
)
from toolsync.bridge.link.thread import Far, Thread
from toolsync.bridge.link.wire import INVALID_PARAMS, INVALID_REQUEST, NO_METHOD, RpcError
from toolsync.catalog import Tool
from toolsync.live.hub import Hub
from toolsync.live.session import Session
from toolsync.safe import named

log = logging.getLogger("toolsync.bridge.link.host_link")

PROTOCOL: Final = 1
CAPABILITY: Final = "threadToolsUpdate"
INITIALIZE: Final = "initialize"
SESSIONS: Final = "provider/sessions/list"
GET: Final = "thread/tools/get"


class HostLink:
    """Threads of one peer as sessions of a hub; the peer may go, and come again."""

    def __init__(
        self, hub: Hub, *, timeout: float = ANSWER_WITHIN, max_line: int = MAX_LINE
    ) -> None:
        self._hub = hub
        self._timeout = timeout
        self._max_line = max_line
        self._threads: dict[str, Thread] = {}
        self._far: Far | None = None

    @property
    def connected(self) -> bool:
        """Tells whether a peer is there that has introduced itself."""
        return self._far is not None

    async def attach(
        self, thread: str, *, select: Callable[[Tool], bool] | None = None
    ) -> Session:
        """Makes a thread of the peer a session of the hub, whose id is the thread's."""
        made = Thread(thread, lambda: self._far)
        made.session = await self._hub.attach(made, id=thread, select=select)
        self._threads[thread] = made
        return made.session

    def handed_over(self, thread: str, base: Any = None) -> Answer:
        """Answers a request with the set that a thread begins with, or goes on with.

        `base` is the revision that it holds. Raises RpcError where it is not attached.
        """
        known = self._threads.get(thread)
        if known is None or known.session is None:
            raise RpcError(INVALID_PARAMS, f"no thread {named(thread)}: attach it first")
        return known.handed_over(known.session, base)

    async def detach(self, thread: str) -> None:
        """Ends a thread's session; one that is not there is no error."""
        if self._threads.pop(thread, None) is not None:
            await self._hub.detach(thread)

    async def serve(
        self, streams: Streams, *, greet: bool = False, methods: Mapping[str, Method] | None = None
    ) -> None:
        """Serves one connection until the peer ends it; may be called again for the next.

        `greet`: this side sends `initialize`; else the peer does. `methods` are answered
        beside those of the link.
        """
        served = _Connection(self, methods or {})
        rpc = Rpc(streams, served.methods(), max_line=self._max_line, timeout=self._timeout)
        served.rpc = rpc
        try:
            async with anyio.create_task_group() as tasks:
                if greet:
                    tasks.start_soon(served.greet)
                await rpc.run()
                tasks.cancel_scope.cancel()
        finally:
            self._left(rpc)

    async def introduced(self, far: Far) -> None:
        """Takes a peer that has introduced itself, and brings its threads up to date."""
        self._far = far
        for thread in self._threads.values():
            thread.forget()
        if not far.updates:
            log.debug("the peer does not take %s: it is left alone", CAPABILITY)
            return
        if not self._threads:
            return
        held = await self._listed(far)
        async with anyio.create_task_group() as tasks:
            for name, thread in tuple(self._threads.items()):
                if held is None or name in held:
                    digest = None if held is None else held[name]
                    tasks.start_soon(self._catch_up, thread, digest)
                else:
                    log.debug("thread %s does not run: nothing is sent", named(name))

    async def _catch_up(self, thread: Thread, digest: str | None) -> None:
        """Brings one thread of a new connection up to date, if it is not."""
        holds, session = thread.recalled(digest), thread.session
        outcome = None if session is None else session.outcome
        if session is not None and outcome is not None and outcome.status == "unsupported":
            await session.flush()  # the peer of another connection said so
        else:
            await self._hub.reconcile(thread.name, holds)

    async def _listed(self, far: Far) -> dict[str, str | None] | None:
        """Asks which threads run, and the digest of what each holds; None where it cannot tell."""
        try:
            answer = await far.rpc.request(SESSIONS, {})
            return _running(answer)
        except RpcError as error:
            level = logging.DEBUG if error.code == NO_METHOD else logging.WARNING
            log.log(level, "%s: %s", SESSIONS, error)
        except (LinkClosedError, NoAnswerError) as error:
            log.warning("%s", error)
        return None

    async def tools(self, params: Mapping[str, Any]) -> Answer:
        """Answers `thread/tools/get`: the newest set, or what differs from the one held."""
        return self.handed_over(wire.text(params, "threadId"), params.get("base"))

    async def request(self, method: str, params: Mapping[str, Any], *, timeout: float) -> Any:
        """Asks the peer something else. Raises LinkClosedError, RpcError, NoAnswerError."""
        return await self._peer(method).rpc.request(method, params, timeout=timeout)

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Tells the peer something else. Raises LinkClosedError."""
        await self._peer(method).rpc.notify(method, params)

    def _peer(self, method: str) -> Far:
        if self._far is None:
            raise LinkClosedError(f"{method}: no peer is connected")
        return self._far

    def _left(self, rpc: Rpc) -> None:
        if self._far is not None and self._far.rpc is rpc:
            self._far = None


class _Connection:
    """One connection of a link: who speaks first, and what may be asked when."""

    rpc: Rpc

    def __init__(self, link: HostLink, methods: Mapping[str, Method]) -> None:
        self._link = link
        self._more = methods
        self._introduced = False

    def methods(self) -> dict[str, Method]:
        """Returns all methods; but for the handshake, none works before it."""
        asked: dict[str, Method] = {"ping": _pong, GET: self._link.tools, **self._more}
        guarded = {name: self._after_handshake(method) for name, method in asked.items()}
        return {INITIALIZE: self._initialize, **guarded}

    async def greet(self) -> None:
        """Introduces this side, and takes what the peer says of itself."""
        try:
            answer = await self.rpc.request(INITIALIZE, _ourselves(self.methods()))
            self._introduced = True
            await self._link.introduced(_far(self.rpc, answer))
        except (RpcError, LinkClosedError, NoAnswerError) as error:
            log.warning("the handshake failed: %s", error)

    async def _initialize(self, params: Mapping[str, Any]) -> Answer:
        if self._introduced:
            raise RpcError(INVALID_REQUEST, "already initialized")
        far = _far(self.rpc, params)
        self._introduced = True

        async def introduce() -> None:
            await self._link.introduced(far)

        return Answer(_ourselves(self.methods()), introduce)

    def _after_handshake(self, method: Method) -> Method:
        async def guarded(params: Mapping[str, Any]) -> Any:
            if not self._introduced:
                raise RpcError(wire.NOT_INITIALIZED, "not initialized: send initialize first")
            return await method(params)

        return guarded


async def _pong(_: Mapping[str, Any]) -> Any:
    return {}


def _ourselves(methods: Iterable[str]) -> dict[str, Any]:
    return {
        "protocol": PROTOCOL,
        "name": "toolsync",
        "version": toolsync.__version__,
        "capabilities": {"methods": sorted(methods)},
    }


def _far(rpc: Rpc, told: Any) -> Far:
    """Reads what a peer says of itself. Raises RpcError where it speaks another protocol."""
    said = told if isinstance(told, Mapping) else {}
    protocol = said.get("protocol")
    if type(protocol) is not int or protocol < PROTOCOL:
        raise RpcError(INVALID_PARAMS, f"protocol: expected {PROTOCOL} or more")
    capabilities = said.get("capabilities")
    flag = capabilities.get(CAPABILITY) if isinstance(capabilities, Mapping) else None
    deltas = flag.get("deltas", True) if isinstance(flag, Mapping) else True
    updates = flag is True or isinstance(flag, Mapping)
    return Far(rpc, updates=updates, deltas=deltas is not False)


def _running(answer: Any) -> dict[str, str | None]:
    """Reads which threads run, and what each says it holds."""
    listed = answer.get("sessions") if isinstance(answer, Mapping) else None
    if not isinstance(listed, list):
        raise RpcError(INVALID_PARAMS, "expected sessions, an array")
    running: dict[str, str | None] = {}
    for each in listed:
        told = each if isinstance(each, Mapping) else {"threadId": each}
        name, digest = told.get("threadId"), told.get("digest")
        if isinstance(name, str):
            running[name] = digest if isinstance(digest, str) else None
    return running
