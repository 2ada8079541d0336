"""Containment keyword by keyword: both directions of each pair, every "no" with a true witness."""

from typing import Any

import pytest

from toolsync.schema import Comparison, contained
from validators import DRAFT4, DRAFT6, DRAFT7, DRAFT2019, DRAFT2020, asked

INTEGER = {"type": "integer"}
STRING = {"type": "string"}


def obj(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members}


def needs(*names: str) -> dict[str, Any]:
    return {"type": "object", "required": list(names)}


def draft(uri: str, **schema: Any) -> dict[str, Any]:
    return {"$schema": uri, **schema}


# Each row: a schema, another, and whether the first is within the second and the reverse.
TYPES = [
    (INTEGER, {"type": "number"}, "yes", "no"),
    ({"type": ["string", "null"]}, {"anyOf": [STRING, {"type": "null"}]}, "yes", "yes"),
    ({"type": ["string", "null"]}, {"oneOf": [{"type": "null"}, STRING]}, "yes", "yes"),
    ({"type": "boolean"}, {"enum": [False, True]}, "yes", "yes"),
    ({"type": "null"}, {"const": None}, "yes", "yes"),
    (True, {}, "yes", "yes"),
    (False, {"not": {}}, "yes", "yes"),
    (False, STRING, "yes", "no"),
    ({"type": ["integer", "number"]}, {"type": "number"}, "yes", "yes"),
]
VALUES = [
    ({"const": 1}, {"const": 1.0}, "yes", "yes"),
    ({"const": 1}, {"const": True}, "no", "no"),
    ({"enum": [[1]]}, {"enum": [[True]]}, "no", "no"),
    ({"enum": [{"a": 0}]}, {"enum": [{"a": False}]}, "no", "no"),
    ({"enum": [1, 2]}, INTEGER, "yes", "no"),
    ({"enum": ["a", "b"]}, {"enum": ["b", "a", "c"]}, "yes", "no"),
    ({"enum": ["a", "b"]}, {"anyOf": [{"const": "a"}, {"const": "b"}]}, "yes", "yes"),
    ({"enum": ["a", 1], "type": "string"}, {"const": "a"}, "yes", "yes"),
    ({"type": ["string", "null"], "enum": ["a"]}, {"const": "a"}, "yes", "yes"),
    ({"enum": ["a b"]}, {"enum": ["a  b"]}, "no", "no"),
    ({"const": {"a": 1}}, obj(a=INTEGER), "yes", "no"),
    ({"not": {"const": {"a": 1}}, "type": "object"}, {"type": "object"}, "yes", "no"),
    ({"not": {"const": [1]}, "type": "array", "items": {"const": 1}, "maxItems": 1},
     {"maxItems": 0}, "yes", "no"),
]  # fmt: skip
NUMBERS = [
    ({**INTEGER, "exclusiveMinimum": 0}, {**INTEGER, "minimum": 1}, "yes", "yes"),
    ({"type": "number", "exclusiveMinimum": 0}, {"type": "number", "minimum": 1}, "no", "yes"),
    ({**INTEGER, "minimum": 0.5}, {**INTEGER, "minimum": 1}, "yes", "yes"),
    ({"type": "number", "multipleOf": 1}, INTEGER, "yes", "yes"),
    ({"type": "number", "multipleOf": 0.5}, {"multipleOf": 0.25}, "yes", "no"),
    ({"multipleOf": 4}, {"multipleOf": 2}, "yes", "no"),
    ({**INTEGER, "allOf": [{"multipleOf": 4}, {"multipleOf": 6}]},
     {**INTEGER, "multipleOf": 12}, "yes", "yes"),
    ({**INTEGER, "minimum": 0, "maximum": 10},
     {"anyOf": [{**INTEGER, "minimum": 0, "maximum": 5}, {"minimum": 6}]}, "yes", "no"),
    ({"type": "number", "minimum": 0, "maximum": 10},
     {"anyOf": [{"minimum": 0, "maximum": 5}, {"minimum": 6}]}, "no", "no"),
    ({**INTEGER, "minimum": 1, "maximum": 3}, {"enum": [1, 2, 3]}, "yes", "yes"),
    ({**INTEGER, "minimum": 5, "maximum": 4}, False, "yes", "yes"),
    ({"maximum": 2**53 + 1, **INTEGER}, {"maximum": 2**53, **INTEGER}, "no", "yes"),
    ({"type": "number", "minimum": 1, "maximum": 1}, {"const": 1}, "yes", "yes"),
    ({"type": "number", "minimum": 0.1, "maximum": 0.2}, {"maximum": 0.15}, "no", "no"),
]  # fmt: skip
TEXTS = [
    ({**STRING, "minLength": 0}, STRING, "yes", "yes"),
    ({**STRING, "minLength": 2}, {**STRING, "minLength": 1}, "yes", "no"),
    ({**STRING, "maxLength": 1}, {**STRING, "maxLength": 2}, "yes", "no"),
    ({**STRING, "maxLength": 0}, {"const": ""}, "yes", "yes"),
    ({**STRING, "pattern": "^a+$"}, {**STRING, "pattern": "^a*$"}, "yes", "no"),
    ({**STRING, "pattern": "[0-9]"}, {**STRING, "pattern": "\\d"}, "yes", "yes"),
    ({**STRING, "pattern": ""}, STRING, "yes", "yes"),
    ({**STRING, "pattern": "^.{2}$"}, {**STRING, "minLength": 2, "maxLength": 2}, "yes", "no"),
    ({**STRING, "pattern": "^ab?$"}, {"enum": ["a", "ab"]}, "yes", "yes"),
    ({**STRING, "pattern": "^a"}, {**STRING, "pattern": "^ a"}, "no", "no"),
    ({**STRING, "pattern": "^(?=.*b)a"}, {**STRING, "pattern": "^a.*b"}, "yes", "yes"),
    ({**STRING, "format": "uri"}, STRING, "yes", "yes"),
    ({**STRING, "contentEncoding": "base64"}, STRING, "yes", "yes"),
    ({**STRING, "pattern": "^(a)\\1$"}, {**STRING, "pattern": "^(a)\\1$"}, "yes", "yes"),
    ({**STRING, "pattern": "^(a)\\1$"}, {**STRING, "pattern": "^aa$"}, "unknown", "unknown"),
]
OBJECTS = [
    (obj(a=STRING), obj(a={}), "yes", "no"),
    (obj(), obj(a=STRING), "no", "yes"),
    (needs("a", "b"), needs("a"), "yes", "no"),
    ({"required": []}, {}, "yes", "yes"),
    ({"type": "object", "additionalProperties": {}}, {"type": "object"}, "yes", "yes"),
    ({**obj(a=STRING), "additionalProperties": False},
     {"type": "object", "additionalProperties": STRING}, "yes", "no"),
    ({"type": "object", "patternProperties": {"^a$": STRING}}, obj(a=STRING), "yes", "yes"),
    ({"type": "object", "patternProperties": {"^a": STRING}}, obj(ab=STRING), "yes", "no"),
    ({"type": "object", "propertyNames": {"enum": ["a"]}},
     {**obj(a={}), "additionalProperties": False}, "yes", "yes"),
    ({"type": "object", "propertyNames": {"maxLength": 1}},
     {"type": "object", "propertyNames": {"maxLength": 2}}, "yes", "no"),
    ({"type": "object", "propertyNames": False}, {"type": "object", "maxProperties": 0},
     "yes", "yes"),
    ({**obj(a={}), "additionalProperties": False, "minProperties": 1}, needs("a"), "yes", "no"),
    ({**needs("a", "b"), "maxProperties": 2}, {"propertyNames": {"enum": ["a", "b"]}},
     "yes", "no"),
    ({**needs("a", "b"), "maxProperties": 1}, False, "yes", "yes"),
    ({"type": "object", "minProperties": 2}, {"type": "object", "minProperties": 1}, "yes", "no"),
    ({"type": "object", "dependentRequired": {"a": ["b"]}},
     {"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}, "yes", "yes"),
    ({"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}},
     {"type": "object", "dependentRequired": {"a": ["b"]}}, "yes", "yes"),
    (obj(required=STRING), obj(required=INTEGER), "no", "no"),
    ({**needs("k"), "properties": {"k": {"enum": ["a", "b"]}}},
     {"anyOf": [{**needs("k"), "properties": {"k": {"const": each}}} for each in "ab"]},
     "yes", "yes"),
]  # fmt: skip
ARRAYS = [
    ({"type": "array", "items": INTEGER}, {"type": "array", "items": {"type": "number"}},
     "yes", "no"),
    ({"type": "array", "items": {}}, {"type": "array"}, "yes", "yes"),
    ({"type": "array", "items": False}, {"type": "array", "maxItems": 0}, "yes", "yes"),
    ({"type": "array", "minItems": 1}, {"type": "array", "contains": {}}, "yes", "yes"),
    ({"type": "array", "prefixItems": [STRING], "items": False},
     {"type": "array", "items": STRING, "maxItems": 1}, "yes", "yes"),
    ({"type": "array", "prefixItems": [STRING, INTEGER]}, {"type": "array",
      "prefixItems": [STRING]}, "yes", "no"),
    ({"type": "array", "uniqueItems": False}, {"type": "array"}, "yes", "yes"),
    ({"type": "array", "uniqueItems": True}, {"type": "array"}, "yes", "no"),
    ({"type": "array", "uniqueItems": True, "items": {"type": "boolean"}},
     {"maxItems": 2}, "yes", "no"),
    ({"type": "array", "contains": STRING}, {"type": "array", "minItems": 1}, "yes", "no"),
    ({"type": "array", "contains": STRING, "minContains": 2},
     {"type": "array", "contains": STRING}, "yes", "no"),
    ({"type": "array", "contains": STRING, "minContains": 0}, {"type": "array"}, "yes", "yes"),
    ({"type": "array", "contains": STRING, "minContains": 0, "maxContains": 0},
     {"type": "array", "items": {"not": STRING}}, "yes", "yes"),
    ({"type": "array", "contains": STRING, "maxContains": 0}, False, "yes", "yes"),
    ({"type": "array", "contains": {"const": 1}, "maxContains": 1, "items": {"const": 1}},
     {"maxItems": 1}, "yes", "no"),
]  # fmt: skip
COMBINED = [
    ({"allOf": [STRING]}, STRING, "yes", "yes"),
    ({"allOf": [STRING, {"minLength": 1}]}, {**STRING, "minLength": 1}, "yes", "yes"),
    ({"allOf": [{"type": "object", "additionalProperties": False}, obj(a={})]}, obj(a={}),
     "yes", "no"),
    ({"anyOf": [STRING, INTEGER]}, {"type": ["integer", "string"]}, "yes", "yes"),
    ({"oneOf": [INTEGER, {"type": "number"}]}, {"type": "number", "not": INTEGER}, "yes", "yes"),
    ({"oneOf": [{"minimum": 0}, {"maximum": 5}]}, {"anyOf": [{"minimum": 0}, {"maximum": 5}]},
     "yes", "no"),
    ({"oneOf": [STRING, STRING]}, False, "yes", "yes"),
    ({"not": {"not": STRING}}, STRING, "yes", "yes"),
    ({"not": STRING}, {"type": ["null", "boolean", "number", "array", "object"]}, "yes", "yes"),
    ({"if": STRING, "then": {"minLength": 1}}, {"anyOf": [{"not": STRING}, {"minLength": 1}]},
     "yes", "yes"),
    ({"if": STRING, "else": False}, STRING, "yes", "yes"),
    ({"then": False}, {}, "yes", "yes"),
]  # fmt: skip
UNEVALUATED = [
    ({**obj(a={}), "unevaluatedProperties": False}, {**obj(a={}), "additionalProperties": False},
     "yes", "yes"),
    ({"allOf": [obj(a={})], **obj(b={}), "unevaluatedProperties": False},
     {**obj(a={}, b={}), "additionalProperties": False}, "yes", "yes"),
    ({"anyOf": [{**obj(a=STRING), "required": ["a"]}, obj(b=INTEGER)],
      "unevaluatedProperties": False}, {"propertyNames": {"enum": ["a", "b"]}}, "yes", "no"),
    ({"if": needs("k"), "then": obj(k={}, a={}), "type": "object",
      "unevaluatedProperties": False}, {"dependentRequired": {"a": ["k"]}}, "yes", "no"),
    ({"patternProperties": {"^x": {}}, "unevaluatedProperties": False, "type": "object"},
     {"propertyNames": {"pattern": "^x"}}, "yes", "no"),
    ({"type": "array", "prefixItems": [STRING], "unevaluatedItems": False},
     {"type": "array", "prefixItems": [STRING], "items": False}, "yes", "yes"),
    ({"type": "array", "contains": STRING, "unevaluatedItems": INTEGER},
     {"type": "array", "items": {"type": ["string", "integer"]}, "contains": STRING},
     "yes", "yes"),
]  # fmt: skip
NODE = {**obj(next={"$ref": "#/$defs/node"}, v=INTEGER), "required": ["v"]}
ENDLESS = {**obj(next={"$ref": "#/$defs/node"}), "required": ["next"]}
REFERENCES = [
    ({"$ref": "#/$defs/a", "$defs": {"a": STRING}}, STRING, "yes", "yes"),
    ({"$ref": "#/definitions/a", "definitions": {"a": STRING}},
     {"$ref": "#/$defs/b", "$defs": {"b": STRING, "unused": INTEGER}}, "yes", "yes"),
    ({"$ref": "#a", "$defs": {"x": {"$anchor": "a", **STRING}}}, STRING, "yes", "yes"),
    ({"$id": "http://x.test/", "$ref": "b", "$defs": {"x": {"$id": "b", **STRING}}}, STRING,
     "yes", "yes"),
    ({"$ref": "#/$defs/a", "minLength": 1, "$defs": {"a": STRING}}, {**STRING, "minLength": 1},
     "yes", "yes"),
    ({"$ref": "#/$defs/node", "$defs": {"node": NODE}},
     {"$ref": "#/$defs/node", "$defs": {"node": {**NODE, "required": []}}}, "yes", "no"),
    ({"$ref": "#/$defs/node", "$defs": {"node": ENDLESS}}, False, "yes", "yes"),
    ({"$dynamicRef": "#n", "$defs": {"a": {"$dynamicAnchor": "n", **STRING}}}, STRING,
     "yes", "yes"),
    ({"$ref": "http://elsewhere.test/a"}, {"$ref": "http://elsewhere.test/a", "title": "t"},
     "yes", "yes"),
    ({"$ref": "http://elsewhere.test/a"}, {}, "yes", "unknown"),
]  # fmt: skip
DIALECTS = [
    (draft(DRAFT7, items=[STRING], additionalItems=False),
     draft(DRAFT2020, prefixItems=[STRING], items=False), "yes", "yes"),
    (draft(DRAFT4, minimum=0, exclusiveMinimum=True), {"exclusiveMinimum": 0}, "yes", "yes"),
    (draft(DRAFT4, const=1), {}, "yes", "yes"),
    (draft(DRAFT6, **{"if": STRING, "else": False}), {}, "yes", "yes"),
    (draft(DRAFT7, dependencies={"a": ["b"]}), {"dependentRequired": {"a": ["b"]}}, "yes", "yes"),
    (draft(DRAFT7, **{"$ref": "#/definitions/a"}, minLength=9, definitions={"a": STRING}),
     STRING, "yes", "yes"),
    (draft(DRAFT2020, **{"$ref": "#/$defs/a"}, minLength=9, **{"$defs": {"a": STRING}}),
     STRING, "yes", "no"),
    (draft(DRAFT2019, contains=STRING, unevaluatedItems=INTEGER), {"items": {"not": STRING}},
     "yes", "no"),
    (draft(DRAFT7, type="string"), draft(DRAFT2020, type="string"), "yes", "yes"),
    (draft(DRAFT2019, **{"$recursiveRef": "#"}, type="object"), {"type": "object"},
     "yes", "unknown"),
    (draft("http://example.test/own", type="object"),
     draft("http://example.test/own", type="object", title="t"), "yes", "yes"),
]  # fmt: skip

GROUPS: dict[str, list[tuple[Any, Any, str, str]]] = {
    "types": TYPES,
    "values": VALUES,
    "numbers": NUMBERS,
    "texts": TEXTS,
    "objects": OBJECTS,
    "arrays": ARRAYS,
    "combined": COMBINED,
    "unevaluated": UNEVALUATED,
    "references": REFERENCES,
    "dialects": DIALECTS,
}
ROWS = [
    pytest.param(*row, id=f"{group}-{number}")
    for group, rows in GROUPS.items()
    for number, row in enumerate(rows)
]


@pytest.mark.parametrize(("old", "new", "forward", "backward"), ROWS)
def test_keywords(old: Any, new: Any, forward: str, backward: str) -> None:
    assert asked(old, new).answer == forward
    assert asked(new, old).answer == backward
    both = Comparison(old, new, "open").equivalent().answer
    if "unknown" not in {forward, backward}:
        assert both == ("yes" if forward == backward == "yes" else "no")


def test_a_schema_that_only_draft_07_can_read_is_read_so() -> None:
    tuple_only = {"items": [STRING], "additionalItems": False}
    assert contained(tuple_only | {"type": "array"}, {"maxItems": 1}, "open").answer == "yes"
    assert contained({"maxItems": 1}, tuple_only, "open").witness == [None]


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (obj(a=STRING), obj(a=INTEGER), "/properties/a/type"),
        (obj(a={"type": "array", "items": STRING}), obj(a={"type": "array", "items": INTEGER}),
         "/properties/a/items/type"),
        (needs("a"), needs("b"), "/required"),
        (obj(**{"a/b": STRING}), obj(**{"a/b": INTEGER}), "/properties/a~1b/type"),
    ],
)  # fmt: skip
def test_a_no_says_which_keyword_refuses(old: Any, new: Any, path: str) -> None:
    assert asked(old, new).path == path


def test_an_unknown_says_what_stopped_it_and_where() -> None:
    old = obj(a={**STRING, "pattern": "^(a)\\1$"})
    answer = asked(old, obj(a={**STRING, "pattern": "^b"}) | {"minProperties": 0})
    assert answer.answer == "unknown" or answer.witness == {"a": "aa"}
    loop = asked(obj(a={"$ref": "#/$defs/x"}) | {"$defs": {"x": {"$ref": "#/$defs/x"}}}, obj(a={}))
    assert loop.answer == "yes"
    narrow = asked(obj(a={"$ref": "#/nowhere"}), obj(a=STRING))
    assert (narrow.answer, narrow.path) == ("unknown", "/properties/a")
    assert narrow.reason.startswith("$ref: ")


def test_places_within_two_schemas() -> None:
    old = {"$defs": {"a": obj(x=STRING)}, **obj(p={"$ref": "#/$defs/a"}, q=INTEGER)}
    new = obj(p=obj(x=STRING, y=STRING), q=STRING)
    same = Comparison(old, new, old_at=("properties", "p"), new_at=("properties", "p"))
    assert same.contained().answer == "yes"
    assert same.reverse().witness == {"y": ""}
    assert same.equivalent().answer == "no"
    other = Comparison(old, new, old_at=("properties", "q"), new_at=("properties", "q"))
    assert other.contained().answer == "no"
    gone = Comparison(old, new, old_at=("properties", "z"), new_at=("properties", "q"))
    assert gone.contained().reason == "nothing stands at this place"
    assert gone.contained().path == "/properties/z"


def test_what_is_no_schema_is_unknown_with_its_fault() -> None:
    malformed: list[Any] = [
        {"type": 5}, {"required": {"a": 1}}, {"minLength": None}, {"allOf": {}},
    ]  # fmt: skip
    for broken in malformed:
        answer = contained(broken, STRING)
        assert answer.answer == "unknown"
        assert answer.reason.startswith("expected")
    assert contained(None, STRING).answer == "unknown"  # type: ignore[arg-type]


def test_the_path_leads_through_references_to_where_the_keyword_stands() -> None:
    old = obj(p=obj(x=STRING))
    new = obj(p={"$ref": "#/$defs/a"}) | {
        "$defs": {"a": obj(x={"$ref": "#/$defs/b"}), "b": INTEGER}
    }
    answer = contained(old, new)
    assert (answer.witness, answer.path) == ({"p": {"x": ""}}, "/$defs/b/type")
    named = contained(obj(**{"$ref": STRING}), obj(**{"$ref": INTEGER}))
    assert named.path == "/properties/$ref/type"


def test_each_side_can_have_its_own_reading() -> None:
    promised, described = obj(a=STRING), {**obj(a=STRING, b=INTEGER), "required": []}
    reader = Comparison(promised, described, "declared", new_reading="open")
    assert reader.contained().answer == "yes"
    assert Comparison(promised, described, "open").contained().witness == {"b": None}


def test_texts_alone_make_no_difference() -> None:
    old = {**obj(a={**STRING, "title": "x", "examples": ["a"]}), "description": "old"}
    new = {**obj(a={**STRING, "description": "y", "default": ""}), "$comment": "new"}
    assert contained(old, new).answer == "yes"
    assert contained(obj(title=STRING), obj(title=INTEGER)).answer == "no"
    assert contained(obj(a={"const": {"title": "x"}}), obj(a={"const": {}})).answer == "no"
    pointed = {"$ref": "#/default", "default": STRING}
    assert contained(pointed, {**pointed, "default": INTEGER}, "open").answer == "no"
    assert contained({"enum": [1]}, {"enum": [True], "title": "t"}, "open").answer == "no"


def test_a_list_beside_a_reference_to_a_longer_one() -> None:
    longer = {"prefixItems": [True, STRING]}
    schema = {"$defs": {"a": longer}, "$ref": "#/$defs/a", "prefixItems": [STRING]}
    found = contained({}, schema, "open")
    assert found.answer == "no"
    found = contained({"type": "array", "prefixItems": [STRING], "minItems": 2}, schema)
    assert (found.answer, found.path) == ("no", "/$defs/a/prefixItems/1/type")
