"""The call that the text benchmarks measure, beside what it is measured against."""

from __future__ import annotations

import orjson
from pytest_benchmark.fixture import BenchmarkFixture

import paired
import toolsync


def level(old: bytes, new: bytes) -> toolsync.Level:
    """Reads both texts, the new one strictly, and judges every tool that differs."""
    return toolsync.diff(toolsync.loads(old), toolsync.loads(new)).level


def verdict(old: bytes, new: bytes) -> tuple[toolsync.ToolChange, ...]:
    """As `level`, with every finding of every tool, and its proof."""
    return toolsync.diff(toolsync.loads(old), toolsync.loads(new)).tools


def report(old: bytes, new: bytes) -> dict[str, object]:
    """As `verdict`, written out, with the digests of both catalogues."""
    return toolsync.diff(toolsync.loads(old), toolsync.loads(new)).to_dict()


def measure(benchmark: BenchmarkFixture, old: bytes, new: bytes) -> float:
    """Times one diff and returns its ratio to `orjson.loads` of both texts."""
    found = paired.ratio(lambda: level(old, new), lambda: (orjson.loads(old), orjson.loads(new)))
    benchmark.extra_info["of orjson.loads of both"] = round(found, 3)
    benchmark.pedantic(level, args=(old, new), rounds=5)
    return found
