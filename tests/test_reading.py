"""How schemas are read: dialects brought to 2020-12, and objects closed to undeclared names."""

from typing import Any

import pytest

from toolsync.schema import contained
from toolsync.schema.readings.declaring import MARKERS
from toolsync.schema.readings.reading import Mode, read
from validators import DRAFT4, DRAFT7, DRAFT2019, accepted

STRING = {"type": "string"}
OBJECT = {"type": "object"}


def body(schema: Any, mode: Mode = "open") -> Any:
    found = read(schema, mode).schema
    assert isinstance(found, dict)
    return {keyword: value for keyword, value in found.items() if keyword != "$schema"}


def takes(schema: Any, value: object) -> bool:
    """Tells whether the declared reading accepts a value."""
    return accepted(read(schema, "declared").schema, value)


@pytest.mark.parametrize(
    ("schema", "read_as"),
    [
        ({**STRING, "title": "t", "description": "d", "x-own": 1, "default": ""}, STRING),
        ({"$schema": DRAFT7, "items": [STRING], "additionalItems": False},
         {"prefixItems": [STRING], "items": False}),
        ({"$schema": DRAFT7, "items": STRING, "additionalItems": False}, {"items": STRING}),
        ({"$schema": DRAFT4, "minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"$schema": DRAFT4, "minimum": 1, "exclusiveMinimum": False}, {"minimum": 1}),
        ({"$schema": DRAFT7, "dependencies": {"a": ["b"], "c": {"minProperties": 2}}},
         {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"minProperties": 2}}}),
        ({"$schema": DRAFT7, "$ref": "#/definitions/a", "type": "null",
          "definitions": {"a": STRING}}, {"$ref": "#/$defs/d0", "$defs": {"d0": STRING}}),
        ({"$schema": DRAFT2019, "contains": STRING}, {"not": {"not": {"contains": STRING}}}),
        ({"$schema": DRAFT7, "prefixItems": [STRING], "minContains": 3}, {}),
        ({"$defs": {"unused": STRING}}, {}),
        ({"then": STRING}, {}),
    ],
)  # fmt: skip
def test_other_dialects_say_it_as_2020_12(schema: Any, read_as: Any) -> None:
    assert body(schema) == read_as


def test_chains_of_references_are_followed_and_loops_told() -> None:
    chain: dict[str, Any] = {f"a{n}": {"$ref": f"#/$defs/a{n + 1}"} for n in range(3_000)}
    chain["a3000"] = STRING
    assert body({"$ref": "#/$defs/a0", "$defs": chain})["$defs"] == {"d0": STRING}
    loop = body({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}})
    assert "leads back to itself" in loop["x-undecidable"]["reason"]


