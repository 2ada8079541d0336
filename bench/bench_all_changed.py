"""Claim: 10,000 changed tools are judged in at most 0.70 of `orjson.loads` of both texts."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

import text_diff
from texts import Texts


def test_all_changed(benchmark: BenchmarkFixture, texts: Texts) -> None:
    assert text_diff.measure(benchmark, texts.old, texts.all_changed) <= 0.70


def test_all_changed_with_every_finding(benchmark: BenchmarkFixture, texts: Texts) -> None:
    """No claim: what a full report of that many changes costs."""
    benchmark.pedantic(text_diff.report, args=(texts.old, texts.all_changed), rounds=1)
