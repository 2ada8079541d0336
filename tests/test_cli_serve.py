"""`toolsync serve`: a file's tools, kept current in real clients of both eras."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from mcp_rig import ERAS
from serving_rig import (
    Session,
    over_stdio,
    put,
    running,
    session,
    tool,
)

pytestmark = pytest.mark.anyio

PROPERTIES: dict[str, Any] = {"x": {"type": "string"}}


@asynccontextmanager
async def served(transport: str, mode: str, *given: str | Path) -> AsyncIterator[Session]:
    async with AsyncExitStack() as stack:
        target: Any = over_stdio(*given)
        if transport == "http":
            target = (await stack.enter_async_context(running(*given))).url
        yield await stack.enter_async_context(session(target, mode))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tools.json"
    put(path, tool("a"), tool("b"))
    return path


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_client_hears_once_of_what_matters_and_of_nothing_else(
    transport: str, mode: str, file: Path
) -> None:
    """HB2, HB3, HB4: presentation 0, the same 0, semantic 1, removed 1 and unknown."""
    async with served(transport, mode, file, "--debounce", "0") as found:
        put(file, tool("a", title="A"), tool("b"))
        put(file, tool("a", title="A"), tool("b"))
        await until_listed(found, lambda tools: tools[0].title == "A")
        put(file, tool("b"), tool("a", title="A"))
        put(file, tool("a", title="A", properties=PROPERTIES), tool("b"))
        await found.told(1)
        assert (await found.client.list_tools()).tools[0].input_schema["properties"] == PROPERTIES
        put(file, tool("b"))
        await found.told(2)
        assert await found.names() == ["b"]
        with pytest.raises(MCPError, match="Unknown tool: a") as caught:
            await found.client.call_tool("a", {})
        assert caught.value.code == -32602


async def until_listed(found: Session, wanted: Callable[[list[Any]], bool]) -> None:
    for _ in range(400):
        if wanted((await found.client.list_tools()).tools):
            return
    raise AssertionError("never listed")


def emptied_and_written(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


def moved_away_and_written_anew(path: Path, text: str) -> None:
    path.rename(path.with_name(f"{path.name}~"))
    path.write_text(text, "utf-8")


def deleted_and_created(path: Path, text: str) -> None:
    path.unlink()
    path.write_text(text, "utf-8")


WAYS = (emptied_and_written, moved_away_and_written_anew, deleted_and_created)


@pytest.mark.parametrize("way", WAYS)
async def test_whatever_way_a_file_is_written_the_client_hears_once(
    way: Callable[[Path, str], None], file: Path
) -> None:
    async with running(file) as server, session(server.url, "legacy") as found:
        way(file, json.dumps({"tools": [tool("c")]}))
        await found.told(1)
        assert await found.names() == ["c"]
        assert not server.log.named("unreadable")


async def test_a_half_written_file_changes_nothing_and_is_told_only_if_it_stays_so(
    file: Path,
) -> None:
    """PL3."""
    whole = json.dumps({"tools": [tool("c")]})
    async with running(file) as server, session(server.url, "legacy") as found:
        with file.open("w", encoding="utf-8") as half:
            half.write(whole[:40])
            half.flush()
            told = await server.log.first("unreadable")
            assert "not JSON" in told["message"]
            assert told["message"].endswith("serving what it last held")
            assert await found.names() == ["a", "b"]
            half.write(whole[40:])
        await found.told(1)
        await server.log.first("recovered")
        assert await found.names() == ["c"]


async def test_a_bad_tool_is_named_with_its_place_and_the_last_good_state_stays(
    file: Path,
) -> None:
    """PL2, PL3, PL8."""
    async with running(file) as server, session(server.url, "legacy") as found:
        put(file, tool("a", properties={"x": {"type": "strin"}}), tool("b"))
        told = await server.log.first("rejected")
        assert told["file"] == str(file)
        assert told["tool"] == "a"
        assert told["path"] == "/inputSchema/properties/x/type"
        assert "strin" in told["reason"]
        assert await found.names() == ["a", "b"]
        put(file, tool("a", properties=PROPERTIES))
        await found.told(1)
        assert await found.names() == ["a"]


async def test_with_skip_invalid_the_good_tools_go_in_and_a_bad_one_keeps_its_last_good_form(
    file: Path,
) -> None:
    """PL4."""
    async with running(file, "--skip-invalid") as server, session(server.url, "legacy") as found:
        put(file, {"name": "a"}, tool("b", properties={"x": {"type": "strin"}}), tool("c"))
        await found.told(1)
        listed = (await found.client.list_tools()).tools
        assert [each.name for each in listed] == ["a", "b", "c"]
        assert listed[1].input_schema["properties"] == {}
        told = [each["tool"] for each in server.log.named("rejected")]
        assert sorted(told) == ["a", "b"]


async def test_a_deleted_file_is_told_and_its_tools_stay(file: Path) -> None:
    async with running(file) as server, session(server.url, "legacy") as found:
        file.unlink()
        assert "no such file" in (await server.log.first("unreadable"))["message"]
        put(file, tool("a"), tool("b"))
        await server.log.first("recovered")
        put(file, tool("c"))
        await found.told(1)


async def test_each_file_of_a_folder_is_a_plugin_of_its_own(tmp_path: Path) -> None:
    """PL5, PL6, PL8, PL9."""
    put(tmp_path / "one.json", tool("a"))
    put(tmp_path / "two.json", tool("a", "Another."), tool("b"))
    (tmp_path / "bad.json").write_text("{", "utf-8")
    (tmp_path / "readme.txt").write_text("no plugin", "utf-8")
    async with running(tmp_path) as server, session(server.url, "legacy") as found:
        assert "bad.json" in server.log.named("unreadable")[0]["file"]
        assert await found.names() == ["a", "b"]
        put(tmp_path / "bad.json", tool("c"))
        await found.told(1)
        put(tmp_path / "two.json", tool("b", properties={"x": {"type": "strin"}}))
        await server.log.first("rejected")
        (tmp_path / "one.json").unlink()
        await found.told(2)
        assert await found.names() == ["a", "b", "c"]
        assert (await found.client.list_tools()).tools[0].description == "Another."


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own there")
async def test_a_mount_that_turns_a_link_is_followed(tmp_path: Path) -> None:
    """A configuration map is mounted as a link to a link, and changed by turning the inner one."""
    for version, found in (("..v1", "a"), ("..v2", "b")):
        (tmp_path / version).mkdir()
        put(tmp_path / version / "tools.json", tool(found))
    (tmp_path / "..data").symlink_to("..v1")
    (tmp_path / "tools.json").symlink_to("..data/tools.json")
    for source in (tmp_path / "tools.json", tmp_path):
        async with running(source) as server, session(server.url, "legacy") as told:
            assert await told.names() == ["a"]
            turn(tmp_path, "..v2")
            await told.told(1)
            assert await told.names() == ["b"]
            put(tmp_path / "..v2" / "tools.json", tool("b"), tool("c"))
            await told.told(2)
            assert not server.log.named("unreadable")
        turn(tmp_path, "..v1")
        put(tmp_path / "..v2" / "tools.json", tool("b"))


def turn(folder: Path, target: str) -> None:
    (folder / "..data_tmp").symlink_to(target)
    (folder / "..data_tmp").replace(folder / "..data")


async def test_globs_select_what_an_endpoint_offers_and_what_its_clients_hear(file: Path) -> None:
    """HB1, HB2: two processes, one selection each, told apart."""
    async with (
        served("stdio", "legacy", file, "--only", "a*") as first,
        served("stdio", "2026-07-28", file, "--ignore", "a*") as second,
    ):
        assert [await first.names(), await second.names()] == [["a"], ["b"]]
        put(file, tool("a", properties=PROPERTIES), tool("b"))
        await first.told(1)
        put(file, tool("a", properties=PROPERTIES), tool("b", properties=PROPERTIES))
        await second.told(1)
        assert first.heard.changes == 1


async def test_a_client_whose_stream_opens_late_is_told_once(file: Path) -> None:
    """HB6, HB7: what was deferred is delivered when the push channel opens."""
    async with running(file, "--debounce", "0") as server, httpx2.AsyncClient() as web:
        headers = {"accept": "application/json, text/event-stream"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {},
                 "clientInfo": {"name": "late", "version": "0"}}  # fmt: skip
        first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        answer = await web.post(server.url, json=first, headers=headers)
        headers["mcp-session-id"] = answer.headers["mcp-session-id"]
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await web.post(server.url, json=ready, headers=headers)
        async with session(server.url, "legacy") as other:
            put(file, tool("c"))
            await other.told(1)
            async with web.stream("GET", server.url, headers=headers) as stream:
                lines = stream.aiter_lines()
                assert await notifications(lines) == ["notifications/tools/list_changed"]
                put(file, tool("d"))
                await other.told(2)
                assert await notifications(lines) == ["notifications/tools/list_changed"]


async def notifications(lines: AsyncIterator[str]) -> list[str]:
    """Reads a stream up to its next message, and gives the methods of those that came."""
    async for line in lines:
        if line.startswith("data: {"):
            return [json.loads(line.removeprefix("data: "))["method"]]
    return []
