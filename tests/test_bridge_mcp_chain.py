"""Calls through the whole chain: cancelled, reported on, and left alone by a server that dies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from json import JSONDecodeError

import anyio
import mcp_types as types
import pytest

from mcp_rig import text_of, tool
from scripted_chain import Chain, Downstream, Remote

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def chain(era: str) -> AsyncIterator[tuple[Chain, Remote, Downstream]]:
    async with Chain() as made:
        remote = await made.add("s1", era)
        await remote.order(set={"pages": [{"result": {"tools": [tool("slow")]}}]}, hold="slow")
        await made.refresh("s1")
        yield made, remote, await made.join("A")


async def held(remote: Remote) -> None:
    with anyio.fail_after(10):
        while not (await remote.order())["held"]:
            await anyio.sleep(0.01)


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_what_a_client_cancels_is_cancelled_at_the_server_behind(era: str) -> None:
    async with chain(era) as (_, remote, client):
        call = asyncio.create_task(client.client.call_tool("slow", {}))
        await held(remote)
        call.cancel()
        with anyio.fail_after(10):
            while not (await remote.order())["cancelled"]:
                await anyio.sleep(0.01)
        assert remote.seen["cancelled"] == remote.seen["held_ids"]


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_progress_comes_through_to_who_asked(era: str) -> None:
    seen = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async with chain(era) as (_, remote, client):
        await remote.order(release="slow")
        result = await client.client.call_tool("slow", {})
        assert result.structured_content is not None
        assert result.structured_content["reports"] is False, "the server was not asked to"
        assert seen == []
        await client.client.call_tool("slow", {}, progress_callback=on_progress)
        assert seen == [(1.0, 2.0, "begun")]


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_a_server_that_dies_during_a_call_costs_that_call_only(era: str) -> None:
    """RC6: the last usable tools stay, and the session with them."""
    async with chain(era) as (made, remote, client):
        before = await client.tools()
        call = asyncio.create_task(client.client.call_tool("slow", {}))
        await held(remote)
        with suppress(JSONDecodeError):  # nobody is left who acknowledges
            await remote.order(exit=3)
        result = await call
        assert isinstance(result, types.CallToolResult)
        assert result.is_error
        assert text_of(result) == (
            "'slow' failed: server 's1': tools/call: the process ended with exit code 3"
        )
        assert await made.refresh("s1") == "failed"
        assert await client.tools() == before
        assert await client.messages() == 0
