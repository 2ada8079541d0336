"""`toolsync proxy`: a scripted server behind it, real clients of both eras in front."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from mcp_rig import ERAS, text_of
from serving_rig import (
    BOUND,
    PYTHON,
    TOOLSYNC,
    Running,
    children_of,
    gone,
    is_alive,
    over_stdio,
    running,
    session,
    tool,
    until,
)

pytestmark = pytest.mark.anyio

SERVER = Path(__file__).with_name("scripted_server.py")
PROPERTIES: dict[str, Any] = {"x": {"type": "string"}}


def pages(*lists: list[dict[str, Any]]) -> dict[str, Any]:
    """A script that answers with these pages."""
    made = []
    for number, tools in enumerate(lists):
        more = {"nextCursor": f"c{number}"} if number + 1 < len(lists) else {}
        made.append({"result": {"tools": tools, **more}})
    return {"pages": made}


@dataclass
class Upstream:
    """The servers behind a proxy, the newest last; each obeys orders."""

    script: Path
    lines: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = field(default_factory=list)
    command: tuple[str, ...] = ()

    def write(self, script: dict[str, Any]) -> None:
        """Says what servers that are started from now on do."""
        draft = self.script.with_suffix(".new")
        draft.write_text(json.dumps(script), "utf-8")
        draft.replace(self.script)

    async def number(self, count: int) -> None:
        """Waits until so many servers have been started in all."""
        await until(lambda: len(self.lines) >= count)

    async def obey(self, which: int = -1, **order: Any) -> dict[str, Any]:
        """Has a server do something, and gives what it has seen."""
        reader, writer = self.lines[which]
        writer.write(json.dumps(order).encode() + b"\n")
        with anyio.fail_after(BOUND):
            return dict(json.loads(await reader.readline() or "{}"))

    async def now(self, *lists: list[dict[str, Any]]) -> None:
        """Has the newest server list other tools, and announce that."""
        await self.obey(set=pages(*lists))
        await self.obey(announce=1)

    async def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.lines.append((reader, writer))


@asynccontextmanager
async def upstream(
    folder: Path, script: dict[str, Any], era: str = "handshake"
) -> AsyncIterator[Upstream]:
    found = Upstream(folder / "script.json")
    found.write(script)
    control = await asyncio.start_server(found._met, "127.0.0.1", 0)
    port = control.sockets[0].getsockname()[1]
    found.command = ("--", PYTHON, str(SERVER), str(found.script), "--era", era,
                     "--control", str(port))  # fmt: skip
    async with control:
        yield found
        for _, writer in found.lines:
            writer.close()


@asynccontextmanager
async def proxied(behind: Upstream, *options: str | Path) -> AsyncIterator[Running]:
    async with running(*options, *behind.command, command="proxy") as proxy:
        yield proxy


AB = [tool("a"), tool("b")]


@pytest.mark.parametrize("era", ["handshake", "modern"])
@pytest.mark.parametrize("mode", ERAS)
async def test_only_what_matters_passes(mode: str, era: str, tmp_path: Path) -> None:
    """HB2: empty and presentation-only announcements 0, a semantic change 1, removed 1."""
    async with (
        upstream(tmp_path, pages(AB), era) as behind,
        proxied(behind) as proxy,
        session(proxy.url, mode) as found,
    ):
        await behind.obey(announce=40)
        await behind.now([tool("a", title="A"), tool("b")])
        await until_titled(found, "A")
        await behind.now([tool("b"), tool("a", title="A", properties=PROPERTIES)])
        await found.told(1)
        listed = (await found.client.list_tools()).tools
        assert [each.name for each in listed] == ["a", "b"]
        assert listed[0].input_schema["properties"] == PROPERTIES
        await behind.now([tool("b")])
        await found.told(2)
        with pytest.raises(MCPError, match="Unknown tool: a"):
            await found.client.call_tool("a", {})
        assert json.loads(text_of(await found.client.call_tool("b", {"q": 1})))["tool"] == "b"


async def until_titled(found: Any, title: str) -> None:
    async def titled() -> bool:
        return bool((await found.client.list_tools()).tools[0].title == title)

    with anyio.fail_after(BOUND):
        while not await titled():
            await anyio.sleep(0.02)


async def test_a_storm_that_says_nothing_stays_behind_the_proxy(tmp_path: Path) -> None:
    """RC5, HB2: thousands of announcements, a handful of lists, nothing passed on."""
    async with (
        upstream(tmp_path, pages(AB)) as behind,
        proxied(behind) as proxy,
        session(proxy.url, "legacy") as found,
    ):
        await behind.obey(announce=5000)
        await behind.now([tool("a", "Other."), tool("b")])
        await found.told(1)
        assert len((await behind.obey())["requests"]) < 20


@pytest.mark.parametrize("mode", ERAS)
async def test_a_watched_change_restarts_the_server_and_no_client_notices(
    mode: str, tmp_path: Path
) -> None:
    """HB5: same process, same session; the difference is announced once."""
    async with (
        upstream(tmp_path, pages(AB)) as behind,
        proxied(behind, "--watch", behind.script, "--debounce", "50") as proxy,
        session(proxy.url, mode) as found,
    ):
        behind.write(pages(AB[::-1]))
        await proxy.log.first("restarted")
        assert await found.names() == ["a", "b"]
        behind.write(pages([tool("a"), tool("b", properties=PROPERTIES)]))
        await found.told(1)
        assert len(behind.lines) == 3
        answer = json.loads(text_of(await found.client.call_tool("b", {})))
        assert answer["tool"] == "b"


async def test_a_call_in_flight_ends_on_the_server_that_took_it(tmp_path: Path) -> None:
    """HB4: the new server takes over at once, the old one stays for its call."""
    async with (
        upstream(tmp_path, pages(AB)) as behind,
        proxied(behind, "--watch", behind.script, "--debounce", "0") as proxy,
        session(proxy.url, "legacy") as found,
    ):
        await behind.obey(hold="a")
        call = asyncio.create_task(found.client.call_tool("a", {"n": 1}))
        await held(behind, 0)
        before = children_of(proxy.process.pid)
        behind.write(pages([tool("a", "Other."), tool("b")]))
        await found.told(1)
        assert len(behind.lines) == 2
        assert all(map(is_alive, before))
        assert json.loads(text_of(await found.client.call_tool("a", {})))["tool"] == "a"
        await behind.obey(0, release="a")
        assert json.loads(text_of(await call))["arguments"] == {"n": 1}
        await gone(before)


async def held(behind: Upstream, which: int) -> None:
    with anyio.fail_after(BOUND):
        while not (await behind.obey(which)).get("held"):
            await anyio.sleep(0.01)


@pytest.mark.parametrize(
    "broken",
    [
        {"handshake": "exit"},
        {"list": "exit"},
        {"pages": [{"error": {"code": -32603, "message": "broken"}}]},
        {"repeat": {"result": {"tools": [tool("c")], "nextCursor": "again"}}},
        {"pages": [{"result": {"tools": [tool("c"), tool("c", "Twice.")]}}]},
        {"pages": [{"result": {"tools": [tool("c"), {"name": ""}]}}]},
        {"pages": [{"result": {"tools": 7}}]},
    ],
    ids=["exits", "exits at its list", "error", "cursor loop", "duplicate", "no name", "no list"],
)
async def test_a_new_server_without_a_usable_list_does_not_take_over(
    broken: dict[str, Any], tmp_path: Path
) -> None:
    """RC3, RC4, RC6."""
    async with (
        upstream(tmp_path, pages(AB)) as behind,
        proxied(behind, "--watch", behind.script, "--debounce", "0") as proxy,
        session(proxy.url, "legacy") as found,
    ):
        behind.write(broken)
        told = await proxy.log.first("restart-failed")
        assert told["message"].endswith("; the one before goes on")
        assert await found.names() == ["a", "b"]
        assert json.loads(text_of(await found.client.call_tool("a", {})))["tool"] == "a"
        behind.write(pages([tool("a"), tool("b"), tool("c")]))
        await found.told(1)
        assert await found.names() == ["a", "b", "c"]


@pytest.mark.parametrize("mode", ERAS)
async def test_a_crash_keeps_the_last_good_list_and_is_told_to_the_call_in_flight(
    mode: str, tmp_path: Path
) -> None:
    """RC6, RC7: connected to again, only the difference is announced."""
    async with (
        upstream(tmp_path, pages(AB)) as behind,
        proxied(behind) as proxy,
        session(proxy.url, mode) as found,
    ):
        await behind.obey(hold="a")
        call = asyncio.create_task(found.client.call_tool("a", {}))
        await held(behind, 0)
        await behind.obey(exit=3)
        result = await call
        assert result.is_error
        assert "the process ended with exit code 3" in text_of(result)
        assert await found.names() == ["a", "b"]
        answer = await found.client.call_tool("a", {})
        assert json.loads(text_of(answer))["tool"] == "a"
        behind.write(pages([tool("b")]))
        await behind.obey(exit=4)
        await found.told(1)
        assert await found.names() == ["b"]
        assert [each["reason"][-1] for each in proxy.log.named("lost")] == ["3", "4"]


async def test_a_list_that_goes_bad_is_told_and_the_last_good_one_stays(tmp_path: Path) -> None:
    """RC4, RC6."""
    async with (
        upstream(tmp_path, pages([AB[0]], [AB[1]])) as behind,
        proxied(behind) as proxy,
        session(proxy.url, "legacy") as found,
    ):
        failing = [{"result": {"tools": [tool("c")], "nextCursor": "c0"}},
                   {"error": {"code": -32603, "message": "page \x1b[31mlost"}}]  # fmt: skip
        await behind.obey(set={"pages": failing})
        await behind.obey(announce=1)
        told = await proxy.log.first("refresh-failed")
        assert "page 2 failed" in told["message"]
        assert "\x1b" not in told["message"]
        assert await found.names() == ["a", "b"]
        await behind.now([tool("c")])
        await found.told(1)
        assert await found.names() == ["c"]


async def test_a_valid_empty_list_is_no_failure(tmp_path: Path) -> None:
    """RC6."""
    async with (
        upstream(tmp_path, pages(AB)) as behind,
        proxied(behind) as proxy,
        session(proxy.url, "legacy") as found,
    ):
        await behind.now([])
        await found.told(1)
        assert await found.names() == []


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_that_gives_up_a_call_is_heard_behind_the_proxy(
    mode: str, tmp_path: Path
) -> None:
    async with (
        upstream(tmp_path, pages(AB)) as behind,
        proxied(behind) as proxy,
        session(proxy.url, mode) as found,
    ):
        await behind.obey(hold="a")
        call = asyncio.create_task(found.client.call_tool("a", {}))
        await held(behind, 0)
        call.cancel()
        with anyio.fail_after(BOUND):
            while not (await behind.obey())["cancelled"]:
                await anyio.sleep(0.01)
        answer = await found.client.call_tool("b", {})
        assert json.loads(text_of(answer))["tool"] == "b"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes by /proc")
async def test_what_it_started_never_outlives_it(tmp_path: Path) -> None:
    async with upstream(tmp_path, pages(AB)) as behind:
        async with proxied(behind) as proxy:
            below = children_of(proxy.process.pid)
            assert below
            assert await proxy.ended() == 0
            await gone(below)
        async with proxied(behind) as proxy:
            below = children_of(proxy.process.pid)
            proxy.process.kill()
            await proxy.process.wait()
            await gone(below)


async def test_over_stdio_the_end_of_input_ends_all(tmp_path: Path) -> None:
    async with upstream(tmp_path, pages(AB)) as behind:
        errors = tmp_path / "errors"
        with errors.open("w", encoding="utf-8") as stream:
            target = over_stdio(*behind.command, command="proxy", errors=stream)
            async with session(target, "2026-07-28") as found:
                assert await found.names() == ["a", "b"]
                await behind.now([tool("a")])
                await found.told(1)
        reader, _ = behind.lines[0]
        with anyio.fail_after(BOUND):
            await reader.read()  # its end of the line closes with it
        assert errors.read_text("utf-8") == ""


def told(*arguments: str | Path) -> str:
    """Runs a command that cannot start, and gives the one line that it says."""
    done = subprocess.run(
        [*TOOLSYNC, "proxy", *map(str, arguments)], capture_output=True, text=True, check=False,
        timeout=30, stdin=subprocess.DEVNULL, env=dict(os.environ),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def test_what_cannot_start_says_why_in_one_line(tmp_path: Path) -> None:
    assert "cannot start 'no-such-command': no such command" in told("--", "no-such-command")
    assert "either -- COMMAND… or --url URL" in told()
    assert "either -- COMMAND… or --url URL" in told("--url", "http://localhost/mcp", "--", "x")
    assert "--url: expected http" in told("--url", "ftp://example.com")
    assert "--header goes with --url" in told("--header", "a: b", "--", "x")
    assert "no such file or folder" in told("--watch", tmp_path / "no", "--", "x")
    assert "a URL cannot be started anew" in told("--url", "http://h/", "--watch", tmp_path)
    refused = told("--url", "http://user:secret@127.0.0.1:9/mcp?token=secret")
    assert "secret" not in refused
    assert "127.0.0.1:9" in refused
