from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_reports import added, check, finding, report, tool
from toolsync.report.json import encode, schema

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@given(VALUES, VALUES)
def test_a_report_reads_back_as_it_was(old: Any, new: Any) -> None:
    made = report(tool("a", "changed", finding(old=old, new=new)))
    text = encode(made)
    assert json.loads(text) == made
    assert encode(made) == text
    assert text.endswith("}\n")


def test_no_character_of_it_steers_a_terminal_or_a_runner() -> None:
    hostile = "\x1b]0;x\x07\x85\u202e\u200b\U000e0061\n::error::##[error]"
    text = encode(report(added(hostile)))
    assert text.replace("\n", "").isprintable()
    assert not re.search(r"(?m)^\s*::|##\[", text)
    assert json.loads(text)["tools"][0]["name"] == hostile


@pytest.mark.parametrize("value", [2**64, -(2**70), 10**5000], ids=["2^64", "-2^70", "10^5000"])
def test_integers_of_any_size_keep_their_digits(value: int) -> None:
    found = re.search(r'"old": (-?\d+)', encode(report(tool("a", "changed", finding(old=value)))))
    assert found is not None
    assert _integer(found[1]) == value


def _integer(digits: str) -> int:
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    number = 0
    for start in range(0, len(digits), 1000):
        part = digits[start : start + 1000]
        number = number * 10 ** len(part) + int(part)
    return sign * number


def test_deep_values_are_written() -> None:
    value: Any = "end"
    for _ in range(300):
        value = [value]
    assert encode({"value": value}).count("[") == 300


def _broken(**changes: Any) -> Any:
    return {**report(added("a")), **changes}


@pytest.mark.parametrize(
    "made",
    [
        _broken(report=2),
        _broken(level="awful"),
        _broken(surplus=1),
        _broken(tools=[added("a", surplus=1)]),
        _broken(tools=[tool(None, "invalid", path="", reason="no name, and no index")]),
        _broken(tools=[tool("a", "invalid", reason="no path")]),
        _broken(tools=[tool("a", "changed", finding(path="no/pointer"))]),
        _broken(tools=[tool("a", "changed", finding(rule="Not A Rule"))]),
        _broken(tools=[tool("a", "changed", finding(witness_of="arguments"))]),
        _broken(tools=[tool("a", "unchanged", finding())]),
    ],
)
def test_the_schema_refuses_what_is_no_report(made: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        check(made)
