"""Guessed calls: made from the form of two schemas, worth nothing without a validator's word."""

import subprocess
import sys
from typing import Any

import pytest

from toolsync.classify.guess import call
from toolsync.model import ABSENT
from toolsync.schema.proof.contain import breaks, sample, takes
from toolsync.schema.proof.sides import Sides

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def obj(required: list[str] | None = None, **members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": required or []}


@pytest.mark.parametrize(
    ("before", "after", "guess"),
    [
        (STRING, INTEGER, ""),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, "b"),
        ({"type": ["string", "null"]}, STRING, None),
        ({"anyOf": [STRING, {"type": "null"}]}, STRING, None),
        ({**INTEGER, "maximum": 9}, {**INTEGER, "maximum": 5}, 9),
        (INTEGER, {**INTEGER, "minimum": 1}, 0),
        (INTEGER, {**INTEGER, "maximum": -1}, 0),
        ({**STRING, "maxLength": 9}, {**STRING, "maxLength": 2}, "aaa"),
        ({**STRING, "minLength": 2}, {**STRING, "minLength": 3}, "aa"),
        ({"type": "array", "items": STRING}, {"type": "array", "items": INTEGER}, [""]),
        (obj(["b"], b=STRING), STRING, {"b": ""}),
        (True, STRING, None),
    ],
)
def test_an_argument_that_old_takes_and_new_does_not(before: Any, after: Any, guess: Any) -> None:
    old, new = obj(["must"], must=INTEGER, a=before), obj(["must"], must=INTEGER, a=after)
    made = call(old, new, ["a"])
    assert made == {"must": 0, "a": guess}
    found = breaks(old, new, made, "declared", Sides())
    assert (found.answer, found.witness) == ("no", made)


@pytest.mark.parametrize("hard", [{"pattern": "^a$"}, {"$ref": "#/$defs/a"}, {"format": "date"}])
def test_what_is_hard_to_see_is_not_guessed(hard: dict[str, Any]) -> None:
    assert call(obj(a={**STRING, **hard}), obj(), ["a"]) is ABSENT
    assert call({**obj(a=STRING), "allOf": [{}]}, obj(), ["a"]) is ABSENT


def test_bounds_on_what_is_looked_at() -> None:
    deep: Any = STRING
    for _ in range(50):
        deep = obj(["a"], a=deep)
    assert call(deep, obj(), ["a"]) is ABSENT
    assert call(obj(a={"enum": list(range(10_000))}), obj(), ["a"]) is ABSENT
    assert call(obj(a={**STRING, "minLength": 10**9}), obj(), ["a"]) == {"a": ""}


def test_a_wrong_guess_proves_nothing() -> None:
    old, new = obj(a=STRING), obj(a=INTEGER)
    for wrong in ({}, {"a": 1}, {"a": True}, {"b": ""}, 5, None):
        assert breaks(old, new, wrong, "declared", Sides()).answer == "unknown"
    # Patterns and what cannot be read are no matter for a validator alone.
    dated = obj(a={**STRING, "pattern": "\\d"})
    assert breaks(dated, obj(a=INTEGER), {"a": "1"}, "declared", Sides()).answer == "unknown"
    lost = obj(a={"$ref": "http://example.com/"})
    assert breaks(lost, new, {"a": ""}, "declared", Sides()).answer == "unknown"


def test_one_value_and_one_sample() -> None:
    sides, schema = Sides(), obj(["b"], a=STRING, b=INTEGER)
    assert takes(schema, {"b": 1}, "declared", sides).answer == "yes"
    assert takes(schema, {"b": 1, "c": 1}, "declared", sides).answer == "no"
    assert takes(schema, {"b": 1, "c": 1}, "open", sides).answer == "yes"
    assert takes({"$ref": "http://example.com/"}, 1, "open", sides).answer == "unknown"
    assert sample(schema, "declared", sides).witness == {"b": 0}
    assert sample(schema, "declared", sides, ["a"]).witness == {"b": 0, "a": ""}
    assert sample({"enum": []}, "declared", sides).answer == "yes"


def test_schemas_are_read_once_for_a_judgement() -> None:
    sides, schema = Sides(), obj(a=STRING)
    assert sides.side(schema, "declared") is sides.side(schema, "declared")
    assert sides.side(schema, "open") is not sides.side(schema, "declared")
    twin = obj(a={**STRING, "description": "a text"})
    assert sides.side(twin, "declared").node is sides.side(schema, "declared").node


def test_the_validator_is_loaded_for_a_witness_only() -> None:
    code = (
        "import sys, toolsync.schema as schema\n"
        "assert schema.contained({'enum': [1]}, {'enum': [1, 2]}).answer == 'yes'\n"
        "assert not {'jsonschema', 'referencing'} & sys.modules.keys()\n"
        "assert schema.contained({'enum': [1, 2]}, {'enum': [1]}).witness == 2\n"
        "assert 'jsonschema' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
