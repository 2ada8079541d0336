"""The MCP server as a real child process over stdio, with SDK clients of both eras."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from mcp_rig import ERAS, Heard, listening, tool

SERVED = Path(__file__).parent / "mcp_served.py"


@asynccontextmanager
async def child(mode: str, heard: Heard) -> AsyncIterator[Client]:
    where = StdioServerParameters(command=sys.executable, args=[str(SERVED)])
    async with listening(where, mode, heard) as client:
        await client.list_tools()
        yield client


async def swap(client: Client, *tools: dict[str, Any]) -> dict[str, Any]:
    """Changes the child's tools; its answer comes behind the announcement."""
    result = await client.call_tool("control", {"tools": list(tools)})
    assert isinstance(result, types.CallToolResult)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_one_process_and_one_session_see_each_change_once(mode: str) -> None:
    """HB2, HB3, HB4, HB5."""
    heard = Heard()
    async with child(mode, heard) as client:
        first = await swap(client, tool("a"))
        assert heard.changes == 0, "the same set"
        await swap(client, tool("a", title="A"))
        assert heard.changes == 0, "looks only"
        await client.list_tools()
        await swap(client, tool("a", properties={"x": {"type": "string"}}))
        assert heard.changes == 1, "a schema"
        names = [each.name for each in (await client.list_tools()).tools]
        assert names == ["control", "wait", "finish", "noise", "a"]
        last = await swap(client)
        assert heard.changes == 2, "a removal"
        with pytest.raises(MCPError, match=r"^Unknown tool: a$") as caught:
            await client.call_tool("a", {})
        assert caught.value.code == types.INVALID_PARAMS
        assert first == last, "the same process, the same session"


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_a_call_outlives_the_definition_that_it_began_with(mode: str) -> None:
    """HB4."""
    async with child(mode, Heard()) as client:
        call = asyncio.create_task(client.call_tool("wait", {}))
        await swap(client, tool("b"))
        await client.call_tool("finish", {})
        result = await call
        assert isinstance(result, types.CallToolResult)
        assert not result.is_error


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_stray_prints_do_not_reach_the_protocol(mode: str) -> None:
    async with child(mode, Heard()) as client:
        await client.call_tool("noise", {})
        assert (await client.list_tools()).tools


def started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(SERVED)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2024-11-05", "capabilities": {},
               "clientInfo": {"name": "by hand", "version": "0"}},
}  # fmt: skip


def test_it_ends_by_itself_when_its_client_leaves() -> None:
    with started() as process:
        out, _ = process.communicate(json.dumps(HELLO).encode() + b"\n", timeout=20)
        assert process.returncode == 0
        answer = json.loads(out.splitlines()[0])
        assert answer["result"]["protocolVersion"] == "2024-11-05"
        assert answer["result"]["capabilities"]["tools"] == {"listChanged": True}


def test_what_is_no_message_ends_nothing() -> None:
    junk = b"\n\xff\xfe\n{\n[]\n" + b"[" * 5000 + b"\n" + json.dumps(HELLO).encode() + b"\n"
    with started() as process:
        out, _ = process.communicate(junk, timeout=20)
        assert process.returncode == 0
        assert any(json.loads(line).get("id") == 1 for line in out.splitlines())


ENDLESS = """
import anyio, sys
sys.path[:0] = sys.argv[1:]
from mcp_rig import Bench, tool
async def main():
    made = Bench()
    await made.serve(tool("a"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.server.serve_stdio)
        await anyio.sleep(0.05)
        tasks.cancel_scope.cancel()
    print("ended", file=sys.stderr)
anyio.run(main)
"""


def test_it_can_be_cancelled_while_it_waits_for_its_client() -> None:
    here = str(Path(__file__).parent)
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, here], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"ended\n"  # its input is still open
        assert process.wait(20) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
@pytest.mark.parametrize("closing", ["<&-", ">&-"])
def test_a_closed_standard_stream_is_one_clear_line(closing: str) -> None:
    command = shlex.join([sys.executable, str(SERVED)])
    done = subprocess.run(
        ["sh", "-c", f"exec {command} {closing}"], stderr=subprocess.PIPE, timeout=30, check=False
    )
    assert b"SourceError: standard input or output is closed: " in done.stderr
    assert done.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_client_ends_it_too() -> None:
    with started() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()  # nobody reads any more
        process.stdin.close()
        assert process.wait(20) == 0
