"""Random schemas, and the same wider, narrower or said in another way."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Schema = Any
NAMES = ["a", "b", "ab"]
PATTERNS = ["^a", "b$", "^[ab]+$", "c", "^.$", "^(?=a).*b"]

values = st.recursive(
    st.none()
    | st.booleans()
    | st.sampled_from([0, 1, 2, 3, -1, 5, 0.5, 1.5, 1.0, "", "a", "b", "ab", "abc", "aa"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=4,
)


def _some(draw: st.DrawFn, choices: dict[str, st.SearchStrategy[Any]]) -> dict[str, Any]:
    kept = draw(st.lists(st.sampled_from(sorted(choices)), max_size=3, unique=True))
    return {keyword: draw(choices[keyword]) for keyword in kept}


@st.composite
def simple(draw: st.DrawFn) -> Schema:
    kind = draw(st.sampled_from(["integer", "number", "string", "null", "any", "enum", "types"]))
    small = st.integers(0, 3)
    if kind in {"integer", "number"}:
        bounds = st.sampled_from([0, 1, 2, 3, 5, 0.5])
        steps = st.sampled_from([1, 2, 3, 0.5])
        keywords = {"minimum": bounds, "maximum": bounds, "exclusiveMinimum": bounds,
                    "multipleOf": steps}  # fmt: skip
        return {"type": kind, **_some(draw, keywords)}
    if kind == "string":
        keywords = {"minLength": small, "maxLength": small, "pattern": st.sampled_from(PATTERNS)}
        return {"type": kind, **_some(draw, keywords)}
    if kind == "enum":
        return {"enum": draw(st.lists(values, min_size=1, max_size=3))}
    if kind == "types":
        return {"type": draw(st.sampled_from([["string", "null"], ["array", "object"]]))}
    return {} if kind == "any" else {"type": kind}


CLOSED = st.just(False)  # noqa: FBT003 - a schema


def _object_keywords(inner: st.SearchStrategy[Schema]) -> dict[str, st.SearchStrategy[Any]]:
    members = st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)
    return {
        "properties": members,
        "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
        "additionalProperties": inner | CLOSED,
        "patternProperties": st.dictionaries(st.sampled_from(PATTERNS), inner, max_size=1),
        "propertyNames": st.sampled_from([{"maxLength": 1}, {"pattern": "^a"}, {"enum": ["a"]}]),
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(0, 2),
        "dependentRequired": st.just({"a": ["b"]}),
        "dependentSchemas": members,
        "unevaluatedProperties": inner | CLOSED,
        "anyOf": st.lists(inner, min_size=1, max_size=2),
    }


def _array_keywords(inner: st.SearchStrategy[Schema]) -> dict[str, st.SearchStrategy[Any]]:
    small = st.integers(0, 2)
    return {
        "items": inner,
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "contains": inner,
        "minContains": small,
        "maxContains": small,
        "minItems": small,
        "maxItems": small,
        "uniqueItems": st.booleans(),
        "unevaluatedItems": inner | CLOSED,
        "allOf": st.lists(inner, min_size=1, max_size=2),
    }


def _combining_keywords(inner: st.SearchStrategy[Schema]) -> dict[str, st.SearchStrategy[Any]]:
    listed = dict.fromkeys(("anyOf", "allOf", "oneOf"), st.lists(inner, min_size=1, max_size=2))
    return {**listed, **dict.fromkeys(("not", "if", "then", "else"), inner)}


def _compound(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    kinds = [
        ("object", _object_keywords(inner)),
        ("array", _array_keywords(inner)),
        (None, _combining_keywords(inner)),
    ]

    @st.composite
    def made(draw: st.DrawFn) -> Schema:
        kind, keywords = draw(st.sampled_from(kinds))
        return {**({"type": kind} if kind else {}), **_some(draw, keywords)}

    return made()


schemas = st.recursive(simple(), _compound, max_leaves=6)

Rewriting = Callable[[st.DrawFn, Schema], Schema]


def _wider(draw: st.DrawFn, schema: Schema) -> Schema:
    ways: list[Schema] = [{"anyOf": [schema, draw(schemas)]}]
    droppable = {"minimum", "maximum", "minLength", "maxLength", "pattern", "required", "type",
                 "minItems", "maxItems", "uniqueItems", "multipleOf", "not", "propertyNames",
                 "minProperties", "maxProperties", "dependentRequired"}  # fmt: skip
    ways += [
        {name: value for name, value in schema.items() if name != keyword}
        for keyword in sorted(droppable.intersection(schema))
    ]
    if "enum" in schema:
        ways.append({**schema, "enum": [*schema["enum"], draw(values)]})
    return draw(st.sampled_from(ways))


def _narrower(draw: st.DrawFn, schema: Schema) -> Schema:
    ways: list[Schema] = [{"allOf": [schema, draw(schemas)]}]
    limits = (("minLength", 4), ("maximum", -1), ("maxItems", 0), ("maxLength", 0))
    ways += [{**schema, keyword: value} for keyword, value in limits if keyword not in schema]
    ways.append({**schema, "required": [*schema.get("required", ()), "zz"]})
    return draw(st.sampled_from(ways))


def _rewritten(draw: st.DrawFn, schema: Schema) -> Schema:
    ways: list[Schema] = [
        {"allOf": [schema]},
        {"anyOf": [schema, schema]},
        {"not": {"not": schema}},
        {"$ref": "#/$defs/s", "$defs": {"s": schema}},
        {**schema, "title": "t", "x-own": {"type": "null"}},
        {"if": schema, "else": False},
        {"oneOf": [schema, False]},
    ]
    return draw(st.sampled_from(ways))


@st.composite
def related(draw: st.DrawFn) -> tuple[str, Schema, Schema]:
    """Draws a schema and another that is "wider", "narrower", "same" or "any" beside it."""
    schema = draw(schemas)
    ways: dict[str, Rewriting] = {"wider": _wider, "narrower": _narrower, "same": _rewritten}
    relation = draw(st.sampled_from([*ways, "any"]))
    other = draw(schemas) if relation == "any" else ways[relation](draw, schema)
    return relation, schema, other
