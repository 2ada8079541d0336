"""`rules`, `explain`, `diff --open` and the settings, as they are run from a shell."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from made_reports import check
from toolsync.cli import main
from toolsync.lint import REFUSALS
from toolsync.report.advice import RULES as ADVICE
from toolsync.rules import RULES

Run = Callable[..., tuple[int, str, str]]
EXAMPLES = Path(__file__).parents[1] / "examples"
PAIR = (str(EXAMPLES / "old.json"), str(EXAMPLES / "new.json"))
SETTINGS = """
[[overrides]]
rule = "input-property-became-required"
tool = "find_*"
level = "documentation"
reason = "our only client always sends it"
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        return (code, *capsys.readouterr())

    return call


def test_every_rule_has_its_line(run: Run) -> None:
    code, out, err = run("rules")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines] == [*RULES, *ADVICE]
    reasons = {**{name: rule.reason for name, rule in RULES.items()}, **ADVICE}
    assert all(reasons[line.split()[0]] in line for line in lines)


def test_rules_as_json(run: Run) -> None:
    made = json.loads(run("rules", "--format", "json")[1])
    assert [one["id"] for one in made["rules"]] == [*RULES, *ADVICE]
    assert all(one.keys() == {"id", "level", "side", "reason"} for one in made["rules"])
    assert {one["level"] for one in made["rules"][len(RULES) :]} == {"doubtful", "refused"}


def test_some_of_the_rules(run: Run) -> None:
    assert run("rules", "hint-*")[1].count("\n") == 2
    code, out, err = run("rules", "hnt-weakened")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("toolsync: no rule is called 'hnt-weakened': did you mean hint-weakened")


@pytest.mark.parametrize("rule", [*RULES, *ADVICE])
def test_every_rule_is_explained(run: Run, rule: str) -> None:
    code, out, err = run("explain", rule)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    if rule in ADVICE:
        level, reason = ("refused" if rule in REFUSALS else "doubtful"), ADVICE[rule]
    else:
        level, reason = RULES[rule].level, RULES[rule].reason
    assert lines[0].split()[:2] == [rule, level]
    assert lines[1] == reason
    terms = ["means", "hurts", "to do"]
    assert [line[:9].strip() for line in lines[3:6]] == terms
    assert all(line.endswith(".") and "{" not in line for line in lines[3:6])
    assert [line[:9] + line[9:17] for line in lines[6:]] == (
        ["said at  https://"] if rule in REFUSALS else []
    )


def test_a_rule_is_explained_as_a_report_prints_it_and_as_json(run: Run) -> None:
    made = json.loads(run("explain", "[tool-removed]", "--format", "json")[1])
    assert made["id"] == "tool-removed"
    assert made.keys() == {"id", "level", "side", "reason", "means", "hurts", "to_do"}
    doubt = json.loads(run("explain", "name-long", "--format", "json")[1])
    assert doubt.keys() == made.keys()


def test_a_rule_that_nobody_knows(run: Run) -> None:
    code, out, err = run("explain", "input-enum-value-remved")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "did you mean input-enum-value-removed" in err
    code, _, err = run("explain", "x\x1b[31m" * 500)
    assert (code, err.count("\n"), "\x1b" in err) == (2, 1, False)


def test_the_nearest_settings_are_heeded(run: Run) -> None:
    assert "suggested bump: major" in run("diff", *PAIR)[1]
    Path("toolsync.toml").write_text(SETTINGS, "utf-8")
    code, out, _ = run("diff", *PAIR, "--only", "find_book", "--fail-on", "compatible")
    assert code == 0
    assert out.splitlines()[2:] == [
        "~ find_book  documentation",
        (
            "  /inputSchema/required  `limit` is now required: calls that leave it"
            " out are refused  [input-property-became-required]"
        ),
        '      ["query"] → ["query", "limit"]',
        '      refused now: {"query": ""}',
        "      overridden, was breaking: our only client always sends it",
        "",
        (
            "documentation: 1 changed (1 documentation); suggested bump: patch; 1 level overridden"
            " by toolsync.toml"
        ),
    ]
    made = json.loads(run("diff", *PAIR, "--format", "json")[1])
    check(made)
    assert (made["level"], made["settings"]) == ("unknown", "toolsync.toml")
    below = Path("below")
    below.mkdir()
    os.chdir(below)
    assert "; 1 level overridden by ../toolsync.toml\n" in run("diff", *PAIR)[1]
    made = json.loads(run("diff", *PAIR, "--format", "json", "--no-config")[1])
    assert "settings" not in made


