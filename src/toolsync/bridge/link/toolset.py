"""A set of tools as it travels over a host link: whole, or as what differs from an earlier one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolsync.bridge.link import wire
from toolsync.bridge.link.wire import INVALID_PARAMS, NO_BASE, RpcError
from toolsync.catalog import Catalog
from toolsync.safe import named


@dataclass(frozen=True, slots=True)
class Toolset:
    """The tools of a thread at one revision."""

    revision: int
    catalog: Catalog


def full(now: Toolset) -> dict[str, Any]:
    """Writes a set whole; `digest` is the full digest of all its tools."""
    return _head(now) | {"tools": [tool.definition for tool in now.catalog]}


def delta(base: Toolset, now: Toolset) -> dict[str, Any]:
    """Writes what differs from an earlier set: changed and new tools whole, the rest by name."""
    old = base.catalog
    changed = [
        tool.definition
        for tool in now.catalog
        if tool.name not in old
        or (old[tool.name] is not tool and old[tool.name].digest != tool.digest)
    ]
    return _head(now) | {
        "base": base.revision,
        "changed": changed,
        "removed": [tool.name for tool in old if tool.name not in now.catalog],
        "order": [tool.name for tool in now.catalog],
    }


def told(base: Toolset | None, now: Toolset) -> dict[str, Any]:
    """Writes a set in the shorter of the two forms."""
    if base is None:
        return full(now)
    short = delta(base, now)
    return full(now) if len(short["changed"]) == len(now.catalog) else short


def taken(held: Toolset | None, update: Mapping[str, Any]) -> Toolset:
    """Reads an update against what is held: what the receiving end does.

    One of an earlier revision, and the same one again, change nothing. The
    same revision may come with another set: where what is held had got lost. Raises
    RpcError: the base is another one (then the sender sends the whole set), or the update
    is malformed.
    """
    revision = update.get("revision")
    if type(revision) is not int:
        raise RpcError(INVALID_PARAMS, "revision: expected a whole number")
    if held is not None and _is_old(held, revision, update.get("digest")):
        return held
    if "base" not in update:
        return Toolset(revision, _read(wire.objects(update, "tools")))
    if held is None or update["base"] != held.revision:
        data = {"held": None if held is None else held.revision}
        raise RpcError(NO_BASE, f"revision {update['base']} is not what is held", data)
    return Toolset(revision, _patched(held.catalog, update))


def _is_old(held: Toolset, revision: int, digest: Any) -> bool:
    again = revision == held.revision and digest == held.catalog.digest
    return revision < held.revision or again


def _patched(old: Catalog, update: Mapping[str, Any]) -> Catalog:
    changed = _read(wire.objects(update, "changed"))
    present = {**{tool.name: tool for tool in old}, **{tool.name: tool for tool in changed}}
    for name in wire.strings(update, "removed"):
        present.pop(name, None)
    order = wire.strings(update, "order")
    if len(order) != len(present) or set(order) != present.keys():
        raise RpcError(NO_BASE, "order: names other tools than those that came of the update")
    return Catalog.of(present[name] for name in order)


def _read(tools: list[dict[str, Any]]) -> Catalog:
    catalog = Catalog(tools)
    if catalog.invalid:
        first = catalog.invalid[0]
        raise RpcError(INVALID_PARAMS, f"tool {named(first.name or '')}: {first.reason}")
    return catalog


def _head(now: Toolset) -> dict[str, Any]:
    return {"revision": now.revision, "digest": now.catalog.digest}
