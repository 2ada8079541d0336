"""What is bounded beforehand: a real validator's steps, and what one diff may cost altogether."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from toolsync import Catalog, diff
from toolsync.allowance import BASE, EACH, LATER, MANY, Allowance
from toolsync.classify import findings
from toolsync.schema import contained
from toolsync.schema.language.backtracking import MAX_STEPS, strain
from toolsync.schema.proof.budget import USED_UP, Budget
from toolsync.schema.proof.effort import MAX_WORK, Effort, TooMuch
from toolsync.schema.proof.values import Undecidable

TOO_LONG = "a witness that a validator would take too long for"
LEVELS = 40


def obj(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members}


def below(level: int) -> dict[str, Any]:
    return {"$ref": f"#/$defs/d{level + 1}"}


WAYS: dict[str, Callable[[int], dict[str, Any]]] = {
    "allOf": lambda n: {"allOf": [below(n), below(n)]},
    "anyOf": lambda n: {"anyOf": [below(n), below(n)]},
    "if": lambda n: {"if": below(n), "then": below(n), "else": below(n)},
    "not": lambda n: {"not": {"anyOf": [{"not": below(n)}, {"not": below(n)}]}},
    "dependentSchemas": lambda n: {"dependentSchemas": {"a": below(n), "b": below(n)}},
    "unevaluatedProperties": lambda n: {"allOf": [below(n)], "unevaluatedProperties": True},
    "unevaluatedItems": lambda n: {"allOf": [below(n)], "unevaluatedItems": True},
    "$dynamicRef": lambda n: {
        "$dynamicAnchor": f"n{n}",
        "allOf": [{"$dynamicRef": f"#n{n + 1}"}, {"$dynamicRef": f"#n{n + 1}"}],
    },
}


def bomb(way: str, leaf: dict[str, Any]) -> dict[str, Any]:
    """Builds a schema that asks two to the power of 40 times about one member's value."""
    definitions = {f"d{level}": WAYS[way](level) for level in range(LEVELS)}
    definitions[f"d{LEVELS}"] = {**leaf, "$dynamicAnchor": f"n{LEVELS}"}
    return obj(x={"$ref": "#/$defs/d0"}) | {"$defs": definitions}


@pytest.mark.parametrize("reading", ["declared", "open"])
@pytest.mark.parametrize("way", WAYS)
def test_doubling_references_never_reach_a_validator(way: str, reading: Any) -> None:
    both = {"type": "object", "required": ["a", "b"], "properties": {"a": {}, "b": {}}}
    old, new = bomb(way, both), bomb(way, both | {"required": ["a", "b", "c"]})
    for left, right in ((old, new), (new, old)):
        answer = contained(left, right, reading)
        assert answer.answer in {"yes", "unknown"}
        assert answer.answer == "yes" or answer.reason


def test_a_bomb_of_references_in_a_tool_is_unknown() -> None:
    old, new = ([tool("t", bomb("allOf", {"type": kind}))] for kind in ("string", "integer"))
    assert str(diff(Catalog(old), Catalog(new)).level) == "unknown"


HARD_TEXTS = {
    "optional": ("^a{29}b$", "^(?:a?){30}a{30}$"),
    "spelt out": ("^a{29}b$", "^" + "a?" * 30 + "a" * 30 + "$"),
    "alternatives": ("^a{40}$", "^" + "(?:a|a)" * 40 + "b$"),
    "overlapping": ("^a{60}$", "^(?:a|aa)*b$"),
}


@pytest.mark.parametrize("name", HARD_TEXTS)
def test_a_backtracking_engine_is_not_asked_what_it_would_not_end_with(name: str) -> None:
    easy, hard = HARD_TEXTS[name]
    old = obj(x={"type": "string", "pattern": easy}) | {"required": ["x"]}
    new = obj(x={"type": "string", "pattern": hard}) | {"required": ["x"]}
    assert contained(old, new).reason == TOO_LONG


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("^a+$", "a" * 100), ("^(a+)+$", "aaaab"), ("(a|b)*c{2,3}", "abcc"), ("^(?=a)a", "ab")],
)
def test_the_steps_of_a_harmless_search_are_counted(pattern: str, text: str) -> None:
    steps = strain(pattern, text)
    assert steps is not None
    assert len(text) <= steps <= MAX_STEPS


