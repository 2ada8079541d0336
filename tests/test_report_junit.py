"""JUnit XML: a test case for every tool, failing exactly where the command would."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest

import toolsync
from made_reports import added, finding, removed, report, tool
from toolsync.cli import main
from toolsync.cli.failing import FailOn
from toolsync.report.junit import junit
from toolsync.report.shape import Report

EXAMPLES = Path(__file__).parents[1] / "examples"
PAIR = [str(EXAMPLES / "old.json"), str(EXAMPLES / "new.json")]


def _root(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  our own text


def _written(made: Report, *failing: str) -> ET.Element:
    return _root("".join(junit(made, lambda each: each["level"] in failing)))


def test_every_tool_is_a_test_case() -> None:
    changes = toolsync.diff(*map(toolsync.load, PAIR))
    root = _written(cast("Report", changes.to_dict(all=True)), "breaking")
    cases = list(root.iter("testcase"))
    assert [case.get("name") for case in cases] == sorted(toolsync.load(PAIR[1]).index)
    (failure,) = root.iter("failure")
    assert failure.get("type") == "breaking"
    assert failure.get("message", "").startswith("`limit` is now required")
    assert 'refused now: {"query": ""}' in (failure.text or "")


def test_counts_are_those_of_the_cases() -> None:
    broken = tool("b", "changed", finding(level="breaking"))
    root = _written(report(broken, removed("c"), added("a"), unchanged=0), "breaking")
    (suite,) = root
    for each in (root, suite):
        assert (each.get("tests"), each.get("failures"), each.get("errors")) == ("3", "2", "0")
    told = [case.find("system-out") is not None for case in root.iter("testcase")]
    assert told.count(True) == 1


@pytest.mark.parametrize("fail_on", [each.value for each in FailOn])
def test_something_fails_exactly_where_the_command_does(
    fail_on: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["diff", *PAIR, "--format", "junit", "--fail-on", fail_on])
    root = _root(capsys.readouterr().out)
    failures = [
        case.get("name") for case in root.iter("testcase") if case.find("failure") is not None
    ]
    assert bool(failures) == bool(code)
    many = {
        "never": 0, "presentation": 6, "semantic": 5, "compatible": 4, "dangerous": 3,
        "unknown": 2, "breaking": 1,
    }  # fmt: skip
    assert len(failures) == many[fail_on]


def test_a_tool_that_became_unusable_fails_whatever_the_bar(tmp_path: Path, capsys: Any) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text('{"tools": []}', "utf-8")
    new.write_text('{"tools": [{"name": "x", "inputSchema": 5}]}', "utf-8")
    assert main(["diff", str(old), str(new), "--format", "junit", "--fail-on", "breaking"]) == 1
    assert len(list(_root(capsys.readouterr().out).iter("failure"))) == 1
    assert main(["diff", str(old), str(new), "--format", "junit", "--fail-on", "never"]) == 0
    assert list(_root(capsys.readouterr().out).iter("failure")) == []
    assert main(["diff", str(new), str(new), "--format", "junit"]) == 0
    root = _root(capsys.readouterr().out)
    assert len(list(root.iter("testcase"))) == 1
    assert list(root.iter("failure")) == []
