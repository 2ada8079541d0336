"""Levels decided by a team: what an override reaches, which way it moves, and what stays."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolsync
from toolsync import Override, SettingsError
from toolsync.classify import findings
from toolsync.model import Level
from toolsync.overrides import LEVELS
from toolsync.report.json import schema
from toolsync.rules import RULES

Tool = dict[str, Any]
WHY = "every caller is ours"


def tool(name: str, **parts: Any) -> Tool:
    described = {"type": "object", "properties": {"q": {"type": "string"}}}
    return {"name": name, "description": f"Does {name}.", "inputSchema": described, **parts}


A, B = tool("a"), tool("b")
ASKS = {"inputSchema": {**A["inputSchema"], "required": ["q"]}}
WORDS = {"description": "Does more."}
TITLE = {"title": "A"}
NUMBER = {"type": "integer", "minimum": 5}
FROM5 = {"inputSchema": {"type": "object", "properties": {"q": NUMBER}}}
FROM5_ABOVE3 = {
    "inputSchema": {"type": "object", "properties": {"q": {**NUMBER, "exclusiveMinimum": 3}}}
}


def diff(old: list[Any], new: list[Any], *overrides: Override, **how: Any) -> toolsync.Changes:
    made = toolsync.diff(toolsync.Catalog(old), toolsync.Catalog(new), overrides=overrides, **how)
    jsonschema.validate(made.to_dict(all=True), schema())
    return made


def low(
    rule: str = "input-property-became-required", level: str = "compatible", **more: str
) -> Any:
    return Override(rule, Level(level), WHY, **more)


def test_a_lowered_break_says_what_it_was_and_keeps_its_proof() -> None:
    changes = diff([A], [A | ASKS], low())
    (finding,) = changes.tools[0].findings
    assert (finding.level, finding.witness) == ("compatible", {})
    assert finding.overridden == toolsync.Overridden(Level.BREAKING, WHY)
    assert (changes.level, changes.tools[0].level, changes.bump) == (*["compatible"] * 2, "minor")
    report = changes.to_dict()
    assert report["summary"]["levels"] == {"compatible": 1}
    assert report["tools"][0]["findings"][0]["overridden"] == {"level": "breaking", "reason": WHY}


def test_what_nobody_decided_on_carries_no_mark() -> None:
    changes = diff([A], [A | ASKS | WORDS], low())
    marks = [(one.rule, one.overridden is not None) for one in changes.tools[0].findings]
    assert marks == [("description-changed", False), ("input-property-became-required", True)]
    assert "overridden" not in diff([A], [A | WORDS]).to_dict()["tools"][0]["findings"][0]


def test_only_the_tools_named_are_reached() -> None:
    old, new = [tool("a_x"), tool("b_x")], [tool("a_x") | ASKS, tool("b_x") | ASKS]
    changes = diff(old, new, low(tool="a_*"))
    assert [one.level for one in changes.tools] == ["compatible", "breaking"]
    assert changes.level == "breaking"


def test_the_last_that_fits_counts() -> None:
    general, exception = low("input-*", "documentation"), low(level="dangerous", tool="a")
    old, new = [A, B], [A | ASKS, B | ASKS]
    assert [one.level for one in diff(old, new, general, exception).tools] == [
        "dangerous",
        "documentation",
    ]
    assert {one.level for one in diff(old, new, exception, general).tools} == {"documentation"}


def test_a_level_that_is_the_rules_own_shields_from_the_ones_before() -> None:
    changes = diff([A, B], [], low("tool-removed"), low("tool-removed", "breaking", tool="b"))
    assert [(one.level, one.findings[0].overridden is None) for one in changes.tools] == [
        ("compatible", False),
        ("breaking", True),
    ]


def test_a_glob_that_lowers_some_raises_none() -> None:
    changes = diff([A], [A | ASKS | TITLE | WORDS], low("*", "documentation"))
    assert [(one.rule, one.level) for one in changes.tools[0].findings] == [
        ("description-changed", "documentation"),
        ("input-property-became-required", "documentation"),
        ("title-changed", "presentation"),
    ]


def test_a_level_above_all_rules_named_raises() -> None:
    changes = diff([A], [A | WORDS], low("*description-changed", "breaking"))
    assert changes.tools[0].findings[0].overridden == toolsync.Overridden(Level.DOCUMENTATION, WHY)
    assert (changes.level, changes.notify, changes.bump) == ("breaking", True, "major")


def test_quiet_findings_can_be_made_heard() -> None:
    changes = diff([A], [A | TITLE], low("title-changed", "dangerous"))
    assert changes.level == "dangerous"
    assert changes.tools[0].level == "dangerous"


def test_what_is_shown_to_be_equivalent_is_not_raised() -> None:
    old, new, rule = [A | FROM5_ABOVE3], [A | FROM5], "input-exclusive-minimum-loosened"
    found = diff(old, new).tools[0].findings
    assert [(one.rule, one.level) for one in found] == [(rule, "presentation")]
    assert diff(old, new, low(rule, "breaking")).level == "presentation"


def test_a_break_that_only_seems_one_is_not_raised_by_lowering() -> None:
    ruled = {"inputSchema": {**A["inputSchema"], "required": ["q"]}}
    both = {"inputSchema": {**ruled["inputSchema"], "allOf": [{"required": ["q"]}]}}
    changes = diff([A | ruled], [A | both], low("input-*", "dangerous"))
    assert changes.level == "presentation"


def test_an_unusable_tool_stays_one() -> None:
    bad = {**A, "inputSchema": {"type": "object", "properties": {"q": {"type": "int"}}}}
    changes = diff([A], [bad], low("tool-became-invalid", "documentation"))
    assert (changes.level, [one.status for one in changes.invalid]) == (
        "documentation",
        ["invalid"],
    )


def test_a_rename_hint_can_be_decided_on() -> None:
    old, new = [tool("a")], [{**tool("a"), "name": "z"}]
    quiet = [low("tool-removed"), low("tool-added", "documentation")]
    assert diff(old, new, *quiet).level == "compatible"
    loud = diff(old, new, *quiet, low("tool-renamed", "breaking"))
    assert loud.level == "breaking"
    assert {one.level for one in loud.tools} == {"breaking"}
    assert toolsync.diff(loud.old, loud.new, overrides=(low("tool-renamed", "breaking"),)).tools


def test_overrides_go_with_a_choice_of_rules() -> None:
    changes = diff([A], [A | ASKS | WORDS], low(), ignore=["description-changed"])
    assert [(one.rule, one.level) for one in changes.tools[0].findings] == [
        ("input-property-became-required", "compatible")
    ]


@pytest.mark.parametrize("lowered", [False, True])
def test_the_level_looks_no_further_than_it_must(
    lowered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def counted(*parts: Any, **how: Any) -> Any:
        calls.append(1)
        return findings(*parts, **how)

    monkeypatch.setattr("toolsync.changes.outcome.findings", counted)
    old, new = [tool(f"t{n}") for n in range(20)], [tool(f"t{n}") | ASKS for n in range(20)]
    override = low(tool="*" if lowered else "other")
    changes = toolsync.diff(toolsync.Catalog(old), toolsync.Catalog(new), overrides=(override,))
    assert changes.level == ("compatible" if lowered else "breaking")
    assert len(calls) == (20 if lowered else 1)


PAIRS = (
    ([A, B], [A | ASKS, B | WORDS]),
    ([A], [A | TITLE]),
    ([A], [B]),
    ([A | FROM5_ABOVE3, B], [A | FROM5, tool("c")]),
)


@given(
    st.sampled_from(PAIRS),
    st.lists(
        st.builds(
            Override,
            st.sampled_from([*RULES, "*", "input-*", "tool-*", "*-changed"]),
            st.sampled_from(LEVELS),
            st.just(WHY),
            st.sampled_from(["*", "a", "[bc]"]),
        ),
        max_size=4,
    ),
)
def test_the_level_is_the_highest_of_all_findings(pair: Any, overrides: list[Override]) -> None:
    quick, whole = (diff(*pair, *overrides) for _ in range(2))
    levels = [one.level for tool in whole.tools for one in tool.findings]
    assert quick.level == max(levels, key=lambda level: level.rank)
    for made in whole.tools:
        assert made.level == max((one.level for one in made.findings), key=lambda each: each.rank)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"rule": "tool-remvoed"}, "rule: no rule is called 'tool-remvoed': did you mean tool-re"),
        ({"rule": "x"}, "rule: no rule is called 'x' (toolsync rules lists them)"),
        ({"level": "minor"}, "level: expected presentation, documentation, compatible, dangerous"),
        ({"level": "identical"}, "level: expected"),
        ({"level": "unknown"}, "level: expected"),
        ({"reason": " \n"}, "reason: expected why"),
        ({"tool": ""}, "tool: expected a name or a glob"),
    ],
)
def test_what_cannot_be_meant_is_refused(entry: dict[str, Any], told: str) -> None:
    good = {"rule": "tool-removed", "level": "compatible", "reason": WHY}
    assert Override(**good).level is Level.COMPATIBLE  # type: ignore[arg-type]  # a text
    with pytest.raises(SettingsError) as caught:
        Override(**{**good, **entry})
    assert str(caught.value).startswith(told)
