"""What the core calls sound, the closer look finds no fault with; plain tools are called so."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolsync
from toolsync.schema.keyword_shapes import LEAVES
from toolsync.schema.survey import HOLDERS
from toolsync.schema.validity import tool_fault

BESIDE = Path(__file__).parents[2] / "shared" / "corpus"
DIALECTS = (
    None,
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
    "https://example.org/other",
    5,
)
KEYWORDS = sorted(
    {word for table in (*LEAVES.values(), *HOLDERS.values()) for word in table}
    | {"const", "default", "nullable", "x-own", "if", "m", ""}
)
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 0.5, -0.0, 1e300, 10**30, "", "a", "string", "object", "[", "#",
    "#/$defs/a", "#/definitions/a", "#/$defs/b", "#/$defs/a/b", "#/$defs/%61", "#/$defs/a~1b",
    "#/properties/p", "https://example.org/x", [], ["a"], ["a", "a"], ["string"],
    ["string", "null"], ["string", "string"], ["any"], [1], [None], [True, 1], [[]], [{}],
    [{"type": "x"}], [True], {}, {"a": {}}, {"a": True}, {"a": 1}, {"a": ["b"]}, {"a": []},
    {"a": None}, {"type": "string"}, {"type": 5}, {"pattern": "("}, {"[": {}},
)  # fmt: skip


def _tool(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "t", "inputSchema": {"type": "object", **schema}, **more}


def _sound(definition: dict[str, Any]) -> bool:
    [tool] = toolsync.Catalog([definition])
    return tool.sound


def _agrees(definition: dict[str, Any]) -> bool:
    return not _sound(definition) or tool_fault(definition) is None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("keyword", KEYWORDS)
def test_one_keyword(keyword: str, dialect: object) -> None:
    named = {} if dialect is None else {"$schema": dialect}
    pools = {"$defs": {"a": {"type": "string"}}, "definitions": {"a": True}}
    wrong = []
    for value, below, pool in product(VALUES, (False, True), ({}, pools)):
        schema = {"properties": {"p": {keyword: value}}} if below else {keyword: value}
        if not _agrees(_tool({**named, **pool, **schema})):
            wrong.append(value)
    assert wrong == []


SCHEMAS = st.recursive(
    st.dictionaries(st.sampled_from(KEYWORDS), st.sampled_from(VALUES), max_size=3) | st.booleans(),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "$defs": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "items": inner | st.lists(inner, max_size=2),
            "anyOf": st.lists(inner, max_size=2),
            "prefixItems": st.lists(inner, max_size=2),
            "not": inner,
            "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b", "#/properties/a"]),
            "$id": st.sampled_from(["https://example.org/a", "#a"]),
        },
    ),
    max_leaves=5,
)


@given(SCHEMAS, SCHEMAS | st.none(), st.sampled_from([None, True, 1]))
def test_many_keywords(schema: Any, result: Any, hint: Any) -> None:
    more = {"outputSchema": result} if isinstance(result, dict) else {}
    root = schema if isinstance(schema, dict) else {}
    assert _agrees(_tool(root, annotations={"readOnlyHint": hint}, **more))


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": {"a": {"type": ["string", "null"], "description": "A.", "default": 1}}},
        {"properties": {"a": {"enum": [1, 2], "title": "A"}}, "required": ["a"]},
        {"properties": {"a": {"items": {"minimum": 0, "maxLength": 3}, "uniqueItems": True}}},
        {"properties": {"a": {"anyOf": [{"const": 1}, True]}}, "additionalProperties": False},
        {"$schema": DIALECTS[3], "properties": {"a": {"format": "uri", "exclusiveMinimum": 0.5}}},
        {"$defs": {"a": {"type": "string"}}, "properties": {"b": {"$ref": "#/$defs/a"}}},
    ],
)
def test_plain_tools_are_sound(schema: dict[str, Any]) -> None:
    assert _sound(_tool(schema, annotations={"readOnlyHint": True}, outputSchema=None))


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "t", "inputSchema": {}},
        {"name": "t", "inputSchema": {"type": "string"}},
        {"name": "t", "inputSchema": {"type": ["object"]}},
        _tool({}, annotations={"openWorldHint": None}),
        _tool({}, outputSchema={"properties": {"a": {"type": "text"}}}),
        _tool({"required": ["a"] * 2}),
        _tool({"required": [f"a{number}" for number in range(100)]}),  # not told apart
        _tool({"properties": {"a": {"pattern": "a"}}}),  # patterns take a closer look
    ],
)
def test_others_take_a_closer_look(definition: dict[str, Any]) -> None:
    assert not _sound(definition)


def test_pairing_notes_it() -> None:
    sound, faulty = _tool({}), _tool({"properties": {"a": {"type": "text"}}})
    old, new = (toolsync.Catalog([one])["t"].text for one in (sound, faulty))
    pair = toolsync.diff(*(toolsync.loads(b"[%b]" % text) for text in (old, new)))
    [changed] = pair.tools
    assert changed.old is not None
    assert changed.new is not None
    assert (changed.old.sound, changed.new.sound) == (True, False)
    assert changed.status == "invalid"


@pytest.mark.skipif(not BESIDE.is_dir(), reason="no ../shared folder beside the clone")
def test_recorded_tools() -> None:
    tools = [tool for path in sorted(BESIDE.glob("*/*.json"))[::7] for tool in toolsync.load(path)]
    assert [tool.name for tool in tools if tool.sound and tool_fault(tool.parsed)] == []
    assert sum(tool.sound for tool in tools) > len(tools) * 0.9
