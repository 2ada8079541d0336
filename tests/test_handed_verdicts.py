"""Verdicts on handed cases and on real catalogues; skipped where `../shared` is absent."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import toolsync
from toolsync.model import Level
from toolsync.report.json import schema

QUIET = {"identical", "presentation"}
CLASSES = {
    "same": QUIET,
    "presentation": QUIET,
    "description": {"documentation"},
    "schema": {"compatible", "dangerous", "unknown", "breaking"},
    "annotations": {"documentation", "dangerous"},
}


def test_pairs_have_their_levels(shared: Path) -> None:
    lines = (shared / "cases" / "pairs" / "pairs.jsonl").read_text("utf-8").splitlines()
    for case in map(json.loads, lines):
        sides = [toolsync.Catalog([case[side]] if case[side] else []) for side in ("old", "new")]
        level = toolsync.diff(*sides).level.value
        want = QUIET if case["level"] == "presentation-or-less" else {case["level"]}
        assert level in want, case["id"]


def _reported(shared: Path) -> Iterator[tuple[str, dict[str, Any], toolsync.Changes]]:
    for folder in sorted((shared / "cases" / "reports").iterdir()):
        if (folder / "old.json").exists():
            expected = json.loads((folder / "expected.json").read_text("utf-8"))
            old, new = (toolsync.load(folder / f"{side}.json") for side in ("old", "new"))
            yield folder.name, expected, toolsync.diff(old, new)


def test_reports_have_their_classes(shared: Path) -> None:
    for name, expected, changes in _reported(shared):
        assert changes.notify == expected["notify"], name
        found = {change.name: change for change in changes.tools}
        for tool, verdict in expected["verdict"].items():
            change, want = found.get(tool), verdict["class"]
            if change is None:
                assert want in ("same", "presentation", "invalid"), (name, tool)
            elif want in CLASSES:
                assert change.level.value in CLASSES[want], (name, tool)
            else:
                assert change.status == want, (name, tool)


def test_reports_have_their_renames(shared: Path) -> None:
    for name, expected, changes in _reported(shared):
        hinted = {one.name: one.renamed_to for one in changes.tools if one.renamed_to}
        wanted = {
            tool: verdict["renamed_to"]
            for tool, verdict in expected["verdict"].items()
            if "renamed_to" in verdict
        }
        assert hinted == wanted, name


def _real(shared: Path) -> Iterator[tuple[dict[str, str], toolsync.Catalog, toolsync.Catalog]]:
    root = shared / "corpus"
    with (root / "PAIRS.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            folder = root / row["server"]
            if folder.is_dir():
                old, new = (toolsync.load(folder / f"{row[side]}.json") for side in ("old", "new"))
                yield row, old, new


def _names(changes: toolsync.Changes, status: str) -> set[str | None]:
    return {change.name for change in changes.tools if change.status == status}


@pytest.mark.slow
def test_real_catalogues_agree_with_an_independent_summary(shared: Path) -> None:
    for row, old, new in _real(shared):
        there, back = toolsync.diff(old, new), toolsync.diff(new, old)
        assert {one.name for one in there.tools} == {one.name for one in back.tools}
        if not row["duplicate_names"]:
            assert _names(there, "added") == set(filter(None, row["added"].split(",")))
            assert _names(there, "removed") == set(filter(None, row["removed"].split(",")))
            assert _names(there, "changed") <= set(row["changed"].split(","))


@pytest.mark.slow
def test_every_break_of_a_real_tool_is_proved_and_little_is_unknown(shared: Path) -> None:
    levels: Counter[Level] = Counter()
    validator = jsonschema.Draft202012Validator(schema())
    for _, old, new in _real(shared):
        changes = toolsync.diff(old, new)
        validator.validate(changes.to_dict())
        for change in changes.changed:
            levels[change.level] += 1
            for one in change.findings:
                if one.level is Level.BREAKING and one.path.startswith("/inputSchema"):
                    assert one.witness_of == "arguments"
    assert levels[Level.UNKNOWN] <= 0.01 * levels.total()
