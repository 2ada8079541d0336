"""Two values side by side: each side reads as its value, and only what differs is marked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolsync.compare.equality import same
from toolsync.model import ABSENT
from toolsync.report.alignment import Fold, Row, folded, pairs, rows
from toolsync.report.edits import steps

NAMES = st.sampled_from(["", "a", "b", "c", '"', "é{", "]"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=15,
)


def _side(lines: list[Row], side: str) -> Iterator[str]:
    """Yields the lines of one side."""
    for row in lines:
        if row.words:
            text = "".join(t for kind, t in row.words if kind in ("same", side))
            yield row.old + json.dumps(text, ensure_ascii=False)
        elif row.kind == "edit":
            yield row.old if side == "gone" else row.new
        elif row.kind in ("same", side):
            yield row.old


def _value(lines: list[str]) -> Any:
    """Reads lines back as JSON: commas are all that they lack."""
    text = ""
    for line in lines:
        closes = line in ("}", "]")
        opened = text[-1:] in "{[" and not text.endswith(("{}", "[]"))
        text += ("" if closes or opened or not text else ",\n") + line
    return json.loads(text)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("abc ", max_size=40),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("abcd"), inner),
    max_leaves=15,
)


@given(PLAIN, PLAIN)
def test_each_side_reads_as_its_value(old: Any, new: Any) -> None:
    lines = list(rows(old, new))
    assert same(_value(list(_side(lines, "gone"))), old)
    assert same(_value(list(_side(lines, "new"))), new)
    assert all(row.kind == "same" for row in lines) == same(old, new)


@given(JSON, JSON)
def test_any_value_has_lines_and_folds_that_lose_none(old: Any, new: Any) -> None:
    lines = list(rows(old, new))
    unfolded = [
        row for each in folded(lines) for row in (each.rows if isinstance(each, Fold) else (each,))
    ]
    assert unfolded == lines
    assert all(len(each.rows) > 1 for each in folded(lines) if isinstance(each, Fold))
    assert all(row.kind == "same" for each in folded(lines) if isinstance(each, Fold)
               for row in each.rows)  # fmt: skip


@given(st.lists(st.integers(0, 5), max_size=9), st.lists(st.integers(0, 5), max_size=9))
def test_items_are_matched_once_and_in_order(old: list[int], new: list[int]) -> None:
    matched = list(pairs(old, new))
    assert [a for a, _ in matched if a is not None] == list(range(len(old)))
    assert [b for _, b in matched if b is not None] == list(range(len(new)))


def test_what_would_cost_too_much_to_match_went_and_came_as_a_whole() -> None:
    old = [str(at) for at in range(1600)]
    new = ["x", *old[1:-1], "y", "z"]
    found = steps(old, new)
    assert [step.kind for step in found] == ["gone"] * 1600 + ["new"] * 1601
    assert len(steps(old[:700], new[:700])) == 701


def test_a_member_that_came_is_the_only_line_marked() -> None:
    old = {"type": "object", "required": ["a"], "x": 1}
    new = {"type": "object", "required": ["a", "b"], "x": 1}
    marked = [row for row in rows(old, new) if row.kind != "same"]
    assert marked == [Row("new", 2, '"b"')]


def test_a_tool_that_is_not_there_leaves_its_side_empty() -> None:
    assert {row.kind for row in rows(ABSENT, {"a": [1]})} == {"new"}
    assert {row.kind for row in rows({"a": [1]}, ABSENT)} == {"gone"}


def test_the_lines_around_a_change_say_where_it_stands() -> None:
    properties = {f"p{at}": {"type": "string"} for at in range(9)}
    old = {"name": "t", "inputSchema": {"properties": {**properties, "x": {"minimum": 1}}}}
    new = {"name": "t", "inputSchema": {"properties": {**properties, "x": {"minimum": 2}}}}
    shown = [
        each.old if isinstance(each, Row) else len(each.rows)
        for each in folded(list(rows(old, new)))
    ]
    assert shown == [
        "{", '"name": "t"', '"inputSchema": {', '"properties": {', 26, "}", '"x": {',
        '"minimum": 1', "}", "}", "}", "}",
    ]  # fmt: skip
