"""What is doubtful about usable tools, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolsync.schema.doubt import RULES, doubts


def found(schema: dict[str, Any] | None = None, **fields: Any) -> list[tuple[str, str]]:
    tool = {"name": "t", "inputSchema": {"type": "object", **(schema or {})}, **fields}
    told = doubts(tool)
    assert {each.rule for each in told} <= set(RULES)
    assert all(each.reason.isprintable() for each in told)
    return [(each.path, each.rule) for each in told]


@pytest.mark.parametrize("name", ["search", "get.all", "a-b_c", "A1", "x" * 128])
def test_usual_names(name: str) -> None:
    assert found(name=name) == []


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("two words", ["name-unusual"]),
        ("a/b", ["name-unusual"]),
        ("größe", ["name-unusual"]),
        ("x" * 129, ["name-long"]),
        ("search\u200b", ["hidden-character", "name-unusual"]),
        ("se\u0430rch", ["look-alike", "name-unusual"]),
        ("\uff53earch", ["look-alike", "name-unusual"]),
        ("\x1b[31m", ["hidden-character", "name-unusual"]),
    ],
)
def test_unusual_names(name: str, rules: list[str]) -> None:
    assert found(name=name) == [("/name", rule) for rule in rules]


@pytest.mark.parametrize(
    "text",
    [
        "Finds notes.\n\n\tOne a line.\r\n",
        "Größe, naïve, 東京, שלום, поиск, αβγ",
        "Δt in µs, 5 kΩ, λ-calculus",
        "👩\u200d💻 ❤\ufe0f",
        "نمی\u200cخواهم",
        "поиск search",
    ],
)
def test_visible_texts(text: str) -> None:
    assert found(description=text, title=text) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("plain\U000e0041\U000e0042", "hidden-character"),
        ("zero\u200bwidth", "hidden-character"),
        ("join\u200der", "hidden-character"),
        ("right\u202eleft", "hidden-character"),
        ("bell\x07", "hidden-character"),
        ("c1\x9b31m", "hidden-character"),
        ("the p\u0430ssword", "look-alike"),
    ],
)
def test_hidden_and_look_alike_characters_in_any_text(text: str, rule: str) -> None:
    assert found(description=text) == [("/description", rule)]
    nested = {"properties": {"a": {"items": {"description": text}}}}
    path = "/inputSchema/properties/a/items/description"
    assert found(nested) == [(path, rule)]
    assert found(outputSchema={"title": text}) == [("/outputSchema/title", rule)]
    assert found({"properties": {"a": {"const": {"description": text}}}}) == []
    assert [rule for _, rule in found({"properties": {text: {}}})] == [rule]


def test_the_dialect_that_had_to_be_guessed() -> None:
    assert found({"items": [{}]}) == [("/inputSchema", "dialect-assumed")]
    assert found({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}]}) == []
    unknown = {"$schema": "http://json-schema.org/draft-03/schema#"}
    assert found(unknown) == [("/inputSchema/$schema", "dialect-unknown")]


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"properties": {"a": {}}, "required": ["b"]}, "/inputSchema/required"),
        ({"required": ["b"]}, "/inputSchema/required"),
        (
            {"properties": {"a": {"properties": {}, "required": ["b"]}}},
            "/inputSchema/properties/a/required",
        ),
        (
            {"$defs": {"d": {"properties": {"a": {}}, "required": ["b"]}}},
            "/inputSchema/$defs/d/required",
        ),
    ],
)
def test_required_names_that_nothing_declares(schema: dict[str, Any], path: str) -> None:
    assert found(schema) == [(path, "required-undeclared")]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"required": ["a"], "allOf": [{"properties": {"a": {}}}]},
        {"required": ["a"], "patternProperties": {"^a": {}}},
        {"required": ["a"], "additionalProperties": {"type": "string"}},
        {"required": ["a"], "$ref": "#/$defs/d", "$defs": {"d": {"properties": {"a": {}}}}},
        {"properties": {"a": {}}, "not": {"required": ["b"]}},
    ],
)
def test_required_names_that_may_be_declared_elsewhere(schema: dict[str, Any]) -> None:
    assert found(schema) == []


def test_references_that_lead_back_to_themselves() -> None:
    assert found({"$ref": "#"}) == [("/inputSchema/$ref", "reference-loop")]
    pair = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}
    loops = found({"properties": {"p": {"$ref": "#/$defs/a"}}, "$defs": pair})
    assert [rule for _, rule in loops] == ["reference-loop"]
    tree = {"n": {"properties": {"child": {"$ref": "#/$defs/n"}}}}
    assert found({"properties": {"root": {"$ref": "#/$defs/n"}}, "$defs": tree}) == []


def test_doubts_are_bounded_and_sorted() -> None:
    many = {"properties": {f"p{index:03}": {"description": "\x07"} for index in range(500)}}
    told = found(many)
    assert len(told) == 100
    assert told == sorted(told)


def test_unusable_tools_are_survived() -> None:
    assert doubts({}) == ()
    assert doubts({"name": 5, "inputSchema": {"$ref": "#/nope", "required": 5}}) == ()
    circular: dict[str, Any] = {}
    circular["not"] = circular
    assert doubts({"inputSchema": circular}) == ()


def test_real_catalogues_raise_no_false_alarm(shared: Path) -> None:
    for path in sorted(shared.glob("corpus/*/*.json"))[::5]:
        for tool in json.loads(path.read_bytes())["tools"]:
            assert doubts(tool) == (), (path.name, tool["name"])
