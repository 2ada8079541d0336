"""Many plugins → one catalogue: who keeps a name that two have, and in which order tools stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolsync.catalog import Catalog, Tool
from toolsync.live.plugin import PluginStatus, Rejected
from toolsync.live.version import Version
from toolsync.safe import named


@dataclass(frozen=True, slots=True)
class Serving:
    """A tool, and the version that runs it."""

    tool: Tool
    version: Version


@dataclass(frozen=True, slots=True)
class Held:
    """One plugin as it stands. `place` tells how early it was first registered.

    A tool may be served by an earlier version, where the newest one's was left out.
    """

    place: int
    status: PluginStatus
    active: Version | None = None
    serving: tuple[Serving, ...] = ()
    contributes: Mapping[str, Any] | None = None
    rejected: tuple[Rejected, ...] = ()
    warnings: tuple[str, ...] = ()

    def serves(self, version: str) -> bool:
        """Tells whether that version is the active one."""
        return self.active is not None and self.active.name == version

    @property
    def versions(self) -> dict[Version, None]:
        """Every version that has to stay open."""
        versions = {each.version: None for each in self.serving}
        return versions if self.active is None else {self.active: None, **versions}


@dataclass(frozen=True, slots=True)
class Joined:
    """The catalogue of all plugins, who runs each tool, and what had to be left out."""

    catalog: Catalog
    routes: Mapping[str, Serving]
    warnings: tuple[str, ...]


def join(plugins: Iterable[tuple[str, Held]], previous: Catalog) -> Joined:
    """Joins plugins that are given in source order: of two tools with one name the first stays.

    A tool that stood in the previous catalogue keeps its place among the others; new
    ones follow at the end.
    """
    routes: dict[str, Serving] = {}
    warnings: list[str] = []
    for plugin_id, held in plugins:
        warnings += held.warnings
        for each in held.serving:
            first = routes.setdefault(each.tool.name, each)
            if first is not each:
                warnings.append(_clash(plugin_id, each.tool.name, first.version.plugin_id))
    return Joined(_ordered(routes, previous), routes, tuple(warnings))


def _ordered(routes: Mapping[str, Serving], previous: Catalog) -> Catalog:
    staying = [routes[name].tool for name in previous.index if name in routes]
    coming = [each.tool for name, each in routes.items() if name not in previous.index]
    tools = [*staying, *coming]
    if len(tools) == len(previous) and all(map(_is, tools, previous.tools)):
        return previous
    return Catalog.of(tools)


def _is(one: Tool, other: Tool) -> bool:
    return one is other


def _clash(plugin_id: str, name: str, keeper: str) -> str:
    return (
        f"plugin {named(plugin_id)}: tool {named(name)} is left out, "
        f"since plugin {named(keeper)} has one of that name and comes first"
    )
