"""Claim: both digests of parsed tools take at most 0.90 of `orjson.loads` of their text."""

from __future__ import annotations

import orjson
from pytest_benchmark.fixture import BenchmarkFixture

import catalogues
import paired
import toolsync
from texts import Texts


def test_digests_of_parsed_tools(
    benchmark: BenchmarkFixture, texts: Texts, tools: list[catalogues.Tool]
) -> None:
    def digests() -> tuple[str, str]:
        catalog = toolsync.Catalog(tools)
        return catalog.digest, catalog.semantic_digest

    found = paired.ratio(digests, lambda: orjson.loads(texts.old))
    benchmark.extra_info["of orjson.loads"] = round(found, 3)
    benchmark.pedantic(digests, rounds=5)
    assert found <= 0.90
