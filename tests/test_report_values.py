from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsync.report.values import json_text, pair

SCALARS = st.none() | st.booleans() | st.integers() | st.text('ab \u00e9"\\\n', max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_whole_value_is_its_json(value: Any) -> None:
    assert json_text(value) == json.dumps(value, ensure_ascii=False)


@given(VALUES, st.integers(1, 40))
def test_a_value_is_cut_at_its_room(value: Any, room: int) -> None:
    text = json_text(value, room)
    assert len(text) <= room + 1
    assert text == json.dumps(value, ensure_ascii=False) or text.endswith("…")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (1, "1"),
        (1.0, "1.0"),
        (1e30, "1e+30"),
        (2**70, "1180591620717411303424"),
        ("\x1b[31m\u202e", '"\\u{1B}[31m\\u{202E}"'),
        ({"\x1b": []}, '{"\\u{1B}": []}'),
    ],
)
def test_scalars(value: object, text: str) -> None:
    assert json_text(value) == text


def test_an_integer_that_python_will_not_print_is_described() -> None:
    assert json_text([10**5000]) == "[(an integer of about 5000 digits)]"


def test_short_pairs_are_whole() -> None:
    assert pair(["q"], ["q", "limit"], 40) == ('["q"]', '["q", "limit"]')


def test_long_lists_show_what_came_and_went() -> None:
    old = [f"value-{i}" for i in range(30)]
    new = [*old[:-1], "other"]
    assert pair(old, new, 40) == ('[…, "value-29"]', '[…, "other"]')


def test_long_objects_show_what_differs_at_any_depth() -> None:
    old = {"a": {"same": "x" * 60, "type": "string"}, "": 0}
    new = {"a": {"same": "x" * 60, "type": "null"}, "": 0}
    assert pair(old, new, 40) == (
        '{…, "a": {…, "type": "string"}}',
        '{…, "a": {…, "type": "null"}}',
    )


def test_a_new_order_alone_is_shown_as_it_is() -> None:
    old = [f"value-{i}" for i in range(30)]
    before, after = pair(old, old[::-1], 40)
    assert before.startswith('["value-0"')
    assert after.startswith('["value-29"')


def test_a_wide_value_costs_only_its_room() -> None:
    assert json_text(["x" * 10] * 10**6, 20) == '["xxxxxxxxxx", "xxxx…'
