"""No claim, a comparison: 1,000 tools, 1 % changed, from two texts to an answer."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import catalogues
import peers
import text_diff

COUNT = 1_000
CONTENDERS = {
    "toolsync: level": text_diff.level,
    "toolsync: every finding": text_diff.report,
    **peers.installed(),
}


@pytest.fixture(scope="module")
def pair() -> tuple[bytes, bytes]:
    tools = catalogues.tools(COUNT)
    return catalogues.text(tools), catalogues.text(catalogues.changed(tools, 100))


@pytest.mark.parametrize("name", CONTENDERS)
def test_side_by_side(benchmark: BenchmarkFixture, pair: tuple[bytes, bytes], name: str) -> None:
    rounds = 1 if name == "DeepDiff" else 5
    benchmark.pedantic(CONTENDERS[name], args=pair, rounds=rounds)