def test_a_pattern_that_automata_cannot_read_may_be_plain() -> None:
    assert strain(r"\bfoo\b", "a foo") is not None
    assert strain(r"\b(foo|fo)*\b", "a foo") is None
    assert strain("(?<=x)(?:a|aa)*b$", "a" * 60) is None


def test_the_effort_grows_with_schema_and_value() -> None:
    few = Effort({"items": {"type": "string"}}).of([""] * 10)
    many = Effort({"items": {"type": "string"}}).of([""] * 1_000)
    assert few < many < MAX_WORK
    recursive = {"$ref": "#/$defs/a", "$defs": {"a": obj(a={"$ref": "#/$defs/a"})}}
    assert Effort(recursive).of({"a": {"a": {}}}) < 20


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "#"}, 1),
        ({"$ref": "other.json"}, 1),
        ({"$ref": "#/$defs/none"}, 1),
        ({"uniqueItems": True}, [{"a": [1] * 50, "b": n} for n in range(500)]),
        ({"items": {"enum": [str(n) for n in range(9_000)]}}, [""] * 400),
        ({"allOf": [{"items": {"minLength": n}} for n in range(2_000)]}, [""] * 300),
        (
            {"patternProperties": {f"k{n}": {} for n in range(300)}},
            {f"k{n}": 1 for n in range(300)},
        ),
    ],
)
def test_what_multiplies_is_too_much(schema: dict[str, Any], value: Any) -> None:
    with pytest.raises(TooMuch):
        Effort(schema).of(value)


NO_JSON = [
    {"const": {1: 1}}, {"enum": [{1: 1}]}, {"properties": {1: {}, "a": {}}}, {"const": {1, 2}},
    {"const": b"x"}, {"const": object()}, {"patternProperties": {1: {}}}, {"type": {"a"}},
    {"const": (1, 2)}, {"multipleOf": 0}, {"minimum": float("inf")}, {"const": float("nan")}, None,
]  # fmt: skip


@pytest.mark.parametrize("schema", NO_JSON, ids=repr)
@pytest.mark.parametrize("reading", ["declared", "open"])
def test_what_is_no_json_has_an_answer(schema: Any, reading: Any) -> None:
    for inner in (schema, obj(a=schema) | {"required": ["a"]}):
        for old, new in ((inner, {"type": "string"}), (True, inner)):
            answer = contained(old, new, reading)
            assert answer.answer != "unknown" or answer.reason


def test_an_answer_names_what_is_no_json() -> None:
    assert contained({"const": {1: 1}}, {"type": "string"}).reason == "a schema that is no JSON"


def test_a_schema_is_read_by_the_dialect_in_which_it_is_one() -> None:
    loose = {"minContains": 1.5, "contains": {"type": "string"}}  # draft-07 has no minContains
    assert contained(loose, {"contains": {"type": "string"}}).answer == "yes"
    assert contained({}, obj(a={"dependentRequired": {"a": 1}}), "open").answer == "no"


def test_a_chain_of_dependents_is_read_in_linear_time() -> None:
    chain = {
        f"p{n}": {"required": [f"p{n + 1}"], **obj(**{f"p{n + 1}": {"type": "string"}})}
        for n in range(3_000)
    }
    old = {"type": "object", "dependentSchemas": chain}
    answer = contained(old, old | {"required": ["p0"]})
    assert answer.answer in {"no", "unknown"}


def conditional(names: int) -> dict[str, Any]:
    branches = [
        {"if": {"required": [f"a{n}"]}, "then": obj(**{f"n{each}": {} for each in range(names)})}
        for n in range(900)
    ]
    return {"type": "object", "allOf": branches, "unevaluatedProperties": False}


def test_names_times_branches_are_bounded() -> None:
    answer = contained(conditional(300), conditional(299))
    assert answer.answer == "unknown"


