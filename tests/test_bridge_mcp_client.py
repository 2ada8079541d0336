"""The client side over stdio: real child processes, well-behaved and not."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_rig import ERAS, tool, until
from scripted_chain import SCRIPTED, Remote, scripted
from scripted_server import GOOD
from toolsync.bridge.mcp import child as mcp_child
from toolsync.bridge.mcp import upstream as mcp_upstream
from toolsync.bridge.mcp.client import (
    ConnectionFailed,
    ConnectionLost,
    RemoteError,
    Stdio,
    Upstream,
    connect,
)
from toolsync.bridge.mcp.progress import reports_to
from toolsync.live.events import SubscriptionLost, ToolsUpdated

pytestmark = pytest.mark.anyio

WIRES = ("handshake", "modern")


def python(code: str, *arguments: str) -> Stdio:
    return Stdio((sys.executable, "-u", "-c", code, *arguments))


def is_pending(upstream: Upstream) -> bool:
    return upstream.remote.pending


def playing(tmp_path: Path, **script: Any) -> Stdio:
    path = tmp_path / "script.json"
    path.write_text(json.dumps(script))
    return Stdio((sys.executable, str(SCRIPTED), str(path)))


async def failing(target: Stdio, **options: Any) -> str:
    with pytest.raises(ConnectionFailed) as caught:
        await connect(target, name="s1", on_stderr=lambda _: None, **options).__aenter__()
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith("server 's1': ")
    return text


@asynccontextmanager
async def remote(wire: str, **limits: Any) -> AsyncIterator[Remote]:
    async with scripted("s1", wire, **limits) as made:
        yield made


@pytest.mark.parametrize("wire", WIRES)
async def test_a_server_is_followed(wire: str) -> None:
    """RC1, RC5, RC13."""
    async with remote(wire) as made:
        followed = made.upstream.remote
        events: list[Any] = []
        followed.subscribe(events.append)
        assert made.upstream.protocol_version == (
            "2026-07-28" if wire == "modern" else "2025-11-25"
        )
        assert await followed.refresh() == "applied"
        assert not is_pending(made.upstream)
        await made.order(set={"pages": [{"result": {"tools": [GOOD, tool("b")]}}]}, announce=1)
        assert is_pending(made.upstream)
        assert await followed.refresh() == "applied"
        assert [type(each) for each in events] == [ToolsUpdated, ToolsUpdated]
        assert [each.name for each in followed.catalog.tools] == ["good", "b"]


@pytest.mark.parametrize("wire", WIRES)
async def test_a_list_arrives_exactly_as_it_was_sent(wire: str) -> None:
    odd = {
        "name": "odd", "x-own": {"a": [1, 1.0, None, 1 << 80, -0.5]}, "icons": [{"size": 3}],
        "inputSchema": {"type": "object", "default": None, "properties": {"p": {"const": 10**30}}},
        "execution": {"taskSupport": "optional"},
    }  # fmt: skip
    async with remote(wire) as made:
        await made.order(set={"pages": [{"result": {"tools": [odd], "own": 1}}]})
        page = await made.upstream._list_page(None)
        assert json.dumps(page["tools"]) == json.dumps([odd])
        assert page["own"] == 1


async def test_a_deeply_nested_definition_arrives_too() -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(120):
        schema = {"type": "object", "properties": {"p": schema}}
    deep = {"name": "deep", "inputSchema": schema}
    async with remote("handshake") as made:
        await made.order(set={"pages": [{"result": {"tools": [deep]}}]})
        page = await made.upstream._list_page(None)
        assert page["tools"] == [deep]
        await made.upstream.remote.refresh()
        followed = made.upstream.remote
        assert [each.name for each in followed.catalog.tools] == ["deep"]


@pytest.mark.parametrize("wire", WIRES)
async def test_a_call_gives_the_raw_result_and_errors_of_the_protocol(wire: str) -> None:
    async with remote(wire) as made:
        result = await made.upstream.call("anything", {"a": 1})
        assert result["structuredContent"]["arguments"] == {"a": 1}
        with pytest.raises(RemoteError, match=r"'asks_back' wants more .* \(input_required\)"):
            await made.upstream.call("asks_back", None)
        with pytest.raises(RemoteError) as caught:
            await made.upstream.request("no/such", None)
        assert caught.value.code == -32601
        assert str(caught.value) == "server 's1': no/such: error -32601: Method not found"


@pytest.mark.parametrize("wire", WIRES)
async def test_the_code_of_a_lost_connection_may_be_a_servers_answer(wire: str) -> None:
    error = {"code": -32000, "message": "busy\nlater", "data": {"wait": 1}}
    async with remote(wire) as made:
        await made.order(set={"pages": [{"error": error}]})
        with pytest.raises(RemoteError) as caught:
            await made.upstream.request("tools/list", {})
        found = caught.value
        assert {"code": found.code, "message": found.text, "data": found.data} == error
        assert "\n" not in str(found)


async def test_a_storm_costs_a_flag() -> None:
    """RC1, RC5: 100,000 announcements of nothing."""
    async with remote("handshake") as made:
        await made.upstream.remote.refresh()
        await made.order(announce=100_000)
        assert await made.upstream.remote.refresh() == "unchanged"
        assert len(await made.requests()) <= 3
        assert len(asyncio.all_tasks()) < 20


@pytest.mark.parametrize("wire", WIRES)
async def test_a_child_that_dies_is_lost_with_its_reason(wire: str) -> None:
    """RC6, RC7."""
    async with remote(wire) as made:
        await made.upstream.remote.refresh()
        events: list[Any] = []
        made.upstream.remote.subscribe(events.append)
        await made.order(hold="slow")
        call = asyncio.create_task(made.upstream.call("slow", {}))
        while not (await made.order())["held"]:
            await anyio.sleep(0.01)
        with pytest.raises(json.JSONDecodeError):
            await made.order(exit=3)
        assert await made.upstream.wait_lost() == "the process ended with exit code 3"
        assert events == [SubscriptionLost("the process ended with exit code 3")]
        with pytest.raises(ConnectionLost, match="exit code 3"):
            await call
        with pytest.raises(ConnectionLost, match="exit code 3"):
            await made.upstream.call("slow", {})
        assert await made.upstream.remote.refresh() == "failed"
        assert [each.name for each in made.upstream.remote.catalog.tools] == ["good"]


async def test_no_such_command_is_one_clear_line() -> None:
    text = await failing(Stdio(("no-such-command-\x1b[31m",)))
    assert text == (
        r"server 's1': cannot start 'no-such-command-\u{1B}[31m': no such command; "
        "give its full path, or install it"
    )
    assert "no folder" in await failing(Stdio((sys.executable,), cwd="/no/such/folder"))
    assert "cannot start" in await failing(Stdio(("nul\0byte",)))


async def test_a_file_that_is_no_program_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_text("hello")
    assert "cannot start" in await failing(Stdio((str(path),)))


async def test_a_handshake_that_is_never_answered(tmp_path: Path) -> None:
    text = await failing(playing(tmp_path, handshake="hang"), timeout=0.5)
    assert text == "server 's1': no answer to the handshake within 0.5 seconds"


async def test_a_child_that_ends_before_it_answers(tmp_path: Path) -> None:
    text = await failing(playing(tmp_path, handshake="exit"))
    assert text == "server 's1': the process ended with exit code 3 before it had answered"
    assert "exit code 0 before" in await failing(python("pass"))


async def test_a_child_that_writes_something_else(tmp_path: Path) -> None:
    target = playing(tmp_path, handshake="hang", junk="Usage: \x1b[2J server\n")
    text = await failing(target, timeout=0.5)
    assert text.endswith(r"begins with what is no JSON-RPC: Usage: \u{1B}[2J server")


async def test_a_banner_before_the_protocol_is_no_harm(tmp_path: Path) -> None:
    said: list[str] = []
    target = playing(tmp_path, junk="Welcome!\n")
    async with connect(target, name="s1", on_stderr=said.append) as upstream:
        assert await upstream.remote.refresh() == "applied"
    assert said == ["not a JSON-RPC message on its standard output: Welcome!"]


async def test_standard_error_is_passed_on_line_by_line_and_harmless(tmp_path: Path) -> None:
    code = (
        "import sys, runpy; e = sys.stderr.buffer; "
        r"e.write(b'one\n\x1b]0;title\x07two\r\n\xff' + b'x' * 5000 + b'\nlast'); e.flush(); "
        "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    said: list[str] = []
    async with connect(python(code, str(SCRIPTED)), name="s1", on_stderr=said.append) as upstream:
        await upstream.remote.refresh()
        await until(lambda: len(said) >= 3)
    assert said[:2] == ["one", r"\u{1B}]0;title\u{7}two"]
    assert all(line.isprintable() and len(line) < 2100 for line in said)
    assert said[-1] == "last"


STUBBORN = """
import signal, subprocess, sys, runpy
signal.signal(signal.SIGTERM, signal.SIG_IGN)
left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(left.pid, file=sys.stderr, flush=True)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
import time
time.sleep(600)
"""


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
async def test_no_child_outlives_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_child, "GRACE", 0.2)
    said: list[str] = []
    target = python(STUBBORN, str(SCRIPTED))
    async with connect(target, name="s1", on_stderr=said.append) as upstream:
        await upstream.remote.refresh()
        await until(lambda: bool(said))
        left = int(said[0])
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        assert is_running(left)
    assert not any(is_running(int(each)) for each in children)
    await until(lambda: not is_running(left))


async def test_a_cancelled_connection_leaves_no_child(tmp_path: Path) -> None:
    before = set(asyncio.all_tasks())
    with anyio.move_on_after(0.3):
        await failing(playing(tmp_path, handshake="hang"), timeout=60)
    await until(lambda: set(asyncio.all_tasks()) == before)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_cancelled_call_is_cancelled_at_the_server(wire: str) -> None:
    async with remote(wire) as made:
        await made.order(hold="slow")
        call = asyncio.create_task(made.upstream.call("slow", {}))
        while not (await made.order())["held"]:
            await anyio.sleep(0.01)
        assert made.seen["cancelled"] == []
        call.cancel()
        await asyncio.wait({call})
        while not (await made.order())["cancelled"]:
            await anyio.sleep(0.01)
        assert made.seen["cancelled"] == made.seen["held_ids"]


REPORTING = """
import anyio, sys
sys.path[:0] = sys.argv[1:]
from mcp_rig import Bench, tool
from toolsync.bridge.mcp.progress import report
async def call(name, arguments):
    for step in range(3):
        await report(step, 3, f"step {step}")
    return "done"
