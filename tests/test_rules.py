"""Every rule has a case and every case a rule; the table reads as it should."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import toolsync
from toolsync.model import Level
from toolsync.report.json import schema
from toolsync.rules import RULES, Effect

CASES = Path(__file__).with_name("cases")
NAMES = sorted(path.name for path in CASES.iterdir())
ID = re.compile(r"[a-z]+(-[a-z]+)+")
SENTENCE = re.compile(r"[A-Z`].*[^.]\.", re.DOTALL)


def changes(name: str) -> toolsync.Changes:
    folder = CASES / name
    return toolsync.diff(toolsync.load(folder / "old.json"), toolsync.load(folder / "new.json"))


def expected(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CASES / name / "expected.json").read_text("utf-8"))
    return found


def test_every_rule_has_a_case_and_every_case_a_rule() -> None:
    assert set(NAMES) == set(RULES)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_is_found_under_its_rule(name: str) -> None:
    want = expected(name)
    found = [one for tool in changes(name).tools for one in tool.findings if one.rule == name]
    assert [(one.level, one.path) for one in found[:1]] == [(want["level"], want["path"])]
    assert changes(name).level == want["tool"]


@pytest.mark.parametrize("name", NAMES)
def test_the_report_of_a_case_is_one(name: str) -> None:
    jsonschema.validate(changes(name).to_dict(all=True), schema())


@pytest.mark.parametrize("name", NAMES)
def test_a_break_in_a_schema_shows_its_proof(name: str) -> None:
    for tool in changes(name).tools:
        for one in tool.findings:
            if one.level is not Level.BREAKING or RULES[one.rule].effect is Effect.NONE:
                continue
            assert tool.old is not None
            assert tool.new is not None
            side = RULES[one.rule].side
            old, new = (each.definition[f"{side}Schema"] for each in (tool.old, tool.new))
            calm, broken = (old, new) if side == "input" else (new, old)
            assert one.witness_of == ("arguments" if side == "input" else "result")
            jsonschema.validate(one.witness, calm)
            assert toolsync.contained(calm, broken, reading="declared").answer == "no"


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_reads_as_a_sentence(rule: Any) -> None:
    assert ID.fullmatch(rule.id)
    assert SENTENCE.fullmatch(rule.reason)
    assert rule.reason.count(". ") == 0
    assert "{" not in rule.reason


def test_ids_carry_their_side() -> None:
    for rule in RULES.values():
        if rule.side == "tool":
            assert not rule.id.startswith(("input-", "output-"))
        else:
            assert rule.id.startswith(f"{rule.side}-")


def test_the_same_change_hurts_the_other_side() -> None:
    assert RULES["input-enum-value-removed"].level is Level.BREAKING
    assert RULES["output-enum-value-removed"].level is Level.COMPATIBLE
    assert RULES["output-enum-value-added"].level is Level.BREAKING
