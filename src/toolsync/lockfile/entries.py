"""Between a catalogue and the entries of a lockfile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final

from toolsync import _diff
from toolsync._reading import MAX_TEXT
from toolsync.catalog import LIMITS, Catalog, Limits, Tool, from_entries, loads
from toolsync.errors import LockError
from toolsync.formats import Entry
from toolsync.lockfile.model import LockedTool, Server, Unusable
from toolsync.model import Invalid
from toolsync.safe import named, safe_text

_LONGEST: Final = 500


def locked(catalog: Catalog, source: str) -> Server:
    """Returns what a lockfile keeps of a catalogue: everything, also what is no tool."""
    _ = catalog.digest  # makes both digests of every tool in one go
    tools = sorted(map(locked_tool, catalog.tools), key=lambda tool: tool.name)
    return Server(source, tuple(tools), tuple(map(unusable, catalog.invalid)))


def locked_tool(tool: Tool) -> LockedTool:
    """Returns what is kept of a tool."""
    text = _diff.canonical_text(tool.text)
    return LockedTool(tool.name, tool.digest, tool.semantic_digest, text)


def unusable(entry: Invalid) -> Unusable:
    """Returns what is kept of a malformed entry; its text may be of any size, and is not."""
    return Unusable(entry.name, _bytes_digest(entry), _short(entry.path), _short(entry.reason))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _bytes_digest(entry: Invalid) -> str:
    return f"sha256:{sha256(entry.text).hexdigest()}"


def catalog_of(server: Server, beside: Catalog, *, name: str, limits: Limits = LIMITS) -> Catalog:
    """Returns the catalogue that was locked, sharing with the one `beside` what is unchanged.

    A tool of equal digest is the other's own, so that comparing the two costs nothing; only
    what differs is read. Raises LockError where a digest is not that of its tool.
    """
    _ = beside.digest
    differing = [tool for tool in server.tools if not _same(tool, beside)]
    read = _read(differing, limits)
    entries: list[Entry] = [read.get(tool.name) or beside[tool.name] for tool in server.tools]
    faults = {(one.name, _bytes_digest(one)): one.text for one in beside.invalid}
    entries += [_as_it_was(entry, faults) for entry in server.unusable]
    return from_entries(entries, name, limits)


def _same(tool: LockedTool, beside: Catalog) -> bool:
    if tool.name not in beside:
        return False
    other = beside[tool.name]
    if other.digest != tool.digest:
        return False
    _match_semantic(tool, other)
    return True


def _match_semantic(tool: LockedTool, read: Tool) -> None:
    if tool.semantic != read.semantic_digest:
        raise LockError(f"tool {named(tool.name)}: 'semantic' is not the digest of its definition")


def _read(tools: list[LockedTool], limits: Limits) -> Mapping[str, Tool]:
    """Reads definitions; each must be a tool of the name that it goes by."""
    text = b'{"tools":[%b]}' % b",".join(tool.text for tool in tools)
    catalog = loads(text, limits=replace(limits, max_bytes=MAX_TEXT))
    for fault in catalog.invalid:
        place = safe_text(fault.path) or "its root"
        raise LockError(f"tool {named(fault.name or '')} at {place}: {fault.reason}")
    _ = catalog.digest
    for tool in tools:
        if tool.name not in catalog:
            raise LockError(f"tool {named(tool.name)}: its definition has another name")
        _match_semantic(tool, catalog[tool.name])
    return {tool.name: tool for tool in catalog}


def _as_it_was(entry: Unusable, now: Mapping[tuple[str | None, str], bytes]) -> Entry:
    """Returns a malformed entry; its text where the other catalogue still has the very same."""
    text = now.get((entry.name, entry.digest), b"")
    return entry.name, entry.path, entry.reason, text