def test_settings_can_be_named_or_left_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "levels.toml").write_text(SETTINGS, "utf-8")
    assert "overridden" not in run("diff", *PAIR)[1]
    assert "overridden" in run("diff", *PAIR, "--config", "levels.toml")[1]
    Path("toolsync.toml").write_text("nonsense", "utf-8")
    assert run("diff", *PAIR)[0] == 2
    assert run("diff", *PAIR, "--no-config")[0] == 1
    code, out, err = run("diff", *PAIR, "--no-config", "--config", "levels.toml")
    assert (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("text", ["x = 1", SETTINGS + "why = 1", "\x1b = 1", "[[overrides]]"])
def test_settings_that_are_wrong_stop_the_run_in_one_line(run: Run, text: str) -> None:
    Path("toolsync.toml").write_text(text, "utf-8")
    code, out, err = run("diff", PAIR[0], PAIR[0])
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("toolsync: toolsync.toml: ")
    assert "\x1b" not in err


def test_what_was_overridden_is_never_folded_away(run: Run) -> None:
    tools = [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(12)]
    Path("old.json").write_text(json.dumps({"tools": tools}), "utf-8")
    Path("new.json").write_text('{"tools": []}', "utf-8")
    lowered = SETTINGS.replace("input-property-became-required", "tool-removed")
    Path("toolsync.toml").write_text(lowered.replace("find_", "t"), "utf-8")
    out = run("diff", "old.json", "new.json")[1]
    assert out.count("overridden, was breaking: our only client always sends it") == 12


def _pair(old: Any, new: Any, field: str = "inputSchema") -> None:
    for name, schema in (("old.json", old), ("new.json", new)):
        tool = {"name": "a", "inputSchema": {"type": "object"}}
        tool[field] = {"type": "object", **schema}
        Path(name).write_text(json.dumps({"tools": [tool]}), "utf-8")


TEXT = {"type": "string"}
OPENLY: dict[str, tuple[Any, Any, str, str]] = {
    "a new optional argument": (
        {"properties": {"q": TEXT}},
        {"properties": {"q": TEXT, "n": TEXT}},
        "compatible",
        "breaking",
    ),
    "an argument that went": (
        {"properties": {"q": TEXT, "n": TEXT}},
        {"properties": {"q": TEXT}},
        "breaking",
        "compatible",
    ),
    "silence that became false": (
        {"properties": {"q": TEXT}},
        {"properties": {"q": TEXT}, "additionalProperties": False},
        "dangerous",
        "breaking",
    ),
    "silence that became true": (
        {"properties": {"q": TEXT}},
        {"properties": {"q": TEXT}, "additionalProperties": True},
        "compatible",
        "presentation",
    ),
    "true that became false": (
        {"properties": {"q": TEXT}, "additionalProperties": True},
        {"properties": {"q": TEXT}, "additionalProperties": False},
        "breaking",
        "breaking",
    ),
    "a map that now declares": (
        {"properties": {"m": {"type": "object"}}},
        {"properties": {"m": {"type": "object", "properties": {"k": TEXT}}}},
        "dangerous",
        "breaking",
    ),
    "an argument that became required": (
        {"properties": {"q": TEXT}},
        {"properties": {"q": TEXT}, "required": ["q"]},
        "breaking",
        "breaking",
    ),
}


@pytest.mark.parametrize("case", OPENLY.values(), ids=OPENLY.keys())
def test_open_reads_silence_as_plain_json_schema_does(
    run: Run, case: tuple[Any, Any, str, str]
) -> None:
    old, new, declared, plainly = case
    _pair(old, new)
    _compare_both_ways(run, declared, plainly)


RESULTS: dict[str, tuple[Any, Any, str, str]] = {
    "an optional property that went": (
        {"properties": {"q": TEXT, "n": TEXT}},
        {"properties": {"q": TEXT}},
        "dangerous",
        "breaking",
    ),
    "a property that came": (
        {"properties": {"q": TEXT}},
        {"properties": {"q": TEXT, "n": TEXT}},
        "compatible",
        "compatible",
    ),
    "false that became silence": (
        {"properties": {"q": TEXT}, "additionalProperties": False},
        {"properties": {"q": TEXT}},
        "compatible",
        "breaking",
    ),
}


@pytest.mark.parametrize("case", RESULTS.values(), ids=RESULTS.keys())
def test_open_holds_for_results_too(run: Run, case: tuple[Any, Any, str, str]) -> None:
    old, new, declared, plainly = case
    _pair(old, new, "outputSchema")
    _compare_both_ways(run, declared, plainly)


def _compare_both_ways(run: Run, declared: str, plainly: str) -> None:
    for options, want in (((), declared), (("--open",), plainly)):
        made = json.loads(run("diff", "old.json", "new.json", "--format", "json", *options)[1])
        check(made)
        assert made["level"] == want
        proofs = [one for one in made["tools"][0]["findings"] if one["level"] == "breaking"]
        assert all("witness" in one for one in proofs)
