"""SARIF 2.1.0: results with rules, lines of the source file and stable fingerprints."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from toolsync.rules import RULES
from toolsync.rules.explanation import explained
from toolsync.safe import safe_text

from .cut import clipped
from .finding import plain_lines
from .heading import tool_name
from .json import pieces
from .origin import NOWHERE, Origins, Spot
from .severity import severity
from .shape import FindingEntry, Report, ToolEntry
from .summary import rank
from .values import json_text

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_FINGERPRINT: Final = "toolsync/v1"
# A viewer reads braces as placeholders and brackets as links (sections 3.11.5 and 3.11.6).
_ESCAPES: Final = str.maketrans({"{": "{{", "}": "}}", "[": r"\[", "]": r"\]", "\\": r"\\"})
_LONGEST_WITNESS: Final = 4000

Json = dict[str, Any]


def sarif(report: Report, origins: Origins = NOWHERE) -> Iterator[str]:
    """Yields the log of one run in pieces, results worst first: platforms cut at the end."""
    found = [(tool, finding) for tool in report["tools"] for finding in tool["findings"]]
    found.sort(key=lambda each: -rank(each[1]["level"]))
    rules = sorted({finding["rule"] for _, finding in found})
    index = {rule: place for place, rule in enumerate(rules)}
    seen: Counter[str] = Counter()
    results = [_result(tool, finding, index, origins, seen) for tool, finding in found]
    driver = {
        "name": "toolsync",
        "semanticVersion": report["toolsync"],
        "rules": [_rule(rule) for rule in rules],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    yield from pieces({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(name: str) -> Json:
    rule = RULES.get(name)
    if rule is None:  # of a report that another release made
        return {"id": name}
    told = explained(rule)
    help_text = f"{told.means}\n\n{told.remedy}"
    return {
        "id": name,
        "shortDescription": _message(rule.reason),
        "fullDescription": _message(f"{rule.reason} {told.hurts}"),
        "help": _message(help_text),
        "defaultConfiguration": {"level": severity(rule.level)},
    }


def _message(text: str) -> Json:
    return {"text": text.translate(_ESCAPES)}


def _result(
    tool: ToolEntry,
    finding: FindingEntry,
    index: dict[str, int],
    origins: Origins,
    seen: Counter[str],
) -> Json:
    spots = origins.spots(tool, finding)
    name = tool_name(tool)
    lines = list(plain_lines(finding, name))
    text = "\n".join((f"{name}: {lines[0]}", *lines[1:])).translate(_ESCAPES)
    text += "".join(_link(spot, place) for place, spot in enumerate(spots[1:]))
    location: Json = {"physicalLocation": _physical(spots[0])} if spots else {}
    return {
        "ruleId": finding["rule"],
        "ruleIndex": index[finding["rule"]],
        "level": severity(finding["level"]),
        "message": {"text": text},
        "locations": [{**location, "logicalLocations": [_logical(name, finding)]}],
        **_related(spots[1:]),
        "partialFingerprints": {_FINGERPRINT: _fingerprint(tool, finding, seen)},
        "properties": _properties(tool, finding),
    }


def _properties(tool: ToolEntry, finding: FindingEntry) -> Json:
    told: Json = {"level": finding["level"], "status": tool["status"]}
    if "witness" in finding:
        # Left out where it is too long, never shortened; the message tells its beginning.
        if len(json_text(finding["witness"], _LONGEST_WITNESS)) <= _LONGEST_WITNESS:
            told["witness"] = finding["witness"]
        told["witness_of"] = finding.get("witness_of", "arguments")
    if "overridden" in finding:
        told["overridden"] = finding["overridden"]["level"]
    return told


def _logical(name: str, finding: FindingEntry) -> Json:
    path = safe_text(clipped(finding["path"]))
    kind = "property" if path else "object"
    return {"name": name, "fullyQualifiedName": f"{name}{path}", "kind": kind}


def _link(spot: Spot, place: int) -> str:
    line = f", line {spot.region.line}" if spot.region else ""
    told = f"{safe_text(spot.path)}{line}".translate(_ESCAPES)
    return f"\nbefore: [{told}]({place})"


def _related(spots: Sequence[Spot]) -> Json:
    found = [{"id": place, "physicalLocation": _physical(spot)} for place, spot in enumerate(spots)]
    return {"relatedLocations": found} if found else {}


def _physical(spot: Spot) -> Json:
    place: Json = {"artifactLocation": {"uri": _uri(spot.path)}}
    if spot.region is not None:
        line, column, end_line, end_column = spot.region
        place["region"] = {
            "startLine": line,
            "startColumn": column,
            "endLine": end_line,
            "endColumn": end_column,
        }
    return place


def _uri(path: str) -> str:
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(os.fsencode(pure.as_posix()))


def _fingerprint(tool: ToolEntry, finding: FindingEntry, seen: Counter[str]) -> str:
    """Hashes what stays the same when the file is rewritten; counts what is alike even so."""
    parts = json.dumps([tool["name"], finding["rule"], finding["path"]])
    digest = sha256(parts.encode()).hexdigest()
    seen[digest] += 1
    return digest if seen[digest] == 1 else f"{digest}:{seen[digest]}"
