"""What providers refuse, rule by rule: each on a tool that breaks it and on one that does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolsync import Catalog
from toolsync.cli import main
from toolsync.lint import (
    PROFILES,
    REFUSALS,
    Profile,
    name_remarks,
    refusals_of_catalog,
    refusals_of_tool,
)
from toolsync.lint.refusals import MAX_REMARKS

SOUND: dict[str, Any] = {
    "type": "object",
    "properties": {"q": {"type": "string", "description": "What to look for."}},
    "required": ["q"],
}


def _tool(name: str = "find", **schema: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {**SOUND, **schema}}


def _with(**q: Any) -> dict[str, Any]:
    return _tool(properties={"q": q})


# By rule: what breaks it, and where it is told.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "openai-name": (_tool("a.b"), "/name"),
    "openai-root": (_tool(anyOf=[{"required": ["q"]}]), "/inputSchema/anyOf"),
    "openai-properties-missing": (
        {"name": "find", "inputSchema": {"type": "object"}}, "/inputSchema",
    ),
    "openai-array-items": (_with(type=["array", "null"]), "/inputSchema/properties/q"),
    "openai-strict-open": (_with(type="object"), "/inputSchema/properties/q"),
    "openai-strict-optional": (_tool(required=[]), "/inputSchema/properties/q"),
    "openai-strict-keyword": (_with(oneOf=[{}]), "/inputSchema/properties/q/oneOf"),
    "openai-strict-format": (_with(format="uri"), "/inputSchema/properties/q/format"),
    "openai-strict-size": (_with(enum=[str(i) for i in range(1001)]), "/inputSchema"),
    "anthropic-name": (_tool("a b"), "/name"),
    "anthropic-root": (_tool(allOf=[{}]), "/inputSchema/allOf"),
    "anthropic-draft": (_with(type="array", items=[{}]), "/inputSchema/properties/q/items"),
    "anthropic-property-name": (_tool(properties={"a[]": {}}), "/inputSchema/properties/a[]"),
    "gemini-name": (_tool("1st"), "/name"),
    "gemini-keyword": (_with(type="string", const="a"), "/inputSchema/properties/q/const"),
    "gemini-type-list": (_with(type=["string"]), "/inputSchema/properties/q/type"),
    "gemini-untyped": (_with(description="?"), "/inputSchema/properties/q"),
    "gemini-boolean-schema": (_tool(properties={"q": True}), "/inputSchema/properties/q"),
    "gemini-enum": (_with(type="integer", enum=[1]), "/inputSchema/properties/q/enum"),
    "gemini-format": (_with(type="string", format="uri"), "/inputSchema/properties/q/format"),
    "gemini-array-items": (_with(type="array"), "/inputSchema/properties/q"),
    "gemini-object-empty": (_tool(properties={}), "/inputSchema"),
    "gemini-required-undeclared": (_tool(required=["q", "r"]), "/inputSchema/required/1"),
    "vscode-array-items": (_with(type="array", prefixItems=[{}]), "/inputSchema/properties/q"),
    "bedrock-name": (_tool("x" * 65), "/name"),
    "bedrock-description-empty": ({**_tool(), "description": ""}, "/description"),
}  # fmt: skip
# These are about all tools together.
TOGETHER: dict[str, list[str]] = {
    "openai-tool-count": [f"t{i}" for i in range(129)],
    "vscode-tool-count": [f"t{i}" for i in range(129)],
    "openai-name-collision": ["a.b", "a_b"],
    "anthropic-name-collision": ["x" * 128 + "1", "x" * 128 + "2"],
    "gemini-name-collision": ["x" * 64 + "1", "x" * 64 + "2"],
    "bedrock-name-collision": ["a b", "a:b"],
}


def test_every_rule_has_its_case() -> None:
    assert {*REFUSED, *TOGETHER} == {*REFUSALS}
    assert {rule for rules in PROFILES.values() for rule in rules} == {*REFUSALS}


def _profiles(rule: str) -> list[Profile]:
    return [profile for profile in Profile if rule in PROFILES[profile]]


@pytest.mark.parametrize("rule", REFUSED)
def test_a_tool_that_is_refused(rule: str) -> None:
    definition, path = REFUSED[rule]
    for profile in _profiles(rule):
        found = {(each.rule, each.path) for each in refusals_of_tool(definition, [profile])}
        assert (rule, path) in found


@pytest.mark.parametrize("rule", TOGETHER)
def test_a_set_of_tools_that_is_refused(rule: str) -> None:
    for profile in _profiles(rule):
        found = [each.rule for _, each in refusals_of_catalog(TOGETHER[rule], [profile])]
        assert found == [rule]


def test_a_plain_tool_is_taken_by_all() -> None:
    closed = _tool(additionalProperties=False)
    others = [profile for profile in Profile if profile is not Profile.GEMINI]
    assert refusals_of_tool(closed, others) == ()
    assert refusals_of_tool(_tool(), [Profile.GEMINI]) == ()
    assert list(refusals_of_catalog(["a", "b"], list(Profile))) == []


def test_no_profile_is_asked_for_what_another_refuses() -> None:
    for rule, (definition, _) in REFUSED.items():
        for profile in Profile:
            told = {each.rule for each in refusals_of_tool(definition, [profile])}
            assert told <= {*PROFILES[profile]}, rule


def test_remarks_are_bounded_and_keywords_told_once() -> None:
    many = _tool(properties={f"p{i}": {"const": i} for i in range(1000)})
    assert len(refusals_of_tool(many, list(Profile))) == MAX_REMARKS
    consts = [each for each in refusals_of_tool(many, [Profile.GEMINI]) if "const" in each.reason]
    assert len(consts) == 1


def test_a_schema_as_deep_as_is_read_is_looked_through() -> None:
    deep: dict[str, Any] = {"type": "array"}
    for _ in range(60):
        closed = {"additionalProperties": False, "required": ["q"]}
        deep = {"type": "object", "properties": {"q": deep}, **closed}
    found = refusals_of_tool({"name": "a", "inputSchema": deep}, [Profile.OPENAI_STRICT])
    assert "openai-array-items" in {each.rule for each in found}
    size = [each.reason for each in found if each.rule == "openai-strict-size"]
    assert size == ["expected at most 10 nested levels, got 60"]


@pytest.mark.parametrize("keyword", ["exclusiveMinimum", "exclusiveMaximum"])
def test_a_bound_of_an_older_draft_is_refused_whatever_the_schema_names(keyword: str) -> None:
    old = {"$schema": "http://json-schema.org/draft-04/schema#"}
    definition = _tool(properties={"q": {"minimum": 1, "maximum": 9, keyword: True}}, **old)
    assert Catalog([definition]).invalid == ()
    (found,) = refusals_of_tool(definition, [Profile.ANTHROPIC])
    assert (found.rule, found.path) == ("anthropic-draft", f"/inputSchema/properties/q/{keyword}")
    now = _tool(properties={"q": {keyword: 1}, "r": {"prefixItems": [{}], "items": False}})
    assert refusals_of_tool(now, [Profile.ANTHROPIC]) == ()


def test_what_is_taken_all_the_same() -> None:
    assert refusals_of_tool(_tool(properties={}, required=[]), [Profile.OPENAI]) == ()
    assert refusals_of_tool(_tool("a:b.c-d"), [Profile.GEMINI]) == ()


def test_names_that_are_too_near() -> None:
    near = ["get", "Get", "g\u0435t", "log1", "logl", "logI", "list", "1ist", "mall", "mail"]
    told = {name: each.rule for name, each in name_remarks(near)}
    assert told == {
        "Get": "name-case", "g\u0435t": "name-near", "logl": "name-near", "logI": "name-near",
        "1ist": "name-near",
    }  # fmt: skip


def test_a_profile_that_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "tools.json", "--profile", "gemini", "--profile", "no\x1be"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("toolsync: --profile: expected one of 'openai', 'openai-strict',")
    assert told.endswith(", got 'no\\x1be' (see 'toolsync lint --help')\n")


def test_what_is_refused_fails_and_what_is_not_asked_for_does_not(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps({"tools": [_tool("a.b"), _tool("A.b")]}), "utf-8")
    assert Catalog([_tool("a.b")]).invalid == ()
    for arguments, code in (
        ([], 0),
        (["--fail-on", "doubtful"], 1),
        (["--profile", "openai"], 1),
        (["--profile", "openai", "--fail-on", "invalid"], 0),
        (["--profile", "gemini"], 0),
        (["--profile", "openai", "--profile", "gemini", "--ignore", "openai-*"], 0),
    ):
        assert main(["lint", str(file), *arguments]) == code, arguments
    capsys.readouterr()
    main(["lint", str(file), "--profile", "openai", "--format", "json"])
    made = json.loads(capsys.readouterr().out)
    assert [(each["name"], each["rule"]) for each in made["refused"]] == [
        ("a.b", "openai-name"), ("A.b", "openai-name"),
    ]  # fmt: skip
    assert [each["rule"] for each in made["doubtful"]] == ["name-case"]
