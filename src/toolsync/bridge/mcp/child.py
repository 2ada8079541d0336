"""A child process as the streams of one MCP connection; it never outlives them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic_core import from_json

from toolsync.bridge.mcp.ear import Ear
from toolsync.bridge.mcp.errors import ConnectionFailed
from toolsync.bridge.mcp.target import Stdio
from toolsync.safe import named, printable

GRACE: Final = 2.0
"""For how many seconds a child may end by itself, and then again after being asked to."""

MAX_MESSAGE: Final = 64 << 20
"""How many bytes one message of a server may have; it is many times as much once read."""

MAX_ASKED: Final = 100
"""How many of its questions a server may leave unanswered, by not reading the answers."""

_MAX_SAID: Final = 2000
_CHUNK: Final = 1 << 16
_TOLD: Final = 5

Say = Callable[[str], None]


class Lines:
    """Splits what a process writes into lines, none longer than a limit."""

    def __init__(self, stream: asyncio.StreamReader, limit: int) -> None:
        self._stream = stream
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts: list[bytes] = []
        size = 0
        while chunk := await self._stream.read(_CHUNK):
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                yield b"".join([*parts, end])
                parts, size = [], 0
            parts.append(rest)
            size += len(rest)
            if size > self._limit:
                raise ConnectionFailed(f"a message of over {self._limit} bytes (max_message)")
        if any(parts):
            yield b"".join(parts)


def message_of(line: bytes) -> JSONRPCMessage | None:
    """Reads one message, its numbers exactly; None for what is no JSON-RPC."""
    try:
        try:
            value = from_json(line, allow_inf_nan=False)
        except ValueError:  # also what is nested deeper than that reader goes
            value = json.loads(line, parse_constant=_refuse)
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


@dataclass(slots=True)
class Reading:
    """What was read that is no message; a hint to why there is no answer."""

    junk: int = 0
    first: str | None = None

    @property
    def hint(self) -> str:
        """The end of a sentence about a server that does not answer."""
        if self.first is None:
            return ""
        return f"; its standard output begins with what is no JSON-RPC: {self.first}"


class Child:
    """One running server process: what it says goes to an ear, or to the SDK."""

    def __init__(
        self, process: Process, ear: Ear, say: Say, reading: Reading, max_line: int
    ) -> None:
        self._process = process
        self._ear = ear
        self._say = say
        self._reading = reading
        self._max_line = max_line
        self._unanswered = 0

    async def read(self, to: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Reads messages until the process has no more; says then why it ended."""
        assert self._process.stdout is not None  # noqa: S101  it was started with pipes
        fault = None
        async with to:
            try:
                async for line in Lines(self._process.stdout, self._max_line):
                    message = message_of(line)
                    if message is None:
                        self._note_junk(line)
                    elif not self._ear.hears(message):
                        self._count(message)
                        await to.send(SessionMessage(message))
            except ConnectionFailed as error:
                fault = str(error)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # this end is closing
            self._ear.ended(fault or await self._end())

    def _count(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest):
            self._unanswered += 1
            if self._unanswered > MAX_ASKED:
                raise ConnectionFailed(f"asked {MAX_ASKED} questions and read no answer")

    def _note_junk(self, line: bytes) -> None:
        if not line.strip():
            return
        self._reading.junk += 1
        if self._reading.junk > _TOLD:
            return
        shown = _shown(line[:200])
        self._reading.first = self._reading.first or shown
        self._say(f"not a JSON-RPC message on its standard output: {shown}")

    async def _end(self) -> str:
        with anyio.move_on_after(1):
            await self._process.wait()
        code = self._process.returncode
        if code is None:
            return "the process closed its standard output"
        if code < 0:
            return f"the process was ended by {_signal_name(-code)}"
        return f"the process ended with exit code {code}"

    async def write(self, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Writes the SDK's messages until it has no more."""
        assert self._process.stdin is not None  # noqa: S101  it was started with pipes
        async with messages:
            with suppress(OSError):  # it does not listen any more: its output says why
                async for each in messages:
                    text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                    self._process.stdin.write(text.encode() + b"\n")
                    await self._process.stdin.drain()
                    if isinstance(each.message, (JSONRPCResponse, JSONRPCError)):
                        self._unanswered -= 1

    async def pass_errors_on(self) -> None:
        """Says each line of the process's standard error."""
        assert self._process.stderr is not None  # noqa: S101  it was started with pipes
        rest = b""
        while chunk := await self._process.stderr.read(_CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._say(_shown(line))
            if len(rest) > _MAX_SAID:
                self._say(_shown(rest))
                rest = b""
        if rest:
            self._say(_shown(rest))

    async def stop(self) -> None:
        """Ends the process: its input closes, then it is asked, then killed, with its children."""
        process = self._process
        if process.stdin is not None:
            process.stdin.close()
        if not await _exits(process):
            _signal(process, signal.SIGTERM)
            if not await _exits(process):
                _signal(process, _KILL)
                await _exits(process)
        # What the process started and left behind goes too.
        _signal(process, _KILL)


_KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            os.killpg(process.pid, number)
        elif process.returncode is None:
            process.terminate()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def _exits(process: Process) -> bool:
    with anyio.move_on_after(GRACE):
        # Not only wait(): it also waits for pipes that a grandchild may hold open.
        while process.returncode is None:
            await anyio.sleep(0.01)
    return process.returncode is not None


def _shown(line: bytes) -> str:
    text = printable(line.decode("utf-8", "replace").rstrip("\r"))
    return text if len(text) <= _MAX_SAID else text[:_MAX_SAID] + "…"


async def _started(target: Stdio) -> Process:
    program = named(target.command[0])
    own: dict[str, Any] = {} if sys.platform == "win32" else {"start_new_session": True}
    try:
        return await asyncio.create_subprocess_exec(
            *target.command, stdin=PIPE, stdout=PIPE, stderr=PIPE,
            cwd=target.cwd, env={**os.environ, **target.env}, **own,
        )  # fmt: skip
    except FileNotFoundError as error:
        if target.cwd is not None and not os.path.isdir(target.cwd):  # noqa: PTH112  as given
            folder = named(target.cwd)
            raise ConnectionFailed(f"cannot start {program}: no folder {folder}") from error
        raise ConnectionFailed(
            f"cannot start {program}: no such command; give its full path, or install it"
        ) from error
    except (OSError, ValueError) as error:
        reason = printable(getattr(error, "strerror", None) or str(error))
        raise ConnectionFailed(f"cannot start {program}: {reason}") from error


@asynccontextmanager
async def child_streams(
    target: Stdio, ear: Ear, say: Say, reading: Reading, max_line: int = MAX_MESSAGE
) -> AsyncIterator[TransportStreams]:
    """Starts a server and gives the streams that the SDK talks to it through.

    Raises ConnectionFailed where the command cannot be started.
    """
    process = await _started(target)
    child = Child(process, ear, say, reading, max_line)
    to_sdk, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, from_sdk = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(child.read, to_sdk)
            tasks.start_soon(child.write, from_sdk)
            tasks.start_soon(child.pass_errors_on)
            try:
                yield read, write
            finally:
                for stream in (read, write):
                    stream.close()
                with anyio.CancelScope(shield=True):
                    await child.stop()
                tasks.cancel_scope.cancel()
    finally:
        for stream in (to_sdk, from_sdk, read, write):
            stream.close()
        with suppress(AttributeError):  # a pipe that a survivor holds would warn when collected
            process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001
