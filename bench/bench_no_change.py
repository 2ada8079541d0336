"""Claim: 10,000 tools of 10 sources unchanged: a run's list knows that in 2 µs, without memory."""

from __future__ import annotations

import asyncio
import tracemalloc

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import catalogues
import paired
from toolsync import live

SOURCES = 10


async def _followed(tools: list[catalogues.Tool]) -> live.RemoteCatalog:
    async def list_page(cursor: str | None) -> dict[str, list[catalogues.Tool]]:
        assert cursor is None
        return {"tools": tools}

    remote = live.RemoteCatalog(list_page)
    assert await remote.refresh() == "applied"
    return remote


def _run(tools: list[catalogues.Tool], kind: str) -> live.ToolList:
    parts = [tools[place::SOURCES] for place in range(SOURCES)]
    if kind == "lists":
        return live.ToolList([], parts)

    async def followed() -> list[live.RemoteCatalog]:
        return [await _followed(part) for part in parts]

    return live.ToolList([], asyncio.run(followed()))


@pytest.mark.parametrize("kind", ["lists", "servers"])
def test_no_change(benchmark: BenchmarkFixture, tools: list[catalogues.Tool], kind: str) -> None:
    run = _run(tools, kind)
    found = paired.nanoseconds(run.refresh, loops=200, rounds=100)
    benchmark.extra_info["ns"] = round(found)
    benchmark.pedantic(run.refresh, rounds=20, iterations=1_000)
    assert found <= 2_000


@pytest.mark.parametrize("kind", ["lists", "servers"])
def test_no_change_allocates_nothing_that_grows(tools: list[catalogues.Tool], kind: str) -> None:
    peaks = [_peak(_run(tools[:count], kind)) for count in (SOURCES, len(tools))]
    print(f"{kind}: at most {peaks} bytes at a time, of few tools and of many")
    assert peaks[1] <= peaks[0] + 64
    assert peaks[1] < 1_000


def _peak(run: live.ToolList) -> int:
    run.refresh()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        run.refresh()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
