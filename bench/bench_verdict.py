"""Claim: the whole verdict, 1 % of 10,000 tools changed, takes at most 3 times the bare diff.

The bare diff reads both texts and says which tools differ; the verdict judges each of them, with
every finding and its proof.
"""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

import paired
import text_diff
import toolsync
from texts import Texts
from toolsync.compare import Pairing, pair


def _bare(old: bytes, new: bytes) -> Pairing:
    return pair(toolsync.loads(old), toolsync.loads(new))


def test_verdict(benchmark: BenchmarkFixture, texts: Texts) -> None:
    old, new = texts.old, texts.one_percent
    found = paired.ratio(lambda: text_diff.report(old, new), lambda: _bare(old, new), rounds=5)
    benchmark.extra_info["of the bare diff"] = round(found, 2)
    benchmark.pedantic(text_diff.report, args=(old, new), rounds=3)
    assert found <= 3
