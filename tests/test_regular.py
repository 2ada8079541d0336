"""Regular languages: matching as ECMA-262 does, inclusion, and the shortest text between."""

import pytest
import regress
from hypothesis import given
from hypothesis import strategies as st

from toolsync.schema.language.ecma import NotRegular, parse
from toolsync.schema.language.regular import Language, TooLarge, find


def between(inside: str, outside: str, least: int = 0, most: int | None = None) -> str | None:
    """Gives a text that the first pattern matches and the second does not."""
    return find([(Language(inside), True), (Language(outside), False)], least, most)


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("^a+$", "^a*$"),
        ("[0-9]", "\\d"),
        ("\\d", "[0-9]"),
        ("^[a-z]{2,5}$", "^[a-z]{1,6}$"),
        ("^(ab)*$", "^(a|b)*$"),
        ("^(a|b)+$", "^[ab]+$"),
        ("^a", ""),
        ("abc", "b"),
        ("^\\w$", "^[A-Za-z0-9_]$"),
        ("^x.y$", "^x[^\\n]y$"),
        ("^(?=.*a)(?=.*b).{2}$", "^(ab|ba)$"),
        ("^(?!a).$", "^[^a]$"),
        ("^\\u0061\\x62\\u{63}$", "^abc$"),
        ("^\\ud83d\\udc32$", "^🐲$"),
        ("^(?<name>a)$", "^a$"),
        ("^a{2}$", "^aa$"),
        ("^[\\s\\S]*$", ""),
        ("^.{3}$", "^[^a]*a?.*$"),
        ("a$b", "c"),
        ("^[\\w-.]$", "^[A-Za-z0-9_.-]$"),
    ],
)
def test_inclusion_is_proved(narrow: str, wide: str) -> None:
    assert between(narrow, wide) is None


@pytest.mark.parametrize(
    ("inside", "outside", "text"),
    [
        ("^a*$", "^a+$", ""),
        ("a", "^a", "aa"),
        ("^.$", "^[^b]$", "b"),
        ("^\\w$", "^[a-z]$", "0"),
        ("^\\S$", "^[!-~]$", "\x00"),
        ("^[ab]{3}$", "b", "aaa"),
        ("$", "^$", "a"),
    ],
)
def test_the_text_between_is_short_and_plain(inside: str, outside: str, text: str) -> None:
    found = between(inside, outside)
    assert found is not None
    assert len(found) == len(text)
    assert Language(inside).matches(found)
    assert not Language(outside).matches(found)


def test_lengths_bound_the_search() -> None:
    assert between("^a*$", "^b", 3, 3) == "aaa"
    assert between("^a{2}$", "^b", 3) is None
    assert between("^a*b$", "^c", 0, 0) is None
    assert find([(Language("^[^a]$"), True)], 1, 1) is not None


def test_one_text_is_a_language() -> None:
    only = Language.exactly("a.b")
    assert only.matches("a.b")
    assert not only.matches("axb")
    assert find([(Language("^a.b$"), True), (only, False)]) != "a.b"


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("(a)\\1", "back-reference"),
        ("(?<=a)b", "look-behind"),
        ("a(?=b)", "look-ahead"),
        ("\\bword", "word boundary"),
        ("\\p{L}", "Unicode property"),
        ("(", "parenthesis"),
        ("a)", "parenthesis"),
        ("[a", "bracket"),
        ("*", "repeat"),
        ("[b-a]", "out of order"),
        ("a{2,1}", "out of bounds"),
        ("\\q", "escape"),
        ("(" * 100 + ")" * 100, "nested"),
        ("a" * 5_000, "longer"),
    ],
)
def test_the_rest_is_refused_by_name(pattern: str, part: str) -> None:
    with pytest.raises(NotRegular, match=part):
        Language(pattern)


@pytest.mark.parametrize(
    "pattern", ["^(a{1,1000}){1,1000}$", "(a|b)*a(a|b){14}$", "^(((a{9}){9}){9}){9}$"]
)
def test_what_explodes_is_given_up(pattern: str) -> None:
    with pytest.raises(TooLarge):
        between(pattern, "^(a|b)*b(a|b){13}$")


PIECES = st.sampled_from(
    ["a", "b", ".", "^", "$", "[ab]", "[^a]", "\\d", "\\s", "(a|b)", "(?:ab)*", "a*", "b+?", "|"]
)


@given(
    st.lists(PIECES, max_size=6).map("".join),
    st.text("ab1 \n\u2028é", max_size=6),
)
def test_matches_as_an_ecma_262_engine_does(pattern: str, text: str) -> None:
    try:
        language = Language(pattern)
    except NotRegular:
        return
    assert language.matches(text) is (regress.Regex(pattern, "u").find(text) is not None)


@given(
    st.lists(PIECES, max_size=4).map("".join),
    st.lists(PIECES, max_size=4).map("".join),
    st.lists(st.text("ab1 \n", max_size=5), max_size=20),
)
def test_inclusion_is_never_refuted(inside: str, outside: str, texts: list[str]) -> None:
    try:
        left, right = Language(inside), Language(outside)
    except NotRegular:
        return
    found = find([(left, True), (right, False)])
    if found is None:
        assert not any(left.matches(each) and not right.matches(each) for each in texts)
    else:
        assert left.matches(found)
        assert not right.matches(found)


def test_a_tree_is_plain_data() -> None:
    assert parse("a|b") == parse("a|b")
