"""Shapes of single tools: each becomes the MCP tool that it means, and nothing of it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolsync import Catalog, InputFormat, loads

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
MCP = {"name": "find", "description": "Find.", "inputSchema": SCHEMA}

SHAPES: dict[str, tuple[InputFormat, Any]] = {
    "mcp": (InputFormat.MCP, MCP),
    "openai chat completions": (
        InputFormat.OPENAI,
        {"type": "function", "function": {"name": "find", "description": "Find.",
                                          "parameters": SCHEMA}},
    ),
    "openai responses": (
        InputFormat.OPENAI,
        {"type": "function", "name": "find", "description": "Find.", "parameters": SCHEMA},
    ),
    "openai functions": (
        InputFormat.OPENAI,
        {"name": "find", "description": "Find.", "parameters": SCHEMA},
    ),
    "anthropic": (
        InputFormat.ANTHROPIC,
        {"name": "find", "description": "Find.", "input_schema": SCHEMA},
    ),
    "anthropic custom": (
        InputFormat.ANTHROPIC,
        {"type": "custom", "name": "find", "description": "Find.", "input_schema": SCHEMA},
    ),
    "gemini wrapper": (
        InputFormat.GEMINI,
        {"functionDeclarations": [
            {"name": "find", "description": "Find.", "parametersJsonSchema": SCHEMA}
        ]},
    ),
    "gemini capitals": (
        InputFormat.GEMINI,
        {"name": "find", "description": "Find.", "parameters": {
            "type": "OBJECT", "properties": {"q": {"type": "STRING"}}, "required": ["q"]}},
    ),
    "langchain args_schema": (
        InputFormat.LANGCHAIN,
        {"name": "find", "description": "Find.", "args_schema": SCHEMA},
    ),
    "langchain schema": (
        InputFormat.LANGCHAIN,
        {"title": "find", "description": "Find.", **SCHEMA},
    ),
}  # fmt: skip


def written(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_is_recognised_and_means_the_same_tool(name: str) -> None:
    _, element = SHAPES[name]
    assert loads(written([element])).semantic_digest == Catalog([MCP]).semantic_digest


@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_can_be_forced(name: str) -> None:
    shape, element = SHAPES[name]
    forced = loads(written([element]), input_format=shape)
    assert forced.semantic_digest == Catalog([MCP]).semantic_digest


def test_a_forced_shape_that_does_not_fit_names_what_is_missing() -> None:
    _, element = SHAPES["anthropic"]
    catalog = loads(written([element]), input_format=InputFormat.MCP)
    (fault,) = catalog.invalid
    assert (fault.name, fault.path) == ("find", "/inputSchema")


def test_the_first_tool_with_a_shape_of_its_own_decides() -> None:
    catalog = loads(written([{"name": "broken"}, SHAPES["anthropic"][1]]))
    assert [tool.name for tool in catalog] == ["find"]
    assert [(fault.name, fault.index) for fault in catalog.invalid] == [("broken", 0)]


@pytest.mark.parametrize("shape", [InputFormat.OPENAI, InputFormat.GEMINI])
def test_a_function_without_parameters_takes_none(shape: InputFormat) -> None:
    (tool,) = loads(b'[{"name":"now","description":"Now."}]', input_format=shape)
    assert tool.definition["inputSchema"] == {"type": "object"}


def test_what_is_not_renamed_comes_through_as_it_stood() -> None:
    text = b'[{"name":"a","strict":true,"n":1e2,"parameters":{"type":"object","maximum":1.50}}]'
    (tool,) = loads(text)
    assert tool.text == (
        b'{"name":"a","strict":true,"n":1e2,"inputSchema":{"type":"object","maximum":1.50}}'
    )


def test_a_large_integer_stays_exact_in_every_shape() -> None:
    for _, element in SHAPES.values():
        text = written([element]).replace(b'"required"', b'"maxProperties":%d,"required"' % 2**80)
        (tool,) = loads(text)
        assert tool.definition["inputSchema"]["maxProperties"] == 2**80


def test_a_repeated_key_is_a_fault_in_every_shape() -> None:
    for name, (_, element) in SHAPES.items():
        text = written([element]).replace(b'"required"', b'"required":[],"required"')
        (fault,) = loads(text).invalid
        assert "duplicate key" in fault.reason, name


def test_a_lone_surrogate_in_a_rewritten_tool_is_its_own_fault() -> None:
    text = b'[{"name":"a","description":"\\ud800","parameters":{}},{"name":"b","parameters":{}}]'
    catalog = loads(text)
    assert [tool.name for tool in catalog] == ["b"]
    assert [(fault.name, fault.path) for fault in catalog.invalid] == [("a", "/description")]


def test_what_is_no_object_is_a_fault_in_every_shape() -> None:
    for shape in InputFormat:
        (fault,) = loads(b'["tool"]', input_format=shape).invalid
        assert fault.reason == "expected an object, got a string"


def test_gemini_types_are_lowered_where_schemas_stand_and_nowhere_else() -> None:
    parameters = {
        "type": "OBJECT",
        "properties": {"type": {"type": "STRING", "enum": ["STRING"], "description": "STRING"}},
    }
    (tool,) = loads(written([{"name": "a", "parameters": parameters}]))
    assert tool.definition["inputSchema"] == {
        "type": "object",
        "properties": {"type": {"type": "string", "enum": ["STRING"], "description": "STRING"}},
    }


def test_gemini_wrappers_hold_several_tools() -> None:
    declarations = [{"name": name, "parameters": {"type": "OBJECT"}} for name in "abc"]
    catalog = loads(written([{"functionDeclarations": declarations}]))
    assert [tool.name for tool in catalog] == ["a", "b", "c"]


def test_tools_that_look_empty_are_read_as_mcp() -> None:
    assert len(loads(b"[]")) == 0
    assert loads(b"[{}]").invalid[0].path == "/name"
