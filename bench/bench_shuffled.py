"""Claim: with tools, keys and lists shuffled, at most 0.80 of `orjson.loads` of both texts."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

import text_diff
from texts import Texts
from toolsync import Level


def test_shuffled(benchmark: BenchmarkFixture, texts: Texts) -> None:
    assert text_diff.level(texts.old, texts.shuffled) is Level.PRESENTATION
    assert text_diff.measure(benchmark, texts.old, texts.shuffled) <= 0.80
