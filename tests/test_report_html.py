"""The page as text: complete, self-contained, and readable in light and dark."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any, cast

import pytest

import catalogues
import toolsync
from made_reports import added, finding, removed, report, tool
from toolsync.catalog import Catalog
from toolsync.model import ABSENT
from toolsync.report import html as package
from toolsync.report.html import details, html
from toolsync.report.html.details import Definitions
from toolsync.report.html.tree import element, verbatim, written
from toolsync.report.shape import Report

OWN = Path(str(package.__file__)).parent


def page_of(old: Catalog, new: Catalog, **options: Any) -> str:
    """Returns the page of two catalogues."""
    made = cast("Report", toolsync.diff(old, new).to_dict(**options))

    def definitions(name: str) -> Definitions:
        sides = (side[name].parsed if name in side else ABSENT for side in (old, new))
        return Definitions(*sides)

    return "".join(html(made, definitions))


def _data(text: str) -> list[dict[str, Any]]:
    lines = text.partition('id="data">')[2].partition("</script>")[0]
    return [json.loads(line) for line in lines.split("\n") if line]


def _examples() -> str:
    folder = Path(__file__).parents[1] / "examples"
    return page_of(*(toolsync.load(folder / name) for name in ("old.json", "new.json")))


def test_the_page_refers_to_nothing_outside() -> None:
    text = _examples()
    assert re.findall(r"(?i)\b(?:src|href|action|srcset)=|url\(|@import|https?://", text) == []


def test_its_policy_names_its_own_script_and_style_and_no_other() -> None:
    text = _examples()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    for rule in ("default-src", "base-uri", "form-action"):
        assert rules[rule] == "'none'"
    assert rules["require-trusted-types-for"] == "'script'"
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        own = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert own
        digest = base64.b64encode(hashlib.sha256(own[1].encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert "unsafe" not in policy[1]
    assert " style=" not in text


def test_rows_stand_worst_first_and_hold_their_findings() -> None:
    text = _examples()
    levels = re.findall(r'class="row" data-level="(\w+)"', text)
    assert levels == [
        "breaking", "unknown", "dangerous", "compatible", "documentation", "presentation",
    ]  # fmt: skip
    first = _data(text)[0]
    (found,) = first["findings"]
    assert found["rule"] == "input-property-became-required"
    assert found["witness"] == 'find_book {"query": ""}'
    assert found["verdict"] == "refused now"
    assert [2, 3, '"limit"'] in first["rows"]


def test_a_text_is_told_word_by_word() -> None:
    (entry,) = [e for e in _data(_examples()) if "words" in e["findings"][0]]
    assert entry["findings"][0]["words"] == [
        [0, "Tells when a branch is open"], [2, ", public holidays included"], [0, "."],
    ]  # fmt: skip


def test_what_tools_share_is_told_once_more_above() -> None:
    tools = [tool(f"t{at}", "changed", finding()) for at in range(5)]
    text = "".join(html(report(*tools)))
    assert "5 tools changed in the same way" in text
    assert _data(text)[0]["names"] == [f"t{at}" for at in range(5)]
    assert len(_data(text)) == 6


def test_a_report_without_its_catalogues_has_no_definitions() -> None:
    text = "".join(html(report(added("a"), removed("b"))))
    assert [entry["rows"] for entry in _data(text)] == [[], []]


def test_nothing_that_differs_is_said_so() -> None:
    text = "".join(html(report(unchanged=3)))
    assert "Nothing differs." in text
    assert '<h1 class="identical">identical</h1>' in text


def test_unchanged_tools_stand_there_when_all_are_told() -> None:
    catalog = Catalog(catalogues.tools(3))
    text = page_of(catalog, catalog, all=True)
    assert text.count('<div class="row" data-level="identical"') == 3


def test_a_definition_that_is_too_long_is_left_out() -> None:
    sides = Definitions({"x": dict.fromkeys(map(str, range(5000)))}, {"x": {}})
    made = report(tool("t", "changed", finding()))
    (entry,) = _data("".join(html(made, lambda _: sides)))
    assert entry["cut"]
    assert "rows" not in entry


def test_when_a_page_is_full_later_tools_show_only_what_is_near_a_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(details, "_ALL_ROWS", 4000)
    long = {"name": "t", "x": {str(at): at for at in range(800)}}
    wide = Definitions(long, {**long, "y": 1})
    made = report(*(tool(f"t{at}", "changed", finding(f"{at}")) for at in range(4)))
    entries = _data("".join(html(made, lambda _: wide)))
    folds = [row[1] for entry in entries for row in entry["rows"] if row[0] == 5]
    assert [len(fold) if isinstance(fold, list) else fold for fold in folds] == [801] * 4
    assert [isinstance(fold, list) for fold in folds] == [True, True, True, False]


def test_text_never_becomes_markup() -> None:
    made = element("p", {"title": '"><b>'}, "<i>&amp;", element("br"), "</p>\x1b\u202e")
    assert written(made) == (
        '<p title="&quot;&gt;<b&gt;">&lt;i&gt;&amp;amp;<br>&lt;/p&gt;\\u{1B}\\u{202E}</p>'
    )


@pytest.mark.parametrize("text", ["a </script> b", "a <!-- b", "</"])
def test_text_that_would_end_a_script_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="beginning of markup"):
        verbatim("script", {}, text)


def _colours(scheme: str) -> dict[str, str]:
    style = OWN.joinpath("page.css").read_text("utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    return dict(re.findall(r"--([\w-]+): #(\w+);", blocks[scheme == "dark"]))


def _luminance(colour: str) -> float:
    whole = colour if len(colour) == 6 else "".join(c * 2 for c in colour)
    parts = [int(whole[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_can_be_read(scheme: str) -> None:
    colours = _colours(scheme)
    texts = ("text", "dim", "breaking", "unknown", "dangerous", "compatible", "documentation",
             "presentation")  # fmt: skip
    for ground in ("page", "soft"):
        for text in texts:
            assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for ground in ("gone", "new", "gone-word", "new-word"):
        assert _contrast(colours["text"], colours[ground]) >= 7, ground
    assert _contrast(colours["focus"], colours["page"]) >= 3