def test_silence_is_read_as_closed() -> None:
    schema = {**OBJECT, "properties": {"a": {**OBJECT, "properties": {"b": {}}}}}
    assert takes(schema, {"a": {"b": 1}})
    assert not takes(schema, {"z": 1})
    assert not takes(schema, {"a": {"z": 1}})
    assert not takes(OBJECT, {"z": 1})


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({**OBJECT, "properties": {"a": OBJECT}}, {"a": {"z": 1}}),
        ({**OBJECT, "properties": {"a": {}}, "additionalProperties": True}, {"z": 1}),
        ({**OBJECT, "properties": {"a": {}}, "unevaluatedProperties": STRING}, {"z": ""}),
        ({**OBJECT, "required": ["a"]}, {"a": 1}),
        ({**OBJECT, "allOf": [{"properties": {"a": {}}}], "properties": {"b": {}}},
         {"a": 1, "b": 2}),
        ({**OBJECT, "anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]},
         {"a": 1, "b": 2}),
        ({**OBJECT, "allOf": [{"properties": {"a": {**OBJECT, "properties": {"x": {}}}}},
                              {"properties": {"a": {**OBJECT, "properties": {"y": {}}}}}]},
         {"a": {"x": 1, "y": 2, "z": 3}}),
        ({**OBJECT, "not": {"properties": {"a": {"const": 1}}, "required": ["a"]},
          "properties": {"a": {}}}, {"a": 2}),
        ({**OBJECT, "patternProperties": {"^x-": {}}}, {"x-a": 1}),
    ],
)  # fmt: skip
def test_what_stays_open(schema: Any, value: object) -> None:
    assert takes(schema, value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({**OBJECT, "properties": {"a": {"type": "array", "items": {"properties": {"b": {}}}}}},
         {"a": [{"z": 1}]}),
        ({**OBJECT, "additionalProperties": {**OBJECT, "properties": {"b": {}}}},
         {"a": {"z": 1}}),
        ({**OBJECT, "properties": {"a": {"$ref": "#/$defs/n"}},
          "$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}}}}, {"a": {"n": {"z": 1}}}),
        ({**OBJECT, "allOf": [{"$ref": "#/$defs/n"}],
          "$defs": {"n": {"properties": {"a": {}}}}}, {"z": 1}),
    ],
)  # fmt: skip
def test_what_is_closed_below(schema: Any, value: object) -> None:
    assert accepted(schema, value)
    assert not takes(schema, value)


def test_whole_numbers_beyond_the_safe_range_count_only_where_named() -> None:
    bounded = {"type": "integer", "minimum": -(2**53 - 1), "maximum": 2**53 - 1}

    def within(schema: object) -> dict[str, Any]:
        return {**OBJECT, "properties": {"n": schema}}

    whole = {"type": "integer"}
    assert contained(within(whole), within(bounded)).answer == "yes"
    assert contained(within(whole), within(bounded), "open").answer == "no"
    further = {"type": "integer", "maximum": 2**53 + 5}
    assert contained(within(further), within(bounded)).answer == "no"
    assert contained(within({"const": 2**60}), within({"const": 2**60 + 1})).answer == "no"


def test_a_reading_that_leaves_nothing_is_no_proof() -> None:
    hollow = {**OBJECT, "allOf": [{"required": ["a"], "properties": {"a": {}},
                                   "additionalProperties": False},
                                  {"required": ["b"], "additionalProperties": {}}]}  # fmt: skip
    assert contained(hollow, {"not": {}}).answer == "yes"  # plainly empty as well
    closed_only = {**OBJECT, "not": {"properties": {"a": {}}, "maxProperties": 0}}
    answer = contained(closed_only, {"not": {}})
    assert answer.answer == "unknown"
    assert "accepts nothing" in answer.reason


def test_the_closed_reading_shuts_what_stands_open() -> None:
    for schema in (OBJECT, {**OBJECT, "properties": {"a": {}}, "additionalProperties": True}):
        assert accepted(read(schema, "closed").schema, {})
        assert not accepted(read(schema, "closed").schema, {"z": 1})


def test_the_closed_reading_lets_markers_in_where_others_are_let_in_expressly() -> None:
    typed = read({**OBJECT, "additionalProperties": STRING}, "closed").schema
    for name in MARKERS:
        assert accepted(typed, {name: ""})
        assert not accepted(typed, {name: 1})
        assert not accepted(read(OBJECT, "closed").schema, {name: 1})
    assert not accepted(typed, {"z": ""})


def test_the_express_reading_closes_what_is_open_by_silence() -> None:
    assert not accepted(read(OBJECT, "express").schema, {"z": 1})
    assert accepted(read({**OBJECT, "additionalProperties": True}, "express").schema, {"z": 1})


def test_the_marked_reading_lets_markers_in_where_silence_closes() -> None:
    silent = {**OBJECT, "properties": {"a": {}}}
    for name in MARKERS:
        assert accepted(read(silent, "marked").schema, {name: 1})
        shut = read({**silent, "additionalProperties": False}, "marked").schema
        assert not accepted(shut, {name: 1})
    assert not accepted(read(silent, "marked").schema, {"z": 1})


def test_a_place_is_read_with_the_references_of_its_document() -> None:
    schema = {"$defs": {"a": STRING}, "properties": {"p": {"items": {"$ref": "#/$defs/a"}}}}
    found = read(schema, "declared", at=("properties", "p")).schema
    assert accepted(found, ["x"])
    assert not accepted(found, [1])
