"""Which dialect a schema is read in, and where its subschemas stand."""

from __future__ import annotations

import pytest

from toolsync.schema.dialect import Dialect, dialect_of, subschemas


@pytest.mark.parametrize(
    ("named", "dialect"),
    [
        ("http://json-schema.org/draft-04/schema#", Dialect.DRAFT4),
        ("http://json-schema.org/draft-06/schema#", Dialect.DRAFT6),
        ("http://json-schema.org/draft-07/schema#", Dialect.DRAFT7),
        ("http://json-schema.org/draft-07/schema", Dialect.DRAFT7),
        ("https://json-schema.org/draft-07/schema#", Dialect.DRAFT7),
        ("https://json-schema.org/draft/2019-09/schema", Dialect.DRAFT2019),
        ("https://json-schema.org/draft/2020-12/schema", Dialect.DRAFT2020),
        ("https://json-schema.org/draft/2020-12/schema#", Dialect.DRAFT2020),
        ("http://json-schema.org/schema#", None),
        ("http://json-schema.org/draft-03/schema#", None),
        ("ftp://json-schema.org/draft-07/schema#", None),
        ("json-schema.org/draft-07/schema", None),
        ("https://example.com/own", None),
        ("", None),
        (7, None),
        (None, None),
    ],
)
def test_the_schema_keyword_names_the_dialect(named: object, dialect: Dialect | None) -> None:
    assert dialect_of({"$schema": named}) is dialect


@pytest.mark.parametrize("schema", [{}, True, False, {"type": "object"}])
def test_without_a_name_it_is_2020_12(schema: object) -> None:
    assert dialect_of(schema) is Dialect.DRAFT2020


@pytest.mark.parametrize("dialect", Dialect)
def test_a_dialect_is_known_by_its_own_uri(dialect: Dialect) -> None:
    assert dialect_of({"$schema": dialect.uri}) is dialect


def test_dialects_are_told_apart_by_what_matters() -> None:
    assert [each.label for each in Dialect] == [
        *("draft-04", "draft-06", "draft-07", "2019-09", "2020-12")
    ]
    assert [each.legacy for each in Dialect] == [True, True, True, False, False]
    assert [each.id_keyword for each in Dialect] == ["id", "$id", "$id", "$id", "$id"]


def places(schema: object, dialect: Dialect) -> set[str]:
    return {"/".join(steps) for steps, _ in subschemas(schema, dialect)}


EVERYWHERE = {
    "properties": {"a": {}, "b": True, "not": {}, "bad": 5},
    "patternProperties": {"^x": {}},
    "definitions": {"d": {}},
    "$defs": {"d": {}},
    "dependentSchemas": {"a": {}},
    "dependencies": {"a": {}, "b": ["a"]},
    "allOf": [{}, True],
    "prefixItems": [{}],
    "items": {},
    "additionalItems": {},
    "additionalProperties": False,
    "contains": {},
    "if": {},
    "contentSchema": {},
    "unevaluatedItems": {},
    "const": {"properties": {"no": {}}},
    "default": {"not": {}},
    "enum": [{"not": {}}],
}
OLDEST = {
    *("properties/a", "properties/b", "properties/not", "patternProperties/^x", "definitions/d"),
    *("dependencies/a", "allOf/0", "allOf/1", "items", "additionalItems", "additionalProperties"),
}
NEWEST = {"$defs/d", "dependentSchemas/a", "contentSchema", "unevaluatedItems"}


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        (Dialect.DRAFT4, OLDEST),
        (Dialect.DRAFT6, OLDEST | {"contains"}),
        (Dialect.DRAFT7, OLDEST | {"contains", "if"}),
        (Dialect.DRAFT2019, OLDEST | NEWEST | {"contains", "if"}),
        (
            Dialect.DRAFT2020,
            (OLDEST | NEWEST | {"contains", "if", "prefixItems/0"}) - {"additionalItems"},
        ),
    ],
)
def test_subschemas_stand_where_the_dialect_puts_them(dialect: Dialect, expected: set[str]) -> None:
    assert places(EVERYWHERE, dialect) == expected


def test_a_list_of_items_holds_schemas_until_2019() -> None:
    schema: dict[str, object] = {"items": [{}, {}]}
    assert places(schema, Dialect.DRAFT2019) == {"items/0", "items/1"}
    assert places(schema, Dialect.DRAFT2020) == set()


@pytest.mark.parametrize("schema", [True, None, 5, "x", [{}], {"properties": []}, {"allOf": {}}])
def test_what_holds_no_subschema_yields_none(schema: object) -> None:
    assert list(subschemas(schema, Dialect.DRAFT2020)) == []


def test_a_subschema_comes_as_it_stands() -> None:
    child = {"type": "string"}
    assert list(subschemas({"properties": {"a/b": child}}, Dialect.DRAFT7)) == [
        (("properties", "a/b"), child)
    ]
