"""Which schemas and tools are unusable, where the fault lies, and that finding out is cheap."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import toolsync.schema
from toolsync.schema.dialect import Dialect
from toolsync.schema.validity import (
    SchemaFault,
    fault,
    faults,
    reading_dialect,
    tool_fault,
    tool_faults,
)

FOLDER = Path(toolsync.schema.__file__).parent
OBJECT = {"type": "object"}
NAMED = OBJECT | {"$schema": Dialect.DRAFT2020.uri}


def tool(schema: object = OBJECT, **fields: Any) -> dict[str, Any]:
    return {"name": "t", "inputSchema": schema, **fields}


def told(schema: object, **named: Any) -> list[str]:
    return [f"{each.path}: {each.reason}" for each in faults(schema, **named)]


@pytest.mark.parametrize(
    "schema",
    [
        OBJECT,
        {"type": "object", "properties": {"type": {"type": "string"}, "$ref": {}, "required": {}}},
        {"type": "object", "properties": {"a": {"pattern": "^\\p{L}+$"}}},
        {"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {"minProperties": 1}}},
        {"type": "object", "required": [], "anyOf": [{}], "x-own": {"type": "nonsense"}},
        {"type": "object", "enum": [1, 1, True]},
        {"type": "object", "minProperties": 1.0, "maxProperties": 10**400},
        {"type": "object", "$ref": "#"},
    ],
)
def test_usable_schemas(schema: object) -> None:
    assert fault(schema) is None
    assert faults(schema) == ()


@pytest.mark.parametrize(
    ("schema", "path", "said"),
    [
        ({}, "", 'expected "type": "object" at the root, got no "type"; add it'),
        ({"type": "string"}, "/type", 'expected "type": "object" at the root, got "string"'),
        ({"type": ["object"]}, "/type", "got an array"),
        ({"$ref": "#/$defs/a", "$defs": {"a": OBJECT}}, "", 'got no "type"'),
        (True, "", 'expected an object with "type": "object", got true'),
        (None, "", "got null"),
        (OBJECT | {"properties": {"a": {"minimum": "5"}}}, "/properties/a/minimum", 'got "5"'),
        (OBJECT | {"properties": {"a": 5}}, "/properties/a", "expected a schema"),
        (OBJECT | {"properties": {"a/b~": 5}}, "/properties/a~1b~0", "expected a schema"),
        (OBJECT | {"properties": []}, "/properties", "got an array"),
        (OBJECT | {"required": "a"}, "/required", 'got "a"'),
        (OBJECT | {"required": ["a", 5]}, "/required/1", "expected a property name, got 5"),
        (OBJECT | {"required": ["a", "a"]}, "/required/1", 'got "a" twice'),
        (OBJECT | {"allOf": []}, "/allOf", "at least one schema"),
        (OBJECT | {"anyOf": [{}, {"type": "int"}]}, "/anyOf/1/type", 'got "int"'),
        (NAMED | {"dependentRequired": {"a": [1]}}, "/dependentRequired/a/0", "got 1"),
        (OBJECT | {"multipleOf": 0}, "/multipleOf", "expected a number above 0, got 0"),
        (OBJECT | {"minLength": True}, "/minLength", "got true"),
        (OBJECT | {"maxLength": -(10**400)}, "/maxLength", "got a very small number"),
        (OBJECT | {"$schema": 7}, "/$schema", "expected a string, got 7"),
        (OBJECT | {"$ref": "#/$defs/a"}, "/$ref", 'got no "$defs" in the document'),
        (OBJECT | {"$ref": 5}, "/$ref", "expected a reference as a string, got 5"),
        (OBJECT | {"not": {"$ref": "http://h/x"}}, "/not/$ref", "nothing is fetched"),
        (OBJECT | {"$dynamicRef": "#x"}, "/$dynamicRef", "nothing is fetched"),
        (OBJECT | {"pattern": "("}, "/pattern", "an ECMA-262 regular expression"),
        (OBJECT | {"patternProperties": {"a)": {}}}, "/patternProperties/a)", "closes nothing"),
        (OBJECT | {"title": "x", "description": ["\x1b"]}, "/description", "got an array"),
        (OBJECT | {"format": None}, "/format", "expected a string, got null"),
    ],
)
def test_unusable_schemas_say_where_and_why(schema: object, path: str, said: str) -> None:
    found = fault(schema)
    assert found is not None
    assert (found.path, said in found.reason) == (path, True), found
    assert found in faults(schema)
    assert found.reason.isprintable()


def test_every_fault_is_told_up_to_the_limit() -> None:
    schema = OBJECT | {
        "properties": {"a": {"type": 5, "pattern": "["}, "b": {"$ref": "#/nowhere"}},
        "$defs": {"c": {"enum": 5}},
    }
    assert [each.path for each in faults(schema)] == [
        *("/$defs/c/enum", "/properties/a/pattern", "/properties/a/type", "/properties/b/$ref")
    ]
    many = OBJECT | {"properties": {f"p{index}": 5 for index in range(1_000)}}
    assert len(faults(many)) == 100
    assert len(faults(many, limit=3)) == 3


def test_what_a_reference_leads_to_is_a_schema_wherever_it_stands() -> None:
    schema = OBJECT | {"$ref": "#/x/a", "x": {"a": {"$ref": "#/x/b"}, "b": {"type": "int"}, "c": 5}}
    assert [each.path for each in faults(schema)] == ["/x/b/type"]


def test_references_inside_embedded_resources_stay_inside() -> None:
    inner = {"$id": "http://h/inner", "$ref": "#/$defs/a", "$defs": {"a": {}}}
    assert faults(OBJECT | {"properties": {"p": inner}}) == ()
    lost = {"$id": "http://h/inner", "$ref": "#/$defs/b", "$defs": {"a": {}}}
    said = told(OBJECT | {"properties": {"p": lost}, "$defs": {"b": {}}})
    assert len(said) == 1
    assert said[0].endswith('got no "b" in "/properties/p/$defs"')


@pytest.mark.parametrize(
    ("schema", "dialect"),
    [
        ({}, Dialect.DRAFT2020),
        ({"items": [{}]}, Dialect.DRAFT7),
        ({"definitions": {"a": {"$id": "#a"}}, "$ref": "#a"}, Dialect.DRAFT7),
        ({"items": [{}], "type": "nonsense"}, Dialect.DRAFT2020),
        ({"$schema": Dialect.DRAFT4.uri}, Dialect.DRAFT4),
        ({"$schema": Dialect.DRAFT2020.uri, "items": [{}]}, Dialect.DRAFT2020),
        ({"$schema": "http://example.com/own"}, Dialect.DRAFT2020),
        ({"$schema": "http://json-schema.org/schema#", "items": [{}]}, Dialect.DRAFT7),
        (True, Dialect.DRAFT2020),
    ],
)
def test_the_dialect_in_which_a_schema_is_read(schema: object, dialect: Dialect) -> None:
    assert reading_dialect(schema) is dialect


def test_guessing_draft_07_does_not_hide_what_is_referred_to() -> None:
    # Draft-07 knows no $defs; but what a reference leads to is judged all the same.
    schema = OBJECT | {"$ref": "#/$defs/a", "$defs": {"a": {"type": "strng"}}}
    assert reading_dialect(schema) is Dialect.DRAFT7
    assert [each.path for each in faults(schema)] == ["/$defs/a/type"]
    assert faults(OBJECT | {"$defs": {"a": {"type": "strng"}}}) == ()


def test_an_array_of_items_is_no_2020_12() -> None:
    expected = "expected a schema (an array of them is spelled prefixItems), got an array (2020-12)"
    assert told(NAMED | {"items": [{}]}) == [f"/items: {expected}"]
    assert faults({"type": "object", "items": [{}]}) == ()


def test_tools_are_judged_whole() -> None:
    bad = tool(
        {"type": "object", "properties": {"a": {"minimum": "5"}}},
        outputSchema={"type": "objekt"},
        annotations={"readOnlyHint": "yes", "openWorldHint": None, "title": 5, "otherHint": 5},
    )
    assert [each.path for each in tool_faults(bad)] == [
        "/annotations/openWorldHint",
        "/annotations/readOnlyHint",
        "/inputSchema/properties/a/minimum",
        "/outputSchema/type",
    ]
    assert tool_fault(bad) == SchemaFault(
        "/annotations/readOnlyHint",
        'expected true or false, got "yes"; leave it out for the default',
    )


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"outputSchema": None, "annotations": None},
        {"outputSchema": {"type": "string"}, "annotations": {"readOnlyHint": True}},
        {"outputSchema": {}},
    ],
)
def test_usable_tools(fields: dict[str, Any]) -> None:
    assert tool_fault(tool(**fields)) is None
    assert tool_faults(tool(**fields)) == ()


def colliding(count: int) -> list[int]:
    """Integers that all have one hash in Python."""
    return [index * (2**61 - 1) for index in range(count)]


def test_great_width_and_depth_are_survived() -> None:
    deep: dict[str, Any] = {}
    for _ in range(1_000):
        deep = {"properties": {"a": deep}}
    assert fault(OBJECT | deep) is None
    assert fault(OBJECT | {"properties": {f"p{index}": {} for index in range(100_000)}}) is None
    assert fault(OBJECT | {"anyOf": [{"const": index} for index in range(100_000)]}) is None
    chain = {f"a{index}": {"$ref": f"#/$defs/a{index + 1}"} for index in range(5_000)}
    assert fault(OBJECT | {"$ref": "#/$defs/a0", "$defs": chain | {"a5000": {}}}) is None


@pytest.mark.parametrize("dialect", [Dialect.DRAFT4, Dialect.DRAFT2020])
def test_numbers_chosen_to_collide_cost_nothing_special(dialect: Dialect) -> None:
    schema = OBJECT | {"$schema": dialect.uri, "enum": colliding(50_000)}
    assert fault(schema) is None
    assert fault(schema | {"enum": [[each] for each in colliding(20_000)]}) is None
    again = fault(schema | {"enum": [*colliding(1_000), 0.0]})
    assert (again is not None) is (dialect is Dialect.DRAFT4)


def test_circular_objects_end() -> None:
    circular: dict[str, Any] = {"type": "object"}
    circular["anyOf"] = [circular, circular]
    found = fault(circular)
    assert found is not None
    assert "expected at most 2000 levels" in found.reason


def test_every_real_tool_that_jsonschema_accepts_is_accepted(shared: Path) -> None:
    checked = 0
    for path in sorted(shared.glob("corpus/*/*.json"))[::5]:
        for each in json.loads(path.read_bytes())["tools"]:
            found = tool_fault(each)
            if each["inputSchema"] is None:
                assert found is not None
                continue
            assert found is None, (path.name, each["name"], found)
            checked += 1
            if checked % 20 == 0:  # milliseconds each
                chosen = jsonschema.validators.validator_for(each["inputSchema"])
                chosen.check_schema(each["inputSchema"])
    assert checked > 1_000


def test_handed_reports_of_invalid_tools(shared: Path) -> None:
    seen = 0
    for path in sorted(shared.glob("cases/reports/*/expected.json")):
        verdicts = json.loads(path.read_bytes()).get("verdict")
        new = path.with_name("new.json")
        if not isinstance(verdicts, dict) or not new.exists():
            continue
        for each in json.loads(new.read_bytes())["tools"]:
            # What is malformed already (a name, an inputSchema of null) is seen elsewhere.
            well_formed = isinstance(each, dict) and isinstance(each.get("inputSchema"), dict)
            verdict = verdicts.get(each["name"], {}) if well_formed else {}
            if "paths" in verdict and verdict["class"] == "invalid":
                found = tool_fault(each)
                assert found is not None
                assert any(
                    at.startswith(found.path) or found.path.startswith(at)
                    for at in verdict["paths"]
                ), found
                seen += 1
    assert seen >= 4


def test_no_validator_is_loaded() -> None:
    # Past the package's own import, which brings the containment engine.
    code = (
        "import sys, types; package = types.ModuleType('toolsync.schema');"
        f"package.__path__ = [{str(FOLDER)!r}]; sys.modules['toolsync.schema'] = package;"
        "import toolsync.schema.doubt, toolsync.schema.validity as v; v.fault({'pattern': 'a'});"
        "print([m for m in ('jsonschema', 'referencing', 'rich', 'typer')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
