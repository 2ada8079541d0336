"""Every short text, every pair of bytes, every power: the corners that examples miss."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from random import Random

import oracle
from test_core_differential import of_core, of_oracle
from toolsync import _diff

TOKENS = [
    b"{", b"}", b"[", b"]", b",", b":", b'"', b'"a"', b"\\", b"1", b"-", b".", b"e", b" ", b"null",
]  # fmt: skip
DIGITS = [b"0", b"1", b"9", b"-", b"+", b".", b"e", b"E"]
INSIDE = [b"\\", b"u", b"d", b"8", b"C", b"0", b"n", b"/", b'"', b"\xc3", b"\xa9", b"\x00"]


def differences(texts: Iterator[bytes]) -> list[bytes]:
    """The texts of which the core makes something else than the oracle does."""
    return [
        text
        for text in texts
        if of_core(_diff.canonical_text, text) != of_oracle(oracle.tree_from_text, text)
    ]


def combined(tokens: list[bytes], longest: int, around: bytes = b"%b") -> Iterator[bytes]:
    for length in range(longest + 1):
        for chosen in product(tokens, repeat=length):
            yield around % b"".join(chosen)


def test_all_short_texts_are_read_as_by_the_oracle() -> None:
    assert not differences(combined(TOKENS, 4))


def test_all_short_numbers_are_read_as_by_the_oracle() -> None:
    assert not differences(combined(DIGITS, 5))


def test_all_short_strings_are_read_as_by_the_oracle() -> None:
    assert not differences(combined(INSIDE, 4, b'"%b"'))


def test_all_pairs_of_unicode_escapes_are_read_as_by_the_oracle() -> None:
    units = ["0000", "0041", "d7ff", "D800", "dbff", "DC00", "dfff", "e000", "FFFF"]
    texts = [f'"\\u{a}\\u{b}{c}"'.encode() for a in units for b in units for c in ("", "\\udc00")]
    assert not differences(iter(texts))


def bytes_to_try() -> Iterator[bytes]:
    """All pairs of bytes, and all longer sequences of bytes at the bounds that UTF-8 has."""
    bounds = [0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
    for lead in range(0x80, 0x100):
        for second in range(0x100):
            yield bytes([lead, second])
        for rest in product(bounds, repeat=2):
            yield bytes([lead, *rest])
        if lead >= 0xE0:
            yield from (bytes([lead, *rest]) for rest in product(bounds, repeat=3))


def test_utf_8_is_read_and_refused_where_python_does_so() -> None:
    for sequence in bytes_to_try():
        text = b'"ab%bz"' % sequence.replace(b'"', b"q").replace(b"\\", b"q")
        try:
            text.decode()
            expected = None
        except UnicodeDecodeError as error:
            expected = error.start
        assert utf_8_fault(text) == expected, text


def utf_8_fault(text: bytes) -> int | None:
    """Where the core finds bytes that are not UTF-8; control characters do not count."""
    try:
        _diff.canonical_text(text)
    except _diff.NotJSON as refusal:
        return refusal.offset if "UTF-8" in refusal.reason else None
    return None


def doubles_to_try() -> Iterator[float]:
    """Powers of two and of ten with their neighbours, and bits drawn at random."""
    for power in range(-1074, 1024):
        yield math.ldexp(1.0, power)
    for power in range(-324, 309):
        value = float(f"1e{power}")
        yield from (value, math.nextafter(value, 0), math.nextafter(value, math.inf))
    draw = Random(1)  # noqa: S311 - the same on every run
    for _ in range(5000):
        mantissa, power = draw.getrandbits(53), draw.randint(-1126, 971)
        yield math.ldexp(mantissa, power)
        yield float(f"{draw.getrandbits(draw.choice([10, 30, 50]))}e{draw.randint(-30, 30)}")


def test_doubles_print_as_by_the_oracle_and_read_back() -> None:
    for double in doubles_to_try():
        for value in (double, -double):
            text = _diff.canonical(value)
            assert text.decode() == oracle.double_text(value)
            assert _diff.canonical_text(text) == text
            assert float(text) == value


def test_integers_around_every_power_of_two_print_exactly() -> None:
    for power in range(200):
        for value in range(2**power - 1, 2**power + 2):
            assert _diff.canonical([value, -value]) == f"[{value},{-value}]".encode()


def test_every_ascii_character_is_written_as_by_the_oracle_at_every_place() -> None:
    """The core looks at eight bytes in one step: each character at each place of a step."""
    for code in range(0x100):
        for lead in range(17):
            for tail in (0, 9):
                text = "~" * lead + chr(code) + "~" * tail
                expected = oracle.canonical(text)
                assert _diff.canonical(text) == expected
                assert _diff.canonical_text(expected) == expected


def words(draw: Random, count: int) -> list[str]:
    """Words that agree in their first bytes, and some that UTF-16 orders its own way."""
    alphabet = "ab\n\ufb33😀é"
    return [
        draw.choice(["", "same so far ", "same so f"]) + "".join(draw.choices(alphabet, k=4))
        for _ in range(count)
    ]


def test_keys_and_sets_of_every_size_sort_as_by_the_oracle() -> None:
    draw = Random(2)  # noqa: S311 - the same on every run
    for count in (*range(70), 127, 128, 129, 1000):
        listed = words(draw, count)
        keys = dict.fromkeys(listed, 0)
        assert _diff.canonical(keys) == oracle.canonical(oracle.tree_from_object(keys))
        schema = {
            "enum": listed,
            "required": listed,
            "anyOf": [{"const": word, "title": word} for word in listed],
            "oneOf": [{"const": word} for word in listed],
            "properties": {word: {"enum": listed[:20]} for word in listed[:20]},
        }
        tool = oracle.tool_from_object({"name": "t", "inputSchema": schema})
        assert _diff.projection(tool.full) == tool.projection
