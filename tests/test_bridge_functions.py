"""Function lists: the same list object, exactly the tools that differ, in every shape."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from toolsync import Catalog, diff, live
from toolsync.bridge import functions
from toolsync.bridge.functions import SHAPES, FunctionList

pytestmark = pytest.mark.anyio


def tool(name: str, *arguments: str, **more: Any) -> dict[str, Any]:
    properties = {each: {"type": "string"} for each in arguments}
    schema = {"type": "object", "properties": properties, "required": list(arguments[:1])}
    return {"name": name, "description": f"does {name}", "inputSchema": schema} | more


class Begun:
    """What a session tells the list that is filled from it."""

    def __init__(self, *tools: dict[str, Any]) -> None:
        self.catalog = Catalog(tools)
        self.given: list[Catalog] = []

    def served(self, catalog: Catalog) -> None:
        self.given.append(catalog)


async def follow(functions: FunctionList, old: Catalog, *tools: dict[str, Any]) -> str:
    new = Catalog(tools)
    return await functions.apply(new, diff(old, new))


def test_each_shape_is_the_one_its_api_takes() -> None:
    one = Catalog([tool("one", "a")])["one"]
    schema, description = one.definition["inputSchema"], "does one"
    assert SHAPES["mcp"](one) == one.definition
    assert SHAPES["openai"](one) == {
        "type": "function",
        "function": {"name": "one", "description": description, "parameters": schema},
    }
    assert SHAPES["openai-responses"](one) == {
        "type": "function",
        "name": "one",
        "description": description,
        "parameters": schema,
    }
    assert SHAPES["anthropic"](one) == {
        "name": "one",
        "description": description,
        "input_schema": schema,
    }


def test_a_shape_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="expected mcp, openai, anthropic, openai-responses or a"):
        FunctionList([], "gemini")  # type: ignore[arg-type]  # that is the point


def test_what_a_loop_does_to_an_element_does_not_reach_the_catalogue() -> None:
    catalog = Catalog([tool("one", "a")])
    for shape in SHAPES.values():
        element = shape(catalog["one"])
        inner = element.get("function", element)
        for name in ("parameters", "input_schema", "inputSchema"):
            inner.get(name, {})["additionalProperties"] = False
    assert "additionalProperties" not in catalog["one"].definition["inputSchema"]


@pytest.mark.parametrize("shape", list(SHAPES))
async def test_exactly_the_tools_that_differ_are_exchanged(shape: Any) -> None:
    target: list[Any] = []
    begun = Begun(tool("one"), tool("two", "a"), tool("gone"))
    followed = FunctionList(target, shape)
    followed.fill(begun)
    assert begun.given == [begun.catalog]
    one, two, _ = target
    status = await follow(followed, begun.catalog, tool("two", "a", "b"), tool("new"), tool("one"))
    assert status == "applied"
    assert target[0] is one
    assert target[1] is not two
    make = SHAPES[shape]
    current = Catalog([tool("one"), tool("two", "a", "b"), tool("new")])
    assert target == [make(each) for each in current]


async def test_the_same_set_again_touches_nothing() -> None:
    target: list[Any] = []
    begun = Begun(tool("one"), tool("two"))
    followed = FunctionList(target, "anthropic")
    followed.fill(begun)
    before = list(target)
    assert await follow(followed, begun.catalog, tool("two"), tool("one")) == "unchanged"
    assert all(a is b for a, b in zip(before, target, strict=True))


async def test_the_list_stays_the_same_object_and_other_lists_are_left_alone() -> None:
    own: list[Any] = [{"type": "function", "function": {"name": "own", "parameters": {}}}]
    target = list(own)
    alias = target
    followed = FunctionList(target)
    begun = Begun(tool("one"))
    followed.fill(begun)
    target.append({"type": "function", "function": {"name": "late", "parameters": {}}})
    await follow(followed, begun.catalog, tool("two"))
    assert alias is target
    assert [each["function"]["name"] for each in target] == ["own", "late", "two"]
    assert len(own) == 1


async def test_a_name_that_the_host_uses_itself_is_left_to_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    target: list[Any] = [{"name": "one", "input_schema": {}}]
    begun = Begun(tool("one"), tool("two"))
    followed = FunctionList(target, "anthropic")
    followed.fill(begun)
    assert [each["name"] for each in target] == ["one", "two"]
    assert list(followed.warnings) == ["tool 'one' is left out: the list has another of that name"]
    await follow(followed, begun.catalog, tool("one", "x"), tool("two"))
    assert caplog.text.count("left out") == 1
    del target[0]
    await follow(followed, begun.catalog, tool("one", "x"), tool("two"))
    assert [each["name"] for each in target] == ["two", "one"]
    assert not followed.warnings


async def test_a_tool_that_the_host_took_out_comes_back() -> None:
    target: list[Any] = []
    begun = Begun(tool("one"), tool("two"))
    followed = FunctionList(target, "mcp")
    followed.fill(begun)
    target.clear()
    assert await follow(followed, begun.catalog, tool("one"), tool("two")) == "applied"
    assert [each["name"] for each in target] == ["one", "two"]


async def test_a_shape_that_fails_leaves_the_list_whole() -> None:
    def shape(tool: Any) -> Any:
        if tool.name == "bad":
            raise ValueError("no")
        return {"name": tool.name}

    target: list[Any] = []
    begun = Begun(tool("one"))
    followed = FunctionList(target, shape)
    followed.fill(begun)
    with pytest.raises(ValueError, match="no"):
        await follow(followed, begun.catalog, tool("two"), tool("bad"))
    assert target == [{"name": "one"}]


async def _said(name: str, arguments: dict[str, Any]) -> Any:
    return name, arguments


async def test_python_callables_carry_the_definition_and_run_the_tool() -> None:
    definition = tool("one", "a", "b", "class", "not-a-name")
    definition["inputSchema"]["properties"]["b"] = {"type": "integer"}
    (run,) = map(functions.callables(_said), Catalog([definition]))
    assert (run.__name__, run.__doc__, run.definition) == ("one", "does one", definition)
    parameters = inspect.signature(run).parameters
    assert list(parameters) == ["a", "b", "more"]
    assert parameters["a"].default is inspect.Parameter.empty
    assert parameters["b"].default is None
    assert parameters["b"].annotation is int
    assert await run(a="x", **{"class": 1}) == ("one", {"a": "x", "class": 1})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {"more": True}, "required": 7},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "self": {}}},
    ],
)
async def test_any_usable_schema_makes_a_callable(schema: dict[str, Any]) -> None:
    (run,) = map(functions.callables(_said), Catalog([tool("one") | {"inputSchema": schema}]))
    assert list(inspect.signature(run).parameters)
    assert await run(**dict.fromkeys(schema.get("properties", ()), 1))


async def test_a_hub_keeps_callables_and_dicts_of_two_loops_current() -> None:
    ran: list[str] = []

    async def call(name: str, arguments: Any) -> str:
        ran.append(name)
        return f"{name} {arguments}"

    def built(*tools: dict[str, Any]) -> live.Build:
        async def build() -> live.Plugin:
            return live.Plugin(tools=tools, call=call)

        return build

    registry = live.Registry(debounce=0)
    hub = live.Hub(registry)
    await registry.apply("p", "1", built(tool("one", "a")))
    dicts: list[Any] = []
    callables: list[Any] = []
    for target, shape in ((dicts, "openai"), (callables, functions.callables(registry.call))):
        followed = FunctionList(target, shape)  # type: ignore[arg-type]  # one of each
        followed.fill(await hub.attach(followed, id=str(id(target))))
    await registry.apply("p", "2", built(tool("one", "a", "b"), tool("two")))
    assert {each.status for each in await hub.push()} == {"applied"}
    assert [each["function"]["name"] for each in dicts] == ["one", "two"]
    assert [each.__name__ for each in callables] == ["one", "two"]
    assert await callables[0](a="x", b="y") == "one {'a': 'x', 'b': 'y'}"
    await registry.apply("p", "3", built(tool("two", title="Two")))
    await hub.push()
    assert [each.__name__ for each in callables] == ["two"]
    await hub.aclose()
    await registry.aclose()
