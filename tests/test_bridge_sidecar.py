"""The engine behind a host link: plugins' tools in; verdicts, revisions and deltas out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import anyio
import pytest

from link_peer import BOUND, LIMIT, Peer, joined
from toolsync.bridge.link.sidecar import Settings, Sidecar
from toolsync.bridge.link.toolset import taken

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "live" / "host-link.md"
COMMAND = (sys.executable, "-m", "toolsync", "bridge", "--stdio")


def tool(name: str, *arguments: str, **more: Any) -> dict[str, Any]:
    properties = {each: {"type": "string"} for each in arguments}
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}} | more


@contextlib.asynccontextmanager
async def host(**settings: Any) -> AsyncIterator[Peer]:
    async with joined() as (streams, peer, writer), anyio.create_task_group() as tasks:
        ended = anyio.Event()

        async def serve() -> None:
            await Sidecar(Settings(debounce=0, **settings)).serve(streams)
            writer.close()
            ended.set()

        tasks.start_soon(serve)
        await peer.call("initialize", protocol=1, capabilities={"threadToolsUpdate": True})
        peer.seen.clear()
        yield peer
        peer.leave()
        with anyio.fail_after(BOUND):
            await ended.wait()


async def apply(peer: Peer, version: str, *tools: dict[str, Any], plugin: str = "p") -> Any:
    return await peer.call("plugin/apply", plugin=plugin, version=version, tools=list(tools))


async def expect(peer: Peer, method: str) -> dict[str, Any]:
    while True:
        message = await peer.next()
        if message.get("method") == method:
            return message


async def test_a_change_is_answered_with_its_verdict() -> None:
    async with host() as peer:
        first = await apply(peer, "1", tool("a", "x"))
        assert (first["revision"], first["report"]["level"]) == (1, "compatible")
        second = await apply(peer, "2", tool("a", "x") | {"title": "A"})
        assert (second["revision"], second["report"]["notify"]) == (1, False)
        broken = tool("a", "x")
        broken["inputSchema"]["required"] = ["x"]
        third = await apply(peer, "3", broken)
        (changed,) = third["report"]["tools"]
        assert (third["revision"], changed["level"]) == (2, "breaking")
        gone = await peer.call("plugin/remove", plugin="p")
        assert gone["report"]["summary"]["removed"] == 1
        assert (await peer.call("plugin/remove", plugin="p"))["revision"] == gone["revision"]


async def test_a_refused_candidate_changes_nothing_and_says_where() -> None:
    async with host() as peer:
        await apply(peer, "1", tool("a"))
        before = await peer.call("catalog/get")
        error = await apply(peer, "2", tool("a"), {"name": "b", "inputSchema": {"type": 7}})
        assert error["code"] == -32010
        assert error["data"]["tool"] == "b"
        assert error["data"]["path"] == "/inputSchema/type"
        assert error["data"]["revision"] == 1
        assert await peer.call("catalog/get") == before
        status = await peer.call("status/get")
        assert status["plugins"]["p"]["state"] == "retained"
        assert status["plugins"]["p"]["version"] == "1"
        assert status["plugins"]["p"]["candidate"] == "2"


async def test_healthy_tools_go_in_where_that_is_asked_for() -> None:
    async with host(on_invalid="skip") as peer:
        done = await apply(peer, "1", tool("a"), {"name": "b", "inputSchema": {"type": 7}})
        assert [each["tool"] for each in done["rejected"]] == ["b"]
        assert [each["name"] for each in (await peer.call("catalog/get"))["tools"]] == ["a"]


async def test_sessions_begin_with_their_set_and_are_sent_what_differs() -> None:
    async with host() as peer:
        await apply(peer, "1", tool("a"), tool("b"))
        whole = taken(None, await peer.call("session/attach", session="s1"))
        chosen = await peer.call("session/attach", session="s2", only=["b*"], ignore=["bad"])
        assert [each["name"] for each in chosen["tools"]] == ["b"]
        peer.ask(1, "plugin/apply", plugin="p", version="2", tools=[tool("a", "x"), tool("b")])
        update = await expect(peer, "thread/tools/update")
        assert update["params"]["threadId"] == "s1"
        assert [each["name"] for each in update["params"]["changed"]] == ["a"]
        now = taken(whole, update["params"])
        peer.answer(update, {"outcome": "applied"})
        listed = await peer.call("catalog/get")
        assert now.catalog.digest == listed["digest"]
        assert [each["name"] for each in listed["tools"]] == ["a", "b"]


async def test_a_session_that_missed_a_push_is_repaired_at_its_next_turn() -> None:
    async with host() as peer:
        await apply(peer, "1", tool("a"))
        await peer.call("session/attach", session="s1")
        peer.ask(7, "session/reconcile", session="s1", tools=[tool("old")])
        update = await expect(peer, "thread/tools/update")
        assert update["params"]["tools"] == [tool("a")]  # whole: what it holds is no known base
        peer.answer(update, {"outcome": "applied"})
        outcome = (await peer.next())["result"]
        assert (outcome["outcome"], outcome["session"]) == ("applied", "s1")
        assert set(outcome["tools"]) == {"a", "old"}
        same = await peer.call("session/reconcile", session="s1", tools=[tool("a")])
        assert same["outcome"] == "unchanged"
        assert (await peer.call("session/reconcile", session="s9"))["outcome"] == "no_session"


async def test_calls_in_flight_finish_on_the_version_that_took_them() -> None:
    async with host() as peer:
        await apply(peer, "1", tool("a", "x"))
        await peer.call("session/attach", session="s1")
        peer.ask("slow", "session/call", session="s1", name="a", arguments={"x": "1"})
        call = await expect(peer, "plugin/call")
        assert call["params"] == {
            "plugin": "p", "version": "1", "name": "a", "arguments": {"x": "1"},
        }  # fmt: skip
        peer.ask("new", "plugin/apply", plugin="p", version="2", tools=[tool("a", "x", "y")])
        update = await expect(peer, "thread/tools/update")
        peer.answer(update, {"outcome": "applied"})
        assert await peer.quiet() or peer.seen[-2]["id"] == "new"
        assert "plugin/closed" not in {each.get("method") for each in peer.seen}
        peer.ask("next", "session/call", session="s1", name="a", arguments={"y": "2"})
        later = await expect(peer, "plugin/call")
        assert later["params"]["version"] == "2"
        peer.answer(call, "old")
        closed = await expect(peer, "plugin/closed")
        assert closed["params"] == {"plugin": "p", "version": "1"}
        assert {each["id"]: each["result"] for each in peer.seen if "result" in each}[
            "slow"
        ] == "old"
        peer.refuse(later, -32000, "no luck")
        answer = await peer.next()
        assert (answer["id"], answer["error"]["message"]) == ("next", "no luck")


async def test_a_call_that_no_longer_fits_says_that_the_tool_changed() -> None:
    async with host() as peer:
        await apply(peer, "1", tool("a"))
        await peer.call("session/attach", session="s1")
        narrow = {"name": "a", "inputSchema": {"type": "object", "required": ["x"]}}
        peer.ask(1, "plugin/apply", plugin="p", version="2", tools=[narrow])
        await expect(peer, "thread/tools/update")  # and is not answered yet
        error = await peer.call("session/call", session="s1", name="a", arguments={})
        assert error["code"] == -32011
        assert (error["data"]["name"], error["data"]["revision"]) == ("a", 2)


async def test_what_else_a_plugin_brings_is_told_once() -> None:
    async with host() as peer:
        for version, text in (("1", "one"), ("2", "two")):
            peer.ask(
                version, "plugin/apply", plugin="p", version=version, tools=[],
                contributes={"instructions": text},
            )  # fmt: skip
            news = await expect(peer, "contributions/changed")
            assert news["params"]["plugins"] == ["p"]


async def test_two_sets_can_be_compared_without_any_plugin() -> None:
    async with host() as peer:
        report = await peer.call("diff", old=[tool("a"), tool("b")], new=[tool("a")], only=["b"])
        assert (report["level"], report["summary"]["removed"]) == ("breaking", 1)
        assert (await peer.call("status/get"))["revision"] == 0


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("plugin/apply", {}, "plugin: expected a string, got nothing"),
        ("plugin/apply", {"plugin": "p", "version": ""},
         "version: expected a string, got an"),
        ("plugin/apply", {"plugin": "p", "version": "1", "tools": {}}, "tools: expected an array"),
        ("plugin/apply", {"plugin": "p", "version": "1", "tools": [], "contributes": []},
         "contributes: expected an object, got an array"),
        ("session/attach", {"session": "s", "only": "a*"}, "only: expected an array of strings"),
        ("session/attach", {"session": "s", "only": ["a" * 10_000]}, "at most 1000 globs of"),
        ("session/call", {"session": "none", "name": "a"}, "no session 'none'"),
        ("session/reconcile", {}, "session: expected a string"),
        ("diff", {"old": []}, "new: expected an array, got nothing"),
    ],
)  # fmt: skip
async def test_bad_params_say_what_and_where(
    method: str, params: dict[str, Any], message: str
) -> None:
    async with host() as peer:
        error = await peer.call(method, **params)
        assert error["code"] == -32602
        assert message in error["message"]


async def test_a_session_is_attached_once_and_can_come_again() -> None:
    async with host() as peer:
        await peer.call("session/attach", session="s")
        error = await peer.call("session/attach", session="s")
        assert "attached already" in error["message"]
        assert (await peer.call("session/detach", session="s"))["detached"] is True
        assert (await peer.call("session/detach", session="s"))["detached"] is False
        assert (await peer.call("session/attach", session="s"))["tools"] == []


@contextlib.asynccontextmanager
async def process(*options: str) -> AsyncIterator[tuple[Peer, asyncio.subprocess.Process]]:
    """Starts the command as a host does."""
    child = await asyncio.create_subprocess_exec(
        *COMMAND, *options, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        limit=LIMIT,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        yield Peer(child.stdout, child.stdin), child
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.communicate()


async def ended(child: asyncio.subprocess.Process) -> tuple[int, bytes]:
    with anyio.fail_after(BOUND):
        _, errors = await child.communicate()
    assert child.returncode is not None
    return child.returncode, errors


async def test_the_conversation_of_the_page_is_true() -> None:
    (block,) = re.findall(r"```transcript\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    async with process() as (peer, child):
        for way, lines in groupby(block.splitlines(), key=lambda line: line[0]):
            shown = [json.loads(line[2:]) for line in lines]
            if way == "→":
                for message in shown:
                    peer.send(message)
            else:  # what comes without being waited for in between may come in any order
                came = [await peer.next() for _ in shown]
                for one, other in zip(
                    *(sorted(each, key=_kind) for each in (shown, came)), strict=True
                ):
                    assert_shown(one, other)
        peer.leave()
        assert await ended(child) == (0, b"")


def _kind(message: Mapping[str, Any]) -> tuple[bool, str, str]:
    return "method" in message, str(message.get("method")), str(message.get("id"))


def assert_shown(shown: Any, real: Any) -> None:
    """Holds that a message has what the page shows of it."""
    if isinstance(shown, Mapping):
        assert isinstance(real, Mapping)
        for name, value in shown.items():
            assert_shown(value, real[name])
    elif isinstance(shown, list):
        assert len(shown) == len(real)
        for one, other in zip(shown, real, strict=True):
            assert_shown(one, other)
    else:
        assert shown == real


def test_every_method_is_in_the_page() -> None:
    text = PAGE.read_text("utf-8")
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 1}}
    done = subprocess.run(
        COMMAND,
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=True,
        timeout=BOUND,
    )
    methods = json.loads(done.stdout)["result"]["capabilities"]["methods"]
    assert [each for each in methods if f"| `{each}` |" not in text] == []


async def test_the_end_of_input_ends_it_after_what_was_asked_is_answered() -> None:
    async with process("--debounce", "50") as (peer, child):
        peer.ask(1, "initialize", protocol=1)
        peer.ask(2, "plugin/apply", plugin="p", version="1", tools=[tool("a")])
        peer.leave()
        answers = {each["id"]: each["result"] for each in [await peer.next(), await peer.next()]}
        assert answers[2]["revision"] == 1
        assert await ended(child) == (0, b"")


async def test_it_ends_cleanly_in_the_middle_of_everything() -> None:
    async with process("--debounce", "0") as (peer, child):
        await peer.call("initialize", protocol=1, capabilities={"threadToolsUpdate": True})
        await apply(peer, "1", tool("a"))
        await peer.call("session/attach", session="s")
        peer.ask(1, "session/call", session="s", name="a")
        await expect(peer, "plugin/call")
        peer.leave()
        assert await ended(child) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
async def test_sigterm_ends_it_cleanly() -> None:
    async with process("--debounce", "0") as (peer, child):
        await peer.call("initialize", protocol=1)
        await apply(peer, "1", tool("a"))
        await peer.call("session/attach", session="s")
        peer.ask(1, "session/call", session="s", name="a")
        await expect(peer, "plugin/call")
        child.send_signal(signal.SIGTERM)
        assert await ended(child) == (0, b"")


async def test_garbage_is_answered_and_no_traceback_reaches_the_user() -> None:
    async with process() as (peer, child):
        peer.send_bytes(b'\x1b[31m garbage\n[]\n{"jsonrpc":"2.0","id":1,"method":"nope"}\n')
        codes = [(await peer.next())["error"]["code"] for _ in range(3)]
        assert set(codes) == {-32700, -32600, -32601}
        peer.leave()
        code, errors = await ended(child)
        assert (code, b"Traceback" in errors, b"\x1b" in errors) == (0, False, False)


def test_a_host_that_stops_listening_is_no_crash() -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.close()
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 1}}
        _, errors = child.communicate(json.dumps(request).encode() + b"\n", BOUND)
    assert (child.returncode, b"Traceback" in errors) == (0, False)


def test_it_says_that_it_needs_stdio() -> None:
    done = subprocess.run(COMMAND[:-1], capture_output=True, text=True, check=False, timeout=BOUND)
    assert done.returncode == 2
    assert done.stderr.startswith("toolsync: expected --stdio")
    assert len(done.stderr.splitlines()) == 1


def test_a_host_in_node_uses_the_engine() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    script = ROOT / "tests" / "node" / "host.mjs"
    done = subprocess.run(
        [node, script, *COMMAND], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "sets": {"s1": ["a", "b"], "s2": ["b"]},
        "updates": {"s1": 2, "s2": 1},
        "revision": 3,
        "refused": "/inputSchema/type",
        "called": "echo hello",
        "unknown": "Unknown tool: gone",
        "closed": ["1", "2", "4"],
        "exit": 0,
    }
