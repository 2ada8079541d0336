"""Claim: locking or checking 10,000 tools takes at most twice what `toolsync diff` takes of them.

The diff reads two texts, of which 1 % of the tools changed, and makes its report; so does the
check, with a lockfile on one side, whose every digest it recomputes. What the same costs beside
the pairing alone, without any report or digest, stands beside it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import paired
import text_diff
import toolsync
from texts import Texts
from toolsync.compare import pair
from toolsync.lockfile import Lockfile, catalog_of, locked, parse, save, seen, written

ROUNDS = 5


def _lock(text: bytes, path: Path) -> None:
    server = locked(toolsync.loads(text), "tools.json")
    save(str(path), written(Lockfile().with_server("default", server)), seen(str(path)))


def _changes(lock: bytes, text: bytes) -> toolsync.Changes:
    _, server = parse(lock).chosen(None)
    now = toolsync.loads(text)
    return toolsync.diff(catalog_of(server, now, name="toolsync.lock"), now)


def _check(lock: bytes, text: bytes) -> dict[str, object]:
    return _changes(lock, text).to_dict()


@pytest.fixture
def lock(texts: Texts, tmp_path: Path) -> bytes:
    _lock(texts.old, tmp_path / "toolsync.lock")
    return (tmp_path / "toolsync.lock").read_bytes()


def test_lock(benchmark: BenchmarkFixture, texts: Texts, tmp_path: Path) -> None:
    path = tmp_path / "toolsync.lock"
    found = paired.ratio(
        lambda: _lock(texts.old, path),
        lambda: text_diff.report(texts.old, texts.one_percent),
        rounds=ROUNDS,
    )
    benchmark.extra_info["of the diff"] = round(found, 2)
    benchmark.pedantic(_lock, args=(texts.old, path), rounds=3)
    assert found <= 2


def test_check(benchmark: BenchmarkFixture, texts: Texts, lock: bytes) -> None:
    old, new = texts.old, texts.one_percent
    found = paired.ratio(
        lambda: _check(lock, new), lambda: text_diff.report(old, new), rounds=ROUNDS
    )
    benchmark.extra_info["of the diff"] = round(found, 2)
    alone = paired.ratio(
        lambda: _changes(lock, new).level,
        lambda: pair(toolsync.loads(old), toolsync.loads(new)),
        rounds=ROUNDS,
    )
    benchmark.extra_info["level alone, of the pairing alone"] = round(alone, 2)
    benchmark.pedantic(_check, args=(lock, new), rounds=3)
    assert found <= 2


def test_check_of_what_did_not_change(
    benchmark: BenchmarkFixture, texts: Texts, lock: bytes
) -> None:
    old, same = texts.old, texts.same
    found = paired.ratio(
        lambda: _check(lock, same), lambda: text_diff.report(old, same), rounds=ROUNDS
    )
    benchmark.extra_info["of the diff"] = round(found, 2)
    benchmark.pedantic(_check, args=(lock, same), rounds=3)
    assert found <= 2
