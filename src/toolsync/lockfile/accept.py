"""Reviewed changes taken into a lockfile, one tool at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from toolsync.catalog import Catalog
from toolsync.lockfile.entries import locked_tool, unusable
from toolsync.lockfile.model import Server


def pending(server: Server, now: Catalog) -> list[str]:
    """Returns the names of all tools that are not as they were locked, sorted.

    Tools without a name cannot be named, and are left out.
    """
    _ = now.digest
    digests = {tool.name: tool.digest for tool in server.tools}
    differing = {tool.name for tool in now if digests.get(tool.name) != tool.digest}
    gone = {tool.name for tool in server.tools if tool.name not in now}
    return sorted({*differing, *gone, *_faulty(server, now)})


def _faulty(server: Server, now: Catalog) -> set[str]:
    """Returns the names whose malformed entries are not the same."""
    before = {(entry.name, entry.digest) for entry in server.unusable}
    after = {(entry.name, entry.digest) for entry in map(unusable, now.invalid)}
    return {name for name, _ in before ^ after if name is not None}


def accepted(server: Server, now: Catalog, names: Iterable[str]) -> Server:
    """Returns the catalogue with the tools of these names as they are now, or gone."""
    chosen = set(names)
    kept = [tool for tool in server.tools if tool.name not in chosen]
    taken = [locked_tool(now[name]) for name in chosen if name in now]
    tools = sorted((*kept, *taken), key=lambda tool: tool.name)
    left = [entry for entry in server.unusable if entry.name not in chosen]
    came = [unusable(entry) for entry in now.invalid if entry.name in chosen]
    return replace(server, tools=tuple(tools), unusable=(*left, *came))
