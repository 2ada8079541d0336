"""No verdict is ever refuted: random pairs, held against a search that knows only the validator."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis.errors import NoSuchExample

from schema_pairs import related
from toolsync.schema import Comparison, contained
from toolsync.schema.proof import objects, tableau
from validators import accepted

Pair = tuple[str, Any, Any]

BASIC: list[Any] = [
    None, True, False, 0, 1, 2, 3, 4, 5, 6, -1, 0.5, 1.5, 2.5, 0.1, "", "a", "b", "ab", "aa",
    "abc", "c", "aaaa", [], {},
]  # fmt: skip


def tried(*schemas: Any) -> Iterator[Any]:
    """Lists values to hold against a verdict: common ones, and what the schemas spell out."""
    spelt = [*BASIC, *_data(list(schemas))][:60]
    yield from spelt
    for each in spelt[:40]:
        yield [each]
        yield [each, each]
        yield [each, "a"]
        for name in ("a", "b", "ab", "zz"):
            yield {name: each}
        yield {"a": each, "b": 1}
        yield {"a": "a", "ab": each, "zz": None}


def _data(pending: list[Any]) -> Iterator[Any]:
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            for keyword, value in each.items():
                if keyword in {"enum", "const"}:
                    yield from value if isinstance(value, list) else [value]
                elif isinstance(value, (int, float)) and not isinstance(value, bool):
                    yield from (value, value - 1, value + 1)
                pending.append(value)
        elif isinstance(each, list):
            pending += each


def refuted(old: Any, new: Any, answer: str) -> Any:
    """Gives a value that refutes a "yes"; None where none of those tried does."""
    if answer != "yes":
        return None
    for value in tried(old, new):
        if accepted(old, value) and not accepted(new, value):
            return [value]
    return None


def wrong(pair: Pair) -> object:
    """Tells what is wrong with the verdicts on a pair; None where nothing is."""
    relation, schema, other = pair
    forward, backward = contained(schema, other, "open"), contained(other, schema, "open")
    for (old, new), said in (((schema, other), forward), ((other, schema), backward)):
        if said.answer == "no" and not (
            accepted(old, said.witness) and not accepted(new, said.witness)
        ):
            return ("false witness", old, new, said)
        found = refuted(old, new, said.answer)
        if found is not None:
            return ("refuted", old, new, found)
    if relation in {"wider", "same"} and forward.answer == "no":
        return ("called narrower", pair, forward)
    if relation in {"narrower", "same"} and backward.answer == "no":
        return ("called wider", pair, backward)
    return None


@settings(suppress_health_check=list(HealthCheck))
@given(related())
def test_no_verdict_is_refuted(pair: Pair) -> None:
    assert wrong(pair) is None


@settings(suppress_health_check=list(HealthCheck))
@given(related())
def test_asking_changes_nothing_and_repeats(pair: Pair) -> None:
    _, schema, other = pair
    before = copy.deepcopy((schema, other))
    comparison = Comparison(schema, other, "open")
    first = comparison.contained()
    comparison.reverse()
    assert comparison.contained() == first
    assert contained(schema, other, "open") == first
    assert (schema, other) == before


def _without_required(atom: Any) -> list[Any]:
    return [each for each in _refusals(atom) if not isinstance(each, objects.Lacking)]


def _all_alternatives_dead(_way: Any, _alternative: Any) -> int:
    return tableau.DEAD


_refusals = objects.refusals


@pytest.mark.parametrize(
    ("where", "name", "planted"),
    [
        (objects, "refusals", _without_required),
        (tableau._Way, "_judge", _all_alternatives_dead),
    ],
)
def test_a_planted_unsound_rule_is_caught(
    monkeypatch: pytest.MonkeyPatch, where: Any, name: str, planted: Any
) -> None:
    monkeypatch.setattr(where, name, planted)
    try:
        caught = find(
            related(),
            lambda pair: wrong(pair) is not None,
            settings=settings(
                max_examples=1_500, database=None, derandomize=True, phases=[Phase.generate]
            ),  # the first is enough, small or not
        )
    except NoSuchExample:
        pytest.fail("the search did not notice an unsound rule")
    assert wrong(caught) is not None
