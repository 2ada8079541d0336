"""Several threads at once: the same answers as one alone, on shared and on own inputs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread
from typing import Any

import pytest

import oracle
from toolsync import _diff
from toolsync.catalog import Catalog, loads
from toolsync.compare import pair

THREADS = 6
ROUNDS = 15


@pytest.fixture(autouse=True)
def switching_often() -> Iterator[None]:
    """Lets threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def tools(flavour: int) -> list[dict[str, Any]]:
    """Tools that differ by flavour in every string, so that mixed-up memory shows."""
    word = f"flavour {flavour} é\n" * 3
    return [
        {
            "name": f"tool {flavour} {number}",
            "description": word * 5,
            "inputSchema": {
                "properties": {f"{word}{i}": {"enum": [i, word, 1.5 * i]} for i in range(8)},
                "anyOf": [{"const": 2**70 + number}, {"title": word}, {"required": ["b", "a"]}],
            },
        }
        for number in range(10)
    ]


def together(work: Callable[[int], object]) -> list[object]:
    """Does the work in all threads at once, several rounds; every thread's last result."""
    start = Barrier(THREADS)

    def run(flavour: int) -> object:
        start.wait(timeout=30)
        return [work(flavour) for _ in range(ROUNDS)]

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def digests(catalog: Catalog) -> list[tuple[str, str, str]]:
    return [(tool.name, tool.digest, tool.semantic_digest) for tool in catalog]


def expected(flavour: int) -> list[tuple[str, str, str]]:
    made = map(oracle.tool_from_object, tools(flavour))
    return [(tool.name, tool.digest, tool.semantic) for tool in made]


@pytest.mark.parametrize("as_text", [True, False])
def test_threads_digest_their_own_catalogues(as_text: bool) -> None:
    def work(flavour: int) -> object:
        given = tools(flavour)
        return digests(loads(json.dumps(given)) if as_text else Catalog(given))

    assert together(work) == [[expected(flavour)] * ROUNDS for flavour in range(THREADS)]


def test_threads_share_a_catalogue() -> None:
    catalogs = [loads(json.dumps(tools(round_))) for round_ in range(ROUNDS)]
    calls = [iter(catalogs) for _ in range(THREADS)]
    results = together(lambda thread: digests(next(calls[thread])))
    assert results == [[expected(round_) for round_ in range(ROUNDS)]] * THREADS


def test_threads_compare_catalogues() -> None:
    old = loads(json.dumps(tools(0)))
    changed = tools(0)
    changed[3]["title"] = "presentation"
    changed[4]["description"] = "semantic"
    new = loads(json.dumps(changed[1:], indent=1))

    def work(_: int) -> object:
        found = pair(old, new)
        return (
            [tool.name for tool in found.added + found.removed],
            [(a.name, b.name) for a, b in found.presentation],
            [(a.name, b.name) for a, b in found.changed],
        )

    names = [tool["name"] for tool in changed]
    right = ([names[0]], [(names[3],) * 2], [(names[4],) * 2])
    assert together(work) == [[right] * ROUNDS] * THREADS


def test_faults_are_told_to_the_thread_that_made_them() -> None:
    def work(flavour: int) -> object:
        try:
            _diff.canonical_text(b" " * flavour + b"[" * 300 + b"1" * flavour + b"!")
        except _diff.NotJSON as refusal:
            return refusal.offset
        return None

    assert together(work) == [[300 + 2 * flavour] * ROUNDS for flavour in range(THREADS)]


def test_a_dict_that_another_thread_changes_gives_whole_values() -> None:
    """What is read while another thread writes is one of the values that stood there."""
    schema = {str(key): f"old {key} " * 30 for key in range(500)}
    tool = {"name": "t", "inputSchema": schema}
    done = Event()

    def write() -> None:
        turn = 0
        while not done.is_set():
            turn += 1
            for key in range(0, 500, 7):
                schema[str(key)] = f"new {turn} " * 30

    writer = Thread(target=write)
    writer.start()
    try:
        read = [_diff.canonical(tool) for _ in range(100)]
    finally:
        done.set()
        writer.join()
    values = {value for text in read for value in json.loads(text)["inputSchema"].values()}
    assert all(value == value[: len(value) // 30] * 30 for value in values)
