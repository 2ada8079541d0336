"""Limits: bytes of a text, nested levels, bytes of one string; each is named when it is hit."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from toolsync import _diff
from toolsync.catalog import LIMITS, Catalog, Limits, load, loads
from toolsync.errors import LimitError, ToolsyncError

GOOD = b'{"name":"good","inputSchema":{}}'


def nested(levels: int, kind: str) -> bytes:
    """A value of so many levels: arrays, objects, or both in turn."""
    opened = {"arrays": b"[", "objects": b'{"a":', "both": b'[{"a":'}[kind]
    closed = {"arrays": b"]", "objects": b"}", "both": b"}]"}[kind]
    times = levels // 2 if kind == "both" else levels
    return opened * times + b"1" + closed * times


def in_tool(value: bytes) -> bytes:
    return b'{"name":"t","inputSchema":{"default":%b}}' % value


def outcome(text: bytes, limits: Limits = LIMITS) -> tuple[list[str], list[tuple[str | None, str]]]:
    catalog = loads(text, limits=limits)
    return [tool.name for tool in catalog], [(i.name, i.reason) for i in catalog.invalid]


def test_the_default_limits_are_those_stated() -> None:
    assert Limits(max_bytes=256 << 20, max_depth=250, max_string=1 << 20) == LIMITS


# --- depth -----------------------------------------------------------------------

# {"tools": [ {tool} -> {"inputSchema": { -> default: the value stands on level 5.
AROUND = 4


@pytest.mark.parametrize("kind", ["arrays", "objects"])
def test_depth_counts_every_level_and_the_limit_is_allowed(kind: str) -> None:
    exact = b'{"tools":[%b,%b]}' % (in_tool(nested(250 - AROUND, kind)), GOOD)
    assert outcome(exact) == (["t", "good"], [])
    over = b'{"tools":[%b,%b]}' % (in_tool(nested(251 - AROUND, kind)), GOOD)
    names, ((name, reason),) = outcome(over)
    assert names == ["good"]
    assert name == "t"
    assert "depth limit" in reason


@pytest.mark.parametrize("kind", ["arrays", "objects", "both"])
@pytest.mark.parametrize("levels", [252, 1000, 1001, 5000, 100_000])
def test_a_tool_that_is_too_deep_is_isolated(kind: str, levels: int) -> None:
    names, invalid = outcome(b"[%b,%b]" % (in_tool(nested(levels, kind)), GOOD))
    assert names == ["good"]
    assert [name for name, _ in invalid] == ["t"]
    assert "depth limit" in invalid[0][1]


@pytest.mark.parametrize("rest", [b"[[[", b"[[[}", b'{"a":{"b":tru', b'[[["\xff"]]]', b"[[[1]}"])
def test_what_is_no_json_is_found_beyond_the_depth_limit_too(rest: bytes) -> None:
    with pytest.raises(ToolsyncError, match="not JSON"):
        loads(b"[%b" % in_tool(b"[" * 300 + rest), limits=LIMITS)


def test_the_depth_limit_can_be_raised_and_lowered() -> None:
    text = b"[%b]" % in_tool(nested(400, "objects"))
    assert outcome(text, Limits(max_depth=500)) == (["t"], [])
    names, invalid = outcome(b"[%b]" % in_tool(b"[[1]]"), Limits(max_depth=4))
    assert names == []
    assert "depth limit" in invalid[0][1]


def test_beyond_its_ceiling_the_depth_limit_stays_a_limit() -> None:
    deep = _diff.MAX_DEPTH + 50
    names, invalid = outcome(b"[%b]" % in_tool(nested(deep, "arrays")), Limits(max_depth=10**6))
    assert names == []
    assert "depth limit" in invalid[0][1]


@pytest.mark.parametrize("kind", ["arrays", "objects"])
def test_objects_have_the_same_depth_limit_as_text(kind: str) -> None:
    for levels, fine in ((250 - AROUND, True), (251 - AROUND, False)):
        tool = _diff.parse(in_tool(nested(levels, kind)))
        catalog = Catalog([tool])
        assert [each.name for each in catalog] == (["t"] if fine else [])
        assert all("depth limit" in invalid.reason for invalid in catalog.invalid)
        assert len(loads(b'{"tools":[%b]}' % in_tool(nested(levels, kind)))) == len(catalog)


def test_objects_of_any_depth_are_refused_without_a_crash() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = {"a": [value]}
    with pytest.raises(ValueError, match="depth limit"):
        _diff.canonical(value)
    # Taken apart by hand: a deep value that is freed at once is Python's own trial.
    while value != 1:
        value = value["a"].pop()


def test_the_deepest_value_is_written_on_a_small_stack() -> None:
    text = in_tool(nested(_diff.MAX_DEPTH - 2, "objects").replace(b'"a"', b'"not"'))
    results: list[bytes] = []
    before = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(
            target=lambda: results.extend([_diff.projection(text), _diff.canonical_text(text)])
        )
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert [len(result) > 6000 for result in results] == [True, True]


# --- strings and numbers ---------------------------------------------------------


@pytest.mark.parametrize(
    "value", [b'"%b"' % (b"x" * 101), b"1" * 101, b"0." + b"1" * 99, b'{"%b":1}' % (b"k" * 101)]
)
def test_a_string_or_number_over_the_limit_is_isolated(value: bytes) -> None:
    text = b"[%b,%b]" % (in_tool(value), GOOD)
    names, ((name, reason),) = outcome(text, Limits(max_string=100))
    assert (names, name) == (["good"], "t")
    assert "longer than the limit" in reason
    assert outcome(text, Limits(max_string=101)) == (["t", "good"], [])


@pytest.mark.parametrize("value", ["x" * 101, 10**100, {"k" * 101: 1}, "é" * 51, "\n" * 51])
def test_objects_have_the_same_string_limit(value: Any) -> None:
    good = {"name": "good", "inputSchema": {}}
    catalog = Catalog(
        [{"name": "t", "inputSchema": {"default": value}}, good], limits=Limits(max_string=100)
    )
    assert [tool.name for tool in catalog] == ["good"]
    assert "limit" in catalog.invalid[0].reason


def test_numbers_have_a_limit_of_their_own() -> None:
    """Turning more digits into an int, or back, would take seconds."""
    most = 1 << 16
    for spelled in (b"9" * most, b"-" + b"9" * (most - 1), b"1." + b"0" * (most - 2)):
        assert outcome(b"[%b]" % in_tool(spelled)) == (["t"], [])
        _, ((_, reason),) = outcome(b"[%b]" % in_tool(spelled + b"0"))
        assert "longer than the limit" in reason
    for value, fine in ((10**most - 1, True), (10**most, False), (-(10**most), False)):
        catalog = Catalog([{"name": "t", "inputSchema": {"default": value}}])
        assert len(catalog) == fine


def test_a_string_at_the_default_limit_is_read() -> None:
    text = b"[%b]" % in_tool(b'"%b"' % (b"x" * (1 << 20)))
    assert outcome(text) == (["t"], [])


# --- bytes -----------------------------------------------------------------------


def test_a_text_over_the_byte_limit_is_refused_and_both_sizes_are_named() -> None:
    text = b"[%b]" % GOOD
    assert len(loads(text, limits=Limits(max_bytes=len(text)))) == 1
    with pytest.raises(LimitError, match=rf"{len(text)} bytes.*limit of 10\b"):
        loads(text, limits=Limits(max_bytes=10))


def test_a_file_over_the_byte_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "big.json"
    with file.open("wb") as stream:
        stream.truncate((256 << 20) + 1)  # sparse: it takes no room
    with pytest.raises(LimitError, match=r"big\.json.*limit"):
        load(file)


# --- sizes that must not cost squares --------------------------------------------


def test_numbers_that_python_hashes_alike_cost_no_square() -> None:
    prime = 2**61 - 1
    members = b",".join(b"%d" % (number * prime) for number in range(1, 50_001))
    text = b'{"name":"t","inputSchema":{"enum":[%b]}}' % members
    assert len(_diff.projection(text)) == len(text)


def test_very_many_keys_are_sorted_and_checked_for_repeats() -> None:
    keys = b",".join(b'"k%d":0' % number for number in range(200_000, 0, -1))
    text = _diff.canonical_text(b"{%b}" % keys)
    assert text.startswith(b'{"k1":0,"k10":0,"k100":0')
    with pytest.raises(ValueError, match="duplicate key"):
        _diff.canonical_text(b'{%b,"k7":0}' % keys)
