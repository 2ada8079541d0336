"""The handed cases: truths of other test suites, rewritings, and real catalogues."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from toolsync.schema import contained
from toolsync.schema.readings.reading import read
from validators import DRAFT4, DRAFT6, DRAFT7, DRAFT2019, DRAFT2020, accepted

URIS = {
    "draft-04": DRAFT4,
    "draft-06": DRAFT6,
    "draft-07": DRAFT7,
    "2019-09": DRAFT2019,
    "2020-12": DRAFT2020,
}
# Labelled by a validator that asserts these keywords; here they are annotations.
ASSERTED_ELSEWHERE = ("draft-07/optional/content/",)


def rows(path: Path) -> Iterator[tuple[str, Any, Any, bool]]:
    """Lists every labelled direction of a file of cases."""
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        old, new = (_stamped(case[side], case["draft"]) for side in ("old", "new"))
        forward = case.get("old_accepts_subset_of_new", case.get("old_subset_of_new"))
        for left, right, truth in ((old, new, forward), (new, old, case["new_subset_of_old"])):
            if truth is not None and not case["id"].startswith(ASSERTED_ELSEWHERE):
                yield case["id"], left, right, truth


def _stamped(schema: Any, draft: str) -> Any:
    if not isinstance(schema, dict) or "$schema" in schema or draft not in URIS:
        return schema
    return {"$schema": URIS[draft], **schema}


@pytest.mark.parametrize(
    ("name", "share"), [("containment.jsonl", 0.005), ("metamorphic.jsonl", 0.012)]
)
def test_known_truths(shared: Path, name: str, share: float) -> None:
    asked = unknown = 0
    for case, old, new, truth in rows(shared / "cases/schema" / name):
        answer = contained(old, new, "open").answer
        asked += 1
        unknown += answer == "unknown"
        assert answer in {"unknown", "yes" if truth else "no"}, case
    assert unknown <= share * asked


def test_levels_of_pairs(shared: Path) -> None:
    lines = (shared / "cases/pairs/pairs.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        case = json.loads(line)
        old, new = case["old"]["inputSchema"], (case["new"] or case["old"])["inputSchema"]
        answer = contained(old, new)
        if case["level"] in {"presentation", "presentation-or-less", "compatible"}:
            assert answer.answer == "yes", case["id"]
        elif case["witness"] is not None and old != new:
            assert answer.answer == "no", case["id"]


def test_real_catalogues(shared: Path) -> None:
    asked = unknown = 0
    for old, new in real_pairs(shared / "corpus"):
        for left, right in ((old, new), (new, old)):
            answer = contained(left, right)
            asked += 1
            unknown += answer.answer == "unknown"
            if answer.answer == "no":
                assert accepted(read(left, "declared").schema, answer.witness)
                assert not accepted(read(right, "declared").schema, answer.witness)
    assert unknown <= 0.01 * asked


def real_pairs(corpus: Path) -> Iterator[tuple[Any, Any]]:
    """Lists schemas of one tool in two versions of its server, every fifth that differs."""
    found: list[tuple[Any, Any]] = []
    for folder in sorted(path for path in corpus.iterdir() if path.is_dir()):
        versions = [_tools(path) for path in sorted(folder.glob("*.json"))]
        for before, after in pairwise(versions):
            names = [name for name in before if name in after and before[name] != after[name]]
            found += [(before[name], after[name]) for name in sorted(names)]
    yield from found[::5]


def _tools(path: Path) -> dict[str, Any]:
    listed = json.loads(path.read_text(encoding="utf-8"))
    tools = listed["tools"] if isinstance(listed, dict) else listed
    return {tool["name"]: tool["inputSchema"] for tool in tools}
