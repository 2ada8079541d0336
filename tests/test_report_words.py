from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolsync.report.words import Piece, excerpt, word_diff

TEXTS = st.lists(
    st.sampled_from(["a ", "b", "c ", "foo ", ".", " \n", "中", "文"]), max_size=14
).map("".join)


def _marked(pieces: list[Piece]) -> str:
    marks = {"same": "{}", "gone": "[-{}-]", "new": "{{+{}+}}"}
    return "".join(marks[piece.kind].format(piece.text) for piece in pieces)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_off(old: str, new: str) -> None:
    pieces = word_diff(old, new)
    assert "".join(piece.text for piece in pieces if piece.kind != "new") == old
    assert "".join(piece.text for piece in pieces if piece.kind != "gone") == new
    assert all(piece.text for piece in pieces)


def test_only_words_that_changed_are_marked() -> None:
    old = "Search the web for pages that match, sorted. It is slow."
    new = "Search the whole web for pages that match, sorted by rank. It is slow."
    assert _marked(word_diff(old, new)) == (
        "Search the {+whole +}web for pages that match, sorted{+ by rank+}. It is slow."
    )


def test_texts_with_little_in_common_are_shown_as_a_whole() -> None:
    marked = _marked(word_diff("one two three four five", "six seven three eight nine"))
    assert marked == "[-one two three four five-]{+six seven three eight nine+}"


def test_a_change_of_blanks_is_visible() -> None:
    assert _marked(word_diff("a\nb", "a b")) == "a[-\n-]{+ +}b"


def test_an_excerpt_keeps_what_stands_around_a_change() -> None:
    long = "word " * 100
    pieces = excerpt(word_diff(f"{long}old {long}", f"{long}new {long}"), 20)
    assert _marked(pieces) == "…word word word [-old-]{+new+} word word word…"


def test_a_text_too_large_to_align_is_shown_as_a_whole() -> None:
    old, new = "a " * 400_000, "b " * 400_000
    assert word_diff(old, new) == [
        Piece("gone", old[:-1]),
        Piece("new", new[:-1]),
        Piece("same", " "),
    ]


def test_a_text_too_different_to_align_is_shown_as_a_whole() -> None:
    old = "".join(f"{i} " for i in range(1400))
    new = "".join(f"{i * 7 % 1400} " for i in range(1, 1400))
    assert [piece.kind for piece in word_diff(old, new) if piece.text.strip()] == ["gone", "new"]
