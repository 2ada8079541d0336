"""Judgement: levels from the whole schema, proofs, and what a finding says."""

from typing import Any

import pytest
from hypothesis import given

from schema_pairs import related
from toolsync.classify import findings
from toolsync.model import ABSENT, Finding, Level
from toolsync.schema import contained
from toolsync.schema.validity import tool_fault

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
DRAFT7 = "http://json-schema.org/draft-07/schema#"
DRAFT2020 = "https://json-schema.org/draft/2020-12/schema"


def tool(schema: Any, **parts: Any) -> dict[str, Any]:
    return {"name": "lend", "inputSchema": schema, **parts}


def obj(**arguments: Any) -> dict[str, Any]:
    return {"type": "object", "properties": arguments}


def told(old: Any, new: Any, **how: Any) -> tuple[Finding, ...]:
    return findings(tool(old), tool(new), **how)


def level(old: Any, new: Any, **how: Any) -> Level:
    return max((one.level for one in told(old, new, **how)), key=lambda each: each.rank)


def result(old: Any, new: Any) -> Level:
    found = findings(tool(obj(), outputSchema=old), tool(obj(), outputSchema=new))
    return max((one.level for one in found), key=lambda each: each.rank)


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


def test_a_break_is_proved_and_the_harmless_beside_it_is_not_blamed() -> None:
    old = obj(a={"type": "string", "maxLength": 9}, b={"enum": ["x"]}, c=STRING)
    new = obj(a={"type": "string", "maxLength": 5}, b={"enum": ["x", "y"]}, c=STRING, d=STRING)
    levels = {one.rule: one.level for one in told(old, new)}
    assert levels == {
        "input-max-length-tightened": Level.BREAKING,
        "input-enum-value-added": Level.COMPATIBLE,
        "input-property-added": Level.COMPATIBLE,
    }


def test_each_break_has_a_proof_of_its_own() -> None:
    old = obj(a=STRING, b=STRING)
    new = obj(a=INTEGER, b=INTEGER)
    witnesses = [one.witness for one in told(old, new)]
    assert [set(witness) for witness in witnesses] == [{"a"}, {"b"}]


def test_a_narrowing_that_the_rest_makes_up_for_breaks_nothing() -> None:
    old = obj(a={"type": "string", "maxLength": 5})
    (found,) = told(old, obj(a={"type": "string", "maxLength": 5, "pattern": r"^[\s\S]{0,9}$"}))
    assert found.level is Level.PRESENTATION
    (found,) = told(obj(a={"enum": ["x"]}), obj(a={"enum": ["x"], "maxLength": 3}))
    assert found.level is Level.PRESENTATION


def test_a_local_narrowing_never_contradicts_the_whole() -> None:
    old = obj(a={"type": "integer", "minimum": 5, "maximum": 9})
    new = obj(a={"type": "integer", "minimum": 1, "maximum": 9, "not": {"const": 3}})
    found = told(old, new)
    assert {one.level for one in found} == {Level.COMPATIBLE}
    narrowing = next(one for one in found if one.rule == "input-exclusion-added")
    assert "the rest of the schema" in narrowing.message


def test_what_breaks_by_several_changes_at_once_is_told_of_all() -> None:
    name = "input-schema-narrowed"
    old = {**obj(a={"type": "boolean"}), "required": ["a"]}
    pool = {"p": {"enum": [True, False]}, "q": {"enum": [False, True]}}
    beside = {"anyOf": [{"properties": {"a": {"$ref": f"#/$defs/{one}"}}} for one in pool]}
    narrow = {"p": {"enum": [True]}, "q": {"enum": [True, 1]}}
    found = told({**old, **beside, "$defs": pool}, {**old, **beside, "$defs": narrow})
    assert [one.rule for one in found if one.level is Level.BREAKING] == [name]


def test_results_are_judged_from_the_reader_s_side() -> None:
    assert result(obj(a=STRING), obj(a=STRING, b=STRING)) is Level.COMPATIBLE
    assert result(obj(a={"enum": ["x"]}), obj(a={"enum": ["x", "y"]})) is Level.BREAKING
    assert result(obj(a={"enum": ["x", "y"]}), obj(a={"enum": ["x"]})) is Level.COMPATIBLE
    assert result(obj(a=STRING, b=STRING), obj(a=STRING)) is Level.DANGEROUS
    assert result(obj(a=STRING), {**obj(a=STRING), "additionalProperties": False}) is (
        Level.COMPATIBLE
    )


