"""Who plays in the simulation of the live part: servers, plugins, sessions, and their faults."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from live_rig import BAD_SCHEMA, Definition
from toolsync import Catalog, diff, live
from toolsync.changes import Changes
from toolsync.live import Session

State = dict[str, Definition]


class Judge(Protocol):
    """Whom actors tell what must not be."""

    def violated(self, invariant: str, what: str) -> None: ...

    def seen(self, catalog: Catalog, where: str, *, only: tuple[str, ...] = ()) -> None: ...


def definition(name: str, version: int, **more: Any) -> Definition:
    """Returns a definition that no other version of the tool shares."""
    properties = {f"arg{version % 3}": {"type": "string"}}
    schema = {"type": "object", "properties": properties}
    return {"name": name, "description": f"v{version}", "inputSchema": schema, **more}


def is_bad(tool: Definition) -> bool:
    return bool(tool["inputSchema"] == BAD_SCHEMA)


@dataclass
class Source:
    """Something with tools of its own; every state that it ever had is kept in order."""

    name: str
    states: list[State] = field(default_factory=list)
    reached: int = 0
    """The state that readers have come to: none older may be seen again."""
    version: int = 0

    def __post_init__(self) -> None:
        self.states = [{}]
        for place in range(4):
            self.change("add", place)

    def change(self, what: str, place: int) -> None:
        """Makes the next state out of the last."""
        self.version += 1
        state = dict(self.states[-1])
        names = list(state)
        name = names[place % len(names)] if names else f"{self.name}.t{self.version}"
        if what == "add":
            name = f"{self.name}.t{self.version}"
            state[name] = definition(name, self.version)
        elif what == "remove":
            state.pop(name, None)
        elif what == "empty":
            state = {}
        elif what == "bad":
            state[name] = {"name": name, "inputSchema": BAD_SCHEMA}
        elif what == "title":
            state[name] = state.get(name, definition(name, 0)) | {"title": f"T{self.version}"}
        else:
            state[name] = definition(name, self.version)
        self.states.append(state)

    def mend(self) -> None:
        """Makes every tool of the last state usable."""
        state = {
            name: definition(name, self.version + 1) if is_bad(tool) else tool
            for name, tool in self.states[-1].items()
        }
        if state != self.states[-1]:
            self.version += 1
            self.states.append(state)

    def admits(self, seen: State) -> bool:
        """Tells whether a reader may see this now: a complete state, and no older than before."""
        for at in range(self.reached, len(self.states)):
            if self._shows(self.states[at], seen):
                self.reached = at
                return True
        return False

    def _shows(self, state: State, seen: State) -> bool:
        if not seen.keys() <= state.keys():
            return False
        return all(
            self._was_valid(name, seen.get(name)) if is_bad(tool) else seen.get(name) == tool
            for name, tool in state.items()
        )

    def _was_valid(self, name: str, seen: Definition | None) -> bool:
        if seen is None:
            return True
        return not is_bad(seen) and any(state.get(name) == seen for state in self.states)


@dataclass
class Server(Source):
    """Lists in pages of two; `strict` ones refuse a cursor of an earlier state.

    The others announce every change before they answer the next request.
    """

    judge: Judge | None = None
    strict: bool = True
    announce: Callable[[], None] = lambda: None
    faults: list[tuple[str, str]] = field(default_factory=list)
    delay: float = 0.02
    connected: bool = True
    subscribed: bool = True
    missed: bool = False
    announced: int = 0
    open: int = 0
    walks: int = 0

    def notify(self, times: int = 1) -> None:
        """Sends a notification, so many times; without a subscription it is lost for good."""
        if self.subscribed and self.connected:
            self.told_all()
            for _ in range(times):
                self.announce()

    def told_all(self) -> None:
        """Notes that a list which begins from now on shows all that was announced."""
        self.missed, self.announced = False, len(self.states)

    def is_shown(self, found: State) -> bool:
        """Tells whether a reader holds the last state, if that was announced at all."""
        return self.announced < len(self.states) or self._shows(self.states[-1], found)

    async def list_page(self, cursor: str | None) -> Any:
        self.walks += cursor is None
        self.open += 1
        if self.open > 2 and self.judge is not None:
            self.judge.violated("I8", f"{self.open} requests are open at {self.name}")
        try:
            await asyncio.sleep(self.delay)
            if not self.connected:
                raise ConnectionError("not connected")
            answer = await self._answer(cursor)
            await asyncio.sleep(self.delay)  # what it says may be old when it arrives
            return answer
        finally:
            self.open -= 1

    async def _answer(self, cursor: str | None) -> Any:
        page = "first" if cursor is None else "middle"
        if self.faults and self.faults[0][0] == page:
            _, fault = self.faults.pop(0)
            if fault == "error":
                raise OSError("a page that fails")
            if fault == "hang":
                await asyncio.sleep(10_000)
            return {**self._page(cursor), **FAULTS[fault]}
        return self._page(cursor)

    def _page(self, cursor: str | None) -> dict[str, Any]:
        at, first = (len(self.states), 0) if cursor is None else map(int, cursor.split(":"))
        if self.strict and at != len(self.states):
            raise ValueError("-32602: a cursor of an earlier list")
        tools = list(self.states[-1].values())
        page: dict[str, Any] = {"tools": tools[first : first + 2]}
        if first + 2 < len(tools):
            page["nextCursor"] = f"{at}:{first + 2}"
        return page


_OBJECT = {"type": "object"}
FAULTS: dict[str, dict[str, Any]] = {
    "no list": {"tools": None},
    "no name": {"tools": [{"name": "", "inputSchema": _OBJECT}]},
    "clash": {"tools": [{"name": "x", "inputSchema": _OBJECT}, {"name": "x", "inputSchema": {}}]},
    "too many": {"tools": [{"name": f"many{n}", "inputSchema": _OBJECT} for n in range(99)]},
    "loop": {"nextCursor": "0:0"},
}


@dataclass
class PluginSource(Source):
    """A plugin of a host; what it builds may fail, hang, or hold a bad tool."""

    judge: Judge | None = None
    wanted: str = ""

    def build(self, how: str, label: str) -> Callable[[], Awaitable[live.Plugin]]:
        tools = list(self.states[-1].values())

        async def built() -> live.Plugin:
            if how == "raise":
                raise RuntimeError("a build that fails")
            if how == "hang":
                await asyncio.sleep(10_000)
            if how == "bad":
                tools.append({"name": f"{self.name}.bad", "inputSchema": BAD_SCHEMA})
            return Built(self, label).plugin(tools)

        return built


class Built:
    """One version of a plugin, which must not be closed while it has calls."""

    def __init__(self, source: PluginSource, label: str) -> None:
        self.source, self.label = source, label
        self.calls = 0

    def plugin(self, tools: list[Definition]) -> live.Plugin:
        return live.Plugin(tools, call=self.call, close=self.close)

    async def call(self, _: str, arguments: Any) -> Any:
        self.calls += 1
        try:
            await asyncio.sleep(arguments.get("seconds", 0))
        finally:
            self.calls -= 1
        return self.label

    async def close(self) -> None:
        if self.calls and self.source.judge is not None:
            self.source.judge.violated("I9", f"{self.label} is closed under {self.calls} calls")


class Client:
    """A session's other end: holds what it was given, and may fail, hang or be away."""

    def __init__(self, judge: Judge, name: str, prefixes: tuple[str, ...], *, lists: bool) -> None:
        self.judge, self.name, self.prefixes = judge, name, prefixes
        self.announces = lists
        self.mode, self.well_since, self.changed_at = "ok", 0.0, 0.0
        self.session: Session | None = None
        self.held: State = {}
        self.known: Catalog | None = None
        self.running = False
        self.applied = 0
        self.revision = 0

    @property
    def live(self) -> bool:
        return self.mode != "away"

    def select(self, tool: Any) -> bool:
        return str(tool.name).startswith(self.prefixes)

    def attached(self, session: Session) -> None:
        self.session, self.revision = session, session.revision
        self.well_since = asyncio.get_running_loop().time()
        self._hold(session.catalog)
        session.served(session.catalog)

    def _hold(self, catalog: Catalog) -> None:
        self.judge.seen(catalog, f"session {self.name}", only=self.prefixes)
        self.held = {tool.name: tool.definition for tool in catalog}
        self.known = catalog

    async def apply(self, catalog: Catalog, changes: Changes) -> str:
        self._check(catalog, changes)
        self.applied += 1
        if self.running:
            self.judge.violated("I8", f"session {self.name} is told while it is being told")
        self.running = True
        try:
            return await self._taken(catalog)
        finally:
            self.running = False

    def _check(self, catalog: Catalog, changes: Changes) -> None:
        self.judge.seen(catalog, f"session {self.name}", only=self.prefixes)
        if not changes.notify:
            self.judge.violated("I3", f"session {self.name} is told of a change that is none")
        if self.known is not None and not diff(self.known, catalog).notify:
            self.judge.violated("I3", f"session {self.name} is told twice of one set")
        revision = self.session.revision if self.session else 0
        if revision < self.revision:
            self.judge.violated("I1", f"session {self.name} goes back to {revision}")
        self.revision = revision

    async def _taken(self, catalog: Catalog) -> str:
        mode = self.mode
        if mode != "ok":
            self.known = None  # who does not know what it holds may be told again
        if mode == "fail":
            raise ConnectionError("an adapter that fails")
        if mode == "hang":
            await asyncio.sleep(10_000)
        if mode == "odd":
            return "perhaps"
        if not self.announces:
            self._hold(catalog)
        elif mode == "ok":
            asyncio.get_running_loop().call_later(0.05, self.list)
        return "applied"

    def list(self) -> None:
        """Asks for the tools, as a client does that was told to."""
        if self.session is not None:
            self._hold(self.session.catalog)
            self.session.served(self.session.catalog)

    async def close(self) -> None:
        self.session = None
