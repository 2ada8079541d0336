"""`toolsync proxy`: servers that hang, babble, list without end or go away over HTTP."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mcp_rig import text_of
from serving_rig import (
    BOUND,
    PYTHON,
    TOOLSYNC,
    children_of,
    gone,
    put,
    running,
    script,
    session,
    tool,
    until,
)

pytestmark = pytest.mark.anyio

SERVER = Path(__file__).with_name("scripted_server.py")


def scripted(folder: Path, **script: Any) -> tuple[str, ...]:
    """The command of a server that plays a script."""
    path = folder / "script.json"
    path.write_text(json.dumps(script), "utf-8")
    return PYTHON, str(SERVER), str(path)


def refused(*arguments: str | Path, seconds: float = 30) -> str:
    """Runs a command that cannot start, and gives the one line that it says."""
    done = subprocess.run(
        [*TOOLSYNC, "proxy", *map(str, arguments)], capture_output=True, text=True, check=False,
        timeout=seconds, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_a_server_that_does_not_answer_ends_the_start_in_time(tmp_path: Path) -> None:
    said = refused("--timeout", "1", "--", *scripted(tmp_path, handshake="hang"))
    assert "no answer to the handshake within 1 second" in said


def test_a_list_over_the_limit_is_no_list(tmp_path: Path) -> None:
    """RC3: the error names the limit."""
    tools = [tool(f"t{number}", "") for number in range(100_001)]
    said = refused("--", *scripted(tmp_path, pages=[{"result": {"tools": tools}}]))
    assert "100001 tools, over the limit of 100000" in said


def test_a_port_in_use_ends_the_server_behind_it_too(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        mark = tmp_path / "ended"
        run = f"import subprocess; subprocess.run({scripted(tmp_path)!r})"
        body = f"{run}; open({str(mark)!r}, 'w')"
        said = refused("--http", str(port), "--", *script(tmp_path / "server.py", body))
    assert "the port is in use" in said
    assert mark.exists()  # its input ended, and it with that


async def test_nonsense_on_standard_output_is_told_and_passed_over(tmp_path: Path) -> None:
    junk = scripted(tmp_path, junk="Listening \x1b[31m…\n[1]\n{\n")
    async with (
        running("--", *junk, command="proxy") as proxy,
        session(proxy.url, "legacy") as found,
    ):
        assert await found.names() == ["good"]
        told = [each["message"] for each in proxy.log.named("server-said")]
        assert len(told) == 3
        assert told[0].endswith("not a JSON-RPC message on its standard output: "
                                "Listening \\u{1B}[31m…")  # fmt: skip


async def test_a_list_that_never_comes_leaves_the_last_good_one(tmp_path: Path) -> None:
    """RC5, RC6: five seconds in all, then the refresh has failed."""
    command = scripted(tmp_path)
    watched = ("--watch", tmp_path / "script.json", "--debounce", "0")
    async with (
        running(*watched, "--", *command, command="proxy") as proxy,
        session(proxy.url, "legacy") as found,
    ):
        scripted(tmp_path, list="hang")
        assert "within 5 s" in (await proxy.log.first("restart-failed"))["message"]
        assert await found.names() == ["good"]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes by /proc")
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_signal_during_the_start_leaves_nothing_behind(
    transport: str, tmp_path: Path
) -> None:
    mark = tmp_path / "begun"
    body = f"open({str(mark)!r}, 'w'); import time; time.sleep(600)"
    command = script(tmp_path / "hang.py", body)
    options = ["--http", "0"] if transport == "http" else []
    process = await asyncio.create_subprocess_exec(
        *TOOLSYNC, "proxy", *options, "--", *command, stderr=asyncio.subprocess.PIPE
    )
    await until(mark.exists)
    below = children_of(process.pid)
    process.send_signal(signal.SIGTERM)
    _, errors = await asyncio.wait_for(process.communicate(), BOUND)
    assert (process.returncode, errors) == (0, b"")
    await gone(below)


async def test_a_server_over_http_may_go_and_come_back(tmp_path: Path) -> None:
    """RC6, RC7, RC13: the last good list stays, and the difference is told once."""
    file = tmp_path / "tools.json"
    put(file, tool("a"), tool("b"))
    async with running(file, "--debounce", "0") as server:
        port = server.url.rpartition(":")[2].partition("/")[0]
        async with (
            running("--url", server.url, command="proxy") as proxy,
            session(proxy.url, "legacy") as found,
        ):
            put(file, tool("a"), tool("b"), tool("c"))
            await found.told(1)
            assert await server.ended() == 0
            assert await found.names() == ["a", "b", "c"]
            put(file, tool("a"))
            async with running(file, at=f"127.0.0.1:{port}"):
                await found.told(2)
                assert await found.names() == ["a"]
                answer = await found.client.call_tool("a", {})
                assert "lists tools and runs none" in text_of(answer)


async def test_headers_reach_a_server_over_http(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    put(file, tool("a"))
    async with running(file, env={"TOOLSYNC_TOKEN": "s3cret"}) as server:
        options = ("--url", server.url, "--header", "Authorization: Bearer ${SECRET}")
        async with (
            running(*options, command="proxy", env={"SECRET": "s3cret"}) as proxy,
            session(proxy.url, "2026-07-28") as found,
        ):
            assert await found.names() == ["a"]
            put(file, tool("b"))
            await found.told(1)
            assert "s3cret" not in json.dumps(proxy.log.events)
