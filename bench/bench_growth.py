"""Claim: the time per tool does not grow from 100 to 50,000 tools.

`pytest bench/bench_growth.py --plot` draws docs/time-over-tools.svg from the same run.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import orjson
import pytest

import catalogues
import peers
import svg
import text_diff

COUNTS = (100, 300, 1_000, 3_000, 10_000, 50_000)
PICTURE = Path(__file__).parents[1] / "docs" / "time-over-tools.svg"
# Caches hold the small catalogues whole, so some growth is the machine's; orjson's is about that.
FLAT = 1.5
OURS, FINDINGS = "toolsync: level", "toolsync: every finding"
REFERENCE = "orjson.loads of both"
# A peer stops growing here, or once a single comparison has taken this long.
PEER_COUNT, PEER_SECONDS = 10_000, 2.0


def _seconds(call: Callable[[], object]) -> float:
    """Returns the fastest of several calls, more of them where they are short."""
    best, rounds, spent = float("inf"), 0, 0.0
    while rounds < 3 or (rounds < 30 and spent < 0.5):
        gc.collect()
        started = time.thread_time()
        call()
        taken = time.thread_time() - started
        best, rounds, spent = min(best, taken), rounds + 1, spent + taken
        if taken > PEER_SECONDS:
            break
    return best


def _texts(count: int) -> tuple[bytes, bytes]:
    tools = catalogues.tools(count)
    return catalogues.text(tools), catalogues.text(catalogues.changed(tools, 100))


def _contenders() -> dict[str, peers.Compare]:
    return {
        OURS: text_diff.level,
        FINDINGS: text_diff.report,
        REFERENCE: lambda old, new: (orjson.loads(old), orjson.loads(new)),
        **peers.installed(),
    }


def _measured(every: bool) -> dict[str, svg.Points]:
    lines: dict[str, svg.Points] = {name: [] for name in _contenders()}
    for count in COUNTS:
        old, new = _texts(count)
        for name, compare in _contenders().items():
            always = name in {OURS, REFERENCE} or (every and name == FINDINGS)
            slow = lines[name] and lines[name][-1][1] > PEER_SECONDS * 1_000
            if always or (every and count <= PEER_COUNT and not slow):
                lines[name].append((count, _seconds(lambda: compare(old, new)) * 1_000))  # noqa: B023
    return {name: line for name, line in lines.items() if line}


def test_time_per_tool_does_not_grow(request: pytest.FixtureRequest) -> None:
    plot = bool(request.config.getoption("--plot"))
    gc.disable()
    try:
        lines = _measured(every=plot)
    finally:
        gc.enable()
    for name, line in lines.items():
        print(f"\n{name}: " + "  ".join(f"{n:,.0f}: {ms * 1_000 / n:.2f} µs" for n, ms in line))
    if plot:
        title = "Two texts compared, 1 % of the tools changed"
        PICTURE.write_text(
            svg.line_chart(title, "tools in each text", "milliseconds", lines), encoding="utf-8"
        )
    each = [ms / count for count, ms in lines[OURS]]
    least = accumulate(each, min)
    assert max(now / before for now, before in zip(each, least, strict=True)) <= FLAT
