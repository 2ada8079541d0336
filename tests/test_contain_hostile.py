"""Hostile schemas end in an answer, within the budget and without an exception."""

from typing import Any

import pytest

from toolsync.schema import contained

COLLIDING = 2**61 - 1  # Python hashes every multiple of it to 0


def obj(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members}


def nested(levels: int, leaf: Any) -> Any:
    schema = leaf
    for _ in range(levels):
        schema = obj(c=schema)
    return schema


def chained(levels: int, keyword: str) -> dict[str, Any]:
    """Builds definitions of which each uses the next twice: two to the power of `levels` paths."""
    definitions: dict[str, Any] = {}
    for level in range(levels):
        below = {"$ref": f"#/$defs/d{level + 1}"}
        twice = [below, {**below, "minProperties": level}]
        uses = {"properties": {"a": below, "b": below}, "required": ["a", "b"], "type": "object"}
        definitions[f"d{level}"] = uses if keyword == "properties" else {keyword: twice}
    definitions[f"d{levels}"] = {"type": "object"}
    return {"$ref": "#/$defs/d0", "$defs": definitions}


def discriminated(count: int, keyword: str) -> dict[str, Any]:
    return {keyword: [obj(k={"const": number}) | {"required": ["k"]} for number in range(count)]}


PAIRS = {
    "self": ({"$ref": "#"}, {"type": "object"}),
    "two": (
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        obj(),
    ),
    "loop under allOf": ({"allOf": [{"$ref": "#"}]}, obj()),
    "loop under not": ({"not": {"$ref": "#"}}, obj()),
    "loop unevaluated": ({"anyOf": [{"$ref": "#"}], "unevaluatedProperties": False}, obj()),
    "laughs allOf": (chained(40, "allOf"), obj(a={})),
    "laughs anyOf": (chained(40, "anyOf"), obj(a={})),
    "laughs oneOf": (chained(12, "oneOf"), obj(a={})),
    "laughs properties": (chained(40, "properties"), {"type": "object", "maxProperties": 1}),
    "branches": (
        {"anyOf": [{"const": number} for number in range(100_000)]},
        {"anyOf": [{"const": number} for number in range(99_999)]},
    ),
    "discriminated": (discriminated(300, "anyOf"), discriminated(299, "oneOf")),
    "overlapping": (
        {"oneOf": [{"minProperties": number} for number in range(60)]},
        {"oneOf": [{"maxProperties": number} for number in range(60)]},
    ),
    "members": (
        obj(**{f"p{number}": {} for number in range(100_000)}),
        obj(**{f"p{number}": {} for number in range(99_999)}),
    ),
    "colliding": (
        obj(a={"enum": [COLLIDING * number for number in range(20_000)]}),
        obj(a={"enum": [COLLIDING * number for number in range(19_999)]}),
    ),
    "bad patterns": (obj(a={"pattern": "(("}), obj(a={"pattern": "[a"})),
    "slow pattern": (obj(a={"pattern": "^(a+)+$", "minLength": 40}), obj(a={"pattern": "b"})),
    "look-behind": (obj(a={"pattern": "(?<=a)(b+)+$"}), obj(a={"pattern": "(?<=a)(b*)*$"})),
    "deep": (nested(120, {"type": "string"}), nested(120, {"type": "integer"})),
    "deeper": (nested(2_000, {"type": "string"}), nested(2_000, {"type": "integer"})),
    "satisfiability": (
        {
            "type": "object",
            "allOf": [
                {"anyOf": [{"required": [f"{(i * j) % 23}"]}, {"required": [f"n{(i + j) % 23}"]}]}
                for i in range(10)
                for j in range(1, 8)
            ]
            + [{"not": {"required": [f"{i}", f"n{i}"]}} for i in range(23)],
        },
        {"minProperties": 40},
    ),
    "long integer": (obj(a={"const": 10**5_000}), obj(a={"const": 10**5_000 + 1})),
    "tiny step": ({"type": "number", "multipleOf": 1e-300}, {"multipleOf": 3e-300}),
    "huge counts": (
        {"minItems": 10**9, "minLength": 10**9, "minProperties": 10**9},
        {"minItems": 10**9 + 1, "minLength": 10**9 + 1, "minProperties": 10**9 + 1},
    ),
    "exploding patterns": (
        {"type": "string", "pattern": "(a|b)*a(a|b){14}"},
        {"type": "string", "pattern": "^(a{1,1000}){1,1000}$"},
    ),
    "no schema": ({"type": 5, "properties": 3, "anyOf": "x"}, {"allOf": {}, "required": "abc"}),
    "odd values": ({"enum": [float("nan")]}, {"const": float("inf")}),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("reading", ["declared", "open"])
def test_an_answer_and_no_exception(name: str, reading: Any) -> None:
    old, new = PAIRS[name]
    for left, right in ((old, new), (new, old)):
        answer = contained(left, right, reading)
        assert answer.answer in {"yes", "no", "unknown"}
        assert answer.answer != "unknown" or answer.reason


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("self", "leads back to itself"),
        ("branches", "too large"),
        ("members", "too large"),
        ("deeper", "too deeply"),
        ("bad patterns", "pattern: "),
        ("look-behind", "look-behind"),
    ],
)
def test_the_limit_is_named(name: str, reason: str) -> None:
    answer = contained(*PAIRS[name])
    assert answer.answer == "unknown"
    assert reason in answer.reason


def test_recursion_without_end_has_no_values() -> None:
    endless = {"$ref": "#/$defs/n", "$defs": {"n": obj(n={"$ref": "#/$defs/n"})}}
    endless["$defs"]["n"]["required"] = ["n"]  # type: ignore[index]
    assert contained(endless, {"not": {}}, "open").answer == "yes"
    assert contained({"type": "object"}, endless).witness == {}
