"""ACP: gives an agent's sessions an MCP server whose tools stay current, fed from this process.

ACP has no way to change the tools of a running session. What it has is `mcpServers`:
servers that the agent connects to when a session begins, and that may announce changes.
Every agent takes a command there; this one is a small relay that connects back to the
host, where the plugins are. An agent that takes addresses is given one instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, cast

import anyio

try:
    from acp.schema import (
        AgentCapabilities,
        EnvVariable,
        HttpHeader,
        HttpMcpServer,
        McpServerStdio,
    )
    from mcp.server.stdio import stdio_server

    from toolsync.bridge.mcp.http import serve_http
    from toolsync.bridge.mcp.server import McpServer
except ImportError as error:
    raise ImportError(
        "toolsync.bridge.acp needs agent-client-protocol and mcp: pip install 'toolsync[acp,mcp]'"
    ) from error

from toolsync.bridge.link.framing import MAX_LINE, Lines, LongLineError, Streams
from toolsync.bridge.logs import LogLevel, tell
from toolsync.bridge.relay import HOST, TOKEN
from toolsync.catalog import Tool
from toolsync.errors import SourceError
from toolsync.live.hub import Hub
from toolsync.live.timing import Tasks
from toolsync.safe import named

Select = Callable[[Tool], bool]
Config = McpServerStdio | HttpMcpServer

_INTRODUCED_WITHIN: Final = 10.0
_LONGEST_TOKEN: Final = 256


def command_config(
    name: str, command: Sequence[str], env: Mapping[str, str] | None = None
) -> McpServerStdio:
    """Makes the entry of `mcpServers` for a command of the host's, such as `toolsync serve FILE`.

    Raises SourceError where there is no such program.
    """
    program = shutil.which(command[0])
    if program is None:  # ACP wants the whole path: the agent may search elsewhere
        raise SourceError(f"no such command: {named(command[0])}")
    variables = [EnvVariable(name=key, value=value) for key, value in (env or {}).items()]
    return McpServerStdio(name=name, command=program, args=list(command[1:]), env=variables)


@contextlib.asynccontextmanager
async def serving(
    hub: Hub, *, name: str, version: str = "", instructions: str | None = None
) -> AsyncIterator[AcpTools]:
    """Serves the hub's tools to agents, as MCP servers of this name, while it is entered."""
    tools = AcpTools(hub, name=name, version=version, instructions=instructions)
    await tools.open()
    try:
        yield tools
    finally:
        with anyio.CancelScope(shield=True):
            await tools.aclose()


