"""A tool call run by a command: the call goes in as JSON, its output is the result.

The command gets one JSON object on standard input, `{"name": …, "arguments": {…}}`, and
runs without a shell. What it may cost is bounded in time and output, and it is gone,
with everything that it started, when the call is.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio
from anyio.abc import ByteReceiveStream, Process

from toolsync.bridge.logs import LogLevel, tell
from toolsync.safe import safe_text

_TOLD: Final = 200
_ERRORS_KEPT: Final = 64 << 10
_GRACE: Final = 2.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one call may cost: seconds until it is stopped, bytes of output."""

    seconds: float = 60.0
    output: int = 10 << 20


class CommandCalls:
    """Runs every call by one command; calls run side by side."""

    def __init__(self, command: Sequence[str], bounds: Bounds = Bounds()) -> None:
        self._command = tuple(command)
        self._bounds = bounds

    async def __call__(self, name: str, arguments: Any) -> dict[str, Any] | str:
        """Runs one call and gives its result; where it failed, one that says so."""
        call = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        try:
            with anyio.fail_after(self._bounds.seconds):
                return await self._run(call.encode("utf-8", "surrogatepass"), name)
        except TimeoutError:
            return failure(name, f"gave no result in {self._bounds.seconds:g} s")
        except OSError as error:
            tell(LogLevel.ERROR, "call-failed", f"cannot run the command of --call: {error}")
            return failure(name, "could not be started")

    async def _run(self, call: bytes, name: str) -> dict[str, Any] | str:
        process = await anyio.open_process(
            self._command, start_new_session=os.name != "nt", stderr=subprocess.PIPE
        )
        try:
            said = _Said()
            async with anyio.create_task_group() as group:
                group.start_soon(_feed, process, call)
                group.start_soon(_keep_end, process.stderr, said.errors)
                fits = await _collect(process.stdout, said.output, self._bounds.output)
                if not fits:
                    group.cancel_scope.cancel()
            if not fits:
                return failure(name, f"printed more than {self._bounds.output:,} bytes")
            return self._result(name, await process.wait(), said)
        finally:
            await _end(process)

    def _result(self, name: str, code: int, said: _Said) -> dict[str, Any] | str:
        complaint = bytes(said.errors).decode("utf-8", "replace").strip().rpartition("\n")[2]
        if code:
            how = f"exit code {code}" if code > 0 else f"signal {-code}"
            return failure(name, f"failed with {how}", complaint)
        if complaint:
            tell(LogLevel.INFO, "call-said", f"{name}: {complaint}", tool=name)
        return result_of(bytes(said.output))


class _Said:
    """What a command printed so far."""

    __slots__ = ("errors", "output")

    def __init__(self) -> None:
        self.output, self.errors = bytearray(), bytearray()


def failure(name: str, what: str, complaint: str = "") -> dict[str, Any]:
    """Makes the result of a call that failed: one safe line, which the model reads."""
    line = f"The command for tool '{safe_text(name)}' {what}"
    if complaint:
        line += f": {safe_text(complaint[:_TOLD])}"
    return {"content": [{"type": "text", "text": line}], "isError": True}


def result_of(output: bytes) -> dict[str, Any] | str:
    """Makes of what a command printed what a tool returns: a JSON object, or else text.

    An object with `content` is a whole result; another one becomes structured content.
    """
    text = output.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else text.rstrip("\r\n")


async def _feed(process: Process, call: bytes) -> None:
    if process.stdin is not None:
        # A command may answer without having read what it is asked.
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            await process.stdin.send(call + b"\n")
        with contextlib.suppress(anyio.BrokenResourceError, OSError):
            await process.stdin.aclose()


async def _collect(stream: ByteReceiveStream | None, into: bytearray, limit: int) -> bool:
    """Reads to the end; gives up and tells so where there is more than `limit`."""
    if stream is not None:
        async for piece in stream:
            into += piece
            if len(into) > limit:
                return False
    return True


async def _keep_end(stream: ByteReceiveStream | None, into: bytearray) -> None:
    """Reads to the end and keeps what was said last."""
    if stream is not None:
        async for piece in stream:
            into += piece
            del into[:-_ERRORS_KEPT]


async def _end(process: Process) -> None:
    """Stops the command and what it started; waits until it is gone, so that none is left."""
    with anyio.CancelScope(shield=True):
        _kill_all(process)
        with anyio.move_on_after(_GRACE):
            await process.wait()
        await process.aclose()


def _kill_all(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL)  # also what a finished command left running
        else:
            process.kill()
