"""The handed vectors and the digests of real catalogues, for the core and for the oracle."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import oracle
from toolsync import _diff
from toolsync.catalog import Catalog, load, loads


def vectors(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "cases/digest/vectors.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_vectors_from_text(shared: Path) -> None:
    assert len(vectors(shared)) > 50
    for vector in vectors(shared):
        text = vector["tool"].encode()
        catalog = loads(b'{"tools":[%b]}' % text)
        if vector.get("malformed"):
            assert (len(catalog), len(catalog.invalid)) == (0, 1), vector["what"]
            with pytest.raises(oracle.MalformedError):
                oracle.tool_from_text(text)
            continue
        (tool,) = catalog
        right = (vector["digest"], vector["semantic"])
        assert (tool.digest, tool.semantic_digest) == right, vector["what"]
        assert _diff.projection(text).decode() == vector["projection"], vector["what"]
        by_oracle = oracle.tool_from_text(text)
        assert (by_oracle.digest, by_oracle.semantic) == right, vector["what"]


def test_vectors_from_objects(shared: Path) -> None:
    for vector in vectors(shared):
        if "digest" not in vector:
            continue
        (tool,) = Catalog([_diff.parse(vector["tool"].encode())])
        right = (vector["digest"], vector["semantic"])
        assert (tool.digest, tool.semantic_digest) == right, vector["what"]


def test_catalogue_digests(shared: Path) -> None:
    text = (shared / "cases/digest/catalogue.json").read_bytes()
    handed = json.loads(text)
    for catalog in (loads(text), Catalog(handed["tools"]), Catalog(handed["tools"][::-1])):
        assert catalog.digest == handed["digest"]
        assert catalog.semantic_digest == handed["semantic"]


def real_catalogues(shared: Path) -> dict[Path, list[tuple[str, str, str]]]:
    """Each file with the names and both digests of its tools."""
    rows: dict[Path, list[tuple[str, str, str]]] = defaultdict(list)
    with (shared / "corpus/digests.tsv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            file = shared / "corpus" / row["server"] / f"{row['version']}.json"
            rows[file].append((row["tool"], row["digest"], row["semantic"]))
    return rows


def digests(catalog: Catalog) -> list[tuple[str, str, str]]:
    return [(tool.name, tool.digest, tool.semantic_digest) for tool in catalog]


def test_digests_of_real_catalogues_from_text(shared: Path) -> None:
    files = real_catalogues(shared)
    assert sum(map(len, files.values())) > 7000
    for file, rows in files.items():
        assert digests(load(file)) == rows, file.name


def test_digests_of_real_catalogues_from_objects(shared: Path) -> None:
    for file, rows in real_catalogues(shared).items():
        held = json.loads(file.read_bytes())
        tools = held["tools"] if isinstance(held, dict) else held
        assert digests(Catalog(tools)) == rows, file.name


@pytest.mark.slow
def test_the_oracle_agrees_on_real_catalogues(shared: Path) -> None:
    for file, rows in real_catalogues(shared).items():
        held = json.loads(file.read_bytes())
        tools = held["tools"] if isinstance(held, dict) else held
        known = oracle.well_formed(tools, oracle.tool_from_object)
        assert [(t.name, t.digest, t.semantic) for t in known.values()] == rows, file.name