async def main():
    made = Bench()
    await made.serve(tool("a"), call=call)
    await made.server.serve_stdio()
anyio.run(main)
"""


@pytest.mark.parametrize("mode", ERAS)
async def test_progress_is_handed_through_a_proxy(mode: str) -> None:
    """From the tool in one process, by this client, to whoever asked it."""
    seen: list[tuple[float, float | None, str | None]] = []

    async def sink(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    target = python(REPORTING, str(Path(__file__).parent))
    kind: Any = "legacy" if mode == "legacy" else "auto"
    async with connect(target, name="s1", mode=kind) as upstream:
        with reports_to(sink):
            await upstream.call("a", {})
        await until(lambda: len(seen) == 3)
        assert seen == [(0.0, 3.0, "step 0"), (1.0, 3.0, "step 1"), (2.0, 3.0, "step 2")]
        await upstream.call("a", {})
        assert len(seen) == 3, "nobody asked"


async def test_a_message_without_end_is_bounded() -> None:
    endless = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    text = await failing(python(endless), max_message=1 << 20)
    assert "a message of over 1048576 bytes (max_message)" in text


async def test_questions_without_end_are_bounded() -> None:
    asking = (
        "import json, sys\nn = 0\nwhile True:\n    n += 1\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': n, 'method': 'ping'}))"
    )
    text = await failing(python(asking))
    assert "asked 100 questions and read no answer" in text


def test_the_upstream_shows_itself() -> None:
    assert repr(Upstream("s\x1b1")) == r"<Upstream s\u{1B}1 connected>"


async def test_ttl_is_respected() -> None:
    """RC13: a list of 2026-07-28 that may be kept for a while is asked for again after it."""
    async with remote("modern") as made:
        upstream = made.upstream
        upstream.listening = False
        upstream._note_ttl({"tools": [], "ttlMs": -5})
        assert upstream._ttl == 1.0
        upstream._note_ttl({"tools": [], "ttlMs": 90_000})
        assert upstream._ttl == 90.0
        upstream.listening = True
        upstream._note_ttl({"tools": [], "ttlMs": 10})
        assert upstream._ttl == 30.0


async def test_a_list_whose_time_is_up_is_pending_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_upstream, "SHORTEST_TTL_LISTENING", 0.05)
    async with remote("modern") as made:
        for _ in range(3):
            await made.upstream.remote.refresh()
            assert not is_pending(made.upstream)
            await until(lambda: made.upstream.remote.pending)
