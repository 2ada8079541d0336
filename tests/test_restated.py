"""What is said and declared at a place, however the schemas there are put together."""

from collections.abc import Callable
from typing import Any

import pytest

import toolsync
from judging import INTEGER, STRING, obj, told, tool
from toolsync.classify import findings
from toolsync.model import Finding, Level

NULL = {"type": "null"}
A, AB = obj(a=STRING), obj(a=STRING, b=STRING)


def nullable(schema: Any) -> dict[str, Any]:
    return {"anyOf": [schema, NULL]}


def array(schema: Any) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def said(**words: Any) -> dict[str, Any]:
    return {"type": "string", **words}


def defined(schema: Any) -> dict[str, Any]:
    return {**obj(v={"$ref": "#/$defs/X"}), "$defs": {"X": schema}}


CONTEXTS: dict[str, Callable[[Any], Any]] = {
    "argument": lambda schema: obj(v=schema),
    "nested": lambda schema: obj(f=obj(v=schema)),
    "nullable": lambda schema: obj(f=nullable(obj(v=schema))),
    "items": lambda schema: obj(f=array(schema)),
    "reference": defined,
    "beside": lambda schema: {**A, "allOf": [obj(v=schema)]},
}
within = pytest.mark.parametrize("place", CONTEXTS.values(), ids=CONTEXTS.keys())


def worst(found: tuple[Finding, ...]) -> Level:
    return max((one.level for one in found), key=lambda each: each.rank)


def results(old: Any, new: Any) -> tuple[Finding, ...]:
    return findings(tool(obj(), outputSchema=old), tool(obj(), outputSchema=new))


SAID = [
    (obj(p=said(default="x")), nullable(obj(p=STRING)), Level.DANGEROUS),
    (obj(p=said(default="x")), {"oneOf": [obj(p=said(default="y")), STRING]}, Level.DANGEROUS),
    (
        array(obj(p=said(default=False))),
        {"anyOf": [array(obj(p=STRING)), STRING]},
        Level.DANGEROUS,
    ),
    (array(said(format="uri")), nullable(array(said(format="email"))), Level.DANGEROUS),
    (obj(p=said(**{"x-mcp-header": "A"})), nullable(obj(p=STRING)), Level.DANGEROUS),
    (said(format="date"), nullable(said(format="date")), Level.COMPATIBLE),
    (said(format="date"), {"anyOf": [INTEGER, said(format="date")]}, Level.COMPATIBLE),
    (said(default="x"), {"anyOf": [INTEGER, STRING], "default": "x"}, Level.COMPATIBLE),
    (said(description="d"), {**nullable(STRING), "description": "d"}, Level.COMPATIBLE),
    (
        {"anyOf": [said(description="d"), INTEGER]},
        {"anyOf": [STRING, INTEGER], "description": "d"},
        Level.PRESENTATION,
    ),
    (
        {"allOf": [said(description="d")], "description": "d"},
        {"allOf": [said(description="d")]},
        Level.PRESENTATION,
    ),
]


@within
@pytest.mark.parametrize(("old", "new", "want"), SAID)
def test_what_is_said_is_compared_as_a_set_at_each_place(
    place: Callable[[Any], Any], old: Any, new: Any, want: Level
) -> None:
    assert worst(told(place(old), place(new))) is want


@within
def test_a_text_that_came_with_another_shape_is_told_once(place: Callable[[Any], Any]) -> None:
    old, new = array(said(description="one")), nullable(array(said(description="EVIL")))
    found = [one for one in told(place(old), place(new)) if "description" in one.rule]
    assert [(one.level, one.old, one.new) for one in found] == [
        (Level.DOCUMENTATION, "one", "EVIL")
    ]


@within
@pytest.mark.parametrize("beside", [{"description": "one"}, {"default": "x"}, {"format": "uri"}])
def test_a_word_beside_a_reference_that_says_it_too_says_nothing_new(
    place: Callable[[Any], Any], beside: dict[str, Any]
) -> None:
    pool = {"Z": {**STRING, **beside}}
    old, new = place({"$ref": "#/$defs/Z", **beside}), place({"$ref": "#/$defs/Z"})
    old, new = ({**one, "$defs": {**one.get("$defs", {}), **pool}} for one in (old, new))
    assert worst(told(old, new)) is Level.PRESENTATION


