"""Standard input and output as the two streams of a protocol.

Both are served by daemon threads: a thread that waits for input must not keep the
process alive, and this works with pipes, files and terminals of every system alike.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Final

import anyio

from toolsync.bridge.link.framing import Streams

_CHUNK: Final = 1 << 16
_FLUSH: Final = 5.0


class StandardPipes:
    """Takes standard output for a protocol: whatever else is printed goes to standard error."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._input, self._output = os.dup(0), os.dup(1)
        with contextlib.suppress(OSError):  # without standard error, prints get lost at once
            os.dup2(2, 1)
        self._wanted = threading.Semaphore(0)
        self._came: asyncio.Queue[bytes] = asyncio.Queue()
        self._going: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._free = asyncio.Event()
        self._free.set()
        self._broken: OSError | None = None
        for work in (self._read, self._write):
            threading.Thread(target=work, daemon=True).start()

    @property
    def streams(self) -> Streams:
        """Returns both directions."""
        return Streams(self._receive, self._send)

    async def flush(self) -> None:
        """Waits a moment for what was sent last to have gone out."""
        with anyio.move_on_after(_FLUSH):
            await self._free.wait()

    async def _receive(self) -> bytes:
        self._wanted.release()  # one read each time: what nobody asks for stays in the pipe
        return await self._came.get()

    async def _send(self, data: bytes) -> None:
        while not self._free.is_set():
            await self._free.wait()
        if self._broken is not None:
            raise self._broken
        self._free.clear()
        self._going.put(data)

    def _read(self) -> None:
        data = b"-"
        while data:
            self._wanted.acquire()
            try:
                data = os.read(self._input, _CHUNK)
            except OSError:
                data = b""
            if not self._in_loop(partial(self._came.put_nowait, data)):
                return

    def _write(self) -> None:
        while True:
            data = memoryview(self._going.get())
            try:
                while data:
                    data = data[os.write(self._output, data) :]
            except OSError as error:
                self._broken = error
            if not self._in_loop(self._free.set):
                return

    def _in_loop(self, work: Callable[[], None]) -> bool:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and so has its need of us
            self._loop.call_soon_threadsafe(work)
            return True
        return False
