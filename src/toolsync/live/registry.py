"""Registry: plugins in, one catalogue out, each change whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from toolsync.catalog import Catalog, Tool
from toolsync.changes import diff
from toolsync.live import timing
from toolsync.live.admission import admit
from toolsync.live.errors import Closed, RegistrationError, ToolChanged, UnknownTool, told
from toolsync.live.foreign import Errand, Listeners, Stopped
from toolsync.live.joining import Held
from toolsync.live.lane import Lane, Request, Ticket
from toolsync.live.plugin import Build, Commit, Plugin, PluginStatus
from toolsync.live.semantics import alike
from toolsync.live.state import (
    NOTHING,
    Published,
    State,
    activated,
    contributed,
    refused,
    restored,
)
from toolsync.live.timing import Clock, Sleep, Spawn, Tasks
from toolsync.live.version import Version
from toolsync.schema.arguments import refusal

PATIENCE: Final = 1.0
"""How many seconds a caller waits for a replaced version that has no calls left to be closed."""


class Registry:
    """Holds the tools of any number of plugins as one catalogue that is complete at every moment.

    `on_invalid` says what becomes of a candidate with a bad tool: `"reject"` refuses it
    whole, `"skip"` lets the others in and keeps the bad one's last valid definition.
    `debounce` is how long a change waits for a newer one of its plugin, `drain` how long a
    replaced version stays open for its calls, `build_timeout` how long a build may take
    (seconds). `order` names plugins whose tools go before those of others under one name.
    """

    def __init__(  # noqa: PLR0913  each a question of its own, asked by name
        self,
        *,
        on_invalid: Literal["reject", "skip"] = "reject",
        debounce: float = 0.1,
        drain: float = 30.0,
        build_timeout: float = 30.0,
        order: Sequence[str] = (),
        clock: Clock = timing.monotonic,
        sleep: Sleep = timing.sleep,
        spawn: Spawn | None = None,
    ) -> None:
        if on_invalid not in ("reject", "skip"):
            raise ValueError(f"on_invalid: expected 'reject' or 'skip', got {on_invalid!r}")
        if debounce < 0 or drain < 0 or build_timeout <= 0:
            raise ValueError("debounce, drain: expected 0 or more seconds; build_timeout: more")
        self._skips = on_invalid == "skip"
        self._drain = drain
        self._build_timeout = build_timeout
        self._order = {plugin_id: at for at, plugin_id in enumerate(dict.fromkeys(order))}
        self._clock = clock
        self._tasks = Tasks(spawn, sleep)
        self._lane = Lane(self._tasks, clock, sleep, debounce, self._perform)
        self._listeners: Listeners[Published] = Listeners()
        self._ending: dict[Version, None] = {}
        self._closed = False
        self._state = State()

    @property
    def catalog(self) -> Catalog:
        """The published catalogue."""
        return self._state.catalog

    @property
    def revision(self) -> int:
        """The number of the published state; it grows by one with each semantic change."""
        return self._state.revision

    @property
    def warnings(self) -> tuple[str, ...]:
        """What had to be left out of the published catalogue, such as a name that two want."""
        return self._state.warnings

    def status(self) -> dict[str, PluginStatus]:
        """Tells how every plugin stands, in source order."""
        return {plugin_id: held.status for plugin_id, held in self._state.sorted(self._order)}

    def contributions(self, plugin_id: str) -> Mapping[str, Any]:
        """Gives what the active version of a plugin brings beside tools."""
        held = self._state.plugins.get(plugin_id)
        return NOTHING if held is None or held.contributes is None else held.contributes

    def subscribe(self, listener: Callable[[Published], None]) -> Callable[[], None]:
        """Calls a listener right after every swap; the returned function ends that."""
        return self._listeners.add(listener)

    async def apply(self, plugin_id: str, version: str, build: Build) -> Commit:
        """Installs or replaces a plugin; where that version is active already, does nothing.

        Of several changes of a plugin within the debounce window the newest is carried
        out, and all callers get what became of it; a removal before it counts all the same
        where it fails. A cancelled caller cancels no change.

        Raises:
            RegistrationError: the candidate was refused; everything is as it was.
            Closed: the registry has ended.
        """
        _check_text(plugin_id=plugin_id, version=version)
        if not callable(build):
            raise TypeError(f"build: expected an async function, got {type(build).__name__}")
        return await self._asked(plugin_id, version, build)

    async def remove(self, plugin_id: str) -> Commit:
        """Takes a plugin out, with every version of it; an unknown one is no error.

        Raises Closed where the registry has ended.
        """
        _check_text(plugin_id=plugin_id)
        return await self._asked(plugin_id, "", None)

    async def _asked(self, plugin_id: str, version: str, build: Build | None) -> Commit:
        if self._closed:
            raise Closed("the registry is closed")
        return await self._lane.ask(plugin_id, version, build).wait()

    async def call(self, name: str, arguments: Any, *, advertised: Tool | None = None) -> Any:
        """Runs a tool; the version that takes the call stays open until it ends.

        `advertised` is the definition that the caller knows: where the present one means
        something else, the arguments are looked at first.

        Raises:
            UnknownTool: there is none of that name.
            ToolChanged: the present definition refuses arguments made for an earlier one.
            Closed: the registry has ended.
        """
        if self._closed:
            raise Closed("the registry is closed")
        state = self._state
        route = state.routes.get(name)
        if route is None:
            raise UnknownTool(name)
        if advertised is not None and (reason := _outdated(advertised, route.tool, arguments)):
            raise ToolChanged(name, state.moved.get(name, state.revision), reason)
        return await route.version.call(name, arguments)

    async def aclose(self) -> None:
        """Ends the registry: waiting changes are dropped, every version is closed."""
        self._closed = True
        await self._lane.stop()
        for held in self._state.plugins.values():
            self._retire(held.versions)
        while self._ending:
            await next(iter(self._ending)).ended.wait()
        await self._tasks.aclose()

    async def _perform(self, request: Request) -> None:
        """Carries out one change; the lane calls it for one after the other."""
        held = self._state.plugins.get(request.plugin_id)
        if request.build is None:
            self._swap(request, None)
        elif held and held.serves(request.version) and request.removal is None:
            self._state = self._state.told(request.plugin_id, restored(held, self._clock()))
            same = diff(self.catalog, self.catalog)
            request.settle(Commit(self.revision, same, held.rejected))
        else:
            await self._replace(request, held)

    async def _replace(self, request: Request, held: Held | None) -> None:
        """Builds a candidate, judges it, and puts it in the place of what serves."""
        now = self._clock()
        held = held or Held(request.place, PluginStatus(None, "failed", None, None, now))
        plugin: Any = None
        try:
            plugin = await self._built(request.build)
            await self._admit(request, held, plugin)
        except Exception as error:  # noqa: BLE001  whatever a plugin does wrong is its own failure
            self._refuse(request, held, _refusing(request.plugin_id, error), plugin)
        except BaseException:  # the registry ends
            self._discard(plugin)
            raise

    async def _built(self, build: Build | None) -> Any:
        assert build is not None  # noqa: S101  told apart by the caller
        return await Errand(build, self._discard).run(self._tasks, self._build_timeout)

    async def _admit(self, request: Request, held: Held, plugin: Any) -> None:
        serving = {each.tool.name: each.tool for each in held.serving}
        admitted = await admit(request.plugin_id, plugin, serving)
        if admitted.rejected and not self._skips:
            first = admitted.rejected[0]
            raise RegistrationError(
                first.plugin, first.tool, first.path, first.reason, rejected=admitted.rejected
            )
        version = Version(request.plugin_id, request.version, plugin)
        before = _before(request, held)
        self._swap(request, activated(before, version, admitted, self._clock()))

    def _refuse(self, request: Request, held: Held, error: RegistrationError, plugin: Any) -> None:
        kept = refused(_before(request, held), request.version, str(error), self._clock())
        if request.removal is None:
            self._state = self._state.told(request.plugin_id, kept)
        else:  # what was to be removed goes, although nothing follows
            self._swap(request, kept, request.removal)
        candidate = Version(request.plugin_id, request.version, plugin)
        gone = {candidate: None} if isinstance(plugin, Plugin) else {}
        apart = _apart(gone, held.versions)
        self._tasks.start(self._finish, request.ticket.settle, None, error, apart)

    def _swap(self, request: Request, held: Held | None, ticket: Ticket | None = None) -> None:
        """Publishes the plugin as it is to be; versions that serve no more end after that."""
        before = self._state
        gone = before.plugins.get(request.plugin_id)
        after, changes = before.with_plugin(request.plugin_id, held, self._order)
        commit = Commit(after.revision, changes, () if held is None else held.rejected)
        others = contributed(before, after, request.plugin_id)
        self._state = after
        if after.catalog is not before.catalog or others:
            event = Published(after.revision, after.catalog, before.catalog, others)
            self._listeners.tell(event)
        staying = {} if held is None else held.versions
        leaving = {} if gone is None else gone.versions
        settle = request.settle if ticket is None else ticket.settle
        self._tasks.start(self._finish, settle, commit, None, _apart(leaving, staying))

    async def _finish(
        self,
        settle: Callable[[Commit | None, RegistrationError | None], None],
        commit: Commit | None,
        error: RegistrationError | None,
        ended: Sequence[Version],
    ) -> None:
        """Ends versions, then tells the callers; these wait for no call, and not long."""
        try:
            idle = [version for version in ended if version.idle]
            self._retire(ended)
            for version in idle:
                await self._tasks.happens(version.ended, PATIENCE)
        finally:
            settle(commit, error)

    def _retire(self, versions: Iterable[Version]) -> None:
        for version in versions:
            self._ending[version] = None
            self._tasks.start(self._end, version)

    async def _end(self, version: Version) -> None:
        try:
            await version.retire(self._tasks, self._drain)
        finally:
            self._ending.pop(version, None)

    def _discard(self, plugin: Any) -> None:
        """Closes what a build gave after nobody waited for it any more."""
        if isinstance(plugin, Plugin):
            self._retire([Version("", "", plugin)])


def _outdated(advertised: Tool, present: Tool, arguments: Any) -> str | None:
    """Says why the present definition refuses arguments, if it means something else by now."""
    if advertised is present or advertised.semantic_digest == present.semantic_digest:
        return None
    new, old = (each.parsed["inputSchema"] for each in (present, advertised))
    reason = refusal(new, arguments)
    if reason is None and refusal(old, arguments, "declared") is None:
        # An argument that was declared and is not any more would at best be ignored.
        reason = refusal(new, arguments, "declared")
    # The costlier question comes last: most calls still fit.
    return None if reason is None or alike(advertised, present) else reason


def _before(request: Request, held: Held) -> Held:
    """Gives what of a plugin a request finds: nothing but its place if a removal came first."""
    return held if request.removal is None else Held(held.place, held.status)


def _apart(leaving: Mapping[Version, None], staying: Mapping[Version, None]) -> list[Version]:
    """Lists the versions that can end; a plugin that stands for two versions stays open."""
    used = {id(each.plugin) for each in staying}
    return [each for each in leaving if each not in staying and id(each.plugin) not in used]


def _check_text(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, str):
            raise TypeError(f"{name}: expected a text, got {type(value).__name__}")


def _refusing(plugin_id: str, error: Exception) -> RegistrationError:
    if isinstance(error, RegistrationError) and error.plugin == plugin_id:
        return error
    reason = f"the build {error}" if isinstance(error, Stopped) else told(error)
    made = RegistrationError(plugin_id, None, "", reason)
    made.__cause__ = error
    return made
