"""`toolsync serve` and `proxy` as real processes, and SDK clients that note what they hear."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from mcp_rig import Heard, listening

PYTHON = sys.executable
TOOLSYNC = (PYTHON, "-m", "toolsync")


BOUND = 30.0
"""Seconds that anything may take: far more than it does, on a machine with much else to do."""


async def until(condition: Callable[[], bool]) -> None:
    """Waits for a condition."""
    with anyio.fail_after(BOUND):
        while not condition():
            await anyio.sleep(0.005)


def tool(name: str, description: str = "Does it.", **members: Any) -> dict[str, Any]:
    """A definition; `properties` go into its input schema."""
    schema = {"type": "object", "properties": members.pop("properties", {})}
    return {"name": name, "description": description, "inputSchema": schema, **members}


def put(path: Path, *tools: Mapping[str, Any]) -> None:
    """Replaces a catalogue in one step, as careful programs do."""
    draft = path.with_name(f".{path.name}.new")
    draft.write_text(json.dumps({"tools": list(tools)}), "utf-8")
    draft.replace(path)


@dataclass
class Log:
    """The events that a process has told so far."""

    events: list[dict[str, Any]] = field(default_factory=list)

    def named(self, event: str) -> list[dict[str, Any]]:
        return [each for each in self.events if each["event"] == event]

    async def first(self, event: str, count: int = 1) -> dict[str, Any]:
        """Waits for an event; gives the latest of so many."""
        try:
            await until(lambda: len(self.named(event)) >= count)
        except TimeoutError:
            raise AssertionError(f"no {event} among {self.events}") from None
        return self.named(event)[count - 1]


@dataclass
class Running:
    """A process that serves over HTTP."""

    process: asyncio.subprocess.Process
    log: Log
    url: str = ""

    async def ended(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Tells it to end, and gives its exit code."""
        self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), BOUND)


@asynccontextmanager
async def running(
    *arguments: str | Path,
    command: str = "serve",
    env: Mapping[str, str] | None = None,
    at: str = "127.0.0.1:0",
) -> AsyncIterator[Running]:
    """Runs a command with `--http`, on a free port; checks that it ends in order."""
    given = [*TOOLSYNC, command, "--http", at, "--log-format", "json"]
    process = await asyncio.create_subprocess_exec(
        *given, *map(str, arguments),
        stderr=asyncio.subprocess.PIPE, env={**os.environ, **(env or {})},
    )  # fmt: skip
    found = Running(process, Log())
    reading = asyncio.create_task(_read(process, found.log))
    try:
        found.url = (await found.log.first("listening"))["url"]
        yield found
        if process.returncode is None:
            assert await found.ended() == 0
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        await reading
    assert not [each for each in found.log.events if "Traceback" in each["message"]]


async def _read(process: asyncio.subprocess.Process, log: Log) -> None:
    assert process.stderr is not None
    async for line in process.stderr:
        log.events.append(json.loads(line))


@dataclass
class Session:
    """A client, and what it was told."""

    client: Client
    heard: Heard

    async def names(self) -> list[str]:
        return [each.name for each in (await self.client.list_tools()).tools]

    async def told(self, times: int) -> None:
        """Waits for a notification, and that there were no more of them."""
        try:
            await until(lambda: self.heard.changes >= times)
        except TimeoutError:
            raise AssertionError(f"told {self.heard.changes} times, not {times}") from None
        assert self.heard.changes == times


@asynccontextmanager
async def session(target: Any, mode: str) -> AsyncIterator[Session]:
    """A client that has listed the tools and hears of changes."""
    heard = Heard()
    async with listening(target, mode, heard) as client:
        made = Session(client, heard)
        await made.names()
        yield made


def over_stdio(
    *arguments: str | Path, command: str = "serve", errors: TextIO | None = None
) -> Any:
    """A process of its own for one client."""
    given = [*TOOLSYNC[1:], command, *map(str, arguments)]
    parameters = StdioServerParameters(command=PYTHON, args=given, env=dict(os.environ))
    return stdio_client(parameters, errlog=errors or sys.stderr)


def script(path: Path, body: str) -> tuple[str, str]:
    """Writes a Python program and gives the command that runs it."""
    path.write_text(body, "utf-8")
    return PYTHON, str(path)


def children_of(process: int) -> set[int]:
    """The processes that a process has started and not yet seen end."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            after = entry.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(after[1]) == process:
                found.add(int(entry.parent.name))
    return found


def is_alive(process: int) -> bool:
    """Tells whether a process runs; one that only waits to be seen does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


async def gone(processes: Sequence[int] | set[int]) -> None:
    """Waits until none of the processes runs."""
    await until(lambda: not any(map(is_alive, processes)))


__all__ = [
    "BOUND", "PYTHON", "TOOLSYNC", "Log", "Running", "Session", "children_of", "gone", "is_alive",
    "over_stdio", "put", "running", "script", "session", "tool", "until",
]  # fmt: skip
