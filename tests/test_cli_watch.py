"""`toolsync watch`: every change of a live server, as it happens."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from serving_rig import BOUND, PYTHON, TOOLSYNC, put, running, tool
from toolsync.report.json import schema

pytestmark = pytest.mark.anyio

Process = asyncio.subprocess.Process


@asynccontextmanager
async def watching(source: str, *options: str) -> AsyncIterator[Process]:
    """Runs the command up to where it says that it watches; checks that it ends in order."""
    process = await asyncio.create_subprocess_exec(
        *TOOLSYNC, "watch", source, *options, env=dict(os.environ),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        await said(process, "watching")
        yield process
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
            assert await asyncio.wait_for(process.wait(), BOUND) == 0
        assert process.stderr is not None
        assert b"Traceback" not in await process.stderr.read()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def said(process: Process, word: str) -> str:
    """Waits for a line on standard error that holds a word."""
    assert process.stderr is not None
    while True:
        line = (await asyncio.wait_for(process.stderr.readline(), BOUND)).decode()
        assert line, f"ended without {word}"
        if word in line:
            return line


async def printed(process: Process) -> str:
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), BOUND)).decode()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tools.json"
    put(path, tool("a"), tool("b"))
    return path


def served(file: Path) -> str:
    return f"stdio:{PYTHON} -m toolsync serve {file}"


async def test_each_change_is_a_report_a_line(file: Path) -> None:
    check = Draft202012Validator(schema()).validate
    async with watching(served(file), "--format", "json") as process:
        put(file, tool("a", title="A"), tool("b"))
        put(file, tool("a"), tool("b", properties={"x": {"type": "string"}}))
        report = json.loads(await printed(process))
        check(report)
        assert [each["name"] for each in report["tools"]] == ["b"]
        put(file, tool("a\u202e"))
        line = await printed(process)
        assert line.isascii()
        report = json.loads(line)
        check(report)
        assert report["summary"]["removed"] == 2
        assert "secret" not in line


async def test_a_change_of_looks_is_printed_too(file: Path) -> None:
    async with (
        running(file, "--debounce", "0") as server,
        watching(server.url, "--format", "json") as process,
    ):
        put(file, tool("a", title="A"), tool("b"))
        put(file, tool("a", title="A"), tool("b"), tool("c"))
        levels = [json.loads(await printed(process))["level"]]
        while levels[-1] == "presentation":
            levels.append(json.loads(await printed(process))["level"])
        assert levels[-1] == "compatible"


async def test_text_is_the_diff_that_people_read(file: Path) -> None:
    async with watching(served(file)) as process:
        put(file, tool("a"))
        lines = [await printed(process)]
        while "breaking: " not in lines[-1]:
            lines.append(await printed(process))
        assert any("b" in line and "removed" in line for line in lines)


async def test_only_what_was_asked_for_is_printed(file: Path) -> None:
    async with watching(served(file), "--format", "json", "--only", "b") as process:
        put(file, tool("a", "Other."), tool("b"))
        put(file, tool("a"), tool("b", "Other."))
        assert [t["name"] for t in json.loads(await printed(process))["tools"]] == ["b"]


async def test_a_server_that_went_is_connected_to_again(file: Path) -> None:
    """RC7: only the difference is told."""
    async with watching(served(file), "--format", "json") as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            pytest.skip("looks at processes by /proc")
        (child,) = children.read_text("utf-8").split()
        os.kill(int(child), signal.SIGKILL)
        assert "connecting again" in await said(process, "SIGKILL")
        put(file, tool("a"), tool("b"), tool("c"))
        assert [t["name"] for t in json.loads(await printed(process))["tools"]] == ["c"]


async def test_it_ends_when_whoever_reads_it_has_left(file: Path) -> None:
    async with watching(served(file), "--format", "json") as process:
        transport = process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
        transport.close()
        put(file, tool("a"))
        assert await asyncio.wait_for(process.wait(), BOUND) == 0


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("tools.json", "expected a live server"),
        ("stdio:no-such-command", "no such command"),
        ("stdio:", "expected a command"),
        ("http://127.0.0.1:9/mcp?token=secret", "cannot reach"),
    ],
)
async def test_what_cannot_be_watched_says_why_in_one_line(source: str, words: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *TOOLSYNC, "watch", source,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, errors = await asyncio.wait_for(process.communicate(), BOUND)
    assert (process.returncode, out) == (2, b"")
    assert len(errors.splitlines()) == 1
    assert words in errors.decode()
    assert b"secret" not in errors