def test_a_witness_of_the_output_is_a_result() -> None:
    old, new = obj(r=STRING), obj(r=INTEGER)
    (found,) = findings(tool(obj(), outputSchema=old), tool(obj(), outputSchema=new))
    assert found.witness_of == "result"
    assert isinstance(found.witness["r"], int)


TEXT = "A name."


def test_a_text_that_only_moved_is_no_news() -> None:
    old = obj(a={"type": ["string", "null"], "description": TEXT})
    new = obj(a={"anyOf": [{"type": "string", "description": TEXT}, {"type": "null"}]})
    assert level(old, new) is Level.PRESENTATION


def test_a_text_in_a_new_branch_is_told() -> None:
    old = obj(a={"type": ["string", "null"]})
    new = obj(a={"anyOf": [{"type": "string", "description": TEXT}, {"type": "null"}]})
    found = [one for one in told(old, new) if one.level is Level.DOCUMENTATION]
    assert [(one.rule, one.new) for one in found] == [("input-description-changed", TEXT)]


def test_a_default_in_a_new_branch_is_dangerous() -> None:
    old = obj(a={"type": ["string", "null"]})
    new = obj(a={"anyOf": [{"type": "string", "default": "x"}, {"type": "null"}]})
    assert level(old, new) is Level.DANGEROUS


def hints(rule: str, old: Any, new: Any) -> list[tuple[str | None, str | None]]:
    found = [one for one in told(old, new) if one.rule == rule]
    return [(one.renamed_from, one.renamed_to) for one in found]


PAGE = {"type": "integer", "description": "Which page."}


def test_a_renamed_argument_is_hinted_on_both_findings() -> None:
    old, new = obj(page=PAGE), obj(page_number=PAGE)
    assert hints("input-property-removed", old, new) == [(None, "page_number")]
    assert hints("input-property-added", old, new) == [("page", None)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (obj(page=PAGE), obj(page_number=PAGE, page_index=PAGE)),
        (obj(a=PAGE, b=PAGE), obj(c=PAGE)),
        (obj(a={}), obj(b={})),
        (obj(a=STRING), obj(b=INTEGER)),
    ],
)
def test_no_hint_where_several_fit_or_nothing_is_said(old: Any, new: Any) -> None:
    assert hints("input-property-removed", old, new) == [(None, None)] * len(old["properties"])


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        (
            obj(limit=INTEGER),
            {**obj(limit=INTEGER), "required": ["limit"]},
            "`limit` is now required: calls that leave it out are refused",
        ),
        (
            obj(f=obj(s={"enum": ["a", "b"]})),
            obj(f=obj(s={"enum": ["a", "d"]})),
            '`f.s` no longer takes "b" and now takes "d": calls that pass "b" are refused',
        ),
        (
            obj(a=STRING),
            obj(a={"type": "string", "maxLength": 7}),
            "`a`: `maxLength` 7 is new: calls that pass longer text are refused",
        ),
        (
            obj(a={"type": "array", "items": STRING}),
            obj(a={"type": "array", "items": NULLABLE}),
            '`a[]` now takes "null": calls that worked still work',
        ),
    ],
)
def test_a_message_says_what_is_and_who_is_hurt(old: Any, new: Any, want: str) -> None:
    (found,) = told(old, new)
    assert found.message == want


def test_a_long_value_is_cut_in_a_message_and_whole_in_the_finding() -> None:
    text = "x" * 5_000
    (found,) = told(obj(a={"default": "y"}), obj(a={"default": text}))
    assert len(found.message) < 300
    assert found.new == text


def test_quiet_tools_say_nothing_above_presentation() -> None:
    old, new = tool(obj(a={"contentSchema": {"title": "A"}})), tool(obj(a={"contentSchema": {}}))
    assert {one.level for one in findings(old, new, quiet=True)} == {Level.PRESENTATION}


@given(related())
def test_the_level_of_a_tool_is_what_containment_says(pair: tuple[str, Any, Any]) -> None:
    old, new = obj(v=pair[1], w=STRING), obj(v=pair[2], w=STRING)
    if tool_fault(tool(old)) is not None or tool_fault(tool(new)) is not None:
        return
    found = told(old, new)
    worst = max((one.level for one in found), key=lambda each: each.rank, default=Level.IDENTICAL)
    answer = contained(old, new).answer
    if answer == "no":
        assert worst in (Level.BREAKING, Level.DANGEROUS)
    if answer == "yes":
        assert worst not in (Level.BREAKING, Level.UNKNOWN)
    for one in found:
        assert (one.witness is not ABSENT) == (one.level is Level.BREAKING)