class AcpTools:
    """Hands out entries of `mcpServers`, one a session, and serves whoever uses them."""

    _door: asyncio.Server

    def __init__(
        self,
        hub: Hub,
        *,
        name: str,
        version: str,
        instructions: str | None,
    ) -> None:
        self._hub = hub
        self._tasks = Tasks()
        self._name = name
        self._version = version
        self._instructions = instructions
        self._given: dict[str, _Given] = {}

    async def open(self) -> None:
        """Begins to listen for relays, on this machine only."""
        self._door = await asyncio.start_server(self._came, HOST, 0)

    async def aclose(self) -> None:
        """Lets go of every agent."""
        self._door.close()
        for token in tuple(self._given):
            await self._end(token)
        await self._tasks.aclose()

    async def server(
        self,
        capabilities: AgentCapabilities | None = None,
        *,
        select: Select | None = None,
    ) -> Config:
        """Makes the entry for one session: an address where the agent takes one, else a command.

        `capabilities` are those that the agent named in its answer to `initialize`;
        `select` decides which tools the session sees.
        """
        token = secrets.token_urlsafe(32)
        given = self._given[token] = _Given(self._made(select))
        can = None if capabilities is None else capabilities.mcp_capabilities
        if can is not None and can.http:
            return await self._address(token, given)
        return self._command(token)

    async def release(self, config: Config) -> None:
        """Ends what an entry led to, when its session has ended."""
        await self._end(_token_of(config))

    def _made(self, select: Select | None) -> McpServer:
        return McpServer(
            self._hub,
            name=self._name,
            version=self._version,
            instructions=self._instructions,
            select=select,
        )

    def _command(self, token: str) -> McpServerStdio:
        port = self._door.sockets[0].getsockname()[1]
        return McpServerStdio(
            name=self._name,
            command=sys.executable,
            args=["-m", "toolsync.bridge.relay", str(port)],
            env=[EnvVariable(name=TOKEN, value=token)],  # not an argument: those are for all to see
        )

    async def _address(self, token: str, given: _Given) -> HttpMcpServer:
        url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        app = given.server.app(token=token)

        async def serve() -> None:
            try:
                await serve_http(app, HOST, 0, on_ready=url.set_result)
            except Exception as error:
                if url.done():
                    raise
                url.set_exception(error)

        self._tasks.start(given.run, serve)
        header = HttpHeader(name="Authorization", value=f"Bearer {token}")
        return HttpMcpServer(type="http", name=self._name, url=await url, headers=[header])

    async def _came(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Takes one relay's connection; asyncio runs this as a task of its own."""
        streams = Streams.of(reader, writer)
        try:
            lines = Lines(streams.receive, _LONGEST_TOKEN)
            given = await self._introduced(lines)
            lines.limit = MAX_LINE
            if given is not None:
                await given.run(lambda: _serve(given.server, lines, streams))
        except OSError as error:
            tell(LogLevel.DEBUG, "relay-gone", f"a relay went: {error}")
        except Exception as error:  # noqa: BLE001  one connection's trouble is not the others'
            tell(LogLevel.ERROR, "relay-failed", f"{type(error).__name__}: {error}")
        finally:
            writer.close()

    async def _introduced(self, lines: Lines) -> _Given | None:
        token = None
        with anyio.move_on_after(_INTRODUCED_WITHIN), contextlib.suppress(LongLineError):
            token = await lines.next()
        given = None if token is None else self._given.get(token.decode("ascii", "replace"))
        if given is None:
            tell(LogLevel.WARNING, "relay-refused", "a connection without a known token is refused")
        return given

    async def _end(self, token: str) -> None:
        given = self._given.pop(token, None)
        if given is not None:
            await given.end()


class _Given:
    """One entry that was handed out: its server, and the connections to it."""

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self._running: dict[anyio.CancelScope, anyio.Event] = {}

    async def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs one connection until it ends, or the entry does."""
        scope, ended = anyio.CancelScope(), anyio.Event()
        self._running[scope] = ended
        try:
            with scope:
                await work()
        finally:
            del self._running[scope]
            ended.set()

    async def end(self) -> None:
        """Ends all connections, and takes their sessions from the hub."""
        for scope, ended in tuple(self._running.items()):
            scope.cancel()
            await ended.wait()
        await self.server.aclose()


async def _serve(server: McpServer, lines: Lines, streams: Streams) -> None:
    # They do what the SDK asks of its files: lines, write, flush.
    files = cast("Any", _Read(lines)), cast("Any", _Written(streams))
    async with stdio_server(*files) as (read, write):
        await server.run(read, write)


class _Read:
    """The lines that came, as text."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def __aiter__(self) -> _Read:
        return self

    async def __anext__(self) -> str:
        try:
            line = await self._lines.next()
        except (LongLineError, OSError):
            line = None
        if line is None:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


class _Written:
    """The way back; what a child that went does not read is lost with it."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams

    async def write(self, text: str) -> None:
        """Sends one message."""
        with contextlib.suppress(OSError):
            await self._streams.send(text.encode())

    async def flush(self) -> None:
        """Has nothing to do: what was written is on its way."""


def _token_of(config: Config) -> str:
    if isinstance(config, McpServerStdio):
        return next((each.value for each in config.env if each.name == TOKEN), "")
    return config.headers[0].value.partition(" ")[2] if config.headers else ""
