"""Options and catalogues that every benchmark shares."""

from __future__ import annotations

import pytest
from pytest_benchmark.utils import parse_timer

import catalogues
import texts as made

COUNT = 10_000


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--plot", action="store_true", help="measure the peers too, and draw the plot")


def pytest_configure(config: pytest.Config) -> None:
    # Collection passes over orjson's fresh objects would flatter every ratio two- to threefold.
    config.option.benchmark_disable_gc = True
    # Processor time: the machine's other work does not count.
    config.option.benchmark_timer = parse_timer("time.process_time")


@pytest.fixture(scope="session")
def tools() -> list[catalogues.Tool]:
    return catalogues.tools(COUNT)


@pytest.fixture(scope="session")
def texts(tools: list[catalogues.Tool]) -> made.Texts:
    return made.make(tools)
