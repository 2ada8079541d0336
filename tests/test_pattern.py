"""Which patterns are ECMA-262 regular expressions, by the grammar's own distinctions."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

import pytest

from toolsync.schema.language.pattern import pattern_fault

GOOD = [
    *(
        "",
        "a",
        "^a+$",
        "a|b",
        "(a|b)*?",
        "a{2}",
        "a{2,}",
        "a{2,3}?",
        "[a-z]",
        "[^a-z]",
        "[]",
        "[^]",
    ),
    *(r"\d\D\s\S\w\W", r"\bword\B", r"\t\n\v\f\r\0", r"\cA", r"\x41", r"\u0041", r"\/", r"\-"),
    *(r"\p{L}", r"\p{Script=Greek}", r"[\p{L}\p{N}]", r"\u{1F600}", "[\U0001f600-\U0001f64f]"),
    *("(?:a)", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?<n>a)", r"(?<n>a)\k<n>", r"(a)\1"),
    *("(?i:a)", "(?-i:a)", "(?im-s:a)", r"(?<\u0061>b)\k<a>", "(?<é>a)", "(?<$>a)", "(?<_a1>a)"),
    # Annex B, without the u flag: what the web has always accepted.
    *("a{", "a{,5}", "{", "]", "}", "a{x}", r"\1", r"\8", r"\c", r"\x4", r"\u00", r"\k", r"\Z"),
    *(
        "(?=a)*",
        "(?!a){2}",
        r"[\w-a]",
        r"[a-\d]",
        r"[\c]",
        r"[\c1]",
        r"[\1\400]",
        r"\p{Nope}",
        r"\a",
    ),
    # The same name again, but never both at once (ECMA-262 2025).
    *("(?<n>a)|(?<n>b)", "(?:(?<n>a)|b|(?<n>c))", "((?<n>a)|c)|(?<n>b)"),
    "(a{1000}){1000}",
    "^(a+)+$",  # slow to run, which nobody does here
]

BAD = [
    ("(", "`(` that nothing closes at offset 0"),
    ("a)", "`)` that closes nothing at offset 1"),
    ("[a", "`[` that nothing closes at offset 0"),
    ("*a", "`*` with nothing before it to repeat"),
    ("a**", "nothing before it to repeat"),
    ("a++", "nothing before it to repeat"),
    ("a{2}{3}", "nothing before it to repeat"),
    ("(|*)", "nothing before it to repeat"),
    ("^*", "nothing before it to repeat"),
    (r"\b+", "nothing before it to repeat"),
    ("(?<=a)*", "nothing before it to repeat"),
    ("{2}", "nothing before it to repeat"),
    ("a{3,2}", "a repetition out of order"),
    ("a{" + "9" * 5000 + "," + "8" * 5000 + "}", "a repetition out of order"),
    ("[z-a]", "a range out of order"),
    (r"[\u0062-\x61]", "a range out of order"),
    ("[\U0001f64f-\U0001f600]", "a range out of order"),
    ("a\\", "a backslash at the end"),
    ("(?P<n>a)", "Python's `(?P<`"),
    ("(?i)a", "a flag for the whole pattern"),
    ("(?#note)", "an unknown kind of group"),
    ("(?>a)", "an unknown kind of group"),
    ("(?ii:a)", "flags that repeat"),
    ("(?-:a)", "flags that repeat or are missing"),
    ("(?<1>a)", "no usable group name"),
    ("(?<n", "no usable group name"),
    ("(?<>a)", "no usable group name"),
    ("(?<n>a)(?<n>b)", "a group name that stands twice"),
    ("(?<n>(?<n>b))", "a group name that stands twice"),
    ("((?<n>a)|c)(?<n>b)", "a group name that stands twice"),
    (r"(?<n>a)\k<m>", r"a `\k` that names no group"),
    (r"(?<n>a)\k", r"a `\k` that names no group"),
    (r"(?<n>a)[\k]", r"a `\k` that names no group"),
    ("(" * 1001 + ")" * 1001, "groups nested more than 1000 deep"),
    # Only the u flag gives these a meaning, and it forbids the rest of them.
    (r"[\u{1F600}-\u{1F64F}]{", "a range out of order"),
]


@pytest.mark.parametrize("pattern", GOOD)
def test_patterns_of_either_mode_are_good(pattern: str) -> None:
    assert pattern_fault(pattern) is None


@pytest.mark.parametrize(("pattern", "said"), BAD, ids=[pattern[:20] for pattern, _ in BAD])
def test_other_patterns_are_named(pattern: str, said: str) -> None:
    reason = pattern_fault(pattern)
    assert reason is not None
    assert reason.startswith("expected an ECMA-262 regular expression, got ")
    assert said in reason


@pytest.mark.parametrize(
    "piece", ["a|", "()", "(?<n>a)|", r"\k<", "[a-z]", "a{1", "(?<a", "{", "(", "[", r"\u{", "(?i"]
)
def test_long_patterns_take_linear_time_and_no_stack(piece: str) -> None:
    pattern_fault(piece * (200_000 // len(piece)))


PIECES = [
    *("a", "z", "0", "é", "😀", "😎", "(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?<m>"),
    *(")", ")", ")", "[", "[^", "]", "]", "-", "*", "+", "?", "{", "{2}", "{1,2}", "{2,1}", "{,3}"),
    *("}", "|", "^", "$", ".", "\\", r"\d", r"\b", r"\k<n>", r"\k", r"\1", r"\0", r"\u", "{1F600}"),
    *(r"\u{61}", r"\x4", r"\c", r"\p{L}", r"\-", r"\/", r"\ud83d\ude00", "_", "<", ",", "\n"),
]
ASK = """
const good = (p, flags) => { try { new RegExp(p, flags); return true } catch { return false } };
const patterns = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(patterns.map(p => good(p, '') || good(p, 'u'))));
"""


def test_agrees_with_a_javascript_engine() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node, whose RegExp would be asked")
    chance = random.Random(20)  # noqa: S311 - the same patterns on every run
    drawn = ("".join(chance.choices(PIECES, k=chance.randint(1, 10))) for _ in range(20_000))
    # Engines before 2025 refuse a name that stands twice, in different alternatives too.
    patterns = [each for each in drawn if each.count("(?<n>") < 2 and each.count("(?<m>") < 2]
    done = subprocess.run(
        [node, "-e", ASK], input=json.dumps(patterns), capture_output=True, text=True, check=True
    )
    theirs = dict(zip(patterns, json.loads(done.stdout), strict=True))
    assert {each: pattern_fault(each) is None for each in patterns} == theirs
    assert 0.1 < sum(theirs.values()) / len(theirs) < 0.9
