"""An MCP server as a catalogue that is followed: stdio and streamable HTTP, both eras."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio

from toolsync.bridge.mcp.child import MAX_MESSAGE
from toolsync.bridge.mcp.errors import ConnectionFailed, ConnectionLost, RemoteError
from toolsync.bridge.mcp.owner import Mode, Owner
from toolsync.bridge.mcp.target import Http, Stdio, Target
from toolsync.bridge.mcp.upstream import Upstream
from toolsync.safe import safe_text

__all__ = [
    "ConnectionFailed", "ConnectionLost", "Http", "Mode", "RemoteError", "Stdio", "Target",
    "Upstream", "connect",
]  # fmt: skip


def _to_stderr(name: str) -> Callable[[str], None]:
    def say(line: str) -> None:
        print(f"{safe_text(name)}: {line}", file=sys.stderr, flush=True)  # noqa: T201

    return say


@asynccontextmanager
async def connect(  # noqa: PLR0913  each is told below, and has a default
    target: Target,
    *,
    name: str,
    timeout: float = 30.0,
    refresh_timeout: float = 5.0,
    mode: Mode = "auto",
    max_message: int = MAX_MESSAGE,
    on_stderr: Callable[[str], None] | None = None,
    **limits: Any,
) -> AsyncIterator[Upstream]:
    """Connects to a server, and lets go of it at the end: no child outlives this.

    `timeout` is for the handshake, `refresh_timeout` for one fetch of the list;
    `max_message` is how many bytes one message may have; `on_stderr` is given each line
    that a child writes to its standard error, made safe; `limits` are the others of
    `RemoteCatalog`.

    Raises:
        ConnectionFailed: one line that says why there is no connection.
    """
    upstream = Upstream(name, timeout=refresh_timeout, **limits)
    owner = Owner(upstream, target, mode, on_stderr or _to_stderr(name), max_message)
    running = asyncio.get_running_loop().create_task(owner.run())
    try:
        await owner.reached(running, timeout)
        yield upstream
    finally:
        with anyio.CancelScope(shield=True):
            await owner.left(running)
