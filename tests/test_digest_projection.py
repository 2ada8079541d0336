"""The projection, keyword by keyword, with results worked out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

import oracle
from toolsync import _diff

# What the schema is, and what is left of it.
SCHEMAS: list[tuple[str, Any, Any]] = [
    (
        "titles and comments go",
        {"title": "T", "$comment": "c", "type": "object"},
        {"type": "object"},
    ),
    ("a title that is no text goes too", {"title": {"a": 1}, "$comment": None}, {}),
    ("required is a set", {"required": ["b", "a", "b"]}, {"required": ["a", "b"]}),
    ("an empty set stays", {"required": [], "enum": []}, {"required": [], "enum": []}),
    ("required that is no list stays", {"required": True}, {"required": True}),
    (
        "enum sorts by canonical text",
        {"enum": ["a", 10, 9, None, 1.0, 1]},
        {"enum": ["a", 1, 10, 9, None]},
    ),
    ("enum tells true from 1", {"enum": [True, 1, "1"]}, {"enum": ["1", 1, True]}),
    (
        "enum members are data",
        {"enum": [{"title": "x", "required": ["b", "a"]}]},
        {"enum": [{"title": "x", "required": ["b", "a"]}]},
    ),
    ("a type of one", {"type": ["string", "string"]}, {"type": "string"}),
    ("types are a set", {"type": ["string", "null"]}, {"type": ["null", "string"]}),
    ("no type at all stays", {"type": []}, {"type": []}),
    (
        "anyOf is a set",
        {"anyOf": [{"const": 2}, {"const": 1}, {"const": 2}]},
        {"anyOf": [{"const": 1}, {"const": 2}]},
    ),
    (
        "members fold after projection",
        {"allOf": [{"title": "a"}, {"title": "b"}, {}]},
        {"allOf": [{}]},
    ),
    (
        "oneOf keeps repeats",
        {"oneOf": [{"const": 2}, {"const": 1}, {"const": 2}]},
        {"oneOf": [{"const": 1}, {"const": 2}, {"const": 2}]},
    ),
    (
        "prefixItems keep order",
        {"prefixItems": [{"const": 2, "title": "t"}, {"const": 1}]},
        {"prefixItems": [{"const": 2}, {"const": 1}]},
    ),
    (
        "items in either form",
        {"items": [{"title": "t"}, True], "not": {"items": {"title": "t"}}},
        {"items": [{}, True], "not": {"items": {}}},
    ),
    (
        "nested sets",
        {"anyOf": [{"anyOf": [{"const": 2}, {"const": 1}]}, {"required": ["z", "y"]}]},
        {"anyOf": [{"anyOf": [{"const": 1}, {"const": 2}]}, {"required": ["y", "z"]}]},
    ),
    (
        "data stays",
        {"const": {"title": 1}, "default": {"$comment": 1}, "examples": [{"enum": [2, 1]}]},
        {"const": {"title": 1}, "default": {"$comment": 1}, "examples": [{"enum": [2, 1]}]},
    ),
    (
        "unknown keywords stay",
        {"x-a": {"title": "t", "required": ["b", "a"]}},
        {"x-a": {"title": "t", "required": ["b", "a"]}},
    ),
    (
        "arguments named like keywords",
        {"properties": {"title": {"title": "t"}, "required": {}, "$comment": True}},
        {"properties": {"title": {}, "required": {}, "$comment": True}},
    ),
    (
        "an argument named enum keeps its schema",
        {"properties": {"enum": {"enum": [2, 1]}}},
        {"properties": {"enum": {"enum": [1, 2]}}},
    ),
    (
        "definitions named like keywords",
        {"$defs": {"description": {"description": " a "}}},
        {"$defs": {"description": {"description": "a"}}},
    ),
    (
        "properties that are no map stay",
        {"properties": [{"title": "t"}]},
        {"properties": [{"title": "t"}]},
    ),
    (
        "dependentRequired",
        {"dependentRequired": {"a": ["c", "b", "c"], "t": {"title": "x"}}},
        {"dependentRequired": {"a": ["b", "c"], "t": {"title": "x"}}},
    ),
    (
        "dependencies of both kinds",
        {"dependencies": {"a": ["c", "b"], "b": {"title": "x"}, "c": True}},
        {"dependencies": {"a": ["b", "c"], "b": {}, "c": True}},
    ),
    (
        "dependentSchemas hold schemas only",
        {"dependentSchemas": {"a": ["c", "b"], "b": {"title": "x"}}},
        {"dependentSchemas": {"a": ["c", "b"], "b": {}}},
    ),
    ("descriptions are trimmed", {"description": " a \r\n b\t\r"}, {"description": "a\n b"}),
    ("empty descriptions go", {"description": " \n\t\r\n"}, {}),
    ("a null description stays", {"description": None}, {"description": None}),
    (
        "a description that is no text stays",
        {"description": {"title": "t"}},
        {"description": {"title": "t"}},
    ),
    (
        "only blanks and tabs are trimmed",
        {"description": "\u00a0a\x0b \x0c"},
        {"description": "\u00a0a\x0b \x0c"},
    ),
    ("a backslash is no line end", {"description": "a\\n \\"}, {"description": "a\\n \\"}),
    (
        "blank lines inside stay",
        {"description": "\n\na \n \t\n\n b\n\n"},
        {"description": "a\n\n\n b"},
    ),
    (
        "singles",
        {key: {"title": "t"} for key in oracle.SINGLES},
        {key: {} for key in oracle.SINGLES},
    ),
    (
        "maps",
        {key: {"a": {"title": "t"}} for key in oracle.MAPS},
        {key: {"a": {}} for key in oracle.MAPS},
    ),
]


def projected(schema: Any, field: str = "inputSchema") -> Any:
    """A schema after the core's projection, which the oracle's must equal."""
    tool = {"name": "t", "inputSchema": {}, field: schema}
    text = json.dumps(tool).encode()
    result = _diff.projection(text)
    assert result == oracle.tool_from_text(text).projection
    return json.loads(result)[field]


@pytest.mark.parametrize("field", ["inputSchema", "outputSchema"])
@pytest.mark.parametrize(
    ("schema", "left"), [row[1:] for row in SCHEMAS], ids=[r[0] for r in SCHEMAS]
)
def test_what_is_left_of_a_schema(schema: Any, left: Any, field: str) -> None:
    # As text: Python takes True for 1.
    assert json.dumps(projected(schema, field), sort_keys=True) == json.dumps(left, sort_keys=True)


REFERENCES = [
    ("#/properties/a/anyOf/0", True), ("#/allOf/1/items", True), ("#/oneOf/10", True),
    ("other.json#/anyOf/0", True), ("#/not/oneOf/0/anyOf/x", True),
    ("#/properties/a", False), ("#/properties/anyOf", False), ("#/anyOf", False),
    ("#/anyOf/", False), ("/anyOf/0", False), ("#anyOf/0", False), ("#/prefixItems/0", False),
    ("#/xanyOf/0", False),
    ("#/anyOfx/0", False), ("#/anyof/0", False), ("#/anyOf/x", False), ("", False),
    ("#/properties/a/%61nyOf/0", True), ("#/anyOf/%30", True), ("#/anyOf/0x", False),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "ordered"), REFERENCES)
@pytest.mark.parametrize(
    "place", [["properties", "b"], ["$defs", "T"], ["not"], ["anyOf", None], ["dependencies", "d"]]
)
def test_a_reference_into_a_union_keeps_the_order_of_all(
    reference: str, ordered: bool, place: list[str | None]
) -> None:
    unions: dict[str, Any] = {"oneOf": [{"const": 2}, {"const": 1}], "allOf": [True, True]}
    holder: Any = {"$ref": reference}
    for step in reversed(place):
        holder = [holder] if step is None else {step: holder}
    kept = projected({**unions, **holder})
    assert kept["oneOf"] == (unions["oneOf"] if ordered else [{"const": 1}, {"const": 2}])
    assert kept["allOf"] == ([True, True] if ordered else [True])


@pytest.mark.parametrize("keyword", ["const", "default", "examples", "x-unknown"])
def test_a_reference_inside_data_is_data(keyword: str) -> None:
    schema = {"anyOf": [True, False], keyword: {"$ref": "#/anyOf/0"}}
    assert projected(schema)["anyOf"] == [False, True]


def test_a_reference_counts_for_its_own_schema_only() -> None:
    ordered = {"anyOf": [True, False], "not": {"$ref": "#/anyOf/0"}}
    text = json.dumps(
        {"name": "t", "inputSchema": {"anyOf": [True, False]}, "outputSchema": ordered}
    ).encode()
    result = json.loads(_diff.projection(text))
    assert result["inputSchema"]["anyOf"] == [False, True]
    assert result["outputSchema"]["anyOf"] == [True, False]


# What stands beside name and inputSchema, and what is left of that.
FIELDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"title": "T", "icons": [], "_meta": {"a": 1}, "x": None}, {}),
    ({"description": None, "outputSchema": None, "annotations": None, "execution": None}, {}),
    ({"description": " a  \r b "}, {"description": "a\n b"}),
    ({"annotations": {"title": "T", "x": 1}}, {}),
    ({"annotations": {"readOnlyHint": False, "destructiveHint": True}}, {}),
    ({"annotations": {"idempotentHint": False, "openWorldHint": True}}, {}),
    ({"annotations": {"readOnlyHint": True, "openWorldHint": False}},
     {"annotations": {"readOnlyHint": True, "openWorldHint": False}}),
    ({"annotations": {"destructiveHint": False, "idempotentHint": True, "title": "T"}},
     {"annotations": {"destructiveHint": False, "idempotentHint": True}}),
    ({"annotations": {"readOnlyHint": 1, "destructiveHint": 0, "openWorldHint": None}}, {}),
    ({"execution": {"taskSupport": "optional", "x": 1}},
     {"execution": {"taskSupport": "optional"}}),
    ({"execution": {"taskSupport": "forbidden"}}, {}),
    ({"execution": {"taskSupport": ""}}, {"execution": {"taskSupport": ""}}),
    ({"execution": {"taskSupport": None}}, {}),
    ({"execution": {"taskSupport": ["required"]}}, {}),
    ({"execution": []}, {}), ({"execution": "required"}, {}), ({"execution": {}}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "left"), FIELDS)
def test_what_is_left_of_a_tool(fields: dict[str, Any], left: dict[str, Any]) -> None:
    base = {"name": "t", "inputSchema": {"type": "object"}}
    text = json.dumps({**fields, **base}).encode()
    assert _diff.projection(text) == _diff.canonical({**base, **left})
    assert oracle.tool_from_text(text).projection == _diff.canonical({**base, **left})
