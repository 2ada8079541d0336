"""Every format, given texts that want to be more than text; what comes out is scanned."""

from __future__ import annotations

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import cast
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

import hostile_texts
import toolsync
from hostile_texts import unsafe
from toolsync.catalog import Catalog
from toolsync.cli import main
from toolsync.cli.failing import FailOn
from toolsync.cli.options import ReportFormat
from toolsync.cli.reports import Told, rendered
from toolsync.report.shape import Report

FORMATS = [each.value for each in ReportFormat]
OWN_TAGS = {"details", "summary", "b", "code", "del", "ins"}
PAGE_TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "p", "h1", "h2", "code", "span",
    "noscript", "nav", "input", "div", "button", "output", "main", "details", "summary", "footer",
    "kbd", "script",
}  # fmt: skip


def _sides() -> tuple[Catalog, Catalog]:
    old, new = hostile_texts.catalogues()
    for side in (old, new):
        side._source = hostile_texts.SOURCE
    return old, new


@cache
def _written(name: str, *, full: bool = False) -> str:
    changes = toolsync.diff(*_sides())

    def report(*, full: bool) -> Report:
        return cast("Report", changes.to_dict(all=full))

    told = Told(changes, report, FailOn.SEMANTIC, full=full)
    return "".join(rendered(ReportFormat(name), told))


@pytest.mark.parametrize("full", [False, True], ids=["short", "all"])
@pytest.mark.parametrize("name", FORMATS)
def test_no_format_holds_a_character_that_steers_or_hides(name: str, full: bool) -> None:
    text = _written(name, full=full)
    assert len(text) > 1000
    assert unsafe(text) == set()
    text.encode()


@pytest.mark.parametrize("name", [each for each in FORMATS if each != "github"])
def test_no_line_is_a_command_of_a_build_server(name: str) -> None:
    text = _written(name)
    assert re.findall(r"(?m)^\s*::.*", text) == []
    assert re.findall(r"##[\w.-]*\[", text) == []


def test_annotations_are_commands_of_our_own() -> None:
    lines = _written("github").splitlines()
    findings = json.loads(_written("json"))["tools"]
    assert len(lines) == sum(len(tool["findings"]) for tool in findings)
    for line in lines:
        match = re.fullmatch(r"::(error|warning|notice) ((?:\w+=[^:,]*,?)+)::(.*)", line)
        assert match, line
        assert {pair.partition("=")[0] for pair in match[2].split(",")} <= {
            "file", "line", "col", "title",
        }  # fmt: skip
        assert re.findall(r"%(?!25|0A|3A|2C)", match[2] + match[3]) == []
        assert "##[" not in line


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.others: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)


def test_the_page_has_no_element_of_anyone_else() -> None:
    page = _Page()
    page.feed(_written("html", full=True))
    assert set(page.tags) <= PAGE_TAGS
    assert page.tags.count("script") == 2
    assert page.tags.count("style") == 1
    assert page.others == []
    names = {name for _, name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")}
    assert names.isdisjoint({"href", "src", "style", "action", "srcdoc", "xlink:href"})
    known = {"breaking", "dangerous", "unknown", "compatible", "documentation", "presentation"}
    levels = {value for _, name, value in page.attributes if name == "data-level"}
    assert levels <= known


def test_the_data_of_the_page_cannot_end_its_script() -> None:
    text = _written("html", full=True)
    data = text.partition('id="data">')[2].partition("</script>")[0]
    assert set("<>&").isdisjoint(data)
    told = [json.loads(line) for line in data.split("\n")]
    said = json.dumps(told, ensure_ascii=False)
    assert "</script><script>alert(1)</script>" in said
    assert "\x1b" not in said


def _prose(text: str) -> tuple[list[str], set[str], set[str]]:
    """Returns the plain words of a Markdown text, its HTML tags, and its kinds of tokens."""
    plain: list[str] = []
    tags: set[str] = set()
    kinds: set[str] = set()
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        for each in token.children or [token]:
            kinds.add(each.type)
            if each.type == "text":
                plain.append(each.content)
            elif each.type in ("html_block", "html_inline"):
                tags |= set(re.findall(r"</?\s*([!?\w]+)", each.content))
                kept = re.sub(r"<code>.*?</code>", "", each.content)
                plain.append(re.sub(r"</?(?:details|summary|b|del|ins)>", "", kept))
    return plain, tags, kinds


def test_a_comment_calls_nobody_links_nowhere_and_embeds_nothing() -> None:
    plain, tags, kinds = _prose(_written("markdown", full=True))
    assert tags <= OWN_TAGS
    assert kinds.isdisjoint({"link_open", "image", "table_open", "s_open", "em_open", "hr"})
    assert kinds.isdisjoint({"blockquote_open", "ordered_list_open", "code_block"})
    words = "\n".join(plain)
    assert re.findall(r"[@#<>|\[\]$*_~\\`]|://|www\.|\bGH-\d|[0-9a-f]{7,}|:\w+:", words) == []


def test_a_comment_has_one_heading_and_closes_what_it_opens() -> None:
    text = _written("markdown", full=True)
    tokens = MarkdownIt("commonmark").parse(text)
    assert [t.type for t in tokens].count("heading_open") == 1
    blocks = [t.content for t in tokens if t.type == "html_block"]
    opened = [block for block in blocks if block.startswith("<details>")]
    assert len(opened) == blocks.count("</details>\n") > 10


def test_names_come_through_junit_as_names() -> None:
    root = ET.fromstring(_written("junit"))  # noqa: S314  our own text  # noqa: S314  our own text
    names = {case.get("name") for case in root.iter("testcase")}
    assert "</script><script>alert(1)</script>" in names
    assert "]]>" in names
    assert {child.tag for child in root.iter()} == {
        "testsuites", "testsuite", "testcase", "failure", "system-out",
    }  # fmt: skip


def test_no_text_of_sarif_is_a_placeholder_or_a_link() -> None:
    run = json.loads(_written("sarif"))["runs"][0]
    own = re.compile(r"\nbefore: \[(?:[^\[\]\\]|\\.)*\]\(0\)$")
    for result in run["results"]:
        text = own.sub("", result["message"]["text"])
        assert re.sub(r"\{\{|\}\}", "", text).count("{") == 0, text
        assert re.sub(r"\\.", "", text).count("[") == 0, text
    uris = {
        place["physicalLocation"]["artifactLocation"]["uri"]
        for result in run["results"]
        for place in result["locations"]
        if "physicalLocation" in place
    }
    assert all(re.fullmatch(r"[\w./%~-]+", uri) for uri in uris)


def _pairs(folder: Path) -> dict[str, tuple[Path, Path]]:
    """Returns the handed cases: a pair each, or one file against itself changed by nothing."""
    found = {}
    for path in sorted(folder.glob("H*.json")):
        case = path.name.partition(".")[0]
        other = folder / f"{case}.new.json"
        found[case] = (folder / f"{case}.old.json", other) if other.exists() else (path, path)
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_handed_cases_come_out_harmless(
    name: str, shared: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text('{"tools": []}', "utf-8")
    told = 0
    for case, (old, new) in _pairs(shared / "cases" / "hostile" / "dev").items():
        first = str(empty) if old == new else str(old)
        code = main(["diff", first, str(new), "--format", name, "--no-config"])
        out, err = capsys.readouterr()
        assert code in (0, 1, 2), case
        assert unsafe(out + err) == set(), case
        assert name == "github" or re.findall(r"(?m)^\s*::|##[\w.-]*\[", out) == [], case
        told += bool(out)
    assert told > 20
