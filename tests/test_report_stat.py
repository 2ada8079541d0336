"""What a catalogue costs: sizes as a model is shown them, and what leaves a prompt cache."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_strategies import spell, tools
from made_reports import added, removed, report, tool
from toolsync import Catalog, diff, loads
from toolsync.report.cost import BYTES_A_TOKEN, Change, costs, sent, tokens
from toolsync.report.shape import Report
from toolsync.report.stat import cost_lines, stat_lines


def _tool(name: str, description: str = "Does it.", **parts: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object"}, **parts}


A, B, C = (_tool(name) for name in "abc")
SIZE = len(json.dumps(A, separators=(",", ":")))


def _costs(old: list[Any], new: list[Any], *, in_order: bool = True) -> Any:
    return costs(Catalog(old), Catalog(new), in_order=in_order)


def _told(old: list[Any], new: list[Any]) -> str:
    return " | ".join(line.text for line in cost_lines(_costs(old, new)))


def test_what_is_sent_is_name_description_and_arguments() -> None:
    hidden = {"title": "A", "annotations": {"readOnlyHint": True}, "_meta": {}, "outputSchema": {}}
    (plain,), (laden,) = Catalog([A]), Catalog([A | hidden])
    assert sent(plain) == sent(laden) == json.dumps(A, separators=(",", ":")).encode()
    (bare,) = Catalog([{"name": "é", "inputSchema": {}, "description": None}])
    assert sent(bare) == '{"name":"é","inputSchema":{}}'.encode()


@given(tools, st.integers(0, 5))
def test_every_tool_has_a_size(given_tool: Any, seed: int) -> None:
    for each in loads(spell([given_tool], seed)):
        shown = json.loads(sent(each))
        assert {"name", "inputSchema"} <= shown.keys()
        assert shown["inputSchema"] == each.definition["inputSchema"]


@pytest.mark.parametrize("digits", [19, 400, 10_000])
def test_integers_of_any_size_are_counted(digits: int) -> None:
    (each,) = loads('[{"name": "a", "inputSchema": {"maximum": %s}}]' % ("9" * digits))
    if digits < 4300:
        assert len(sent(each)) == len('{"name":"a","inputSchema":{"maximum":}}') + digits
    else:
        assert b"digits" in sent(each)  # Python would not print it; the size is that of a stand-in


def test_tokens_are_bytes_over_a_measured_ratio() -> None:
    assert [tokens(size) for size in (0, 1, 4, 46, 460_000)] == [0, 0, 1, 10, 100_000]
    assert BYTES_A_TOKEN == 4.6


def test_sizes_before_and_after() -> None:
    made = _costs([A, B], [_tool("a", "Does it well."), C])
    assert made.tools == {
        "a": Change(SIZE, SIZE + 5),
        "b": Change(SIZE, 0),
        "c": Change(0, SIZE),
    }
    assert made.whole == Change(2 * SIZE, 2 * SIZE + 5)


@pytest.mark.parametrize(
    ("new", "first", "name", "behind"),
    [
        ([A, B, C], None, None, 0),
        ([A, B | {"title": "T"}, C], None, None, 0),
        ([A, _tool("b", "Better."), C], 1, "b", 2 * SIZE - 1),
        ([B, A, C], 0, "b", 3 * SIZE),
        ([A, C], 1, "c", SIZE),
        ([A, B], 2, None, 0),
        ([A, B, C, _tool("d")], 3, "d", SIZE),
        ([], 0, None, 0),
    ],
    ids=["same", "title", "changed", "moved", "removed", "last removed", "added", "none left"],
)
def test_where_the_prompt_begins_to_differ(
    new: list[Any], first: int | None, name: str | None, behind: int
) -> None:
    made = _costs([A, B, C], new)
    assert (made.first, made.name, made.behind) == (first, name, behind)


def test_the_order_of_keys_counts_for_a_cache() -> None:
    old, new = (
        loads(f'[{{"name": "a", "inputSchema": {{"properties": {{{keys}}}}}}}]')
        for keys in ('"x": {}, "y": {}', '"y": {}, "x": {}')
    )
    assert costs(old, new).first == 0
    # Around them the text is made in one order, as a host makes it.
    turned = loads('[{"inputSchema": {"properties": {"x": {}, "y": {}}}, "name": "a"}]')
    assert costs(old, turned).first is None


def test_the_whole_is_told_below_the_tools() -> None:
    size = f"{3 * SIZE:,}"
    told = _told([A, B, C], [A, B, C])
    assert told == (
        f"shown to a model: ~{tokens(3 * SIZE)} tokens, {size} bytes, at 4.6 bytes a token"
        " | prompt cache: kept, tools and order are shown as before"
    )
    told = _told([A, B], [A, C, B])
    assert f"(+{tokens(3 * SIZE) - tokens(2 * SIZE)}), {size} bytes (+{SIZE})" in told
    assert told.endswith(
        f"prompt cache: differs at tool 2 of 3, c: ~{tokens(2 * SIZE)} tokens from there on"
        " and all that follows the tools are read anew"
    )
    assert "differs behind the last tool: ~0 tokens" in _told([A, B], [A])


def test_without_an_order_nothing_is_said_of_a_cache() -> None:
    lines = list(cost_lines(_costs([A, B], [B, A], in_order=False)))
    assert [line.text.partition(":")[0] for line in lines] == ["shown to a model"]


def test_each_tool_has_its_size_beside_it() -> None:
    old, new = Catalog([A, B]), Catalog([_tool("a", "Does it better, and at once."), C])
    made = cast("Report", diff(old, new).to_dict())
    lines = [line.text for line in stat_lines(made, costs(old, new))]
    assert len(lines) == 6
    assert re.fullmatch(
        rf" b  removed    breaking       ~0 tokens \(-\d+\), 0 bytes \(-{SIZE}\)", lines[0]
    )
    assert re.fullmatch(
        rf" c  added      compatible     ~\d+ tokens \(\+\d+\), {SIZE} bytes \(\+{SIZE}\)", lines[1]
    )
    assert re.fullmatch(
        r" a  changed    documentation  ~\d+ tokens \(\+\d\), \d+ bytes \(\+20\) +1 documentation",
        lines[2],
    )
    assert len({line.index("~") for line in lines[:3]}) == 1


def test_a_report_alone_has_no_sizes() -> None:
    made = report(added("b"), tool("a", "changed"), removed("c"))
    assert not [line for line in stat_lines(made) if "bytes" in line.text]


def test_hostile_names_are_shown_escaped() -> None:
    odd = _tool("x\x1b[2J\u202e\n::error::y")
    lines = [line.text for line in cost_lines(_costs([], [odd]))]
    lines += [
        line.text
        for line in stat_lines(
            cast("Report", diff(Catalog([]), Catalog([odd])).to_dict()), _costs([], [odd])
        )
    ]
    assert all(line.isprintable() for line in lines)
    assert sum("x\\u{1B}[2J\\u{202E}" in line for line in lines) == 3
