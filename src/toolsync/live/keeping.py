"""A complete list → what is used of it: last valid definitions stay, tools keep their places."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import anyio.lowlevel

from toolsync.catalog import Catalog, Tool
from toolsync.live.plugin import Rejected
from toolsync.live.walk import Listing, label
from toolsync.safe import safe_text
from toolsync.schema.validity import tool_fault

_BREATH: Final = 50  # definitions judged before other tasks get their turn


@dataclass(frozen=True, slots=True)
class Kept:
    """A list as it is used: its catalogue, what was isolated, what was put right."""

    catalog: Catalog
    isolated: tuple[Rejected, ...]
    warnings: tuple[str, ...]


async def kept(listing: Listing, published: Catalog, source: str) -> Kept:
    """Judges the tools that differ from those in use, and joins the usable ones with these."""
    usable: dict[str, Tool] = {}
    isolated: list[Rejected] = []
    judged = 0
    for name, tool in listing.tools.items():
        known = _known(published, name)
        if known is not None and known.text == tool.text:
            usable[name] = known
            continue
        fault = tool_fault(tool.definition)
        if fault is None:
            usable[name] = tool
        else:
            isolated.append(_rejected(source, name, fault.path, fault.reason))
        judged += 1
        if judged % _BREATH == 0:
            await anyio.lowlevel.checkpoint()
    for name, malformed in listing.malformed.items():
        isolated.append(_rejected(source, name, malformed.path, malformed.reason))
    for rejected in isolated:
        last_valid = _known(published, rejected.tool or "")
        if last_valid is not None:
            usable[last_valid.name] = last_valid
    warnings = (*listing.warnings, *map(_warning, isolated))
    return Kept(_joined(usable, published, source), tuple(isolated), warnings)


def _known(published: Catalog, name: str) -> Tool | None:
    at = published.index.get(name)
    return None if at is None else published.tools[at]


def _rejected(source: str, name: str, path: str, reason: str) -> Rejected:
    return Rejected(source, name, safe_text(path), safe_text(reason))


def _warning(rejected: Rejected) -> str:
    where = rejected.path or "its root"
    return f"tool {label(rejected.tool or '')} is left out, at {where}: {rejected.reason}"


def _joined(usable: dict[str, Tool], published: Catalog, source: str) -> Catalog:
    """Gives the catalogue in use itself where nothing differs: who compares sees that at once."""
    tools = tuple(_in_place(usable, published))
    if tools == published.tools:
        return published
    return Catalog.of(tools, source=source or None)


def _in_place(usable: dict[str, Tool], published: Catalog) -> Iterator[Tool]:
    """Yields tools that were there in the places they had, then the new ones as listed."""
    for name in published.index:
        if name in usable:
            yield usable[name]
    for name, tool in usable.items():
        if name not in published:
            yield tool


def fingerprint(listing: Listing) -> str:
    """Gives a digest of a whole list, malformed tools included; order does not count."""
    whole = hashlib.sha256(Catalog.of(listing.tools.values()).digest.encode())
    for name, fault in sorted(listing.malformed.items()):
        whole.update(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())
        whole.update(hashlib.sha256(fault.text).digest())
    return whole.hexdigest()
