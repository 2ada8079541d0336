"""Reports that would repeat one long name thousands of times."""

from __future__ import annotations

import re
from typing import Any

import pytest

from made_reports import check, finding, report, tool
from toolsync.report import cut
from toolsync.report.cut import MOST_OF_ONE, bounded, clipped
from toolsync.report.json import encode
from toolsync.report.lint import LintReport, bounded_lint, lint_lines
from toolsync.report.text import report_lines

LONG = "/inputSchema/properties/" + "n" * 100_000


def _findings(made: Any) -> list[Any]:
    found: list[Any] = bounded(made)["tools"][0]["findings"]
    return found


def _checked(*findings: Any) -> list[Any]:
    made = report(tool("a", "changed", *findings))
    check(bounded(made))
    return _findings(made)


def test_what_is_short_stays_as_it_is() -> None:
    made = report(tool("a", "changed", finding(old="a" * 9000, new=[1, {"b": None}], witness=2.5)))
    assert bounded(made) == made


def test_long_texts_are_cut_and_short_values_stay() -> None:
    (found,) = _checked(finding(LONG, path=LONG, property="p" * 300, old=1, new=2))
    assert found["path"] == LONG[:200] + "… (100,024 characters)"
    assert found["message"].endswith("… (100,024 characters)")
    assert (found["old"], found["new"], found["cut"]) == (1, 2, True)


@pytest.mark.parametrize("deep", [False, True])
def test_a_long_value_is_left_out_with_its_other_side(deep: bool) -> None:
    text = "x" * MOST_OF_ONE
    old = {"a": [[text]]} if deep else text
    (found,) = _checked(finding(old=old, new=None, witness={}, witness_of="arguments"))
    assert found == finding(witness={}, witness_of="arguments", cut=True)
    (found,) = _checked(finding(old=1, new=None, witness=old, witness_of="arguments"))
    assert found == finding(old=1, new=None, cut=True)


def test_a_pointer_that_is_cut_stays_one() -> None:
    for i in range(4):
        (found,) = _checked(finding(path="/" + "x" * i + "~0~1" * 20_000))
        assert re.fullmatch(r"(/([^~/]|~[01])*)*", found["path"])


def test_past_the_bound_of_a_report_values_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cut, "MOST_OF_ALL", 1000)
    made = finding(old="x" * 300, new=1)
    bare = finding(cut=True)
    assert _checked(made, made, made, made) == [made, made, bare, bare]
    assert _checked(*[finding()] * 40) == [finding()] * 40


def test_a_reason_of_an_override_is_cut_too() -> None:
    (found,) = _checked(finding(overridden={"level": "breaking", "reason": "r" * 70_000}))
    assert found["overridden"]["reason"].endswith("(70,000 characters)")


def test_one_long_name_in_thousands_of_findings_stays_small() -> None:
    made = report(tool("a", "changed", *[finding(LONG, path=LONG, old=1, new=2)] * 3000))
    assert len(encode(bounded(made))) < 3000 * 1000
    assert len("\n".join(each.text for each in report_lines(made))) < 20_000
    full = "\n".join(each.text for each in report_lines(made, full=True))
    assert len(full) < 3000 * 15_000


def test_remarks_are_cut_alike() -> None:
    remark: Any = {"name": "a", "path": LONG, "reason": LONG}
    made: LintReport = {
        "source": "x", "tools": 1, "invalid": [remark], "refused": [remark], "doubtful": [remark],
        "warnings": [],
    }  # fmt: skip
    cut = bounded_lint(made)
    for each in (*cut["invalid"], *cut["refused"], *cut["doubtful"]):
        assert each["cut"] is True
        assert len(each["path"]) < 300
    assert max(len(each.text) for each in lint_lines(made)) < 1000


def test_tools_without_a_name_are_counted_past_a_hundred() -> None:
    parts = {"path": "", "reason": "expected an object"}
    made = report(*(tool(None, "invalid", index=i, **parts) for i in range(300)))
    lines = [each.text for each in report_lines(made)]
    assert "! … and 200 more tools without a name  identical" in lines
    assert sum("tools[" in each for each in lines) == 100
    remarks: Any = [{"name": None, "index": i, **parts} for i in range(300)]
    found: LintReport = {
        "source": "x", "tools": 300, "invalid": remarks, "refused": [], "doubtful": [],
        "warnings": [],
    }  # fmt: skip
    assert "… and 200 more without a name" in [each.text for each in lint_lines(found)]


def test_a_text_says_how_long_it_was() -> None:
    assert clipped("abc", 3) == "abc"
    assert clipped("abcd", 3) == "abc… (4 characters)"
