"""The far end of a host link as tests play it: lines out, lines in, over a real socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Mapping
from typing import Any

import anyio

from toolsync.bridge.link.framing import Streams

BOUND = 10.0
LIMIT = 64 << 20


async def socket_streams(sock: socket.socket) -> tuple[Streams, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(sock=sock)
    return Streams.of(reader, writer), writer


class Peer:
    """Sends and reads whole lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.seen: list[dict[str, Any]] = []

    def send_bytes(self, data: bytes) -> None:
        self._writer.write(data)

    def send(self, message: Any) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def ask(self, number: Any, method: str, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def answer(self, request: Mapping[str, Any], result: Any) -> None:
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def refuse(self, request: Mapping[str, Any], code: int, message: str = "no") -> None:
        error = {"code": code, "message": message}
        self.send({"jsonrpc": "2.0", "id": request["id"], "error": error})

    async def next(self) -> dict[str, Any]:
        with anyio.fail_after(BOUND):
            line = await self._reader.readline()
        if not line:
            raise EOFError("the link has ended")
        message: dict[str, Any] = json.loads(line)
        self.seen.append(message)
        return message

    async def call(self, method: str, **params: Any) -> Any:
        """Asks and returns the result; whatever else comes before it is kept in `seen`."""
        number = f"call-{len(self.seen)}-{method}"
        self.ask(number, method, **params)
        while True:
            message = await self.next()
            if message.get("id") == number:
                return message.get("result", message.get("error"))

    async def quiet(self) -> bool:
        """Tells whether nothing has come that was not read; asks once around to be sure."""
        before = len(self.seen)
        await self.call("ping")
        return len(self.seen) == before + 1

    def leave(self) -> None:
        self._writer.close()


@contextlib.asynccontextmanager
async def joined() -> AsyncIterator[tuple[Streams, Peer, asyncio.StreamWriter]]:
    """Joins two ends by a socket: the streams of ours, and the peer at the other."""
    ours, theirs = socket.socketpair()
    streams, writer = await socket_streams(ours)
    peer_reader, peer_writer = await asyncio.open_connection(sock=theirs, limit=LIMIT)
    try:
        yield streams, Peer(peer_reader, peer_writer), writer
    finally:
        for each in (writer, peer_writer):
            each.close()
            with contextlib.suppress(OSError):
                await each.wait_closed()
