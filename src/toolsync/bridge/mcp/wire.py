"""A catalogue as the pages of `tools/list`, made once for all sessions of an era.

Definitions go out as they are, unknown members included. What one era cannot carry
is left away there (`execution` in 2026-07-28, an `outputSchema` that is no object
before it), and a member that would make clients refuse the whole list (an icon
without source) too: one odd tool must not cost a session all its tools.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import orjson
from mcp_types import JSONRPCResponse, jsonrpc_message_adapter
from mcp_types import methods as wire_methods
from mcp_types.version import (
    LATEST_HANDSHAKE_VERSION,
    LATEST_MODERN_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)
from pydantic import ValidationError

from toolsync.catalog import Catalog, Tool
from toolsync.safe import named

Era = Literal["handshake", "modern"]

_SURFACE: Final[Mapping[Era, str]] = {
    "handshake": LATEST_HANDSHAKE_VERSION,
    "modern": LATEST_MODERN_VERSION,
}
_GONE: Final[Mapping[Era, tuple[str, ...]]] = {"handshake": (), "modern": ("execution",)}
_NEEDED: Final = ("name", "inputSchema")
_KEPT_LISTS: Final = 64
_KEPT_TOOLS: Final = 4096


def era_of(version: str) -> Era:
    """Tells which era a negotiated protocol version belongs to."""
    return "modern" if version in MODERN_PROTOCOL_VERSIONS else "handshake"


class CursorError(ValueError):
    """Says that a cursor belongs to another list, or to none."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page as a JSON object, and whether it ends the list."""

    result: dict[str, Any]
    last: bool


@dataclass(frozen=True, slots=True)
class _Listing:
    """A catalogue (kept, so that its identity stays its own) and its pages."""

    catalog: Catalog
    tag: str
    pages: tuple[Page, ...]


class ToolPages:
    """The pages of every catalogue that is being served, shared by all sessions.

    `frame` gives the members around the tools in an era; `note` is told, once, what
    was left away of which tool.
    """

    def __init__(
        self,
        page_size: int,
        frame: Callable[[Era], dict[str, Any]],
        note: Callable[[str], None],
    ) -> None:
        if page_size < 1:
            raise ValueError(f"page_size: expected 1 or more, got {page_size}")
        self._page_size = page_size
        self._frame = frame
        self._note = note
        self._listings: OrderedDict[tuple[Era, int], _Listing] = OrderedDict()
        self._fitted: dict[Era, dict[int, tuple[Tool, dict[str, Any] | None]]] = {
            "handshake": {}, "modern": {}
        }  # fmt: skip
        self._largest = 0

    def page(self, catalog: Catalog, version: str, cursor: str | None) -> Page:
        """Gives one page of a catalogue.

        Raises CursorError for a cursor of another catalogue: the client starts over.
        """
        listing = self._listing(catalog, era_of(version))
        if cursor is None:
            return listing.pages[0]
        tag, _, place = cursor.partition(".")
        if tag != listing.tag or len(place) > 9 or not (place.isascii() and place.isdigit()):
            raise CursorError("the list changed, or the cursor was never given: start over")
        if not 0 < int(place) < len(listing.pages):
            raise CursorError("no such page: start over")
        return listing.pages[int(place)]

    def _listing(self, catalog: Catalog, era: Era) -> _Listing:
        key = (era, id(catalog))
        listing = self._listings.get(key)
        if listing is None:
            listing = self._listings[key] = self._listed(catalog, era)
            if len(self._listings) > _KEPT_LISTS:
                self._listings.popitem(last=False)
        self._listings.move_to_end(key)
        return listing

    def _listed(self, catalog: Catalog, era: Era) -> _Listing:
        tools = self._fit(catalog.tools, era)
        size = self._page_size
        starts = range(0, max(len(tools), 1), size)
        tag = _tag(catalog) if len(starts) > 1 else "-"
        pages = []
        for at, start in enumerate(starts):
            result = {"tools": tools[start : start + size], **self._frame(era)}
            if at + 1 < len(starts):
                result["nextCursor"] = f"{tag}.{at + 1}"
            pages.append(Page(result, at + 1 == len(starts)))
        return _Listing(catalog, tag, tuple(pages))

    def _fit(self, tools: Sequence[Tool], era: Era) -> list[dict[str, Any]]:
        """Fits each tool to the era's wire; what was fitted for another list is not again."""
        kept = self._fitted[era]
        fresh = [tool for tool in tools if id(tool) not in kept]
        self._largest = max(self._largest, len(tools))
        if len(kept) + len(fresh) > max(_KEPT_TOOLS, 4 * self._largest):
            kept.clear()
            fresh = list(tools)
        for tool, made in zip(fresh, _fitted(fresh, era, self._note), strict=True):
            kept[id(tool)] = (tool, made)
        found = (kept[id(tool)][1] for tool in tools)
        return [each for each in found if each is not None]


def _tag(catalog: Catalog) -> str:
    """Names a list: its digest, which leaves the order aside, and its order."""
    names = orjson.dumps([tool.name for tool in catalog.tools])
    return hashlib.sha256(catalog.digest.encode() + names).hexdigest()[:32]


def _fitted(
    tools: Sequence[Tool], era: Era, note: Callable[[str], None]
) -> list[dict[str, Any] | None]:
    """Gives each definition as the era's wire carries it; None for a tool that it cannot carry."""
    gone = _GONE[era]
    made: list[dict[str, Any] | None] = [_without(tool.definition, gone) for tool in tools]
    if _passes(made, era):
        return made
    for place, tool in enumerate(tools):
        made[place] = _mended(tool.name, made[place], era, note)
    return made


def _mended(
    name: str, definition: dict[str, Any] | None, era: Era, note: Callable[[str], None]
) -> dict[str, Any] | None:
    """Takes away members until clients accept the tool."""
    while definition is not None:
        member = _refused_member(definition, era)
        if member is None:
            return definition
        if member in _NEEDED or member not in definition:
            note(f"tool {named(name)}: left out for {_SURFACE[era]} clients: they would refuse it")
            return None
        note(f"tool {named(name)}: sent without {named(member)} to {_SURFACE[era]} clients")
        definition = _without(definition, (member,))
    return None


def _without(definition: dict[str, Any], members: tuple[str, ...]) -> dict[str, Any]:
    if not any(member in definition for member in members):
        return definition
    return {key: value for key, value in definition.items() if key not in members}


def _passes(definitions: Sequence[dict[str, Any] | None], era: Era) -> bool:
    return _fault(definitions, era) is None


def _refused_member(definition: dict[str, Any], era: Era) -> str | None:
    """Names the member that clients would refuse; the schema for what cannot be written."""
    fault = _fault([definition], era)
    if fault is None:
        return None
    places = [
        error["loc"][2] for error in fault.errors(include_url=False) if len(error["loc"]) > 2
    ] if isinstance(fault, ValidationError) else []  # fmt: skip
    return next((each for each in places if isinstance(each, str)), "inputSchema")


def _fault(definitions: Sequence[dict[str, Any] | None], era: Era) -> Exception | None:
    """Writes and reads a list as a client will: its nesting and its shape."""
    result = {"tools": list(definitions), "resultType": "complete", "ttlMs": 0,
              "cacheScope": "private"}  # fmt: skip
    try:
        wire_methods.validate_server_result("tools/list", _SURFACE[era], result)
        text = JSONRPCResponse(jsonrpc="2.0", id=1, result=result).model_dump_json()
        jsonrpc_message_adapter.validate_json(text)
    except ValueError as error:  # ValidationError, and what cannot be written, are ValueErrors
        return error
    return None
