"""`toolsync serve`: calls run by a command, and how it begins and ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import anyio
import httpx2
import pytest

from mcp_rig import ERAS, text_of
from serving_rig import (
    TOOLSYNC,
    children_of,
    gone,
    over_stdio,
    put,
    running,
    script,
    session,
    tool,
    until,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tools.json"
    put(path, tool("a"), tool("b"))
    return path


ECHO = """
import json, sys
call = json.load(sys.stdin)
if call["name"] == "a":
    print(json.dumps({"content": [{"type": "text", "text": call["arguments"]["q"]}]}))
elif call["name"] == "b":
    print("plain", call["arguments"])
elif call["name"] == "c":
    print(json.dumps({"n": 1}))
elif call["name"] == "d":
    sys.exit("no such \\x1b[31mbook")
elif call["name"] == "e":
    print("x" * 11_000_000)
else:
    sys.stdin.close(); import time; time.sleep(600)
"""


@pytest.mark.parametrize("mode", ERAS)
async def test_calls_are_run_by_the_command(mode: str, tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    put(file, *map(tool, "abcdef"))
    command = " ".join(script(tmp_path / "echo.py", ECHO))
    target = over_stdio(file, "--call", command, "--call-timeout", "2")
    async with session(target, mode) as found:
        call = found.client.call_tool
        assert text_of(await call("a", {"q": "é\u202e"})) == "é\u202e"
        assert text_of(await call("b", {"q": 1})) == "plain {'q': 1}"
        assert (await call("c", {})).structured_content == {"n": 1}
        failed = await call("d", {})
        assert failed.is_error
        assert text_of(failed) == (
            "The command for tool 'd' failed with exit code 1: no such \\u{1B}[31mbook"
        )
        assert "printed more than 10,485,760 bytes" in text_of(await call("e", {}))
        assert "gave no result in 2 s" in text_of(await call("f", {}))


async def test_without_a_command_a_call_says_how_to_go_on(file: Path) -> None:
    async with session(over_stdio(file), "2026-07-28") as found:
        result = await found.client.call_tool("a", {})
        assert result.is_error
        assert "--call COMMAND" in text_of(result)


async def test_a_command_that_is_not_there_fails_the_call_alone(file: Path) -> None:
    async with (
        running(file, "--call", "no-such-command") as server,
        session(server.url, "legacy") as found,
    ):
        result = await found.client.call_tool("a", {})
        assert text_of(result) == "The command for tool 'a' could not be started"
        assert "no-such-command" in (await server.log.first("call-failed"))["message"]
        assert await found.names() == ["a", "b"]


HANG = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes by /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_in_order_with_all_that_it_started(
    number: signal.Signals, file: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "begun"
    command = " ".join([*script(tmp_path / "hang.py", HANG), str(mark)])
    async with running(file, "--call", command) as server:
        calling = asyncio.create_task(call_once(server.url))
        await until(mark.exists)
        below = children_of(server.process.pid)
        assert below
        assert await server.ended(number) == 0
        await gone(below)
        assert await calling != "answered"


async def call_once(url: str) -> str:
    try:
        async with session(url, "legacy") as found:
            result = await found.client.call_tool("a", {})
            return "told" if result.is_error else "answered"
    except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001  its server is gone: any will do
        return type(error).__name__


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes by /proc")
@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_that_leaves_in_the_middle_of_a_call_leaves_nothing_behind(
    mode: str, file: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "begun"
    command = " ".join([*script(tmp_path / "hang.py", HANG), str(mark)])
    async with running(file, "--call", command) as server:
        async with session(server.url, mode) as found, anyio.create_task_group() as group:
            group.start_soon(found.client.call_tool, "a", {})
            await until(mark.exists)
            below = children_of(server.process.pid)
            assert below
            group.cancel_scope.cancel()
        await gone(below)
        async with session(server.url, mode) as found:
            assert await found.names() == ["a", "b"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_over_stdio_a_signal_and_the_end_of_input_end_it(
    number: signal.Signals, file: Path
) -> None:
    for ending in (None, number):
        process = subprocess.Popen(
            [*TOOLSYNC, "serve", file, "--log-level", "debug", "--log-format", "json"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(HELLO) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == 1
            if ending is not None:
                process.send_signal(ending)
                process.wait(timeout=30)  # with its input still open
            out, errors = process.communicate(timeout=30)
        assert process.returncode == 0
        assert out == ""
        assert "Traceback" not in errors


@pytest.mark.parametrize("command", ["serve", "proxy"])
def test_a_client_that_stops_reading_has_left(command: str, file: Path) -> None:
    given = [file] if command == "serve" else ["--", *TOOLSYNC, "serve", file]
    process = subprocess.Popen(
        [*TOOLSYNC, command, *given],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(json.dumps(HELLO) + "\n")
        process.stdin.flush()
        assert process.wait(timeout=20) == 0
        assert process.stderr.read() == ""


HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"}}}  # fmt: skip


def told(*arguments: str | Path, env: dict[str, str] | None = None) -> str:
    """Runs a command that cannot start, and gives the one line that it says."""
    done = subprocess.run(
        [*TOOLSYNC, "serve", *map(str, arguments)], capture_output=True, text=True, check=False,
        timeout=30, stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.mark.parametrize("source", ["stdio:true", "https://example.com/mcp", "-", "git:HEAD:x"])
def test_what_cannot_be_followed_is_refused_in_one_line(source: str) -> None:
    assert "expected a file or a folder" in told(source)


def test_what_cannot_start_says_why_in_one_line(tmp_path: Path, file: Path) -> None:
    assert told(tmp_path / "no.json") == f"toolsync: {tmp_path / 'no.json'}: no such file"
    half = tmp_path / "half.json"
    half.write_text('{"tools": [', "utf-8")
    assert f"{half}: not JSON" in told(half)
    put(half, tool("a", properties={"x": {"type": "strin"}}))
    assert f"{half}: tool 'a' at /inputSchema/properties/x/type: " in told(half)
    assert "expected HOST:PORT, got 'nowhere'" in told(file, "--http", "nowhere")
    assert "go with --http" in told(file, "--allow-host", "example.com")
    assert "--call: no closing quotation" in told(file, "--call", "'a")
    assert "printable ASCII" in told(file, "--http", "0", "--token", " ")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        said = told(file, "--http", f":{taken.getsockname()[1]}")
    assert "the port is in use" in said


async def test_a_token_and_the_origin_are_asked_for(file: Path) -> None:
    """The HTTP end lets in who has the token, and no page of another site."""
    secret = {"TOOLSYNC_TOKEN": "s3cret"}
    async with running(file, env=secret) as server, httpx2.AsyncClient() as web:
        assert (await web.post(server.url, json=HELLO)).status_code == 401
        bearer = {"authorization": "Bearer s3cret", "accept": "application/json, text/event-stream"}
        assert (await web.post(server.url, json=HELLO, headers=bearer)).status_code == 200
        page = bearer | {"origin": "https://evil.example"}
        assert (await web.post(server.url, json=HELLO, headers=page)).status_code == 403
        assert "s3cret" not in json.dumps(server.log.events)


async def test_text_logs_are_one_safe_line_each(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    put(file, tool("a"))
    errors = tmp_path / "errors"
    with errors.open("w", encoding="utf-8") as stream:
        target = over_stdio(file, "--debounce", "0", errors=stream)
        async with session(target, "legacy") as found:
            put(file, tool("\x1b[31mred", properties={"x": {"type": "strin"}}))
            await until(lambda: "red" in errors.read_text("utf-8"))
            assert await found.names() == ["a"]
    lines = errors.read_text("utf-8").splitlines()
    assert lines[0].startswith(f"toolsync: error: {file}: tool '\\u{{1B}}[31mred' at /")
    assert len(lines) == 1
