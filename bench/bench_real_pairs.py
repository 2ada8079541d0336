"""Claim: a real tool whose contract changed is judged in 300 µs (median), in 10 ms at most (p99).

Needs the recorded catalogues in a folder `shared` beside the clone; skipped where there is none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

import pytest

import toolsync
from toolsync.compare import pair

BESIDE = Path(__file__).parents[2] / "shared"
CORPUS = Path(os.environ.get("TOOLSYNC_SHARED", BESIDE)) / "corpus"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="no ../shared folder beside the clone")


def _pairs() -> Iterator[tuple[toolsync.Tool, toolsync.Tool]]:
    """Yields every tool whose semantic digest changed from one recorded version to the next."""
    for row in (CORPUS / "PAIRS.tsv").read_text("utf-8").splitlines()[1:]:
        server, old, new = row.split("\t")[:3]
        texts = [CORPUS / server / f"{version}.json" for version in (old, new)]
        before, after = map(toolsync.load, texts)
        yield from pair(before, after).changed


def _seconds(old: toolsync.Tool, new: toolsync.Tool) -> float:
    before, after = (toolsync.Catalog([tool.definition]) for tool in (old, new))
    best = float("inf")
    for _ in range(3):
        started = time.thread_time()
        toolsync.diff(before, after).to_dict()
        best = min(best, time.thread_time() - started)
    return best


def test_real_pairs() -> None:
    pairs = list(_pairs())
    taken = [_seconds(old, new) * 1e6 for old, new in pairs]
    middle, high = median(taken), quantiles(taken, n=100)[98]
    print(f"\n{len(pairs)} changed tools: median {middle:.0f} µs, p99 {high:.0f} µs")
    print(f"worst: {max(taken):.0f} µs, {pairs[taken.index(max(taken))][0].name}")
    assert middle <= 300
    assert high <= 10_000
