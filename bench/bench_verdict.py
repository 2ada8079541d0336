"""Claim: the whole verdict, 1 % of 10,000 tools changed, takes at most 3 times the bare diff.

The bare diff reads both texts and says which tools differ; the verdict judges each of them, with
every finding and its proof. The report, which also carries both digests of both catalogues, is
measured beside it, without a bar.
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
    verdict = paired.ratio(lambda: text_diff.verdict(old, new), lambda: _bare(old, new), rounds=5)
    report = paired.ratio(lambda: text_diff.report(old, new), lambda: _bare(old, new), rounds=3)
    print(f"\nof the bare diff: the verdict {verdict:.1f} x, the report {report:.1f} x")
    benchmark.extra_info["of the bare diff"] = round(verdict, 2)
    benchmark.pedantic(text_diff.verdict, args=(old, new), rounds=3)
    assert verdict <= 3
