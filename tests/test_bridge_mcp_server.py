"""The MCP server over loopback HTTP with SDK clients of both eras: who is told what, when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    PaginatedRequestParams,
)

from mcp_rig import (
    ERAS,
    Bench,
    Heard,
    bench,
    listening,
    named_like,
    over_http,
    shaken,
    streams,
    text_of,
    tool,
    until,
)

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def session(mode: str, made: Bench, url: str) -> AsyncIterator[tuple[Client, Heard]]:
    heard = Heard()
    async with listening(url, mode, heard) as client:
        await client.list_tools()
        await streams(made)
        yield client, heard


@pytest.mark.parametrize("mode", ERAS)
async def test_each_semantic_change_is_announced_once_and_nothing_else_is(mode: str) -> None:
    """HB2, HB3."""
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("a"), tool("b"))
        async with session(mode, made, url) as (client, heard):
            await made.serve(tool("a"), tool("b"))
            await made.serve(tool("a", title="A"), tool("b"))
            assert await heard.marked(await made.mark()) == 0
            listed = (await client.list_tools()).tools
            assert [each.title for each in listed] == ["A", None]
            await made.serve(tool("a", "Does more."), tool("b"))
            assert await heard.marked(await made.mark()) == 1
            await made.serve(tool("b"))
            assert await heard.marked(await made.mark()) == 2
            assert [each.name for each in (await client.list_tools()).tools] == ["b"]


@pytest.mark.parametrize("mode", ERAS)
async def test_a_removed_tool_is_unknown_and_never_routed_elsewhere(mode: str) -> None:
    """HB4."""
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("move_file"), tool("move_dir"))
        async with session(mode, made, url) as (client, _):
            await made.serve(tool("move_file"))
            with pytest.raises(MCPError) as caught:
                await client.call_tool("move_dir", {})
            assert (caught.value.code, caught.value.message) == (
                INVALID_PARAMS,
                "Unknown tool: move_dir",
            )
            assert text_of(await client.call_tool("move_file", {})) == "2:move_file"


@pytest.mark.parametrize("mode", ERAS)
async def test_a_call_in_flight_ends_on_the_definition_it_began_with(mode: str) -> None:
    """HB4, HB5."""
    async with bench() as made, over_http(made.server) as url:
        begun, finish = anyio.Event(), anyio.Event()

        async def slow(name: str, arguments: Any) -> str:
            begun.set()
            await finish.wait()
            return "old"

        await made.serve(tool("a"), call=slow)
        async with session(mode, made, url) as (client, heard):
            ids = set(made.hub.sessions)
            call = asyncio.create_task(client.call_tool("a", {}))
            await begun.wait()
            await made.serve(tool("a", properties={"x": {"type": "string"}}))
            assert await heard.marked(await made.mark()) == 1
            assert text_of(await client.call_tool("a", {"x": "1"})) == "2:a"
            finish.set()
            assert text_of(await call) == "old"
            assert set(made.hub.sessions) == ids


async def test_two_sessions_of_different_selections_are_told_apart() -> None:
    """HB1, HB2."""
    headers = [{"x-part": "a"}, {"x-part": "b"}]
    async with (
        bench(select_for=lambda peer: named_like(peer.headers["x-part"])) as made,
        over_http(made.server) as url,
    ):
        await made.serve(tool("a1"), tool("b1"))
        heard = [Heard(), Heard()]
        async with (
            httpx2.AsyncClient(headers=headers[0]) as web_a,
            httpx2.AsyncClient(headers=headers[1]) as web_b,
            listening(streamable_http_client(url, http_client=web_a), "legacy", heard[0]) as a,
            listening(streamable_http_client(url, http_client=web_b), "legacy", heard[1]) as b,
        ):
            assert [t.name for t in (await a.list_tools()).tools] == ["a1"]
            assert [t.name for t in (await b.list_tools()).tools] == ["b1"]
            await streams(made)
            await made.serve(tool("a1"), tool("a2"), tool("b1"))
            marks = await made.mark()
            assert [await each.marked(marks) for each in heard] == [1, 0]
            with pytest.raises(MCPError, match="Unknown tool: a1"):
                await b.call_tool("a1", {})


async def test_clients_of_both_eras_are_told_at_once_and_once() -> None:
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("a"))
        async with (
            session("legacy", made, url) as (_, one),
            session("legacy", made, url) as (_, two),
            session("2026-07-28", made, url) as (_, three),
            session("2026-07-28", made, url) as (_, four),
        ):
            await made.serve(tool("a"), tool("b"))
            marks = await made.mark()
            assert [await each.marked(marks) for each in (one, two, three, four)] == [1] * 4


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_every_version_of_the_handshake_era_declares_that_its_list_changes(
    version: str,
) -> None:
    async with bench() as made, over_http(made.server) as url, httpx2.AsyncClient() as web:
        await made.serve(tool("a"))
        await shaken(web, url, version)


@pytest.mark.parametrize("mode", ERAS)
async def test_listchanged_is_declared(mode: str) -> None:
    # A pinned version is not asked about: only a probe brings the capabilities.
    asked = "legacy" if mode == "legacy" else "auto"
    async with (
        bench(instructions="Be kind.") as made,
        over_http(made.server) as url,
        Client(url, mode=asked) as client,
    ):
        capabilities = client.server_capabilities
        assert capabilities.tools is not None
        assert capabilities.tools.list_changed is True
        assert client.session.instructions == "Be kind."


async def test_without_a_subscription_the_outcome_is_deferred_and_a_late_one_is_told() -> None:
    """HB2, HB6 for 2026-07-28."""
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("a"))
        heard = Heard()
        async with Client(url, mode="2026-07-28", message_handler=heard, cache=None) as client:
            await client.list_tools()
            await made.serve(tool("b"))
            assert [each.status for each in await made.hub.push()] == ["deferred"]
            async with client.listen(tools_list_changed=True, prompts_list_changed=True):
                await until(lambda: heard.changes == 1)
                assert await heard.marked(await made.mark()) == 1
                await made.serve(tool("c"))
                assert [each.status for each in await made.hub.push()] == ["applied"]
                assert await heard.marked(await made.mark()) == 2


async def test_a_subscription_that_did_not_ask_for_tools_is_not_told_of_them() -> None:
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("a"))
        heard = Heard()
        async with (
            Client(url, mode="2026-07-28", message_handler=heard) as client,
            client.listen(prompts_list_changed=True),
        ):
            await made.serve(tool("b"))
            assert await heard.marked(await made.mark()) == 0


@pytest.mark.parametrize("mode", ERAS)
async def test_a_swap_between_two_pages_makes_the_client_start_over(mode: str) -> None:
    async with bench(page_size=2) as made, over_http(made.server) as url:
        await made.serve(*[tool(f"t{n}") for n in range(5)])
        async with Client(url, mode=mode, cache=None) as client:

            async def page(cursor: str | None) -> tuple[list[str], str | None]:
                params = PaginatedRequestParams(cursor=cursor)
                found = await client.session.list_tools(params=params)
                return [each.name for each in found.tools], found.next_cursor

            names, cursor = await page(None)
            assert names == ["t0", "t1"]
            names, cursor = await page(cursor)
            assert names == ["t2", "t3"]
            await made.serve(*[tool(f"u{n}") for n in range(5)])
            with pytest.raises(MCPError) as caught:
                await page(cursor)
            assert caught.value.code == INVALID_PARAMS
            names, cursor = await page(None)
            assert names == ["u0", "u1"]
            for junk in ("", "x", "..", cursor + "0" if cursor else ""):
                with pytest.raises(MCPError):
                    await page(junk)


@pytest.mark.parametrize("mode", ERAS)
async def test_a_call_made_for_an_earlier_definition_is_told_so(mode: str) -> None:
    """HB12."""
    async with bench() as made, over_http(made.server) as url:
        await made.serve(tool("a"), tool("b"))
        async with Client(url, mode=mode, cache=None) as client:
            await client.list_tools()
            to = {"to": {"type": "string"}}
            await made.serve(tool("a", properties=to, required=["to"]), tool("b"))
            with pytest.raises(MCPError, match="changed at revision 2") as caught:
                await client.call_tool("a", {})
            assert caught.value.code == INVALID_PARAMS
            assert caught.value.data == {"tool": "a", "revision": 2}
            assert text_of(await client.call_tool("a", {"to": "x"})) == "2:a"
            assert text_of(await client.call_tool("b", {})) == "2:b"


async def test_clients_of_2026_are_not_held_to_an_earlier_list_for_ever() -> None:
    """HB12: who holds which list is not known there; for a while after a change anybody may."""
    now = 0.0
    async with bench(clock=lambda: now) as made, over_http(made.server) as url:
        await made.serve(tool("a"))
        async with session("2026-07-28", made, url) as (client, heard):
            need = {"properties": {"to": {"type": "string"}}, "required": ["to"]}
            await made.serve(tool("a", **need))
            assert await heard.marked(await made.mark()) == 1
            with pytest.raises(MCPError, match="changed at revision 2"):
                await client.call_tool("a", {})
            await client.list_tools()
            with pytest.raises(MCPError, match="changed at revision 2"):
                await client.call_tool("a", {})
            now = 61.0
            assert text_of(await client.call_tool("a", {})) == "2:a"


async def test_no_session_and_no_task_is_left_when_clients_vanish() -> None:
    async with bench() as made:
        await made.serve(tool("a"))
        async with over_http(made.server, idle=1.0) as url:
            async with session("legacy", made, url), session("2026-07-28", made, url):
                assert len(made.hub.sessions) == 2
            # The one of 2026-07-28 is the endpoint's, and stays; the connection's is gone.
            await until(lambda: [*made.hub.sessions] == [made.server._modern.id])
            async with httpx2.AsyncClient(timeout=10) as web:
                headers = await shaken(web, url)
                async with web.stream("GET", url, headers=headers):
                    await until(lambda: len(made.hub.sessions) == 2)
            # This one never said goodbye.
            await until(lambda: [*made.hub.sessions] == [made.server._modern.id])
        assert not made.hub.sessions
        assert made.server._modern._streams == 0
        await until(lambda: not unexpected_tasks())


def unexpected_tasks() -> list[str]:
    """Tasks beside the test's own; what a library keeps for the whole loop is not ours."""
    own = asyncio.current_task()
    names = [
        getattr(task.get_coro(), "__qualname__", "?")
        for task in asyncio.all_tasks()
        if task is not own
    ]
    return [name for name in names if not name.startswith(("_shutdown_watcher", "TestRunner"))]
