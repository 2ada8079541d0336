"""Random input schemas with everything that counts at the root of one, and one edit of each."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any]
NAMES = ["a", "b", "c", "x"]
STRING = {"type": "string"}
LEAVES: list[Any] = [
    STRING,
    {"type": "integer"},
    {"type": ["string", "null"]},
    {"enum": ["a", "b"]},
    {"const": "a"},
    {},
    True,
    False,
    {"type": "object"},
    {"type": "array", "items": STRING},
    {"type": "string", "maxLength": 3},
    {"$ref": "#/$defs/D"},
    {"type": "object", "properties": {"x": STRING}},
    {"type": "object", "additionalProperties": STRING},
]
RARE: dict[str, list[Any]] = {
    "unevaluatedProperties": [True, False],
    "patternProperties": [{"^a": STRING}, {"^z": {"const": "a"}}],
    "minProperties": [0, 1, 2],
    "maxProperties": [1, 2, 3],
    "dependentRequired": [{"a": ["b"]}, {"c": ["x"]}],
    "propertyNames": [{"maxLength": 2}],
    "$ref": ["#/$defs/E"],
}


def leaf(random: Random) -> Any:
    return copy.deepcopy(random.choice(LEAVES))


def part(random: Random, depth: int = 0) -> Schema:
    """Makes what an object may say, without its type."""
    made: Schema = {}
    if random.random() < 0.8:
        made["properties"] = {n: leaf(random) for n in random.sample(NAMES, random.randint(0, 3))}
    if random.random() < 0.4:
        made["required"] = random.sample(NAMES, random.randint(0, 2))
    if random.random() < 0.35:
        made["additionalProperties"] = random.choice([True, False, dict(STRING), {}])
    for keyword, values in RARE.items():
        if random.random() < 0.08:
            made[keyword] = copy.deepcopy(random.choice(values))
    if depth < 2:
        made |= _branches(random, depth)
    return made


def _branches(random: Random, depth: int) -> Schema:
    made: Schema = {}
    for keyword in ("allOf", "anyOf", "oneOf"):
        if random.random() < 0.1:
            made[keyword] = [part(random, depth + 1) for _ in range(random.randint(1, 2))]
    if random.random() < 0.05:
        made["not"] = part(random, 2)
    if random.random() < 0.05:
        made |= {"if": part(random, 2), "then": part(random, 2)}
    return made


def _nodes(schema: Any) -> Iterator[Schema]:
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword, value in schema.items():
        if keyword in ("properties", "$defs", "patternProperties"):
            parts = list(value.values())
        elif keyword in ("allOf", "anyOf", "oneOf"):
            parts = value
        else:
            parts = [value] if keyword in ("not", "if", "then", "additionalProperties") else []
        for inner in parts:
            yield from _nodes(inner)


def edited(random: Random, schema: Schema) -> Schema:
    """Returns a copy with one to three places of it changed."""
    made = copy.deepcopy(schema)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        _edit(random, random.choice(list(_nodes(made))))
    return made


def _edit(random: Random, node: Schema) -> None:
    choice = random.random()
    donor = part(random, 1) if "properties" in node or random.random() < 0.5 else leaf(random)
    droppable = sorted(set(node) - {"$defs", "type"})
    if choice < 0.35 and isinstance(donor, dict) and donor:
        word = random.choice(sorted(donor))
        node[word] = donor[word]
    elif choice < 0.55 and droppable:
        del node[random.choice(droppable)]
    elif "properties" in node:
        name = random.choice([*NAMES, "new"])
        if name in node["properties"]:
            del node["properties"][name]
        else:
            node["properties"][name] = leaf(random)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Schema, Schema]:
    """Draws an object schema and an edit of it."""
    random = draw(st.randoms(use_true_random=False))
    pool = {"D": leaf(random), "E": part(random, 2)}
    schema = {"type": "object", **part(random), "$defs": pool}
    return schema, edited(random, schema)
