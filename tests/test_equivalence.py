"""What is the same written another way, what only looks so, and openness."""

from typing import Any

import pytest

from judging import INTEGER, STRING, level, obj
from toolsync.model import Level

DRAFT7 = "http://json-schema.org/draft-07/schema#"
DRAFT2020 = "https://json-schema.org/draft/2020-12/schema"
NULLABLE = {"type": ["string", "null"]}
EQUIVALENT: dict[str, tuple[Any, Any]] = {
    "type list or anyOf": (obj(a=NULLABLE), obj(a={"anyOf": [STRING, {"type": "null"}]})),
    "type list or oneOf": (obj(a=NULLABLE), obj(a={"oneOf": [{"type": "null"}, STRING]})),
    "reference or inline": (
        {**obj(a={"$ref": "#/$defs/A"}), "$defs": {"A": STRING}},
        obj(a=STRING),
    ),
    "another definition's name": (
        {**obj(a={"$ref": "#/$defs/A"}), "$defs": {"A": STRING}},
        {**obj(a={"$ref": "#/$defs/B"}), "$defs": {"B": STRING}},
    ),
    "definitions or $defs": (
        {**obj(a={"$ref": "#/definitions/A"}), "definitions": {"A": STRING}},
        {**obj(a={"$ref": "#/$defs/A"}), "$defs": {"A": STRING}},
    ),
    "unused definition": (obj(a=STRING), {**obj(a=STRING), "$defs": {"A": INTEGER}}),
    "allOf of one": (obj(a={"allOf": [STRING]}), obj(a=STRING)),
    "const or enum": (obj(a={"const": 1}), obj(a={"enum": [1]})),
    "enum or anyOf of constants": (
        obj(a={"enum": ["x", "y"]}),
        obj(a={"anyOf": [{"const": "x"}, {"const": "y"}]}),
    ),
    "empty required": (obj(a=STRING), {**obj(a=STRING), "required": []}),
    "empty properties": ({"type": "object"}, obj()),
    "minLength 0": (obj(a=STRING), obj(a={**STRING, "minLength": 0})),
    "uniqueItems false": (
        obj(a={"type": "array"}),
        obj(a={"type": "array", "uniqueItems": False}),
    ),
    "items of anything": (obj(a={"type": "array"}), obj(a={"type": "array", "items": {}})),
    "{} or true": (
        {**obj(a=STRING), "additionalProperties": {}},
        {**obj(a=STRING), "additionalProperties": True},
    ),
    "above 0 or from 1": (
        obj(a={**INTEGER, "exclusiveMinimum": 0}),
        obj(a={**INTEGER, "minimum": 1}),
    ),
    "bounds of safe integers": (
        obj(a=INTEGER),
        obj(a={**INTEGER, "minimum": -(2**53) + 1, "maximum": 2**53 - 1}),
    ),
    "dialect": ({"$schema": DRAFT7, **obj(a=STRING)}, {"$schema": DRAFT2020, **obj(a=STRING)}),
}
DIFFERENT: dict[str, tuple[Any, Any]] = {
    "1 or true": (obj(a={"enum": [1]}), obj(a={"enum": [True]})),
    "enum without its null": (
        obj(a={**NULLABLE, "enum": ["x"]}),
        obj(a={**NULLABLE, "enum": ["x", None]}),
    ),
    "oneOf of what overlaps": (
        obj(a={"anyOf": [{"minimum": 1}, {"maximum": 3}]}),
        obj(a={"oneOf": [{"minimum": 1}, {"maximum": 3}]}),
    ),
    "allOf around a closed object": (
        {**obj(a=STRING, b=STRING), "additionalProperties": False},
        {**obj(b=STRING), "allOf": [obj(a=STRING)], "additionalProperties": False},
    ),
    "bounds beyond 2^53": (obj(a={"maximum": 2**53}), obj(a={"maximum": 2**53 + 1})),
    "siblings of a reference": (
        {"$schema": DRAFT7, **obj(a={"$ref": "#/$defs/A", "maxLength": 1}), "$defs": {"A": STRING}},
        {
            "$schema": DRAFT2020,
            **obj(a={"$ref": "#/$defs/A", "maxLength": 1}),
            "$defs": {"A": STRING},
        },
    ),
    "a blank in a value": (obj(a={"const": "x"}), obj(a={"const": "x "})),
    "a blank in a pattern": (obj(a={"pattern": "x"}), obj(a={"pattern": "x "})),
    "an argument named like a keyword": (obj(description=STRING), obj(description=INTEGER)),
}


@pytest.mark.parametrize("pair", EQUIVALENT.values(), ids=EQUIVALENT.keys())
def test_a_rewriting_is_presentation_both_ways(pair: tuple[Any, Any]) -> None:
    assert level(*pair) is Level.PRESENTATION
    assert level(*reversed(pair)) is Level.PRESENTATION


@pytest.mark.parametrize("pair", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_a_look_alike_is_not(pair: tuple[Any, Any]) -> None:
    assert {level(*pair), level(*reversed(pair))} <= {Level.BREAKING, Level.COMPATIBLE}


MAP = {"type": "object"}
OPENNESS = {
    "silence to no": (obj(a=STRING), {**obj(a=STRING), "additionalProperties": False}, "dangerous"),
    "yes to silence": ({**obj(a=STRING), "additionalProperties": True}, obj(a=STRING), "dangerous"),
    "no to silence": (
        {**obj(a=STRING), "additionalProperties": False},
        obj(a=STRING),
        "compatible",
    ),
    "silence to yes": (
        obj(a=STRING),
        {**obj(a=STRING), "additionalProperties": True},
        "compatible",
    ),
    "yes to no": (
        {**obj(a=STRING), "additionalProperties": True},
        {**obj(a=STRING), "additionalProperties": False},
        "breaking",
    ),
    "a map that declares": (obj(m=MAP), obj(m=obj(a=STRING)), "dangerous"),
    "a map that requires": (obj(m=MAP), obj(m={**obj(a=STRING), "required": ["a"]}), "breaking"),
    "a map that says it is one": (
        obj(m=MAP),
        obj(m={**MAP, "additionalProperties": True}),
        "presentation",
    ),
}


@pytest.mark.parametrize("case", OPENNESS.values(), ids=OPENNESS.keys())
def test_openness(case: tuple[Any, Any, str]) -> None:
    old, new, want = case
    assert level(old, new) == want


def test_the_open_reading_takes_silence_for_yes() -> None:
    shut = {**obj(a=STRING), "additionalProperties": False}
    assert level(obj(a=STRING), shut, reading="open") is Level.BREAKING
    assert level(obj(a=STRING), obj(a=STRING, b=STRING), reading="open") is Level.BREAKING
