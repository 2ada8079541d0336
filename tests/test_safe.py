from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsync.report.line import line
from toolsync.report.values import json_text
from toolsync.safe import printable, safe_json, safe_line, safe_text, safe_words, spelled

ANYTHING = st.text(st.characters(), max_size=60)
HIDDEN = (
    "\x00\x1b\x7f\x85\xa0\xad\u034f\u061c\u115f\u200b\u200d\u200e\u202e\u2028\u2029\u2066\ufeff"
)
HIDDEN += "\u2800\u3164\ufe0f\ufff9\U000e0041\U000e0100\U000f0000\U0010fffd\ud800\ue000\uffa0"


@pytest.mark.parametrize("char", HIDDEN, ids=lambda char: f"U+{ord(char):04X}")
def test_what_cannot_be_seen_is_shown_by_its_number(char: str) -> None:
    assert safe_text(f"a{char}b") == f"a\\u{{{ord(char):X}}}b"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "a.b/c-d_e",
        "naïve café",
        "検索　する",
        "поиск",
        "🙂 → ok",
        "[/foo] [red]",
        "e\u0301",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert safe_text(text) == text


@given(ANYTHING)
def test_no_control_or_format_character_comes_through(text: str) -> None:
    # A few format characters are drawn (Arabic number signs and the like): they may stay.
    drawn = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
    drawn |= {"\U000110bd", "\U000110cd"}
    for char in safe_text(text):
        category = unicodedata.category(char)
        assert category not in ("Cc", "Cs", "Co", "Zl", "Zp")
        assert category != "Cf" or char in drawn


@given(ANYTHING)
def test_doing_it_twice_changes_nothing(text: str) -> None:
    assert safe_text(safe_text(text)) == safe_text(text)


@given(ANYTHING)
def test_a_printable_text_stays_on_its_line(text: str) -> None:
    assert len(printable(text).splitlines()) <= 1
    assert len(json_text({"text": text}).splitlines()) == 1


@pytest.mark.parametrize("text", ["::error::x", "  ::set-output name=a::b", "::"])
def test_no_line_begins_a_workflow_command(text: str) -> None:
    assert not line(text).text.strip().startswith("::")
    assert safe_line(text).replace("\\u{3A}", ":") == text


def test_the_older_workflow_command_is_broken_anywhere() -> None:
    assert safe_text("x ##[error]y") == "x #\\u{23}[error]y"
    assert "##[" not in safe_json(json.dumps("##[error]"))
    assert json.loads(safe_json(json.dumps("##[error]"))) == "##[error]"


@pytest.mark.parametrize(
    "text", ["##vso[task.complete]", "x ##teamcity[a]", "###[a]", "##a.b-c_1[d]", "##a##b[c"]
)
def test_no_runners_command_comes_through(text: str) -> None:
    safe = safe_text(text)
    assert not re.search(r"##[\w.-]*\[", safe)
    assert safe.replace("\\u{23}", "#") == text
    assert not re.search(r"##[\w.-]*\[", safe_json(json.dumps(text)))
    assert json.loads(safe_json(json.dumps(text))) == text


def test_texts_side_by_side_make_no_command() -> None:
    assert line("##", "vso", "[task.complete]").text == "#\\u{23}vso[task.complete]"
    assert not line("\u3000::error::x").text.strip().startswith("::")


def test_a_heading_stays_one() -> None:
    assert safe_text("## Usage [optional]") == "## Usage [optional]"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_safe_json_reads_back_the_same(text: str) -> None:
    plain = json.dumps({"text": text}, ensure_ascii=False, indent=2)
    safe = safe_json(plain)
    assert json.loads(safe) == {"text": text}
    assert safe_text(safe.replace("\n", "")) == safe.replace("\n", "")


def test_only_words_of_two_alphabets_are_spelled() -> None:
    for plain in ("поиск", "get_имя", "Δt and µs", "検索", "naïve"):
        assert safe_words(plain) == plain
    assert safe_words("x `c\u043ede.a`\x1b") == "x `c\u043ede.a` (c\\u{43E}de.a)\\u{1B}"
    assert spelled("a\u0430\n") == "a\\u{430}\\u{A}"


def test_a_long_word_takes_no_time() -> None:
    assert safe_words("a" * (1 << 20) + "é \u0430").endswith("é \u0430")
