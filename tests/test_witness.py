"""Witnesses: small, what a person would find first, and true for the real validator."""

import os
import subprocess
import sys
from typing import Any

import pytest

from toolsync.schema import contained
from toolsync.schema.dialect import Dialect
from toolsync.schema.proof.check import refuser
from toolsync.schema.readings.spelling import for_python, respelt
from validators import accepted, asked

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def obj(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members}


@pytest.mark.parametrize(
    ("old", "new", "witness"),
    [
        # boundary values
        (INTEGER, {**INTEGER, "minimum": 1}, 0),
        ({**INTEGER, "minimum": 3}, {**INTEGER, "minimum": 5}, 3),
        ({**INTEGER, "maximum": 10}, {**INTEGER, "maximum": 5}, 6),
        ({"type": "number"}, INTEGER, 0.1),
        (STRING, {**STRING, "minLength": 1}, ""),
        (STRING, {**STRING, "maxLength": 2}, "aaa"),
        (STRING, {**STRING, "pattern": "^[a-z]*$"}, "0"),
        ({**STRING, "format": "email"}, {**STRING, "maxLength": 3}, "a@example.com"),
        # members
        (obj(a=STRING), {**obj(a=STRING), "required": ["a"]}, {}),
        (obj(a=STRING, b=STRING), obj(a=STRING), {"b": ""}),
        (obj(a=STRING), obj(a=INTEGER), {"a": ""}),
        ({**obj(a=STRING), "required": ["a"]}, {**obj(a=STRING), "maxProperties": 0}, {"a": ""}),
        # items
        ({"type": "array", "items": STRING}, {"type": "array", "items": STRING, "maxItems": 1},
         ["", ""]),
        ({"type": "array"}, {"type": "array", "uniqueItems": True}, [None, None]),
        ({"type": "array"}, {"type": "array", "minItems": 1}, []),
        # values and branches
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, "b"),
        ({"anyOf": [STRING, INTEGER]}, STRING, 0),
        ({"type": ["string", "null"]}, STRING, None),
    ],
)  # fmt: skip
def test_what_a_person_would_try_first(old: Any, new: Any, witness: object) -> None:
    answer = contained(old, new)
    assert (answer.answer, answer.witness) == ("no", witness)


def test_only_what_must_be_is_in_a_witness() -> None:
    many = {f"p{number}": STRING for number in range(20)}
    old = {**obj(**many), "required": ["p3"]}
    new = {**obj(**{**many, "p7": INTEGER}), "required": ["p3"]}
    assert contained(old, new).witness == {"p3": "", "p7": ""}


def test_a_witness_deep_inside() -> None:
    def nested(leaf: Any) -> Any:
        return obj(a={"type": "array", "items": {**obj(b=leaf), "required": ["b"]}})

    assert contained(nested({"enum": [1, 2]}), nested({"enum": [1]})).witness == {"a": [{"b": 2}]}


def test_patterns_are_checked_as_ecma_262_reads_them() -> None:
    # Python's `$` would also match before the newline, and its `\d` an Arabic digit.
    assert asked_as_written({"enum": ["a\n"]}, {"pattern": "^a$"}) == "no"
    assert asked_as_written({"enum": ["\u0661"]}, {"pattern": "^\\d$"}) == "no"
    assert asked_as_written({"enum": ["\u0661"]}, {"pattern": "^\\D$"}) == "yes"
    assert asked_as_written({"enum": ["\xa0"]}, {"pattern": "^\\S$"}) == "no"


def asked_as_written(old: Any, new: Any) -> str:
    return contained(old, new, "open").answer


@pytest.mark.parametrize(
    ("pattern", "spelt"),
    [
        ("^a$", "(?a:^a\\Z)"),
        ("[$.]", "(?a:[$.])"),
        ("\\$\\/", "(?a:\\$/)"),
        ("[[a]", "(?a:[\\[a])"),
        ("\\cA", "(?a:\\x01)"),
        ("\\u{1F432}", "(?a:🐲)"),
        ("[\\w-.]", "(?a:[\\w\\-.])"),
        ("\\d-\\d", "(?a:\\d-\\d)"),
        ("(?<n>a)\\k<n>", "(?a:(?P<n>a)(?P=n))"),
        ("(?<=a)b", "(?a:(?<=a)b)"),
        ("\\ud83d\\udc32", "(?a:🐲)"),
        (".", "(?a:[^\n\r\u2028\u2029])"),
    ],
)
def test_spelling_for_python(pattern: str, spelt: str) -> None:
    assert for_python(pattern) == spelt


def test_respelling_leaves_names_and_data_alone() -> None:
    schema = {
        "properties": {"pattern": {"pattern": "a$"}, "enum": {"enum": ["$"]}},
        "patternProperties": {"b$": {"items": [{"pattern": "c$"}]}},
    }
    assert respelt(schema) == {
        "properties": {"pattern": {"pattern": "(?a:a\\Z)"}, "enum": {"enum": ["$"]}},
        "patternProperties": {"(?a:b\\Z)": {"items": [{"pattern": "(?a:c\\Z)"}]}},
    }


def test_a_remote_reference_is_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr("socket.socket.connect", refused)
    remote = {"$ref": "http://127.0.0.1:9/schema.json"}
    with pytest.raises(ValueError, match="validator stopped"):
        refuser(remote, Dialect.DRAFT2020)(1)
    assert contained(obj(a=remote), obj(a=INTEGER)).answer == "unknown"


def test_a_witness_can_be_a_float_that_is_exact() -> None:
    answer = asked({"type": "number", "minimum": 0.1, "maximum": 0.11}, {"maximum": 0.1})
    assert answer.answer == "no"
    assert accepted({"maximum": 0.11}, answer.witness)


def test_the_same_question_has_the_same_answer_in_every_process() -> None:
    members = dict.fromkeys(("a", "b", "c", "d", "e", "f"), STRING)
    code = (
        "from toolsync.schema import contained\n"
        f"old = {obj(**members) | {'minProperties': 3}!r}\n"
        f"new = {obj(**{**members, 'd': INTEGER, 'b': INTEGER})!r}\n"
        "print(contained(old, new))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(said) == 1
    assert "'b': ''" in said.pop()
