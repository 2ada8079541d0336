"""Pages of a server → one complete list, within bounds; a faulty page ends it with its reason."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import anyio.lowlevel

from toolsync.catalog import Catalog, Tool
from toolsync.errors import ToolsyncError
from toolsync.live.errors import told
from toolsync.model import Invalid
from toolsync.safe import named, safe_text

ListPage = Callable[[str | None], Awaitable[Mapping[str, Any]]]
"""Asks a server for the page at a cursor: a `tools/list` result."""

RepeatedCursor = Literal["error", "stop"]

_LONGEST: Final = 300  # characters of what a server said that are worth repeating
_KINDS: Final = {
    type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string",
    list: "an array", dict: "an object",
}  # fmt: skip


class BadList(ToolsyncError):  # noqa: N818  says what it is about
    """Says why a list cannot be used; `again` tells whether another look may find it mended."""

    def __init__(self, reason: str, *, again: bool = False, clash: bool = False) -> None:
        super().__init__(reason)
        self.again, self.clash = again, clash


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a list is taken: pages, tools, bytes of all tools, and until when."""

    max_pages: int
    max_tools: int
    max_bytes: int
    timeout: float

    def __post_init__(self) -> None:
        for name in ("max_pages", "max_tools", "max_bytes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected at least 1, got {getattr(self, name)}")
        if not self.timeout > 0:
            raise ValueError(f"timeout: expected seconds above 0, got {self.timeout}")

    def overdue(self) -> BadList:
        """Names the limit on time."""
        return BadList(f"time: no complete list within {self.timeout:g} s; raise timeout")


@dataclass(slots=True)
class Listing:
    """What a walk has gathered: tools by name, and named tools that are malformed."""

    tools: dict[str, Tool] = field(default_factory=dict)
    malformed: dict[str, Invalid] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)
    listed: int = 0
    size: int = 0


class Walk:
    """Reads one list from its first page to its last."""

    __slots__ = ("_bounds", "_list_page", "_listing", "_page", "_repeated", "_seen")

    def __init__(self, list_page: ListPage, bounds: Bounds, repeated: RepeatedCursor) -> None:
        self._list_page, self._bounds, self._repeated = list_page, bounds, repeated
        self._listing = Listing()
        self._seen: set[str] = set()
        self._page = 0

    async def run(self, overdue: Callable[[], bool]) -> Listing:
        """Gives the complete list. Raises BadList."""
        cursor: str | None = None
        while True:
            if self._page == self._bounds.max_pages:
                raise BadList(f"more than {self._page} pages; raise max_pages")
            self._page += 1
            page = await self._asked(cursor)
            if overdue():
                raise self._bounds.overdue()
            is_new = self._take(page)
            cursor = self._next(page, is_new=is_new)
            if cursor is None:
                return self._listing
            # A server in the same process may answer without ever giving way.
            await anyio.lowlevel.checkpoint()

    async def _asked(self, cursor: str | None) -> Mapping[str, Any]:
        try:
            page = await self._list_page(cursor)
        except Exception as error:
            raise BadList(f"page {self._page} failed: {told(error)}", again=True) from error
        if not isinstance(page, Mapping):
            raise self._fault(f"expected an object with 'tools', got {kind(page)}")
        return page

    def _fault(self, reason: str) -> BadList:
        return BadList(f"page {self._page}: {reason}")

    def _take(self, page: Mapping[str, Any]) -> bool:
        """Adds the tools of a page; tells whether it brought anything."""
        tools = page.get("tools")
        if not isinstance(tools, (list, tuple)):
            found = kind(tools) if "tools" in page else "nothing"
            raise self._fault(f"at 'tools': expected an array, got {found}")
        listing, bounds = self._listing, self._bounds
        listing.listed += len(tools)
        if listing.listed > bounds.max_tools:
            raise self._over(f"{listing.listed} tools", "max_tools", bounds.max_tools)
        before = len(listing.tools) + len(listing.malformed)
        part = Catalog(tools)
        listing.warnings.update(dict.fromkeys(part.warnings))
        for fault in part.invalid:
            self._add_malformed(fault, tools)
        for tool in part.tools:
            self._add(tool)
        return len(listing.tools) + len(listing.malformed) > before

    def _over(self, found: str, limit: str, value: int) -> BadList:
        return self._fault(f"{found}, over the limit of {value}; raise {limit}")

    def _count(self, size: int) -> None:
        self._listing.size += size
        if self._listing.size > self._bounds.max_bytes:
            raise self._over(f"{self._listing.size} bytes", "max_bytes", self._bounds.max_bytes)

    def _add(self, tool: Tool) -> None:
        name, text = tool.name, tool.text
        self._count(len(text))
        if name in self._listing.malformed:
            raise self._clash(name)
        known = self._listing.tools.setdefault(name, tool)
        if known is not tool:
            self._repeat(name, is_same=known.text == text)

    def _add_malformed(self, fault: Invalid, tools: Sequence[Any]) -> None:
        self._count(len(fault.text))
        name = fault.name
        if not name or fault.path == "/name":
            if name and _stands_twice(name, tools):
                raise self._clash(name)
            where = f"tool {fault.index + 1}, at {label(fault.path)}"
            raise self._fault(f"{where}: {safe_text(fault.reason)}")
        if name in self._listing.tools:
            raise self._clash(name)
        known = self._listing.malformed.setdefault(name, fault)
        if known is not fault:
            self._repeat(name, is_same=known.text == fault.text)

    def _repeat(self, name: str, *, is_same: bool) -> None:
        if not is_same:
            raise self._clash(name)
        told_once = f"tool {label(name)} stands more than once, each time the same"
        self._listing.warnings[told_once] = None

    def _clash(self, name: str) -> BadList:
        reason = f"page {self._page}: tool {label(name)}: two definitions under one name"
        return BadList(reason, again=True, clash=True)

    def _next(self, page: Mapping[str, Any], *, is_new: bool) -> str | None:
        cursor = page.get("nextCursor")
        if cursor is None:
            return None
        if not isinstance(cursor, str):
            raise self._fault(f"at 'nextCursor': expected a string, got {kind(cursor)}")
        self._count(len(cursor))
        if cursor not in self._seen:
            self._seen.add(cursor)
            return cursor
        if self._repeated == "error":
            raise self._fault("cursor did not advance")
        if is_new:
            return cursor
        stopped = f"page {self._page}: cursor did not advance: the list ends here"
        self._listing.warnings[stopped] = None
        return None


def _stands_twice(name: str, tools: Sequence[Any]) -> bool:
    found = (tool.get("name") for tool in tools if isinstance(tool, Mapping))
    return sum(1 for each in found if isinstance(each, str) and each == name) > 1


def kind(value: object) -> str:
    """Names the kind of a JSON value in a sentence."""
    return _KINDS.get(type(value)) or f"a {type(value).__name__}"


def label(name: str) -> str:
    """Quotes a name or place, or as much of it as a sentence can hold."""
    return named(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…")
