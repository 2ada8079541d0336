"""The table of keyword shapes, held against `jsonschema`'s meta-schema check of each dialect.

Deviations, on purpose, and kept out of what is generated:

- Patterns are ECMA-262's (test_pattern.py); jsonschema's `regex` format is Python's, which
  refuses `\\p{L}` and takes `(?P<n>a)`. Other formats hang on what else is installed.
- Draft-04 as jsonschema reads it takes `1.0` for no integer. Here it is one: `1` and `1.0`
  have one digest, and equal digests must not have two verdicts.
- Draft-04's meta-schema lets `$ref` be anything; here it must be a string that resolves.
- Python's `$` allows a line feed after an `$anchor`; here the name ends where it ends.
- The target of a reference is judged as a schema wherever it stands.
"""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolsync.schema.dialect import Dialect
from toolsync.schema.validity import faults

VALIDATORS = {
    Dialect.DRAFT4: jsonschema.Draft4Validator,
    Dialect.DRAFT6: jsonschema.Draft6Validator,
    Dialect.DRAFT7: jsonschema.Draft7Validator,
    Dialect.DRAFT2019: jsonschema.Draft201909Validator,
    Dialect.DRAFT2020: jsonschema.Draft202012Validator,
}
NO_FORMATS = jsonschema.FormatChecker(formats=())


def accepted_by_jsonschema(schema: object, dialect: Dialect) -> bool:
    try:
        VALIDATORS[dialect].check_schema(schema, format_checker=NO_FORMATS)
    except jsonschema.SchemaError:
        return False
    return True


NAMES = st.sampled_from(["a", "b", "type", "$ref", "properties", "", "x/y", "é"])
TYPES = st.sampled_from(
    ["array", "boolean", "integer", "null", "number", "object", "string", "int", "Object", ""]
)
NUMBERS = st.sampled_from([0, 1, -1, 2, 0.5, -0.5, 2**64, -(2**64)])
PLAIN = st.one_of(st.none(), st.booleans(), NUMBERS, NAMES)
DATA = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=5,
)
NAME_LISTS = st.lists(NAMES, max_size=3) | st.lists(PLAIN, max_size=2)
ANCHORS = st.sampled_from(["a", "_a", "a:b", "1a", "", "a b", "-"]) | PLAIN
IDS = st.sampled_from(["", "x", "#", "x#", "#x", "http://x.y/z", "http://x.y/z#a"]) | PLAIN

LEAVES: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(["title", "description", "format", "$comment", "contentEncoding"], PLAIN),
    **dict.fromkeys(["minLength", "maxItems", "minProperties", "minContains", "multipleOf"], PLAIN),
    **dict.fromkeys(["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"], PLAIN),
    **dict.fromkeys(["uniqueItems", "readOnly", "writeOnly", "deprecated"], PLAIN),
    **dict.fromkeys(["default", "const", "x-unknown"], DATA),
    **dict.fromkeys(["enum", "examples"], st.lists(DATA, max_size=4) | PLAIN),
    "type": TYPES | st.lists(TYPES, max_size=3) | PLAIN,
    "required": NAME_LISTS | PLAIN,
    "dependentRequired": st.dictionaries(NAMES, NAME_LISTS | PLAIN, max_size=2) | PLAIN,
    "$anchor": ANCHORS,
    "$dynamicAnchor": ANCHORS,
    "$recursiveAnchor": ANCHORS,
    "$vocabulary": st.dictionaries(NAMES, PLAIN, max_size=2) | PLAIN,
    "pattern": st.sampled_from(["", "a+", "^x$"]) | PLAIN.filter(lambda it: it != "x/y"),
}
SINGLES = [
    *("additionalProperties", "additionalItems", "items", "not", "contains", "propertyNames"),
    *("if", "then", "else", "unevaluatedProperties", "unevaluatedItems", "contentSchema"),
]
MAPS = ["properties", "patternProperties", "definitions", "$defs", "dependentSchemas"]
LISTS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"]


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    child = inner | st.booleans() | PLAIN
    members = st.dictionaries(NAMES, child, max_size=2)
    holders = {
        **dict.fromkeys(SINGLES, child),
        **dict.fromkeys(MAPS, members | PLAIN),
        **dict.fromkeys(LISTS, st.lists(child, max_size=2) | PLAIN),
        "items": child | st.lists(child, max_size=2),
        "dependencies": st.dictionaries(NAMES, child | NAME_LISTS, max_size=2) | PLAIN,
    }
    some = st.sampled_from(sorted({*LEAVES, *holders}))
    pairs = some.flatmap(lambda name: st.tuples(st.just(name), {**LEAVES, **holders}[name]))
    return st.lists(pairs, max_size=4).map(dict)


SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.recursive(st.just({}), keywords, max_leaves=4)


@pytest.mark.parametrize("dialect", Dialect, ids=lambda each: each.label)
@given(schema=SCHEMAS)
@example(schema={"enum": [1, True, [1], [True], {"a": 1}, {"a": True}]})
@example(schema={"enum": [[1, "2"], [1, "2"]]})
@example(schema={"dependencies": {"a": ["b", "b"]}})
@example(schema={"exclusiveMaximum": True, "maximum": 5})
@example(schema={"items": []})
@example(schema={"properties": {"a": {"exclusiveMaximum": True}}})
@example(schema={"properties": {"a": {"minLength": -1}, "b": {"x": 1, "not": 5}}})
def test_agrees_with_the_meta_schema(dialect: Dialect, schema: dict[str, Any]) -> None:
    dialected = {**schema, "$schema": dialect.uri}
    expected = accepted_by_jsonschema(dialected, dialect)
    found = faults(dialected, root_object=False)
    assert (not found) is expected, found


@given(schema=SCHEMAS)
def test_agrees_without_a_named_dialect(schema: dict[str, Any]) -> None:
    expected = accepted_by_jsonschema(schema, Dialect.DRAFT2020)
    expected = expected or accepted_by_jsonschema(schema, Dialect.DRAFT7)
    assert (not faults(schema, root_object=False)) is expected


@pytest.mark.parametrize("dialect", Dialect, ids=lambda each: each.label)
def test_boolean_schemas_came_with_draft_06(dialect: Dialect) -> None:
    schema = {"$schema": dialect.uri, "not": True}
    assert (not faults(schema, root_object=False)) is accepted_by_jsonschema(schema, dialect)
    assert bool(faults(schema, root_object=False)) is (dialect is Dialect.DRAFT4)


@pytest.mark.parametrize("dialect", Dialect, ids=lambda each: each.label)
def test_each_meta_schema_is_valid_in_its_own_dialect(dialect: Dialect) -> None:
    meta = VALIDATORS[dialect].META_SCHEMA
    # The two newest spread over several documents, which are not fetched.
    outside = {each.reason for each in faults(meta, root_object=False)}
    assert all("nothing is fetched" in reason for reason in outside)
    assert bool(outside) is not dialect.legacy
