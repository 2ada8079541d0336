"""Lines over any pair of byte streams: none longer than a limit, none read ahead of need."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

MAX_LINE: Final = 64 << 20
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Streams:
    """The two directions of a connection, as functions.

    `receive` returns some bytes, or none at the end. `send` takes a whole message: it
    waits while an earlier one has not gone out, and is safe to cancel, since nothing
    is ever sent in part.
    """

    receive: Callable[[], Awaitable[bytes]]
    send: Callable[[bytes], Awaitable[None]]

    @classmethod
    def of(cls, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Streams:
        """Takes what asyncio gives for a socket or for the pipes of a child process."""

        async def receive() -> bytes:
            return await reader.read(_CHUNK)

        async def send(data: bytes) -> None:
            # Draining first: what waits in the buffer is then never more than one message,
            # however often a sender lost patience with a peer that does not read.
            await writer.drain()
            writer.write(data)

        return cls(receive, send)


class LongLineError(Exception):
    """Says that a line went over the limit; it was dropped, and the next can be read."""


class Lines:
    """Cuts a stream into lines; a line over the limit costs no memory beyond it.

    `limit` may be changed between two lines.
    """

    def __init__(self, receive: Callable[[], Awaitable[bytes]], limit: int = MAX_LINE) -> None:
        self._receive = receive
        self.limit = limit
        self._held = bytearray()
        self._seen = 0
        self._ended = False

    async def next(self) -> bytes | None:
        """Returns the next line without its end, or None where the stream has ended.

        Raises LongLineError for each line over the limit.
        """
        dropped = False
        while True:
            at = self._held.find(b"\n", self._seen)
            if at >= 0 or self._ended:
                line = self._cut(at)
                if dropped or (line is not None and len(line) > self.limit):
                    raise LongLineError(f"a line of more than {self.limit} bytes")
                return line
            self._seen = len(self._held)
            if self._seen > self.limit:
                dropped = True
                self._held.clear()
                self._seen = 0
            await self._more()

    async def _more(self) -> None:
        data = await self._receive()
        self._ended = not data
        self._held += data

    def _cut(self, at: int) -> bytes | None:
        """Takes one line out of what is held; the last of all may lack its end."""
        if at < 0 and not self._held:
            return None
        line = bytes(self._held if at < 0 else self._held[:at])
        del self._held[: len(line) + 1]
        self._seen = 0
        return line
