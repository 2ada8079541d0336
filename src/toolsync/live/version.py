"""One version of a plugin while it serves: its calls in flight, and its end after the last."""

from __future__ import annotations

from typing import Any, Final

import anyio

from toolsync.errors import ToolsyncError
from toolsync.live.errors import told
from toolsync.live.foreign import Errand, settled
from toolsync.live.plugin import Plugin
from toolsync.live.timing import Tasks, log
from toolsync.safe import named

LEAST_CLOSING: Final = 1.0
"""How many seconds a plugin may take to close, at least; otherwise as many as calls may."""


class Version:
    """A built version; it is closed once, when it serves nothing more and its calls have ended."""

    __slots__ = ("_calls", "_closing", "_idle", "ended", "name", "plugin", "plugin_id")

    def __init__(self, plugin_id: str, name: str, plugin: Plugin) -> None:
        self.plugin_id = plugin_id
        self.name = name
        self.plugin = plugin
        self._calls = 0
        self._idle: anyio.Event | None = None
        self._closing = False
        self.ended = anyio.Event()

    @property
    def idle(self) -> bool:
        """Tells that no call is in flight."""
        return self._calls == 0

    async def call(self, name: str, arguments: Any) -> Any:
        """Runs a tool of this version; it stays open for that long."""
        if self.plugin.call is None:
            raise ToolsyncError(
                f"plugin {named(self.plugin_id)} has no call: tool {named(name)} cannot be run"
            )
        self._calls += 1
        try:
            return await settled(self.plugin.call(name, arguments))
        finally:
            self._calls -= 1
            if self._calls == 0 and self._idle is not None:
                self._idle.set()

    async def retire(self, tasks: Tasks, drain: float) -> None:
        """Closes this version once its calls have ended, or after `drain` seconds."""
        if self._closing:
            return
        self._closing = True
        try:
            if not self.idle:
                self._idle = anyio.Event()
                await tasks.happens(self._idle, drain)
            await self._close(tasks, max(drain, LEAST_CLOSING))
        finally:
            self.ended.set()

    async def _close(self, tasks: Tasks, seconds: float) -> None:
        if self.plugin.close is None:
            return
        try:
            await Errand(self.plugin.close).run(tasks, seconds)
        except Exception as error:  # noqa: BLE001  what a plugin does on its way out stops nobody
            version = f"{named(self.plugin_id)}, version {named(self.name)}"
            log.warning("closing plugin %s: %s", version, told(error))