GONE = [
    ({"type": "object", "allOf": [AB]}, A),
    ({"type": "object", "allOf": [A, obj(b=STRING)]}, A),
    (nullable(AB), A),
    (nullable(AB), nullable({"allOf": [A]})),
    ({**A, "if": {"required": ["a"]}, "then": {"properties": {"b": STRING}}}, A),
    (AB, {**A, "properties": {"a": STRING, "b": False}}),
]
MOVED = [
    ({**AB, "type": ["object", "null"]}, nullable(AB)),
    (AB, {"type": "object", "allOf": [A, obj(b=STRING)]}),
    (
        {**AB, "if": {"required": ["a"]}, "then": {"properties": {"b": STRING}}},
        {**AB, "if": {"required": ["a"]}, "then": {"required": ["a"]}},
    ),
    (AB, {**A, "patternProperties": {"^b$": STRING}}),
]


@within
@pytest.mark.parametrize(("old", "new"), GONE)
def test_a_property_of_the_result_that_is_declared_nowhere_any_longer_is_gone(
    place: Callable[[Any], Any], old: Any, new: Any
) -> None:
    found = results(place(old), place(new))
    assert worst(found) is Level.DANGEROUS
    gone = [one for one in found if one.rule == "output-property-removed"]
    assert [one.property for one in gone] == ["b"]


@within
@pytest.mark.parametrize(("old", "new"), MOVED)
def test_a_property_of_the_result_that_is_declared_elsewhere_is_not(
    place: Callable[[Any], Any], old: Any, new: Any
) -> None:
    assert worst(results(place(old), place(new))) is Level.PRESENTATION


# The same set of values, with and without null, in three spellings.
NULLABLES = [
    (STRING, nullable(STRING)),
    (STRING, {"oneOf": [NULL, STRING]}),
    (STRING, {"type": ["string", "null"]}),
    (AB, nullable(AB)),
    (AB, {"oneOf": [AB, NULL]}),
    ({"enum": ["a"], "type": ["string", "null"]}, nullable({"enum": ["a"], "type": "string"})),
    (said(maxLength=5), {"type": ["string", "null"], "maxLength": 5}),
    ({"anyOf": [STRING, INTEGER]}, {"anyOf": [STRING, INTEGER, NULL]}),
]


@within
@pytest.mark.parametrize(("without", "having"), NULLABLES)
def test_null_that_came_or_went_is_one_finding(
    place: Callable[[Any], Any], without: Any, having: Any
) -> None:
    (came,) = told(place(without), place(having))
    assert came.level is Level.COMPATIBLE
    assert "now takes null" in came.message
    assert came.message.endswith(": calls that worked still work")
    (gone,) = told(place(having), place(without))
    assert gone.level is Level.BREAKING
    assert "no longer takes null" in gone.message


def test_what_changed_beside_null_is_told_where_it_stands() -> None:
    old, new = obj(v=said(maxLength=5, title="V")), obj(v=nullable(said(maxLength=3)))
    assert [(one.rule, one.path) for one in told(old, new)] == [
        ("input-type-widened", "/inputSchema/properties/v/anyOf"),
        ("input-max-length-tightened", "/inputSchema/properties/v/anyOf/0/maxLength"),
        ("input-title-changed", "/inputSchema/properties/v/title"),
    ]


def test_words_beside_a_choice_with_null_stand_there() -> None:
    new = {**nullable(STRING), "default": None, "title": "V"}
    paths = [one.path.rpartition("/v/")[2] for one in told(obj(v=STRING), obj(v=new))]
    assert paths == ["anyOf", "default", "title"]


def test_what_two_arguments_say_is_told_of_each() -> None:
    old = obj(v=array(said(default="x")), w=said(default="x"))
    new = obj(v={"anyOf": [array(said(default="y")), STRING]}, w=said(default="y"))
    changed = [one.path for one in told(old, new) if one.rule == "input-default-changed"]
    assert changed == [
        "/inputSchema/properties/v/anyOf/0/items/default",
        "/inputSchema/properties/w/default",
    ]


