"""Claim: replacing one of 10,000 tools and comparing with the old catalogue takes at most 60 µs."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

import catalogues
import paired
import toolsync


def test_replace_and_diff(benchmark: BenchmarkFixture, tools: list[catalogues.Tool]) -> None:
    catalog = toolsync.Catalog(tools)
    # A catalogue that serves sessions has its digests already.
    assert catalog.digest != catalog.semantic_digest
    tool = tools[len(tools) // 2] | {"description": "Another text."}

    def replace() -> toolsync.Changes:
        return toolsync.diff(catalog, catalog.replace(tool))

    assert [change.name for change in replace().tools] == [tool["name"]]
    found = paired.nanoseconds(replace, loops=100) / 1_000
    benchmark.extra_info["µs"] = round(found, 1)
    benchmark.pedantic(replace, rounds=20, iterations=100)
    assert found <= 60
