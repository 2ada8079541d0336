"""The pull-request comment: folded, worst first, bounded, and everything in it harmless."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import catalogues
import toolsync
from made_reports import added, finding, removed, report, tool
from toolsync.catalog import Catalog
from toolsync.report.inline import Part, parts
from toolsync.report.markdown import code, markdown, prose
from toolsync.report.shape import Report

REQUIRED = finding(
    "`limit` is now required: calls that leave it out are refused",
    rule="input-property-became-required",
    level="breaking",
    path="/inputSchema/required",
    property="limit",
    old=["q"],
    new=["q", "limit"],
    witness={"q": ""},
    witness_of="arguments",
)
REWORDED = finding(
    old="Search the web for pages that match, and take care of @people.\nAlways.",
    new="Search the whole web for pages that match, and take care of @people.\nAlways.",
)


def _text(made: Any, **options: Any) -> str:
    return "".join(markdown(cast("Report", made), **options))


EXPECTED = """\
## toolsync: breaking

`old.json` (23 tools) → `new.json` (23 tools)

breaking: 1 added, 2 changed, 20 unchanged (1 breaking, 1 compatible, 1 documentation); suggested\
 bump: major

<details>
<summary><b>breaking</b> · <code>search</code> · <code>limit</code> is now required: calls that\
 leave it out are refused</summary>

- **breaking**: `limit` is now required: calls that leave it out are refused\
 (`input-property-became-required` at `/inputSchema/required`)

  ```diff
  - ["q"]
  + ["q", "limit"]
  ```

  refused now: `search {"q": ""}`

</details>

- <b>compatible</b> · <code>extra</code> · added

<details>
<summary><b>documentation</b> · <code>read</code> · the description changed</summary>

- **documentation**: the description changed (`description-changed` at `/description`)

  Search the <ins>whole</ins> web for pages that match,…

</details>
"""


def test_a_comment_reads_from_the_worst_to_the_least() -> None:
    made = report(
        added("extra"),
        tool("read", "changed", REWORDED),
        tool("search", "changed", REQUIRED),
        unchanged=20,
    )
    assert _text(made) == EXPECTED


def test_overrides_and_renames_are_told() -> None:
    decided = {"level": "breaking", "reason": "Nobody\ncalls it; see @team."}
    made = report(
        tool("t", "changed", finding(level="dangerous", overridden=decided)),
        removed("old", renamed_to="new"),
    )
    text = _text(made)
    assert "overridden, was **breaking**: Nobody calls it; see `@team`." in text
    assert "<code>old</code> · removed, perhaps renamed to new" in text


def test_a_comment_fits_where_comments_go() -> None:
    tools = catalogues.tools(500)
    changes = toolsync.diff(Catalog(tools), Catalog(catalogues.changed(tools, 1)))
    made = changes.to_dict()
    text = _text(made)
    assert len(text) < 65_536
    assert "Shortened: `--only NAME` tells one tool in detail, `--all` everything." in text
    left = re.search(r"… and ([\d,]+) more tools, none of them worse\.", text)
    told = len(re.findall(r"<code>\w+_\d+</code>", text))
    assert left
    assert told + int(left[1]) >= 300
    full = _text(made, full=True)
    assert len(full) > 65_536
    assert "Shortened" not in full


def test_what_many_share_is_told_once() -> None:
    tools = [tool(f"t{at}", "changed", REQUIRED) for at in range(30)]
    text = _text(report(*tools))
    assert text.count("<details>") == 1
    assert "all of: `t0`, `t1`, " in text


CODE = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.DOTALL)


@given(st.text(st.sampled_from("`ab |\\<*_"), max_size=12))
def test_a_code_span_shows_any_text(text: str) -> None:
    (paragraph,) = [t for t in MarkdownIt("commonmark").parse(f"x{code(text)}y") if t.children]
    (first, span, last) = paragraph.children or []
    assert (first.content, span.type, last.content) == ("x", "code_inline", "y")
    assert span.content == (text or '""') or not text.strip()


@given(st.text(max_size=60))
def test_a_sentence_comes_out_as_words_and_code(text: str) -> None:
    rendered = MarkdownIt("commonmark").parse(f"x {prose(text)} y")
    kinds = {child.type for token in rendered for child in token.children or []}
    assert kinds <= {"text", "code_inline"}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("`limit` is gone: it's over.", [("limit", True), (" is gone: it's over.", False)]),
        ("see @bob, or (#12).", [("see ", False), ("@bob", True), (", or (", False), ("#12", True),
                                 (").", False)]),
        ("at 1,000 of 3", [("at 1,000 of 3", False)]),
        ("commit deadbeef1", [("commit ", False), ("deadbeef1", True)]),
        ("a https://x.y/z b", [("a ", False), ("https://x.y/z", True), (" b", False)]),
        ("is [1, 2] now", [("is ", False), ("[1, 2]", True), (" now", False)]),
    ],
)  # fmt: skip
def test_parts_of_a_sentence(sentence: str, expected: list[tuple[str, bool]]) -> None:
    assert parts(sentence) == [Part(*each) for each in expected]
