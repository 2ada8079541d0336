"""Standard input and output as the streams of one MCP connection.

The SDK's own reader blocks a thread that cannot be cancelled, so a server told to stop
would wait for its client's next line. These threads are daemons over raw descriptors:
stopping leaves them behind.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from queue import SimpleQueue
from typing import Any, Final, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from toolsync.errors import SourceError

MAX_LINE: Final = 64 << 20
"""How many bytes one message of the client may have; a longer one ends the connection."""

_CHUNK: Final = 1 << 16


class LineReader:
    """Gives the lines of a descriptor as text, read by a thread that nobody waits for."""

    def __init__(self, descriptor: int, max_line: int = MAX_LINE) -> None:
        self._descriptor = descriptor
        self._max_line = max_line
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        # The thread reads on only after what it read was taken: a flood waits in the pipe.
        self._room = threading.Semaphore(64)
        threading.Thread(target=self._read, name="toolsync stdin", daemon=True).start()

    def _read(self) -> None:
        with suppress(OSError, RuntimeError):  # a closed descriptor; a loop that has ended
            for line in self._split():
                self._room.acquire()
                text = line.decode("utf-8", "replace")
                self._loop.call_soon_threadsafe(self._lines.put_nowait, text)
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)

    def _split(self) -> Any:
        parts: list[bytes] = []
        size = 0
        while chunk := os.read(self._descriptor, _CHUNK):
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                yield b"".join([*parts, end])
                parts, size = [], 0
            parts.append(rest)
            size += len(rest)
            if size > self._max_line:
                return
        if any(parts):
            yield b"".join(parts)

    def __aiter__(self) -> LineReader:
        return self

    async def __anext__(self) -> str:
        while True:
            line = await self._lines.get()
            if line is None:
                raise StopAsyncIteration
            self._room.release()
            if line.strip():
                return line


class LineWriter:
    """Writes text to a descriptor, in a thread that nobody waits for after the end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._work: SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = SimpleQueue()
        threading.Thread(target=self._write, name="toolsync stdout", daemon=True).start()

    def _write(self) -> None:
        while (work := self._work.get()) is not None:
            data, written = work
            fault: OSError | None = None
            try:
                _write_all(self._descriptor, data)
            except OSError as error:
                fault = error
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(_settle, written, fault)

    async def write(self, text: str) -> None:
        """Writes a text whole."""
        written: asyncio.Future[None] = self._loop.create_future()
        self._work.put((text.encode(), written))
        await written

    async def flush(self) -> None:
        """Has nothing to do: what was written has left."""

    def close(self) -> None:
        """Ends the thread after what it is writing."""
        self._work.put(None)


def _settle(written: asyncio.Future[None], fault: OSError | None) -> None:
    if written.done():  # its writer was cancelled
        return
    if fault is None:
        written.set_result(None)
    else:
        written.set_exception(anyio.BrokenResourceError(str(fault)))


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _flush() -> None:
    with suppress(OSError, ValueError, AttributeError):  # closed, broken, or none at all
        sys.stdout.flush()


@asynccontextmanager
async def stdio_streams() -> AsyncIterator[
    tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]
]:
    """Claims the standard descriptors for the protocol and gives its streams.

    Until the end, descriptor 0 is empty and 1 is standard error, for whatever else runs
    in this process. Raises SourceError where one of them is closed.
    """
    if sys.stdin is None or sys.stdout is None:  # their numbers are something else's by now
        raise SourceError(
            "standard input or output is closed: an MCP client starts this and talks through both"
        )
    _flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    os.close(empty)
    reader, writer = LineReader(wire_in), LineWriter(wire_out)
    try:
        # They do what the SDK asks of its files: lines, write, flush.
        async with stdio_server(cast("Any", reader), cast("Any", writer)) as streams:
            yield streams
    finally:
        writer.close()
        _flush()
        os.dup2(wire_out, 1)
        os.dup2(wire_in, 0)
