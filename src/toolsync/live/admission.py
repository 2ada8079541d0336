"""Judges a candidate before anything changes: which tools come in, and what is wrong with others.

A tool whose text is that of the serving one is the same `Tool`, and takes no second look.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio.lowlevel
import orjson

from toolsync.catalog import Catalog, Tool
from toolsync.live.errors import RegistrationError
from toolsync.live.plugin import Plugin, Rejected
from toolsync.model import Invalid
from toolsync.safe import named, safe_text
from toolsync.schema.validity import tool_fault

AT_ONCE: Final = 25
"""How many new tools are judged before others have their turn."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """The sound tools of a candidate in its order, the faults of the others, and warnings."""

    tools: tuple[Tool, ...]
    rejected: tuple[Rejected, ...]
    warnings: tuple[str, ...]


async def admit(plugin_id: str, plugin: object, serving: Mapping[str, Tool]) -> Admitted:
    """Judges what a build returned; `serving` are the plugin's tools as they stand.

    Lets others go on between tools: thousands of them take a while.
    Raises RegistrationError where it is no plugin, whatever its tools.
    """
    sound = _checked(plugin_id, plugin)
    catalog = Catalog(sound.tools)
    found = [*_malformed(plugin_id, catalog.invalid)]
    kept: list[Tool] = []
    judged = 0
    for tool in catalog.tools:
        known = serving.get(tool.name)
        if known is not None and known.text == tool.text:
            kept.append(known)
            continue
        fault = _fault(plugin_id, tool, known)
        kept.append(tool) if fault is None else found.append(fault)
        judged += 1
        if judged % AT_ONCE == 0:
            await anyio.lowlevel.checkpoint()
    places = _places(sound.tools)
    found.sort(key=lambda one: places.get(one.tool or "", len(places)))
    warnings = tuple(f"plugin {named(plugin_id)}: {each}" for each in catalog.warnings)
    return Admitted(tuple(kept), tuple(found), warnings)


def _checked(plugin_id: str, plugin: object) -> Plugin:
    if not isinstance(plugin, Plugin):
        raise _no_plugin(plugin_id, f"the build gave {_kind(plugin)}, expected live.Plugin")
    tools: object = plugin.tools
    if isinstance(tools, (str, bytes, Mapping)) or not isinstance(tools, Sequence):
        raise _no_plugin(plugin_id, f"tools: expected a list of dicts, got {_kind(tools)}")
    functions: tuple[tuple[str, object], ...] = (("call", plugin.call), ("close", plugin.close))
    for name, function in functions:
        if function is not None and not callable(function):
            reason = f"{name}: expected an async function, got {_kind(function)}"
            raise _no_plugin(plugin_id, reason)
    contributes: object = plugin.contributes
    if not isinstance(contributes, Mapping):
        reason = f"contributes: expected a dict, got {_kind(contributes)}"
        raise _no_plugin(plugin_id, reason)
    return plugin


def _no_plugin(plugin_id: str, reason: str) -> RegistrationError:
    return RegistrationError(plugin_id, None, "", reason)


def _kind(value: object) -> str:
    return safe_text(type(value).__name__)


def _malformed(plugin_id: str, invalid: Sequence[Invalid]) -> Iterator[Rejected]:
    for each in invalid:
        where = "" if each.name is not None else f"tool number {each.index + 1}: "
        yield Rejected(plugin_id, each.name, each.path, where + each.reason)


def _fault(plugin_id: str, tool: Tool, known: Tool | None) -> Rejected | None:
    found = tool_fault(tool.parsed, None if known is None else known.parsed)
    if found is not None:
        return Rejected(plugin_id, tool.name, found.path, found.reason)
    if not _can_be_listed(tool.parsed):
        return Rejected(plugin_id, tool.name, "", "holds a number too long to be written")
    return None


def _can_be_listed(definition: dict[str, Any]) -> bool:
    """Tells whether a definition can be written as JSON by what serves it."""
    try:
        orjson.dumps(definition)
    except TypeError:  # an integer too long for it, which others may still write
        try:
            json.dumps(definition)
        except (ValueError, RecursionError):
            return False
    return True


def _places(tools: Sequence[object]) -> dict[str, int]:
    """Tells where each name stands first."""
    places: dict[str, int] = {}
    for place, tool in enumerate(tools):
        name = tool.get("name") if isinstance(tool, Mapping) else None
        if isinstance(name, str):
            places.setdefault(name, place)
    return places
