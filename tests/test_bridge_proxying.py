"""The proxy's inside: nothing is left of connections that ended; waiting calls get the next one."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from serving_rig import PYTHON, children_of, tool, until
from toolsync.bridge.mcp.client import ConnectionLost, Stdio, connect
from toolsync.bridge.proxy.proxying import Patience, Proxy
from toolsync.bridge.proxy.state import Shown, in_place
from toolsync.catalog import Catalog
from toolsync.live.errors import ToolChanged, UnknownTool
from toolsync.live.events import RefreshFailed

SERVER = Path(__file__).with_name("scripted_server.py")
QUICK = Patience(calls=5.0, drain=2.0, first=0.01, longest=0.05, steady=60.0)


def write(path: Path, *tools: dict[str, Any], **script: Any) -> None:
    pages = {"pages": [{"result": {"tools": list(tools)}}], **script}
    path.write_text(json.dumps(pages), "utf-8")


@asynccontextmanager
async def proxying(
    path: Path, patience: Patience = QUICK, kind: type[Proxy] = Proxy
) -> AsyncIterator[Proxy]:
    target = Stdio((PYTHON, str(SERVER), str(path)))
    opening = partial(connect, target, name="scripted", timeout=10.0, on_stderr=lambda _: None)
    async with anyio.create_task_group() as group:
        proxy = kind(opening, group, name="scripted", patience=patience)
        await proxy.start()
        group.start_soon(proxy.run)
        yield proxy
        group.cancel_scope.cancel()


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def mine() -> set[int]:
    return children_of(os.getpid())


@pytest.mark.anyio
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="counts descriptors and processes by /proc")
async def test_restarts_and_crashes_leave_no_task_process_or_descriptor(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    write(path, tool("a"))
    outside, before = len(asyncio.all_tasks()), mine()
    async with proxying(path) as proxy:
        counts = []
        for number in range(6):
            write(path, tool("a", f"The {number}th."))
            (child,) = mine() - before
            if number % 2:
                os.kill(child, 9)
            else:
                proxy.restart()
            await until(lambda n=number: proxy.revision >= n + 2)  # type: ignore[misc]
            await until(lambda gone=child: gone not in mine())  # type: ignore[misc]
            await settled(proxy)
            counts.append((len(asyncio.all_tasks()), descriptors()))
        for each in zip(*counts, strict=True):  # five more, if a connection left one behind
            assert max(each) - min(each) <= 2
    assert mine() == before
    await until(lambda: len(asyncio.all_tasks()) == outside)


async def settled(proxy: Proxy) -> None:
    """Waits until a call passes, and with it whatever a switch still had to do."""
    await proxy.call("a", {})
    before = -1
    for _ in range(200):
        now = len(asyncio.all_tasks())
        if now == before:
            return
        before = now
        await anyio.sleep(0.02)


@pytest.mark.anyio
async def test_calls_wait_for_the_next_connection_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    write(path, tool("a"))
    before = mine()
    async with proxying(path, Patience(first=0.2)) as proxy:
        (child,) = mine() - before
        os.kill(child, 9)
        await until(lambda: proxy.is_down)
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(proxy.call, "a", {})


@pytest.mark.anyio
async def test_a_call_without_a_server_is_told_after_a_while(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    write(path, tool("a"))
    before = mine()
    async with proxying(path, Patience(calls=0.1, first=0.01, longest=0.05)) as proxy:
        write(path, handshake="exit")
        (child,) = mine() - before
        os.kill(child, 9)
        await until(lambda: proxy.is_down)
        with pytest.raises(ConnectionLost, match=r"is not there .*try later"):
            await proxy.call("a", {})
        with pytest.raises(UnknownTool):
            await proxy.call("b", {})
        assert proxy.catalog.index.keys() == {"a"}
        write(path, tool("a"), tool("b"))
        await until(lambda: "b" in proxy.catalog)
        assert await proxy.call("b", {})


class Counting(Proxy):
    """Notes how long it would rest before each attempt, and does not rest."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.rests: list[float] = []

    async def _rest(self, pause: float) -> None:
        self.rests.append(pause)
        await anyio.lowlevel.checkpoint()


@pytest.mark.anyio
async def test_pauses_grow_after_a_connection_that_was_sound_too(tmp_path: Path) -> None:
    """That it had lasted begins the pauses anew once, not before each attempt that fails."""
    path = tmp_path / "script.json"
    write(path, tool("a"))
    before = mine()
    patience = Patience(first=0.1, longest=0.8, steady=0.0)
    async with proxying(path, patience, Counting) as proxy:
        assert isinstance(proxy, Counting)
        write(path, handshake="exit")
        (child,) = mine() - before
        os.kill(child, 9)
        await until(lambda: len(proxy.rests) >= 6)
        assert proxy.rests[:6] == [0.1, 0.2, 0.4, 0.8, 0.8, 0.8]


@pytest.mark.anyio
async def test_a_trouble_that_goes_on_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "script.json", tool("a"))
    async with proxying(tmp_path / "script.json") as proxy:
        caplog.clear()
        life = proxy._current
        assert life is not None
        for reason, age in (("down", 0.0), ("down", 1.0), ("odd", 2.0), ("odd", 3.0), ("odd", 0.0)):
            proxy._heard(life, RefreshFailed(reason, age))
        told = [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]
    assert [each.partition(";")[0] for each in told] == ["down", "odd", "odd"]


def test_the_order_that_clients_know_stays_and_equal_tools_are_the_same() -> None:
    """HB11."""
    before = Catalog([tool("a"), tool("b"), tool("c")])
    found = Catalog([tool("d"), tool("c"), tool("b", "Other."), tool("a")])
    shown = in_place(found, before)
    assert [each.name for each in shown] == ["a", "b", "c", "d"]
    assert shown["a"] is before["a"]
    assert shown["b"] is found["b"]
    assert in_place(Catalog([tool("c"), tool("a"), tool("b")]), before) is before


def test_a_revision_grows_with_what_matters_alone() -> None:
    """HB10; a change of looks is shown under the same revision."""
    shown, told = Shown(), []
    shown.subscribe(lambda published: told.append(published.revision))
    shown.publish(Catalog([tool("a")]))
    shown.publish(Catalog([tool("a", title="A")]))
    assert shown.catalog["a"].definition["title"] == "A"
    shown.publish(Catalog([tool("a", title="A")]))
    shown.publish(Catalog([tool("a", title="A"), tool("b")]))
    assert told == [1, 1, 2]


def test_a_call_for_an_earlier_definition_is_checked_against_the_present_one() -> None:
    """HB12."""
    shown = Shown()
    shown.publish(Catalog([tool("a")]))
    advertised = shown.tool("a")
    stricter = tool("a", properties={"x": {"type": "string"}})
    stricter["inputSchema"]["required"] = ["x"]
    shown.publish(Catalog([stricter]))
    shown.check("a", {"x": "1"}, advertised)
    shown.check("a", {}, None)
    with pytest.raises(ToolChanged, match="revision 2"):
        shown.check("a", {}, advertised)
