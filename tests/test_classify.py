"""Judgement: levels from the whole schema, proofs, and what a finding says."""

from typing import Any

import pytest

from judging import INTEGER, STRING, level, obj, result, told, tool
from toolsync.classify import findings
from toolsync.model import Level

NULLABLE = {"type": ["string", "null"]}


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
            "`a[]` now takes null: calls that worked still work",
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


COLLIDING: dict[str, tuple[Any, Any]] = {
    "a reference beside its opposite": (
        {**obj(a=STRING), "$defs": {"I": INTEGER}},
        {**obj(a={**STRING, "$ref": "#/$defs/I"}), "$defs": {"I": INTEGER}},
    ),
    "an argument forbidden in one branch": (
        {**obj(b={}), "allOf": [obj(b=STRING), {"additionalProperties": {}}]},
        {**obj(b={}), "allOf": [obj(b=False), {}]},
    ),
    "a definition that now refers on": (
        {"type": "object", "$ref": "#/$defs/E", "$defs": {"E": {"required": []}, "D": STRING}},
        {
            "type": "object",
            "$ref": "#/$defs/E",
            "$defs": {"E": {"required": [], "$ref": "#/$defs/D"}, "D": STRING},
        },
    ),
}


@pytest.mark.parametrize("pair", COLLIDING.values(), ids=COLLIDING.keys())
def test_what_collides_is_not_taken_for_a_rewriting(pair: tuple[Any, Any]) -> None:
    assert level(*pair) is Level.BREAKING


def test_changes_that_only_widen_together_are_not_silent() -> None:
    number, bound = {"a": {"type": "number"}}, {"a": {"type": "number", "maximum": 3}}
    old = {"type": "object", "properties": bound, "allOf": [{"properties": bound}]}
    new = {"type": "object", "properties": number, "allOf": [{"properties": number}]}
    assert level(old, new) is Level.COMPATIBLE
    assert level(new, old) is Level.BREAKING


def test_a_removed_property_of_an_open_result_breaks_where_anything_may_come_instead() -> None:
    new = {"type": "object", "additionalProperties": True}
    assert result(obj(r=STRING), new) is Level.BREAKING
    assert result(obj(r=STRING), {"type": "object"}) is Level.DANGEROUS


def test_of_the_keywords_of_one_place_only_those_to_blame_break() -> None:
    old = obj(n={"type": "integer"})
    new = obj(n={"type": "integer", "exclusiveMinimum": 0, "maximum": 2**53 - 1})
    levels = {one.rule: one.level for one in told(old, new)}
    assert levels == {
        "input-exclusive-minimum-tightened": Level.BREAKING,
        "input-maximum-tightened": Level.PRESENTATION,
    }


def test_several_arguments_that_went_share_one_proof() -> None:
    old = {**obj(a=STRING, b=INTEGER, c=STRING), "required": ["c"]}
    found = [one for one in told(old, obj(c=STRING)) if one.level is Level.BREAKING]
    assert [one.property for one in found] == ["a", "b"]
    assert all({"a", "b", "c"} == set(one.witness) for one in found)
