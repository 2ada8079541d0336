"""agent-framework: changed and new tools are offered and executed within the run (AL6)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationContext,
    FunctionInvocationLayer,
    FunctionTool,
    Message,
    ResponseStream,
)

from toolsync import Catalog, live
from toolsync.bridge.agent_framework import LiveTools
from toolsync.bridge.functions import FunctionList
from toolsync.bridge.mcp.client import Stdio, connect
from toolsync.live.tool_list import DuplicateName

pytestmark = pytest.mark.anyio

Step = list[tuple[str, dict[str, Any]]]
"""What the model does in one step: the calls that it asks for; none ends the turn."""

both_ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


class Scripted(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """A chat client whose model follows a script, and what it was offered at each step."""

    def __init__(
        self, *steps: Step, between: Callable[[int], Awaitable[None]] | None = None
    ) -> None:
        super().__init__()
        self.offered: list[dict[str, list[str]]] = []
        self.results: list[Any] = []
        self._steps = steps
        self._between = between

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any
    ) -> Any:
        number = len(self.offered)
        self.offered.append(
            {
                each.name: list(each.parameters().get("properties", ()))
                for each in options.get("tools") or ()
            }
        )
        contents = [content for message in messages for content in message.contents]
        self.results = [each.result for each in contents if each.type == "function_result"]
        return self._streamed(number) if stream else self._whole(number)

    async def _contents(self, number: int) -> list[Content]:
        if self._between is not None:
            await self._between(number)
        calls = self._steps[number] if number < len(self._steps) else []
        return [
            Content.from_function_call(
                call_id=f"{number}-{at}", name=name, arguments=json.dumps(given)
            )
            for at, (name, given) in enumerate(calls)
        ] or [Content.from_text("done")]

    async def _whole(self, number: int) -> ChatResponse[Any]:
        contents = await self._contents(number)
        return ChatResponse(messages=[Message(role="assistant", contents=contents)])

    def _streamed(self, number: int) -> ResponseStream[ChatResponseUpdate, ChatResponse[Any]]:
        async def updates() -> AsyncIterator[ChatResponseUpdate]:
            yield ChatResponseUpdate(role="assistant", contents=await self._contents(number))

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates)


async def run(agent: Agent[Any], stream: bool) -> None:
    if stream:
        async for _ in agent.run("go", stream=True):
            pass
    else:
        await agent.run("go")


def tool(name: str, *arguments: str, **more: Any) -> dict[str, Any]:
    properties = {each: {"type": "string"} for each in arguments}
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}} | more


class Host:
    """A registry with one plugin, whose tools say what they were called with."""

    def __init__(self) -> None:
        self.registry = live.Registry(debounce=0)
        self.called: list[tuple[str, str, Any]] = []
        self._version = 0

    async def change(self, *tools: dict[str, Any]) -> None:
        self._version += 1
        version = str(self._version)

        async def call(name: str, arguments: Any) -> str:
            self.called.append((version, name, arguments))
            return f"{name} of version {version}"

        async def build() -> live.Plugin:
            return live.Plugin(tools=tools, call=call)

        await self.registry.apply("p", version, build)


@both_ways
@pytest.mark.parametrize("own", [False, True], ids=["no tools", "own tools"])
async def test_a_changed_and_a_new_tool_are_offered_and_executed_within_the_run(
    stream: bool, own: bool
) -> None:
    host = Host()
    await host.change(tool("search", "a"))

    async def between(step: int) -> None:
        if step == 0:
            await host.change(tool("search", "a", "b"), tool("fetch", "url"))

    client = Scripted(
        [("search", {"a": "1"})],
        [("search", {"b": "2"}), ("fetch", {"url": "u"})],
        between=between,
    )
    given = [FunctionTool(name="mine", func=lambda: "own", input_model={"type": "object"})]
    agent = Agent(client, middleware=[LiveTools(host.registry)], tools=given if own else None)
    await run(agent, stream)
    mine: dict[str, list[str]] = {"mine": []} if own else {}
    now = {**mine, "search": ["a", "b"], "fetch": ["url"]}
    assert client.offered == [{**mine, "search": ["a"]}, now, now]
    assert host.called == [
        ("2", "search", {"a": "1"}),
        ("2", "search", {"b": "2"}),
        ("2", "fetch", {"url": "u"}),
    ]
    assert client.results[-1] == "fetch of version 2"
    assert [each.name for each in given] == ["mine"]
    await host.registry.aclose()


@both_ways
async def test_a_removed_tool_is_gone_at_the_next_step_and_others_keep_their_places(
    stream: bool,
) -> None:
    host = Host()
    await host.change(tool("a"), tool("b"), tool("c"))

    async def between(step: int) -> None:
        if step == 0:
            await host.change(tool("c"), tool("d"), tool("a"))

    client = Scripted([("a", {})], between=between)
    await run(Agent(client, middleware=[LiveTools(host.registry)]), stream)
    assert [list(each) for each in client.offered] == [["a", "b", "c"], ["a", "c", "d"]]


async def test_a_call_that_the_new_definition_refuses_is_told_to_the_model() -> None:
    host = Host()
    await host.change(tool("a"))

    async def between(step: int) -> None:
        if step == 0:
            narrow = tool("a", "x")
            narrow["inputSchema"]["required"] = ["x"]
            await host.change(narrow)

    client = Scripted([("a", {})], [("a", {"x": "1"})], between=between)
    client.function_invocation_configuration["include_detailed_errors"] = True
    await run(Agent(client, middleware=[LiveTools(host.registry)]), stream=False)
    assert "changed at revision 2" in client.results[0]
    assert client.results[1] == "a of version 2"
    assert [name for name, *_ in host.called] == ["2"]


async def test_unchanged_tools_stay_the_same_objects_and_nothing_is_looked_at_twice() -> None:
    host = Host()
    await host.change(tool("a"), tool("b"))
    offered: list[list[Any]] = []

    class Watching(Scripted):
        def _inner_get_response(self, *, options: Mapping[str, Any], **more: Any) -> Any:
            offered.append([*options["tools"]])
            return super()._inner_get_response(options=options, **more)

    async def between(step: int) -> None:
        if step == 1:
            await host.change(tool("a"), tool("b", "x"))

    client = Watching([("a", {})], [("a", {})], between=between)
    await run(Agent(client, middleware=[LiveTools(host.registry)]), stream=False)
    first, second, third = offered
    assert all(a is b for a, b in zip(first, second, strict=True))
    assert (third[0] is first[0], third[1] is first[1]) == (True, False)


async def test_two_runs_at_once_have_a_list_each() -> None:
    host = Host()
    await host.change(tool("a"))
    live_tools = LiveTools(host.registry)
    own = FunctionTool(name="mine", func=lambda: "own", input_model={"type": "object"})
    inner = Scripted([("a", {})])

    async def between(step: int) -> None:
        if step == 0:
            await run(Agent(inner, middleware=[live_tools], tools=[own]), stream=False)
            await host.change(tool("b"))

    outer = Scripted([("a", {})], between=between)
    await run(Agent(outer, middleware=[live_tools]), stream=False)
    assert inner.offered == [{"mine": [], "a": []}] * 2
    assert outer.offered == [{"a": []}, {"b": []}]


async def test_a_name_that_stands_twice_at_the_start_is_an_error() -> None:
    host, other = Host(), Host()
    await host.change(tool("mine"))
    await other.change(tool("mine"))
    own = FunctionTool(name="mine", func=lambda: "own", input_model={"type": "object"})
    agent = Agent(Scripted(), middleware=[LiveTools(host.registry)], tools=[own])
    with pytest.raises(DuplicateName, match="tool 'mine' is in the list itself and in source 1"):
        await agent.run("go")
    agent = Agent(Scripted(), middleware=[LiveTools(host.registry, other.registry)])
    with pytest.raises(DuplicateName, match="tool 'mine' is in source 1 and in source 2"):
        await agent.run("go")


async def test_a_name_that_comes_twice_later_is_left_out_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    host = Host()
    await host.change(tool("a"))
    own = FunctionTool(name="mine", func=lambda: "own", input_model={"type": "object"})

    async def between(step: int) -> None:
        await host.change(tool("a"), tool("mine", "theirs"), tool("b"))

    client = Scripted([("a", {})], [("mine", {})], between=between)
    await run(Agent(client, middleware=[LiveTools(host.registry)], tools=[own]), stream=False)
    assert [list(each) for each in client.offered] == [["mine", "a"], *[["mine", "a", "b"]] * 2]
    assert client.results[-1] == "own"
    assert caplog.text.count("tool 'mine' is there already; left out") == 1


@pytest.mark.filterwarnings("ignore::FutureWarning")
async def test_tools_that_the_host_adds_and_removes_during_the_run_are_in_the_same_list() -> None:
    host = Host()
    await host.change(tool("a"))
    late = FunctionTool(name="late", func=lambda: "late", input_model={"type": "object"})

    async def grow(ctx: FunctionInvocationContext) -> str:
        ctx.add_tools(late)
        ctx.remove_tools("grow")
        await host.change(tool("a"), tool("b"))
        return "grown"

    own = FunctionTool(name="grow", func=grow)
    client = Scripted([("grow", {})], [("late", {}), ("b", {})])
    await run(Agent(client, middleware=[LiveTools(host.registry)], tools=[own]), stream=False)
    assert [list(each) for each in client.offered] == [["grow", "a"], *[["a", "b", "late"]] * 2]
    assert client.results == ["grown", "late", "b of version 2"]


async def test_a_session_of_a_hub_offers_its_selection() -> None:
    host = Host()
    await host.change(tool("a"), tool("b"))
    hub = live.Hub(host.registry)
    session = await hub.attach(
        FunctionList([], "mcp"), id="s", select=lambda each: each.name != "b"
    )

    async def between(step: int) -> None:
        if step == 0:
            await host.change(tool("a"), tool("b"), tool("c"))

    client = Scripted([("a", {})], [("c", {})], between=between)
    await run(Agent(client, middleware=[LiveTools(session)]), stream=False)
    assert [list(each) for each in client.offered] == [["a"], *[["a", "c"]] * 2]
    assert client.results == ["a of version 2", "c of version 2"]
    await hub.aclose()


@pytest.mark.filterwarnings("ignore::FutureWarning")
async def test_a_live_tool_that_the_host_takes_out_of_a_run_stays_out_of_it() -> None:
    host = Host()
    await host.change(tool("a"), tool("b"))

    async def shrink(ctx: FunctionInvocationContext) -> str:
        ctx.remove_tools("a")
        await host.change(tool("a"), tool("b"), tool("c"))
        return "shrunk"

    own = FunctionTool(name="shrink", func=shrink)
    client = Scripted([("shrink", {})])
    live_tools = LiveTools(host.registry)
    await run(Agent(client, middleware=[live_tools], tools=[own]), stream=False)
    assert [list(each) for each in client.offered] == [["shrink", "a", "b"], ["shrink", "b", "c"]]
    client.offered.clear()
    await run(Agent(client, middleware=[live_tools]), stream=False)
    assert list(client.offered[-1]) == ["a", "b", "c"]


class Answering:
    """A source that answers calls as an MCP server does."""

    def __init__(self, result: Any) -> None:
        self.catalog = Catalog([tool("a")])
        self.pending = True
        self._result = result

    async def refresh(self) -> str:
        return "failed"

    async def call(self, *_: Any) -> Any:
        return self._result


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ({"content": [{"type": "text", "text": "fine"}]}, "fine"),
        ({"content": [{"type": "odd"}, 7]}, '{"type": "odd"}\n7'),
        ({"content": [], "structuredContent": {"n": 1}}, '{"n": 1}'),
        ({"content": [{"type": "text", "text": "no\x1b"}], "isError": True}, "no\\u{1B}"),
        ({"content": [], "isError": True}, "the tool failed"),
        ([1, 2], "[1, 2]"),
    ],
)
async def test_results_of_mcp_reach_the_model(
    result: Any, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = Scripted([("a", {})])
    client.function_invocation_configuration["include_detailed_errors"] = True
    await run(Agent(client, middleware=[LiveTools(Answering(result))]), stream=False)
    assert told in str(client.results[0])
    assert "could not be refreshed: its last tools stay" in caplog.text


async def test_an_image_of_mcp_is_one_for_the_framework() -> None:
    block = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
    live_tools = LiveTools(Answering({"content": [block]}))
    made = live_tools._made(live_tools._sources[0].catalog["a"])
    (content,) = await made.invoke(arguments={})
    assert (content.type, content.uri) == ("data", "data:image/png;base64,AAAA")


@both_ways
async def test_a_same_name_change_of_an_mcp_server_reaches_the_model_within_the_run(
    stream: bool, tmp_path: Path
) -> None:
    served = tmp_path / "tools.json"
    served.write_text(json.dumps([tool("a", "x")]), "utf-8")
    server = Stdio(
        (sys.executable, str(Path(__file__).with_name("changing_server.py")), str(served))
    )
    async with connect(server, name="changing") as upstream:
        client = Scripted([("a", {"x": "1"})], [("a", {"y": "2"}), ("b", {})])
        await run(Agent(client, middleware=[LiveTools(upstream)]), stream)
    assert client.offered == [{"a": ["x"]}, *[{"a": ["x", "y"], "b": []}] * 2]
    assert client.results == ['a {"x": "1"}', 'a {"y": "2"}', "b {}"]


async def test_without_the_framework_one_line_says_what_to_install() -> None:
    blocked = (
        "import sys; sys.modules['agent_framework'] = None; import toolsync.bridge.agent_framework"
    )
    done = subprocess.run(
        [sys.executable, "-c", blocked], capture_output=True, text=True, check=False
    )
    assert "pip install 'toolsync[agent-framework]'" in done.stderr.splitlines()[-1]
