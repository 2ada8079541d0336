"""Which tools of two catalogues differ: as the oracle's digests say, however they came to be."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import core_strategies as given_as
import oracle
from core_strategies import spell
from toolsync.catalog import Catalog, loads
from toolsync.compare import Pairing, pair

Outcome = dict[str, list[str]]

# Whole catalogues are slow to draw: a third of the profile's examples.
FEWER = settings(max_examples=settings().max_examples // 3)


def by_oracle(old: Iterable[Any], new: Iterable[Any]) -> Outcome:
    """The names of the tools that came, went or differ, from the oracle's digests."""
    before = oracle.well_formed(old, oracle.tool_from_object)
    after = oracle.well_formed(new, oracle.tool_from_object)
    both = [name for name in after if name in before]
    full = [name for name in both if before[name].full != after[name].full]
    changed = [name for name in full if before[name].projection != after[name].projection]
    return {
        "added": sorted(set(after) - set(before)),
        "removed": sorted(set(before) - set(after)),
        "changed": sorted(changed),
        "presentation": sorted(set(full) - set(changed)),
        "identical": sorted(set(both) - set(full)),
    }


def by_core(pairing: Pairing, new: Catalog) -> Outcome:
    """The same of a pairing; pairs must be of one name, and of the tools that were given."""
    for before, after in (*pairing.changed, *pairing.presentation):
        assert before.name == after.name
        assert new[after.name] is after
    named = {
        "added": sorted(tool.name for tool in pairing.added),
        "removed": sorted(tool.name for tool in pairing.removed),
        "changed": sorted(after.name for _, after in pairing.changed),
        "presentation": sorted(after.name for _, after in pairing.presentation),
    }
    differing = {name for names in named.values() for name in names}
    named["identical"] = sorted(tool.name for tool in new if tool.name not in differing)
    assert pairing.identical == len(named["identical"])
    return named


def edited(tool: dict[str, Any], kind: str, value: Any) -> dict[str, Any]:
    """A tool after one of the edits that catalogues see from one version to the next."""
    schema = tool["inputSchema"]
    return {
        "same": tool,
        "title": {**tool, "title": value},
        "description": {**tool, "description": f"{value!r} "},
        "annotations": {**tool, "annotations": {"readOnlyHint": True, "title": "x"}},
        "schema title": {**tool, "inputSchema": {**schema, "title": value}},
        "schema data": {**tool, "inputSchema": {**schema, "default": value}},
        "schema set": {**tool, "inputSchema": {**schema, "enum": [value, 1, value]}},
        "schema set turned": {**tool, "inputSchema": {**schema, "enum": [1, value]}},
    }[kind]


_edits = st.tuples(
    st.sampled_from([
        "same", "same", "title", "description", "annotations", "schema title", "schema data",
        "schema set", "schema set turned",
    ]),
    given_as.scalars,
)  # fmt: skip


def as_catalog(tools: list[dict[str, Any]], seed: int | None) -> Catalog:
    return Catalog(tools) if seed is None else loads(spell({"tools": tools}, seed))


@FEWER
@given(
    st.lists(given_as.tools, max_size=5, unique_by=lambda tool: tool["name"]),
    st.lists(st.tuples(_edits, _edits), min_size=5, max_size=5),
    st.sets(st.integers(0, 4)),
    st.tuples(st.none() | given_as.spellings, st.none() | given_as.spellings),
    st.randoms(use_true_random=False),
)
def test_pairs_are_as_the_oracle_s_digests_say(
    tools: list[Any],
    edits: list[Any],
    dropped: set[int],
    seeds: tuple[int | None, int | None],
    draw: Random,
) -> None:
    old = [edited(tool, *first) for tool, (first, _) in zip(tools, edits, strict=False)]
    new = [
        edited(tool, *second)
        for place, (tool, (_, second)) in enumerate(zip(tools, edits, strict=False))
        if place not in dropped
    ]
    draw.shuffle(new)
    before, after = as_catalog(old, seeds[0]), as_catalog(new, seeds[1])
    assert by_core(pair(before, after), after) == by_oracle(old, new)
    assert by_core(pair(after, before), before) == by_oracle(new, old)
    # Once more with digests at hand, which the comparison may use.
    _ = [(tool.digest, tool.semantic_digest) for tool in (*before, *after)]
    assert by_core(pair(before, after), after) == by_oracle(old, new)


@FEWER
@given(
    st.lists(given_as.tools, min_size=1, max_size=4, unique_by=lambda tool: tool["name"]),
    st.lists(st.tuples(st.integers(0, 5), _edits), max_size=8),
    st.none() | given_as.spellings,
)
def test_replacing_is_building_anew(
    tools: list[Any], replacements: list[Any], seed: int | None
) -> None:
    model = list(tools)
    history = [(as_catalog(model, seed), list(model))]
    for place, edit in replacements:
        tool = edited(tools[place % len(tools)], *edit)
        if place > 4:
            tool = {**tool, "name": tool["name"] + "+"}
        names = [each["name"] for each in model]
        if tool["name"] in names:
            model[names.index(tool["name"])] = tool
        else:
            model.append(tool)
        history.append((history[-1][0].replace(tool), list(model)))
    for catalog, held in history:
        anew = Catalog(held)
        assert [tool.name for tool in catalog] == [tool.name for tool in anew]
        assert [tool.text for tool in anew] == [
            catalog[t.name].text for t in anew
        ] or seed is not None
        assert catalog.digest == anew.digest
        assert catalog.semantic_digest == anew.semantic_digest
        for other, other_held in (history[0], history[-1]):
            assert by_core(pair(catalog, other), other) == by_oracle(held, other_held)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 66, 130, 200])
def test_any_number_of_replacements_is_kept(count: int) -> None:
    def tool(number: int, text: str) -> dict[str, Any]:
        return {"name": f"t{number}", "inputSchema": {}, "description": text}

    first = Catalog(tool(number, "old") for number in range(100))
    last = first
    for turn in range(count):
        last = last.replace(tool(turn * 7 % 100, f"new {turn}"))
    expected = [tool(number, "old") for number in range(100)]
    for turn in range(count):
        expected[turn * 7 % 100] = tool(turn * 7 % 100, f"new {turn}")
    assert [each.definition for each in last] == expected
    assert last.digest == Catalog(expected).digest
    assert all(each.definition["description"] == "old" for each in first)
    replaced = {f"t{turn * 7 % 100}" for turn in range(count)}
    for old, new in ((first, last), (last, first)):
        pairing = pair(old, new)
        assert {after.name for _, after in pairing.changed} == replaced
        assert pairing.identical == 100 - len(replaced)