@pytest.mark.parametrize("count", [100, 10_000])
def test_items_times_branches_are_bounded(count: int) -> None:
    prefix = [{"type": "string", "minLength": n} for n in range(count)]
    old = obj(x={"anyOf": [{"prefixItems": prefix}], "unevaluatedItems": False})
    answer = contained(old, obj(x={"anyOf": [{"prefixItems": prefix[1:]}]}))
    assert answer.answer in {"no", "unknown"}


# -- what one diff may cost ---------------------------------------------------------


def tool(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "inputSchema": schema}


def hard(letter: str, number: int) -> dict[str, Any]:
    return obj(x={"type": "string", "pattern": f"(a|b)*{letter}(a|b){{12}}{number}"})


def test_an_allowance_grows_with_the_pairs_and_is_used_up() -> None:
    assert Allowance(0).left == BASE
    assert Allowance(3).left == BASE + 3 * EACH
    assert Allowance(MANY + 2).left == BASE + MANY * EACH + 2 * LATER
    allowance = Allowance(0)
    allowance.charge(BASE)
    assert allowance.used_up


def test_a_budget_grants_no_more_than_is_left() -> None:
    allowance, budget = Allowance(0), Budget(1)
    allowance.charge(BASE - 10)
    budget.refill(100, allowance)
    budget.spend(10)
    with pytest.raises(Undecidable, match=USED_UP):
        budget.spend()
    budget.settle(allowance)
    assert allowance.used_up


def test_what_an_automaton_took_weighs_on_the_allowance() -> None:
    allowance, budget = Allowance(0), Budget(1)
    budget.refill(100, allowance)
    budget.note(50)
    budget.settle(allowance)
    budget.settle(allowance)
    assert allowance.left == BASE - 50


def test_a_hostile_catalogue_ends_in_unknown() -> None:
    old = Catalog([tool(f"t{n}", hard("a", n)) for n in range(120)])
    new = Catalog([tool(f"t{n}", hard("b", n)) for n in range(120)])
    tools = diff(old, new).tools
    assert Counter(str(each.level) for each in tools) == {"unknown": 120}
    assert any(USED_UP in one.message for each in tools for one in each.findings)


def test_a_used_up_allowance_leaves_an_answer_that_says_so() -> None:
    allowance = Allowance(0)
    allowance.charge(2 * BASE)
    old, new = tool("t", obj(a={"pattern": "^a"})), tool("t", obj(a={"pattern": "^b"}))
    found = findings(old, new, allowance=allowance)
    assert [str(one.level) for one in found] == ["unknown"]
    assert USED_UP in found[0].message


def test_ordinary_tools_never_notice() -> None:
    old = Catalog([tool(f"t{n}", obj(a={"type": "string"}, b={"minimum": n})) for n in range(500)])
    new = Catalog([tool(f"t{n}", obj(a={"type": "integer"}, b={"minimum": n})) for n in range(500)])
    changes = diff(old, new)
    assert {str(each.level) for each in changes.tools} == {"breaking"}
    assert changes._allowance.left > BASE


def test_the_outcome_does_not_depend_on_what_was_asked_first() -> None:
    old = Catalog([tool(f"t{n}", hard("a", n)) for n in range(90)])
    new = Catalog([tool(f"t{n}", hard("b", n)) for n in range(90)])
    at_once, by_level = diff(old, new), diff(old, new)
    assert by_level.level == at_once.to_dict()["level"]
    assert by_level.to_dict() == at_once.to_dict()


WIDE: dict[str, Callable[[str], dict[str, Any]]] = {
    "tuple": lambda kind: {"prefixItems": [{"type": kind}] * 12_000},
    "patterns": lambda kind: {
        "patternProperties": {f"^a.*{n}.*b": {"type": kind} for n in range(400)}
    },
}


@pytest.mark.parametrize("name", WIDE)
def test_thousands_of_changes_in_one_place_are_let_be_soon(name: str) -> None:
    old, new = (Catalog([tool("t", obj(x=WIDE[name](kind)))]) for kind in ("string", "integer"))
    assert str(diff(old, new).level) in {"breaking", "unknown"}
