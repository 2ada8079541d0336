"""Claim: `diff(c, c)` of one catalogue with itself takes at most 200 ns."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

import catalogues
import paired
import toolsync


def test_same_object(benchmark: BenchmarkFixture, tools: list[catalogues.Tool]) -> None:
    catalog = toolsync.Catalog(tools)
    found = paired.nanoseconds(lambda: toolsync.diff(catalog, catalog), loops=5_000)
    benchmark.extra_info["ns"] = round(found)
    benchmark.pedantic(toolsync.diff, args=(catalog, catalog), rounds=20, iterations=1_000)
    assert found <= 200
