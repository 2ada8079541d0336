"""GitHub annotations: whatever could end a command, or a part of one, is escaped."""

from __future__ import annotations

import re
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from made_reports import added, finding, removed, report, tool
from toolsync.locate import Locator
from toolsync.report.github import github
from toolsync.report.origin import NOWHERE, Origin, Origins
from toolsync.report.shape import ToolEntry

REQUIRED = finding(
    "`limit` is now required: calls that leave it out are refused",
    rule="input-property-became-required",
    level="breaking",
    path="/inputSchema/required",
    old=["q"],
    new=["q", "limit"],
    witness={"q": ""},
    witness_of="arguments",
)
NEW = b'{"tools": [\n  {"name": "search",\n   "inputSchema": {"required": ["q", "limit"]}}]}'


def _lines(*tools: ToolEntry, origins: Origins = NOWHERE) -> list[str]:
    return "".join(github(report(*tools), origins)).splitlines()


def test_an_annotation_reads_as_github_wants_it() -> None:
    origins = Origins(Origin("old.json"), Origin("new.json", Locator(NEW)))
    (line,) = _lines(tool("search", "changed", REQUIRED), origins=origins)
    assert line == (
        "::error file=new.json,line=3,col=20,"
        "title=breaking%3A search (input-property-became-required)"
        "::search /inputSchema/required%0A`limit` is now required: calls that leave it out are"
        ' refused%0A["q"] → ["q", "limit"]%0Arefused now: search {"q": ""}'
    )


def test_the_worst_comes_first_and_each_level_has_its_command() -> None:
    levels = ("presentation", "dangerous", "breaking", "unknown", "compatible", "documentation")
    findings = [finding(level=level, path=f"/{level}") for level in levels]
    lines = _lines(tool("t", "changed", *findings))
    assert [line[2 : line.index(" ")] for line in lines] == [
        "error", "warning", "warning", "notice", "notice", "notice",
    ]  # fmt: skip


def test_a_removed_tool_is_shown_where_it_stood() -> None:
    old = Origin("old.json", Locator(NEW))
    (line,) = _lines(removed("search"), origins=Origins(old, Origin("new.json", Locator(b"[]"))))
    assert line.startswith("::error file=old.json,line=2,col=3,title=")
    (line,) = _lines(removed("search"), origins=Origins(Origin(), Origin("new.json")))
    assert line.startswith("::error file=new.json,title=")
    (line,) = _lines(added("search"))
    assert line.startswith("::notice title=")


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_any_text_stays_inside_its_command(name: str, path: str) -> None:
    changed = tool(name, "changed", finding(f"`{path}` changed", path="/" + path.replace("~", "")))
    origins = Origins(Origin(), Origin(path))
    text = "".join(github(report(changed), origins))
    assert text.count("\n") == 1
    match = re.fullmatch(r"::notice file=([^:,\r\n]*),title=([^:,\r\n]*)::([^\r\n]*)\n", text)
    assert match
    # What GitHub makes of it begins with the name, and no per cent sign is left over.
    assert unquote(match[2]).startswith("documentation: ")
    assert "%" not in re.sub(r"%(25|0A|0D|3A|2C)", "", match[0])
