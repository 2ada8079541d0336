"""The complete list of a live server, once: every page, each definition as it came."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, Final

import anyio
import orjson

from toolsync.bridge.mcp.client import ConnectionFailed, Target, Upstream, connect
from toolsync.errors import LimitError, SourceError, ToolsyncError
from toolsync.live.walk import BadList, kind

MOST_PAGES: Final = 1_000
MOST_TOOLS: Final = 1_000_000
_MARGIN: Final = 1.0  # so that a handshake that takes too long is told as that


def list_text(target: Target, *, name: str, seconds: float, max_bytes: int) -> bytes:
    """Connects, lists and leaves; gives the list as the text of one `tools/list` result.

    `name` is what messages call the server. Raises SourceError or LimitError.
    """
    # What the SDK logs of its own is not for someone who asked one question.
    logging.getLogger().addHandler(logging.NullHandler())
    return anyio.run(_listed, target, name, seconds, max_bytes)


async def _listed(target: Target, name: str, seconds: float, max_bytes: int) -> bytes:
    said: list[str] = []
    try:
        with anyio.fail_after(seconds + _MARGIN):
            async with connect(
                target, name=name, timeout=seconds, on_stderr=lambda line: _keep(said, line)
            ) as upstream:
                tools = await all_pages(upstream, max_bytes)
    except TimeoutError as error:
        reason = f"no complete list within {seconds:g} s (--timeout raises that)"
        raise SourceError(f"{name}: {reason}{_hint(said)}") from error
    except LimitError:
        raise
    except ConnectionFailed as error:
        raise SourceError(f"{error}{_hint(said)}") from error
    except ToolsyncError as error:
        raise SourceError(f"{name}: {error}{_hint(said)}") from error
    text = _written(tools)
    if len(text) > max_bytes:
        raise _too_large(name, max_bytes)
    return text


def _keep(said: list[str], line: str) -> None:
    if line.strip():
        said[:] = [line]


def _hint(said: list[str]) -> str:
    """Gives what a server said last on its standard error: often that is the reason."""
    return f"; it said last: {said[0][:200]}" if said else ""


def _too_large(name: str, max_bytes: int) -> LimitError:
    return LimitError(
        f"{name}: lists more than {max_bytes:,} bytes (--max-bytes raises the limit)"
    )


async def all_pages(upstream: Upstream, max_bytes: int) -> list[Any]:
    """Reads every page. Raises BadList, LimitError, or what a request raises."""
    tools: list[Any] = []
    seen: set[str] = set()
    cursor: str | None = None
    size = 0
    if upstream.capabilities.get("tools") is None:
        return tools
    for number in range(1, MOST_PAGES + 1):
        page = await upstream.request("tools/list", None if cursor is None else {"cursor": cursor})
        found = page.get("tools")
        if not isinstance(found, list):
            raise BadList(f"page {number}: at 'tools': expected an array, got {kind(found)}")
        tools += found
        size += len(_written(found))
        if size > max_bytes:
            raise _too_large(upstream.name, max_bytes)
        if len(tools) > MOST_TOOLS:
            raise BadList(f"page {number}: more than {MOST_TOOLS:,} tools in all")
        cursor = _next(page, number, seen)
        if cursor is None:
            return tools
    raise BadList(f"more than {MOST_PAGES:,} pages")


def _next(page: Mapping[str, Any], number: int, seen: set[str]) -> str | None:
    cursor = page.get("nextCursor")
    if cursor is None:
        return None
    if not isinstance(cursor, str):
        raise BadList(f"page {number}: at 'nextCursor': expected a string, got {kind(cursor)}")
    if cursor in seen:
        raise BadList(f"page {number}: cursor did not advance")
    seen.add(cursor)
    return cursor


def _written(tools: list[Any]) -> bytes:
    try:
        return orjson.dumps({"tools": tools})
    except TypeError:  # an integer too long, or nested more deeply than it can
        return json.dumps({"tools": tools}).encode()
