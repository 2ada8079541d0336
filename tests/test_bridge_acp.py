"""ACP: an agent's session, whose tools change while it runs, by way of an MCP server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import sysconfig
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from acp import PROTOCOL_VERSION, spawn_agent_process
from acp.schema import AgentCapabilities, HttpMcpServer, McpCapabilities, McpServerStdio

from toolsync import live
from toolsync.bridge import acp as bridge
from toolsync.bridge.relay import TOKEN
from toolsync.errors import SourceError

pytestmark = pytest.mark.anyio

AGENT = Path(__file__).with_name("acp_agent.py")
BOUND = 20.0


def tool(name: str, *arguments: str, **more: Any) -> dict[str, Any]:
    properties = {each: {"type": "string"} for each in arguments}
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}} | more


async def _call(name: str, arguments: Any) -> str:
    return f"{name} {arguments.get('x')}"


class Host:
    """A registry with one plugin, and a hub over it."""

    def __init__(self) -> None:
        self.registry = live.Registry(debounce=0)
        self.hub = live.Hub(self.registry)
        self._version = 0

    async def change(self, *tools: dict[str, Any]) -> None:
        async def build() -> live.Plugin:
            return live.Plugin(tools=tools, call=_call)

        self._version += 1
        await self.registry.apply("p", str(self._version), build)


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[tuple[Host, bridge.AcpTools]]:
    host = Host()
    await host.change(tool("a", "x"))
    async with bridge.serving(host.hub, name="host") as tools:
        yield host, tools
    assert not host.hub.sessions
    await host.hub.aclose()
    await host.registry.aclose()


class Client:
    """A client that has nothing to offer but sessions."""

    def on_connect(self, conn: Any) -> None:
        """Has no use for the way back."""

    async def session_update(self, **_: Any) -> None:
        """Takes what an agent says of a turn; there is none here."""


@contextlib.asynccontextmanager
async def agent(mode: str, *, http: bool = False) -> AsyncIterator[tuple[Any, AgentCapabilities]]:
    env = {"AGENT_MODE": mode, **({"AGENT_HTTP": "1"} if http else {})}
    async with spawn_agent_process(
        Client(),  # type: ignore[arg-type]  # it has what is asked of it
        sys.executable, str(AGENT), env=env, transport_kwargs={"stderr": None},
    ) as (connection, _):  # fmt: skip
        answer = await connection.initialize(protocol_version=PROTOCOL_VERSION)
        assert answer.agent_capabilities is not None
        yield connection, answer.agent_capabilities


async def begin(connection: Any, config: Any) -> str:
    with anyio.fail_after(BOUND):
        made = await connection.new_session(cwd=str(AGENT.parent), mcp_servers=[config])
    session: str = made.session_id
    return session


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
async def test_one_session_learns_of_each_change_once_and_of_nothing_else(
    mode: str, http: bool
) -> None:
    async with serving() as (host, tools), agent(mode, http=http) as (connection, can):
        config = await tools.server(can)
        assert isinstance(config, HttpMcpServer if http else McpServerStdio)
        session = await begin(connection, config)

        async def ask(method: str, **params: Any) -> Any:
            with anyio.fail_after(BOUND):
                return await connection.ext_method(method, {"session": session, **params})

        assert await ask("tools") == {"tools": ["a"], "announced": 0}
        await host.change(tool("a", "x", title="A"))
        await host.change(tool("a", "x", title="A"))
        assert await ask("tools") == {"tools": ["a"], "announced": 0}
        await host.change(tool("a", "x"), tool("b", "x"))
        assert await ask("wait", announced=1) == {"tools": ["a", "b"], "announced": 1}
        called = await ask("call", name="b", arguments={"x": "hello"})
        assert called == {"text": "b hello", "isError": False}
        await host.change(tool("b", "x", title="B"), tool("a", "x"))
        assert await ask("tools") == {"tools": ["a", "b"], "announced": 1}
        await host.change(tool("b", "x"))
        assert await ask("wait", announced=2) == {"tools": ["b"], "announced": 2}


async def test_sessions_of_one_agent_see_their_own_tools() -> None:
    async with serving() as (host, tools), agent("legacy") as (connection, _):
        await host.change(tool("a"), tool("b"))
        sessions = {}
        for name in ("a", "b"):
            config = await tools.server(select=lambda each, name=name: each.name == name)  # type: ignore[misc]  # mypy infers no lambda with defaults
            sessions[name] = await begin(connection, config)
        await host.change(tool("a"), tool("b", "x"))
        told = await connection.ext_method("wait", {"session": sessions["b"], "announced": 1})
        assert told == {"tools": ["b"], "announced": 1}
        other = await connection.ext_method("tools", {"session": sessions["a"]})
        assert other == {"tools": ["a"], "announced": 0}


async def test_what_the_host_raises_inside_comes_out_as_it_is() -> None:
    host = Host()

    async def failing() -> None:
        async with bridge.serving(host.hub, name="host") as tools:
            await tools.server()
            raise KeyError("mine")

    with pytest.raises(KeyError):
        await failing()


async def test_an_address_that_cannot_be_had_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    # A free port of this machine is always to be had: the failure has to be put there.
    async def serve_http(*_: Any, **__: Any) -> None:
        raise SourceError("no port")

    monkeypatch.setattr(bridge, "serve_http", serve_http)
    can = AgentCapabilities(mcp_capabilities=McpCapabilities(http=True))
    async with serving() as (_, tools):
        with pytest.raises(SourceError, match="no port"):
            await tools.server(can)


async def test_a_released_session_ends_and_leaves_the_hub() -> None:
    async with serving() as (host, tools), agent("legacy") as (connection, _):
        config = await tools.server()
        await begin(connection, config)
        assert len(host.hub.sessions) == 1
        await tools.release(config)
        await tools.release(config)
        assert not host.hub.sessions


HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    },
}  # fmt: skip


@pytest.mark.parametrize("who", ["host", "agent"])
async def test_the_relay_ends_with_either_side_and_leaves_no_process_and_no_session(
    who: str,
) -> None:
    async with serving() as (host, tools):
        config = await tools.server()
        assert isinstance(config, McpServerStdio)
        child = await asyncio.create_subprocess_exec(
            config.command, *config.args, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={each.name: each.value for each in config.env},
        )  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(HELLO).encode() + b"\n")
        with anyio.fail_after(BOUND):
            answer = json.loads(await child.stdout.readline())
            assert answer["result"]["serverInfo"]["name"] == "host"
            assert len(host.hub.sessions) == 1
            if who == "host":
                await tools.release(config)
            child.stdin.close()
            assert await child.stdout.read() == b""
            assert await child.wait() == 0
            while host.hub.sessions:
                await anyio.lowlevel.checkpoint()


async def test_a_connection_without_a_known_token_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serving() as (host, tools):
        config = await tools.server()
        assert isinstance(config, McpServerStdio)
        port = int(config.args[-1])
        for line in (b"guess\n", b"x" * 1000 + b"\n", b"\xff\n", b""):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(line)
            writer.write_eof()
            with anyio.fail_after(BOUND), contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
        assert not host.hub.sessions
    assert caplog.text.count("refused") == 4


def test_the_token_is_in_the_environment_and_differs_each_time() -> None:
    async def tokens() -> set[str]:
        async with serving() as (_, tools):
            configs = [await tools.server(), await tools.server()]
            assert all(isinstance(each, McpServerStdio) for each in configs)
            for each in configs:
                assert all(len(argument) < 40 for argument in each.args)
            return {pair.value for each in configs for pair in each.env}

    assert {len(each) for each in anyio.run(tokens)} == {43}


@pytest.mark.parametrize(
    "can", [None, AgentCapabilities(), AgentCapabilities(mcp_capabilities=McpCapabilities())]
)
async def test_an_agent_that_says_nothing_of_addresses_gets_a_command(can: Any) -> None:
    async with serving() as (_, tools):
        assert isinstance(await tools.server(can), McpServerStdio)


def test_a_command_of_the_hosts_is_named_by_its_whole_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", sysconfig.get_path("scripts"))
    config = bridge.command_config("file", ["toolsync", "serve", "tools.json"], {"A": "b"})
    assert Path(config.command).is_absolute()
    assert config.args == ["serve", "tools.json"]
    assert [(each.name, each.value) for each in config.env] == [("A", "b")]
    with pytest.raises(SourceError, match=r"no such command: 'not\\u\{7\}there'"):
        bridge.command_config("file", ["not\x07there"])


@pytest.mark.parametrize(
    ("arguments", "token", "message"),
    [
        ([], "t", "expected a port"),
        (["x"], "t", "expected a port"),
        (["1"], "", "expected a port, and a token"),
        (["99999"], "t", "is not there"),
        (["free"], "t", "is not there"),
    ],
)
def test_a_relay_that_finds_no_host_says_so_in_one_line(
    arguments: list[str], token: str, message: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        free = door.getsockname()[1]
    command = [free if each == "free" else each for each in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "toolsync.bridge.relay", *map(str, command)],
        env={TOKEN: token}, capture_output=True, text=True, check=False, timeout=BOUND,
    )  # fmt: skip
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
