"""Undeclared names: each way to treat them against each other one, wherever the object stands."""

from collections.abc import Callable
from typing import Any

import pytest

from judging import INTEGER, STRING, level, obj, result, told
from toolsync.model import Level

Schema = dict[str, Any]
NULL = {"type": "null"}
MAP = {"type": "object"}
SHUT = {"additionalProperties": False}
WIDE = {"additionalProperties": True}
TYPED = {"additionalProperties": STRING}
SILENT = obj(a=STRING)
DRAFT7 = "http://json-schema.org/draft-07/schema#"
DRAFT2020 = "https://json-schema.org/draft/2020-12/schema"

PLACES: dict[str, Callable[[Any], Schema]] = {
    "an argument": lambda x: obj(v=x),
    "nested": lambda x: obj(v=obj(w=x)),
    "items": lambda x: obj(v={"type": "array", "items": x}),
    "a map's values": lambda x: obj(v={**MAP, "additionalProperties": x}),
    "behind a reference": lambda x: {**obj(v={"$ref": "#/$defs/X"}), "$defs": {"X": x}},
    "anyOf with null": lambda x: obj(v={"anyOf": [x, NULL]}),
    "oneOf with a text": lambda x: obj(v={"oneOf": [STRING, x]}),
    "a reference or null": lambda x: {
        **obj(v={"anyOf": [{"$ref": "#/$defs/X"}, NULL]}),
        "$defs": {"X": x},
    },
    "items or null": lambda x: obj(v={"anyOf": [{"type": "array", "items": x}, NULL]}),
    "in a branch": lambda x: obj(v={"anyOf": [obj(w=x), NULL]}),
    "allOf of one": lambda x: obj(v={"allOf": [x]}),
    "allOf at the root": lambda x: {"type": "object", "allOf": [{"properties": {"v": x}}]},
    "then": lambda x: {
        **obj(u=STRING),
        "if": {"required": ["u"]},
        "then": {"properties": {"v": x}},
    },
    "recursive": lambda x: {
        **obj(v={"$ref": "#/$defs/X"}),
        "$defs": {"X": obj(n=x, k={"type": "array", "items": {"$ref": "#/$defs/X"}})},
    },
}

