"""Calls: which version takes them, how long it stays, and what becomes of late ones."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from live_rig import PaperTime, Recorder, Workshop, hubbed, let_run, opened, tool
from toolsync import Catalog, ToolsyncError, live

pytestmark = pytest.mark.anyio


async def test_hb4_a_call_in_flight_finishes_on_the_version_that_took_it() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(clock=time.clock, sleep=time.sleep) as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        gate = shop.hold("call a1")
        early = asyncio.create_task(registry.call("x", {}))
        await let_run()
        await registry.apply("a", "2", shop.build("a2", tool("x", q="string")))
        assert await registry.call("x", {}) == "a2 ran x"
        assert "close a1" not in shop.log
        gate.set()
        assert await early == "a1 ran x"
        await let_run()
        assert shop.log[-1] == "close a1"


async def test_hb4_a_call_that_never_ends_keeps_its_version_open_for_the_drain() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(clock=time.clock, sleep=time.sleep, drain=30.0) as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        gate = shop.hold("call a1")
        early = asyncio.create_task(registry.call("x", {}))
        await let_run()
        await registry.remove("a")
        await registry.apply("b", "1", shop.build("b1", tool("y")))  # the lane is free
        await time.turn(29)
        assert "close a1" not in shop.log
        await time.turn(2)
        assert shop.log[-1] == "close a1"
        gate.set()
        assert await early == "a1 ran x"


async def test_hb4_without_drain_a_replaced_version_is_closed_at_once() -> None:
    shop = Workshop()
    async with opened(drain=0) as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        gate = shop.hold("call a1")
        early = asyncio.create_task(registry.call("x", {}))
        await let_run()
        await registry.apply("a", "2", shop.build("a2", tool("x")))
        await let_run()
        assert shop.log[-1] == "close a1"
        gate.set()
        await early


async def test_hb4_a_cancelled_call_no_longer_counts_as_in_flight() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(clock=time.clock, sleep=time.sleep) as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        shop.hold("call a1")
        early = asyncio.create_task(registry.call("x", {}))
        await let_run()
        await registry.remove("a")
        early.cancel()
        await let_run()
        assert shop.log[-1] == "close a1"


async def test_hb4_a_removed_tool_is_unknown_and_never_routed_elsewhere() -> None:
    shop = Workshop()
    async with hubbed() as (registry, hub):
        await registry.apply("a", "1", shop.build("a", tool("x"), tool("y")))
        session = await hub.attach(Recorder(), id="s")
        await registry.apply("a", "2", shop.build("a2", tool("y")))
        for call in (registry.call("x", {}), session.call("x", {})):
            with pytest.raises(live.UnknownTool, match=r"^Unknown tool: x$") as caught:
                await call
            assert caught.value.name == "x"


async def test_hb4_a_tool_outside_of_its_selection_is_unknown_to_a_session() -> None:
    shop = Workshop()
    async with hubbed() as (registry, hub):
        await registry.apply("a", "1", shop.build("a", tool("x"), tool("y")))
        session = await hub.attach(Recorder(), id="s", select=lambda each: each.name == "y")
        assert await session.call("y", {}) == "a ran y"
        with pytest.raises(live.UnknownTool):
            await session.call("x", {})


async def test_hb12_arguments_of_an_earlier_definition_that_no_longer_fit_say_so() -> None:
    shop = Workshop()
    async with hubbed() as (registry, hub):
        await registry.apply("a", "1", shop.build("a1", tool("x", q="string"), tool("y")))
        adapter = Recorder()
        adapter.announces = True
        session = await hub.attach(adapter, id="s")
        await registry.apply("a", "2", shop.build("a2", tool("x", q="integer"), tool("y")))
        await registry.apply("b", "1", shop.build("b", tool("z")))  # another revision
        await hub.push()
        with pytest.raises(live.ToolChanged) as caught:
            await session.call("x", {"q": "five"})
        error = caught.value
        assert (error.name, error.revision) == ("x", 2)
        assert str(error) == (
            "tool 'x' changed at revision 2, and refuses these arguments: at /q: expected type "
            '"integer", got "five" (/inputSchema/properties/q/type); list the tools again'
        )
        assert await session.call("x", {"q": 5}) == "a2 ran x"
        assert await session.call("y", {}) == "a2 ran y"
        session.served(session.catalog)
        # From here on it is the tool's own business what it takes.
        assert await session.call("x", {"q": "five"}) == "a2 ran x"


@pytest.mark.parametrize("meaning_the_same", [
    tool("x", "Says.", q={"anyOf": [{"type": "null"}, {"type": "string"}]}),
    tool("x", "Says.", q={"type": ["string", "null"]}) | {"title": "X"},
], ids=["respelled", "presentation"])  # fmt: skip
async def test_hb12_a_definition_that_means_the_same_is_no_change(
    meaning_the_same: dict[str, Any],
) -> None:
    shop = Workshop()
    advertised = Catalog([tool("x", "Says.", q={"type": ["string", "null"]})])["x"]
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a", meaning_the_same))
        assert await registry.call("x", {"q": 5}, advertised=advertised) == "a ran x"


async def test_hb12_an_argument_that_is_gone_is_not_silently_ignored() -> None:
    shop = Workshop()
    advertised = Catalog([tool("x", q="string", note="string")])["x"]
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a", tool("x", q="string")))
        with pytest.raises(live.ToolChanged, match='"note" is not declared'):
            await registry.call("x", {"q": "a", "note": "b"}, advertised=advertised)
        assert await registry.call("x", {"q": "a"}, advertised=advertised) == "a ran x"
        # What was never declared is the caller's own business, as it was before.
        assert await registry.call("x", {"other": 1}, advertised=advertised) == "a ran x"


async def test_hb12_a_schema_that_nobody_can_decide_lets_the_tool_have_the_last_word() -> None:
    shop = Workshop()
    hostile = tool("x", q={"type": "string", "pattern": "^(a+)+$"})
    advertised = Catalog([tool("x")])["x"]
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a", hostile))
        call = registry.call("x", {"q": "a" * 40 + "!"}, advertised=advertised)
        try:
            assert await call == "a ran x"
        except live.ToolChanged as error:
            assert "pattern" in error.reason  # noqa: PT017  either is right, hanging is not


async def test_a_plugin_without_a_call_says_so() -> None:
    async def build() -> live.Plugin:
        return live.Plugin([tool("x")])

    async with opened() as registry:
        await registry.apply("a", "1", build)
        with pytest.raises(ToolsyncError, match="plugin 'a' has no call"):
            await registry.call("x", {})


async def test_what_a_call_raises_reaches_the_caller_as_it_is() -> None:
    async def call(name: str, arguments: Any) -> Any:
        raise LookupError(name)

    async def build() -> live.Plugin:
        return live.Plugin([tool("x")], call)

    async with opened() as registry:
        await registry.apply("a", "1", build)
        with pytest.raises(LookupError):
            await registry.call("x", {})
        await registry.remove("a")  # it is not in flight any more
