"""The published state of a registry: one immutable value, and how a change makes the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from toolsync.catalog import Catalog, Tool
from toolsync.changes import Changes, diff
from toolsync.live.admission import Admitted
from toolsync.live.joining import Held, Serving, join
from toolsync.live.plugin import PluginStatus, Rejected
from toolsync.live.semantics import differs, same_value
from toolsync.live.version import Version

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Published:
    """A new published state, told right after the swap.

    `contributed` names the plugins whose contributions changed with it.
    """

    revision: int
    catalog: Catalog
    previous: Catalog
    contributed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class State:
    """All that readers of a registry see.

    `moved` holds for each tool the revision at which its definition last changed its meaning.
    """

    revision: int = 0
    catalog: Catalog = field(default_factory=Catalog)
    plugins: Mapping[str, Held] = field(default_factory=dict)
    routes: Mapping[str, Serving] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    moved: Mapping[str, int] = field(default_factory=dict)

    def sorted(self, order: Mapping[str, int]) -> list[tuple[str, Held]]:
        """Lists the plugins in source order: those of `order`, then by first registration."""
        last = len(order)
        return sorted(
            self.plugins.items(), key=lambda each: (order.get(each[0], last), each[1].place)
        )

    def told(self, plugin_id: str, held: Held) -> State:
        """Returns the state with another status of a plugin, whose tools stay as they are."""
        return replace(self, plugins={**self.plugins, plugin_id: held})

    def with_plugin(
        self, plugin_id: str, held: Held | None, order: Mapping[str, int]
    ) -> tuple[State, Changes]:
        """Returns the state with a plugin as it is to be, or without it, and what that changes."""
        plugins = {each: kept for each, kept in self.plugins.items() if each != plugin_id}
        if held is not None:
            plugins[plugin_id] = held
        loose = replace(self, plugins=plugins)
        joined = join(loose.sorted(order), self.catalog)
        changes = diff(self.catalog, joined.catalog)
        revision, moved = self.revision, self.moved
        if differs(changes):
            revision += 1
            moved = self._moved(changes, revision)
        made = State(revision, joined.catalog, plugins, joined.routes, joined.warnings, moved)
        return made, changes

    def _moved(self, changes: Changes, revision: int) -> Mapping[str, int]:
        old = changes.old
        moved: dict[str, int] = {}
        for tool in changes.new:
            at = old.index.get(tool.name)
            same = at is not None and _means_the_same(old.tools[at], tool)
            moved[tool.name] = self.moved[tool.name] if same else revision
        return moved


def _means_the_same(old: Tool, new: Tool) -> bool:
    return old is new or old.semantic_digest == new.semantic_digest


def contributed(before: State, after: State, plugin_id: str) -> frozenset[str]:
    """Names the plugin if what it brings beside tools has changed."""
    old, new = (_brought(state.plugins.get(plugin_id)) for state in (before, after))
    return frozenset() if same_value(old, new) else frozenset((plugin_id,))


def _brought(held: Held | None) -> dict[str, Any]:
    return {} if held is None or held.contributes is None else dict(held.contributes)


def activated(held: Held, version: Version, admitted: Admitted, now: float) -> Held:
    """Returns a plugin with a new version in charge.

    What was left out of that keeps its last valid definition, and the version that serves it.
    """
    fresh = tuple(Serving(tool, version) for tool in admitted.tools)
    names = {tool.name for tool in admitted.tools}
    out = {each.tool for each in admitted.rejected} - names
    kept = tuple(each for each in held.serving if each.tool.name in out)
    rejected = admitted.rejected
    return Held(
        place=held.place,
        status=PluginStatus(version.name, "active", _error(rejected), None, now),
        active=version,
        serving=(*fresh, *kept),
        contributes=MappingProxyType(dict(version.plugin.contributes)),
        rejected=rejected,
        warnings=(*admitted.warnings, *(each.told for each in rejected)),
    )


def refused(held: Held, candidate: str, error: str, now: float) -> Held:
    """Returns a plugin whose candidate failed; what served before still does."""
    before = held.status
    same = (before.candidate, before.error) == (candidate, error)
    state = PluginStatus(
        version=None if held.active is None else held.active.name,
        state="failed" if held.active is None else "retained",
        error=error,
        candidate=candidate,
        since=before.since if same else now,
    )
    return replace(held, status=state)


def restored(held: Held, now: float) -> Held:
    """Returns a plugin whose active version was asked for again: a failed candidate is forgotten.

    Of a version without fault nothing changes.
    """
    if held.status.state == "active" or held.active is None:
        return held
    error = _error(held.rejected)
    return replace(held, status=PluginStatus(held.active.name, "active", error, None, now))


def _error(rejected: tuple[Rejected, ...]) -> str | None:
    """Tells what was left out of an active version."""
    if not rejected:
        return None
    more = f" (and {len(rejected) - 1} more)" if len(rejected) > 1 else ""
    return rejected[0].told + more