def test_an_output_that_breaks_in_two_ways_has_a_proof_of_each() -> None:
    old = {**obj(n=INTEGER, url=STRING), "required": ["n", "url"]}
    new = {**obj(n=STRING, url=STRING), "required": ["n"]}
    found = results(old, new)
    assert {one.rule: one.level for one in found} == {
        "output-type-changed": Level.BREAKING,
        "output-property-became-optional": Level.BREAKING,
    }
    new = {**obj(n=INTEGER, link=STRING), "required": ["n", "link"]}
    levels = {one.rule: one.level for one in results(old, new)}
    assert levels == {
        "output-required-property-removed": Level.BREAKING,
        "output-property-added": Level.COMPATIBLE,
    }


def many(schema: Any, count: int = 60) -> dict[str, Any]:
    return {f"a{number}": schema for number in range(count)}


CROWDS = [
    (many(STRING), many(said(maxLength=5)), {"input-max-length-tightened": Level.BREAKING}),
    (many(STRING), many(said(pattern="^a")), {"input-pattern-added": Level.BREAKING}),
    (
        {**many({"type": ["string", "null"]}), "z": STRING},
        {**many(nullable(STRING)), "z": said(maxLength=5)},
        {
            "input-schema-rewritten": Level.PRESENTATION,
            "input-max-length-tightened": Level.BREAKING,
        },
    ),
]


@pytest.mark.parametrize(("old", "new", "want"), CROWDS)
def test_many_changes_are_judged_as_well_as_few(
    old: dict[str, Any], new: dict[str, Any], want: dict[str, Level]
) -> None:
    found = told(obj(**old), obj(**new))
    assert {(one.rule, one.level) for one in found} == set(want.items())
    assert len(found) == len(old)


MESSAGES = [
    ({"type": "number"}, INTEGER, "calls that pass numbers with a fraction are refused"),
    ({"not": {"enum": ["a"]}}, {"not": {"enum": ["a", "b"]}}, '`v` (not) now names "b"'),
    (
        {"not": {"enum": ["a", "c"]}},
        {"not": {"enum": ["a", "b"]}},
        'calls that pass "b" are refused',
    ),
]


@pytest.mark.parametrize(("old", "new", "want"), MESSAGES)
def test_messages_say_who_is_refused(old: Any, new: Any, want: str) -> None:
    (found,) = told(obj(v=old), obj(v=new))
    assert found.level is Level.BREAKING
    assert want in found.message


def test_a_result_that_holds_more_says_whether_always() -> None:
    (found,) = results(obj(), {**obj(a=STRING), "required": ["a"]})
    assert "`a` is new and always there" in found.message
    (found,) = results(obj(), obj(a=STRING))
    assert "`a` is new and optional" in found.message


def test_a_value_is_told_only_where_its_keyword_stands() -> None:
    (found,) = told(obj(v={"const": "a"}), obj(v={"enum": ["a", "b"]}))
    assert (found.path, found.new) == ("/inputSchema/properties/v/enum", ["a", "b"])
    assert found.old is toolsync.model.ABSENT


def test_a_value_may_hide_something_too() -> None:
    old, new = (
        toolsync.Catalog([tool(obj(v={"enum": listed}))]) for listed in (["a"], ["a", "b\u200b"])
    )
    rules = {one.rule for made in toolsync.diff(old, new).tools for one in made.findings}
    assert "input-hidden-characters-added" in rules


@pytest.mark.parametrize("more", [{"title": "x"}, {"description": "x"}])
def test_a_tool_that_stays_unusable_is_invalid_however_it_differs(more: dict[str, Any]) -> None:
    broken = obj(a={"type": "nope"})
    for old, new in (
        (tool(broken), tool(broken, **more)),
        (tool(broken), tool({**broken, **more})),
    ):
        (made,) = toolsync.diff(toolsync.Catalog([old]), toolsync.Catalog([new])).tools
        assert (made.status, made.level) == ("invalid", Level.PRESENTATION)


def test_one_dialect_serves_all() -> None:
    pool = {"definitions": {"X": STRING}, "$defs": {"Z": {"type": "nope"}}}
    old = {**obj(v={"$ref": "#/definitions/X"}), **pool}
    new = {**obj(v={"$ref": "#/definitions/X", "maxLength": 3}), **pool}
    assert toolsync.schema.contained(old, new).answer == "yes"  # draft-07 ignores what is beside
    old, new = ({**one, "$defs": {}} for one in (old, new))
    assert toolsync.schema.contained(old, new).answer == "no"
