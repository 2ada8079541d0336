"""Claim: 10,000 tools, 1 % changed, take at most 0.25 of `orjson.loads` of both texts."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

import text_diff
from texts import Texts


def test_one_percent_changed(benchmark: BenchmarkFixture, texts: Texts) -> None:
    assert text_diff.measure(benchmark, texts.old, texts.one_percent) <= 0.25


def test_equal_texts(benchmark: BenchmarkFixture, texts: Texts) -> None:
    assert text_diff.measure(benchmark, texts.old, texts.same) <= 0.25
