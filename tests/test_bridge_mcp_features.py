"""What a server offers beside tools, through a proxy: an SDK server behind, clients before."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from mcp_rig import ERAS, MARK, Bench, Heard, bench, listening, over_http, streams, tool, until
from toolsync.bridge.mcp.client import Stdio, connect
from toolsync.bridge.mcp.features import framed, passed_methods, plain_params

RESOURCES = "notifications/resources/list_changed"


class Offering:
    """A server with prompts and resources, in this process."""

    def __init__(self, *capabilities: str) -> None:
        self.capabilities = {name: {"listChanged": True} for name in capabilities}
        self.asked: list[tuple[str, Any]] = []
        self.say: Any = None

    async def request(self, method: str, params: Any) -> dict[str, Any]:
        self.asked.append((method, params))
        if method == "prompts/list":
            return {"prompts": [{"name": "p", "x-own": 1}], "own": True}
        if method == "resources/read":
            return {"contents": [{"uri": params["uri"], "text": "t"}]}
        return {"resources": []}

    def on_notification(self, listener: Any) -> Any:
        self.say = listener
        return lambda: None


def test_only_what_was_declared_is_handed_through() -> None:
    assert sorted(passed_methods(Offering("prompts"))) == ["prompts/get", "prompts/list"]
    assert passed_methods(Offering()) == {}
    assert plain_params({"name": "p", "_meta": {"k": 1}}) == {"name": "p"}
    assert plain_params({"_meta": {}}) is plain_params(None) is None
    assert framed("prompts/list", {"ttlMs": 5}, modern=True) == {
        "resultType": "complete", "ttlMs": 5, "cacheScope": "private"
    }  # fmt: skip
    assert framed("prompts/get", {}, modern=True) == {"resultType": "complete"}


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_prompts_and_resources_are_handed_through(mode: str) -> None:
    offering = Offering("prompts", "resources")
    async with bench(features=offering) as made, over_http(made.server) as url:
        await made.serve(tool("a"))
        heard = Heard()
        async with listening(url, mode, heard) as client:
            assert [each.name for each in (await client.list_prompts()).prompts] == ["p"]
            read = await client.read_resource("own://thing")
            assert [each.uri for each in read.contents] == ["own://thing"]
            assert offering.asked[1] == ("resources/read", {"uri": "own://thing"})
            with pytest.raises(MCPError):
                await client.complete(
                    types.PromptReference(name="p"), {"name": "x", "value": "y"}
                )
            await streams(made)
            offering.say(MARK, None)
            await until(lambda: MARK in heard.methods)
            assert heard.changes == 0


@pytest.mark.anyio
async def test_capabilities_are_those_of_the_server_behind() -> None:
    async with (
        bench(features=Offering("resources")) as made,
        over_http(made.server) as url,
        Client(url, mode="legacy") as client,
    ):
        capabilities = client.server_capabilities
        assert capabilities.prompts is None
        assert capabilities.resources is not None
        assert capabilities.resources.list_changed is True


BEHIND = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("behind", instructions="Ask nicely.")
@server.prompt()
def greet(name: str) -> str:
    return f"Greet {name}."
@server.resource("note://one")
def note() -> str:
    return "noted"
@server.tool()
def add(a: int, b: int) -> int:
    return a + b
server.run("stdio")
"""


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_an_sdk_server_behind_the_proxy(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "behind.py"
    path.write_text(BEHIND)
    target = Stdio((sys.executable, str(path)))
    async with connect(target, name="behind", on_stderr=lambda _: None) as upstream:
        made = Bench(features=upstream, instructions=upstream.instructions)
        await upstream.remote.refresh()
        await made.serve(
            *[each.definition for each in upstream.remote.catalog.tools], call=upstream.call
        )
        async with over_http(made.server) as url, Client(url, mode=mode, cache=None) as client:
            with anyio.fail_after(30):
                assert [t.name for t in (await client.list_tools()).tools] == ["add"]
                summed = await client.call_tool("add", {"a": 1, "b": 2})
                assert summed.structured_content == {"result": 3}
                assert (await client.call_tool("add", {"a": "x"})).is_error
                prompt = await client.get_prompt("greet", {"name": "Ada"})
                assert "Greet Ada." in json.dumps(prompt.model_dump(mode="json"))
                read = await client.read_resource("note://one")
                assert "noted" in json.dumps(read.model_dump(mode="json"))
                with pytest.raises(MCPError):
                    await client.read_resource("note://none")
        await made.aclose()
