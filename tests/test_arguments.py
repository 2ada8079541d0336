"""Whether arguments fit a tool's schema: right, bounded, and told in one safe line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema_pairs import NAMES, schemas, values
from toolsync.schema.arguments import refusal
from toolsync.schema.proof.contain import takes
from toolsync.schema.proof.sides import Sides
from validators import accepted

Q = {"type": "object", "properties": {"q": {"type": "integer", "minimum": 1}}}
TREE = {
    "type": "object",
    "properties": {"tree": {"$ref": "#/$defs/node"}},
    "$defs": {"node": {"type": "object", "properties": {"deeper": {"$ref": "#/$defs/node"}}}},
}


@pytest.mark.parametrize(
    ("schema", "arguments", "told"),
    [
        (Q, {"q": "1"}, 'at /q: expected type "integer", got "1" (/inputSchema/properties/q/type)'),
        (Q, {"q": 0}, "at /q: expected minimum 1, got 0 (/inputSchema/properties/q/minimum)"),
        (Q, [], 'expected type "object", got an array (/inputSchema/type)'),
        (
            Q | {"required": ["q", "r"]},
            {"q": 1},
            'expected "r", which is required (/inputSchema/required)',
        ),
        (
            Q | {"required": ["q"]},
            None,
            'expected "q", which is required (/inputSchema/required)',
        ),
        (
            Q | {"additionalProperties": False},
            {"q": 1, "x": 2, "y": 3},
            '"x", "y" is not accepted (/inputSchema/additionalProperties)',
        ),
        (
            {"type": "object", "properties": {"a/b": {"enum": list("ab")}}},
            {"a/b": "z"},
            'at /a~1b: expected enum ["a", "b"], got "z" (/inputSchema/properties/a~1b/enum)',
        ),
        (
            {"type": "object", "properties": {"list": {"items": {"type": "string"}}}},
            {"list": ["a", 1]},
            'at /list: expected type "string" (/inputSchema/properties/list/items/type)',
        ),
        (
            {"type": "object", "allOf": [Q]},
            {"q": 0},
            "at /q: expected minimum 1, got 0 (/inputSchema/allOf/0/properties/q/minimum)",
        ),
        (
            TREE,
            {"tree": {"deeper": {"deeper": 5}}},
            'at /tree/deeper/deeper: expected type "object", got 5 (/inputSchema/$defs/node/type)',
        ),
        (
            {"properties": {"q": {"enum": [1, 2, 3, 4, 5, 6]}}},
            {"q": 0},
            "at /q: expected enum [1, 2, 3, 4, 5, …], got 0 (/inputSchema/properties/q/enum)",
        ),
        (False, {}, "nothing is accepted (/inputSchema)"),
        ({"not": {}}, {}, "expected not an object, got an object (/inputSchema/not)"),
    ],
)  # fmt: skip
def test_a_refusal_says_where_and_why(schema: Any, arguments: Any, told: str) -> None:
    assert refusal(schema, arguments) == told


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (Q, {"q": 1}),
        (Q, {}),
        (Q, None),
        (Q, {"q": 1.0}),
        (Q, {"unknown": "names are open unless the schema closes them"}),
        (TREE, {"tree": {"deeper": {}}}),
    ],
)
def test_what_fits_is_taken(schema: Any, arguments: Any) -> None:
    assert refusal(schema, arguments) is None


@pytest.mark.parametrize(
    ("schema", "arguments", "told"),
    [
        (Q, {"q": 1, "x": 2}, '"x" is not declared (/inputSchema/additionalProperties)'),
        (
            {"properties": {"o": {"type": "object", "properties": {"a": {}}}}},
            {"o": {"b": 1}},
            'at /o: "b" is not declared (/inputSchema/properties/o/additionalProperties)',
        ),
        (
            {"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]},
            {"z": 1},
            "a name that is not declared (/inputSchema/unevaluatedProperties)",
        ),
        (Q, {"q": 1}, None),
        ({"properties": {"map": {"type": "object"}}}, {"map": {"any": 1}}, None),
    ],
)
def test_read_as_declared_names_that_are_not_declared_are_refused(
    schema: Any, arguments: Any, told: str | None
) -> None:
    assert refusal({"type": "object", **schema}, arguments, "declared") == told
    assert refusal({"type": "object", **schema}, arguments) is None


def _nested(depth: int, around: str) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(depth):
        schema = {around: [schema, schema]}
    return schema


def _deep(depth: int) -> Any:
    value: Any = {}
    for _ in range(depth):
        value = {"deeper": value}
    return value


HOSTILE: list[tuple[Any, Any]] = [
    ({"properties": {"q": {"pattern": "^(a+)+$"}}}, {"q": "a" * 5000 + "!"}),
    ({"properties": {"q": _nested(14, "allOf")}}, {"q": 1}),
    ({"properties": {"q": _nested(14, "oneOf")}}, {"q": 1}),
    ({"$ref": "#"}, {}),
    ({"$ref": "https://example.com/never-fetched.json"}, {}),
    ({"properties": {"q": {"$ref": "file:///etc/passwd"}}}, {"q": 1}),
    ({"properties": {"q": {"uniqueItems": True}}}, {"q": [[n] for n in range(100_000)]}),
    ({"properties": {"q": {"enum": list(range(100_000))}}}, {"q": "x" * 100_000}),
    ({"properties": {"q": {"multipleOf": 1e-300}}}, {"q": 10**3000}),
    (TREE, {"tree": _deep(5000)}),
    ({"properties": {"q": 5}}, {"q": 1}),
    ({"$schema": "https://example.com/dialect"}, {"q": 1}),
    (Q, {"q": object()}),
    (Q, {"q": float("nan")}),
    ({f"x{n}": {} for n in range(100_000)}, {}),
]


@pytest.mark.parametrize(("schema", "arguments"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_schemas_and_arguments_end_and_tell_little(schema: Any, arguments: Any) -> None:
    told = refusal({"type": "object", **schema}, arguments)
    assert told is None or (told.isprintable() and len(told) < 1000)


def test_what_is_told_is_short_and_printable() -> None:
    name = "\x1b[2J" + "n" * 10_000
    schema = {"type": "object", "properties": {name: {"const": "\x07" * 10_000}}}
    told = refusal(schema, {name: "\u202e" * 10_000})
    assert told is not None
    assert told.isprintable()
    assert len(told) < 2000


@given(schemas, st.dictionaries(st.sampled_from(NAMES), values, max_size=3))
def test_a_real_validator_agrees(schema: Any, arguments: dict[str, Any]) -> None:
    root = {"type": "object", "properties": dict.fromkeys(("a", "b"), schema)}
    valid = accepted(root, arguments)
    found = takes(root, arguments, "open", Sides())
    assert (refusal(root, arguments) is None) is (found.answer != "no")
    assert found.answer == "unknown" or (found.answer == "yes") is valid