# old, new, the level of the change, the level of the way back
CHANGES: dict[str, tuple[Schema, Schema, str, str]] = {
    "silence, no": (SILENT, {**SILENT, **SHUT}, "dangerous", "compatible"),
    "silence, yes": (SILENT, {**SILENT, **WIDE}, "compatible", "dangerous"),
    "silence, typed": (SILENT, {**SILENT, **TYPED}, "dangerous", "dangerous"),
    "yes, no": ({**SILENT, **WIDE}, {**SILENT, **SHUT}, "breaking", "compatible"),
    "free, declares": (MAP, SILENT, "dangerous", "compatible"),
    "free, no": (MAP, {**MAP, **SHUT}, "dangerous", "compatible"),
    "free, declares and no": (MAP, {**SILENT, **SHUT}, "dangerous", "compatible"),
    "free, declares and yes": (MAP, {**SILENT, **WIDE}, "dangerous", "compatible"),
    "free, typed": (MAP, {**MAP, **TYPED}, "dangerous", "compatible"),
    "free, yes": (MAP, {**MAP, **WIDE}, "presentation", "presentation"),
    "free, a pattern": (
        MAP,
        {**MAP, "patternProperties": {"^x": STRING}},
        "dangerous",
        "compatible",
    ),
    "free, requires": (MAP, {**SILENT, "required": ["a"]}, "breaking", "compatible"),
    "yes, typed": ({**MAP, **WIDE}, {**MAP, **TYPED}, "breaking", "compatible"),
    "typed, typed otherwise": (
        {**MAP, **TYPED},
        {**MAP, "additionalProperties": INTEGER},
        "breaking",
        "breaking",
    ),
    "yes, yes and one more": (
        {**SILENT, **WIDE},
        {**obj(a=STRING, b=STRING), **WIDE},
        "breaking",
        "compatible",
    ),
    "yes, silence and one more": (
        {**SILENT, **WIDE},
        obj(a=STRING, b=STRING),
        "dangerous",
        "compatible",
    ),
    "silence, one more": (SILENT, obj(a=STRING, b=STRING), "compatible", "breaking"),
    "no, one more": (
        {**SILENT, **SHUT},
        {**obj(a=STRING, b=STRING), **SHUT},
        "compatible",
        "breaking",
    ),
    "in a typed map, one less": (
        {**MAP, "additionalProperties": obj(a=STRING, b=STRING)},
        {**MAP, "additionalProperties": SILENT},
        "breaking",
        "compatible",
    ),
    "in a typed map, free declares": (
        {**MAP, "additionalProperties": MAP},
        {**MAP, "additionalProperties": SILENT},
        "dangerous",
        "compatible",
    ),
    "{} for true": (
        {**SILENT, **WIDE},
        {**SILENT, "additionalProperties": {}},
        "presentation",
        "presentation",
    ),
    "another keyword for no": (
        {**SILENT, **SHUT},
        {**SILENT, "unevaluatedProperties": False},
        "presentation",
        "presentation",
    ),
    "a pattern for all names": (
        {**MAP, **TYPED},
        {**MAP, "patternProperties": {"": STRING}},
        "presentation",
        "presentation",
    ),
}
HOW: dict[str, Schema] = {
    "silence": SILENT,
    "no": {**SILENT, **SHUT},
    "yes": {**SILENT, **WIDE},
    "typed": {**SILENT, **TYPED},
    "free": MAP,
    "a typed map": {**MAP, **TYPED},
}
UNCHANGED: dict[str, Callable[[Schema], Any]] = {
    "anyOf of one": lambda x: {"anyOf": [x]},
    "oneOf of one": lambda x: {"oneOf": [x]},
    "allOf of one": lambda x: {"allOf": [x]},
    "a reference": lambda _: {"$ref": "#/$defs/X"},
    "allOf of a reference": lambda _: {"allOf": [{"$ref": "#/$defs/X"}]},
}
ROOTS: dict[str, tuple[Schema, Schema, str, str]] = {
    "silence, no": (SILENT, {**SILENT, **SHUT}, "dangerous", "compatible"),
    "yes, silence": ({**SILENT, **WIDE}, SILENT, "dangerous", "compatible"),
    "yes, no": ({**SILENT, **WIDE}, {**SILENT, **SHUT}, "breaking", "compatible"),
    "typed, silence": ({**SILENT, **TYPED}, SILENT, "dangerous", "dangerous"),
    "into allOf": (
        {**SILENT, **SHUT},
        {"type": "object", "allOf": [{**SILENT, **SHUT}]},
        "presentation",
        "presentation",
    ),
    "out of an allOf that leaves nothing": (
        {"type": "object", "allOf": [{**obj(a=STRING), **SHUT}, {**obj(b=STRING), **SHUT}]},
        {**obj(a=STRING, b=STRING), **SHUT},
        "compatible",
        "breaking",
    ),
    "no, though allOf declares more": (
        {**SILENT, "allOf": [{"properties": {"d": STRING}}]},
        {**SILENT, "allOf": [{"properties": {"d": STRING}}], **SHUT},
        "breaking",
        "compatible",
    ),
    "a name that only required declares": (
        {**obj(v=STRING), "anyOf": [{"required": ["a"]}, {"required": ["d"]}]},
        {**obj(v=STRING), "anyOf": [{"required": ["a"]}], **SHUT},
        "breaking",
        "compatible",
    ),
    "such a name, typed": (
        {**obj(v=STRING), "anyOf": [{"required": ["a"]}, {"required": ["d"]}], **WIDE},
        {**obj(v=STRING), "anyOf": [{"required": ["a"]}]},
        "breaking",
        "compatible",
    ),
    "a keyword that its dialect did not know": (
        {"$schema": DRAFT7, **obj(v={**SILENT, "unevaluatedProperties": False})},
        {"$schema": DRAFT2020, **obj(v={**SILENT, "unevaluatedProperties": False})},
        "dangerous",
        "compatible",
    ),
    "two objects the other way round": (
        obj(v=SILENT, w={**SILENT, **SHUT}),
        obj(v={**SILENT, **SHUT}, w=SILENT),
        "dangerous",
        "dangerous",
    ),
    "only in the branch of an object": (
        obj(v={"anyOf": [{**SILENT, **SHUT}, obj(b=STRING)]}),
        obj(v={"anyOf": [{**SILENT, **SHUT}, {**obj(b=STRING), **SHUT}]}),
        "dangerous",
        "compatible",
    ),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_change_has_one_level_wherever_it_stands(
    change: tuple[Schema, Schema, str, str], place: Callable[[Any], Schema]
) -> None:
    old, new, there, back = change
    assert level(place(old), place(new)) == there
    assert level(place(new), place(old)) == back


@pytest.mark.parametrize("change", ROOTS.values(), ids=ROOTS.keys())
def test_a_change_at_the_root(change: tuple[Schema, Schema, str, str]) -> None:
    old, new, there, back = change
    assert level(old, new) == there
    assert level(new, old) == back


@pytest.mark.parametrize("written", UNCHANGED.values(), ids=UNCHANGED.keys())
@pytest.mark.parametrize("how", HOW.values(), ids=HOW.keys())
def test_what_is_moved_unchanged_is_no_change(how: Schema, written: Callable[[Any], Any]) -> None:
    old, new = obj(v=how), {**obj(v=written(how)), "$defs": {"X": how}}
    assert level(old, new) is Level.PRESENTATION
    assert level(new, old) is Level.PRESENTATION


@pytest.mark.parametrize("how", HOW.values(), ids=HOW.keys())
def test_a_list_of_types_or_branches(how: Schema) -> None:
    listed, branches = obj(v={**how, "type": ["object", "null"]}), obj(v={"anyOf": [how, NULL]})
    assert level(listed, branches) is Level.PRESENTATION
    assert level(branches, listed) is Level.PRESENTATION


@pytest.mark.parametrize("other", [NULL, STRING, {"type": "array", "items": STRING}])
@pytest.mark.parametrize("how", HOW.values(), ids=HOW.keys())
def test_an_object_that_may_be_something_else_now(how: Schema, other: Schema) -> None:
    assert level(obj(v=how), obj(v={"anyOf": [how, other]})) is Level.COMPATIBLE
    assert level(obj(v={"anyOf": [how, other]}), obj(v=how)) is Level.BREAKING


def test_silence_that_became_no_beside_a_new_branch() -> None:
    new = obj(v={"anyOf": [{**SILENT, **SHUT}, NULL]})
    assert level(obj(v=SILENT), new) is Level.DANGEROUS


def gravest(old: Schema, new: Schema) -> dict[str, Level]:
    found = sorted(told(old, new), key=lambda one: one.level.rank)
    return {one.path.split("/")[3]: one.level for one in found}


def test_a_break_beside_is_told_apart() -> None:
    old = obj(v=SILENT, w=STRING)
    new = obj(v={"anyOf": [{**SILENT, **SHUT}]}, w={**STRING, "maxLength": 3})
    assert gravest(old, new) == {"v": Level.DANGEROUS, "w": Level.BREAKING}


def test_the_way_back_beside_a_break_is_not_silent() -> None:
    old = obj(v={**SILENT, **SHUT}, w=STRING)
    new = obj(v=SILENT, w={**STRING, "maxLength": 3})
    assert gravest(old, new) == {"v": Level.COMPATIBLE, "w": Level.BREAKING}


def test_an_argument_that_went_where_silence_took_the_place_of_yes() -> None:
    old = {**obj(a=STRING, b=STRING), **WIDE}
    (found,) = (one for one in told(old, SILENT) if one.level is Level.BREAKING)
    assert found.rule == "input-property-removed"
    assert "b" in found.witness


@pytest.mark.parametrize("before", [{}, WIDE], ids=["silence", "yes"])
@pytest.mark.parametrize("after", [{}, SHUT, TYPED], ids=["silence", "no", "typed"])
def test_what_is_required_is_declared(before: Schema, after: Schema) -> None:
    old = {**obj(v=STRING), "anyOf": [{"required": ["a"]}, {"required": ["d"]}], **before}
    new = {**obj(v=STRING), "anyOf": [{"required": ["a"]}], **after}
    assert level(old, new) is Level.BREAKING


def test_patterns_do_not_speak_for_all_undeclared_names() -> None:
    some = {**SILENT, "patternProperties": {"^[a-z]+$": STRING}}
    shut = {**some, **SHUT}
    assert level(obj(v=some), obj(v=shut)) is Level.DANGEROUS
    assert level(obj(v={"anyOf": [some, NULL]}), obj(v={"anyOf": [shut, NULL]})) is Level.DANGEROUS


def test_many_objects_at_once() -> None:
    names = [f"v{number}" for number in range(50)]
    for old, new in ((SILENT, {**SILENT, **SHUT}), (MAP, SILENT)):
        before, after = (obj(**dict.fromkeys(names, each)) for each in (old, new))
        assert level(before, after) is Level.DANGEROUS
        assert level(after, before) is Level.COMPATIBLE


def test_what_nobody_refers_to_is_no_change() -> None:
    used = obj(v=STRING)
    old, new = ({**used, "$defs": {"X": each}} for each in (SILENT, {**SILENT, **SHUT}))
    assert level(old, new) is Level.PRESENTATION


def test_a_map_that_requires_now_is_refused_empty() -> None:
    found = told(obj(m=MAP), obj(m={**SILENT, "required": ["a"]}))
    assert {one.level for one in found} == {Level.BREAKING}
    assert all(one.witness == {"m": {}} for one in found)


def test_a_reader_ignores_what_is_not_declared() -> None:
    assert result(obj(r=SILENT), obj(r={**SILENT, **SHUT})) is Level.COMPATIBLE
    assert result(obj(r={**SILENT, **SHUT}), obj(r=SILENT)) is Level.COMPATIBLE
