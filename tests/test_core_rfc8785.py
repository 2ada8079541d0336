"""The numbers, strings and orders that RFC 8785 publishes, on the core and on the oracle.

The numbers are the bit patterns of its Appendix B, the order that of section 3.2.3,
the strings those of section 3.2.2.2. Where canonical form 1 refines the RFC, integral
values beyond 2**53, the row says so.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest

import oracle
from toolsync import _diff

# Bits of the double, text by the RFC, text by canonical form 1 where that differs.
NUMBERS = [
    (0x0000000000000000, "0", None),
    (0x8000000000000000, "0", None),
    (0x0000000000000001, "5e-324", None),
    (0x8000000000000001, "-5e-324", None),
    (0x7FEFFFFFFFFFFFFF, "1.7976931348623157e+308", None),
    (0xFFEFFFFFFFFFFFFF, "-1.7976931348623157e+308", None),
    (0x4340000000000000, "9007199254740992", None),
    (0xC340000000000000, "-9007199254740992", None),
    (0x4430000000000000, "295147905179352830000", "295147905179352825856"),
    (0x44B52D02C7E14AF5, "9.999999999999997e+22", None),
    (0x44B52D02C7E14AF6, "1e+23", None),
    (0x44B52D02C7E14AF7, "1.0000000000000001e+23", None),
    (0x444B1AE4D6E2EF4E, "999999999999999700000", "999999999999999737856"),
    (0x444B1AE4D6E2EF4F, "999999999999999900000", "999999999999999868928"),
    (0x444B1AE4D6E2EF50, "1e+21", None),
    (0x3EB0C6F7A0B5ED8C, "9.999999999999997e-7", None),
    (0x3EB0C6F7A0B5ED8D, "0.000001", None),
    (0x41B3DE4355555553, "333333333.3333332", None),
    (0x41B3DE4355555554, "333333333.33333325", None),
    (0x41B3DE4355555555, "333333333.3333333", None),
    (0x41B3DE4355555556, "333333333.3333334", None),
    (0x41B3DE4355555557, "333333333.33333343", None),
    (0xBECBF647612F3696, "-0.0000033333333333333333", None),
    (0x43143FF3C1CB0959, "1424953923781206.2", None),
]


def double(bits: int) -> float:
    (value,) = struct.unpack(">d", bits.to_bytes(8, "big"))
    assert isinstance(value, float)
    return value


@pytest.mark.parametrize(("bits", "by_rfc", "refined"), NUMBERS)
def test_a_double_prints_as_the_rfc_s_table_says(
    bits: int, by_rfc: str, refined: str | None
) -> None:
    expected = (refined or by_rfc).encode()
    assert _diff.canonical(double(bits)) == expected
    assert oracle.canonical(oracle.tree_from_object(double(bits))) == expected


@pytest.mark.parametrize(("bits", "by_rfc", "refined"), NUMBERS)
def test_the_rfc_s_text_of_a_double_reads_as_that_double(
    bits: int, by_rfc: str, refined: str | None
) -> None:
    # With an exponent, so that the text is a double's and no integer literal.
    literal = by_rfc if "e" in by_rfc else by_rfc + "e0"
    expected = (refined or by_rfc).encode()
    assert float(literal) == double(bits)
    assert _diff.canonical_text(literal.encode()) == expected
    assert oracle.canonical(oracle.tree_from_text(literal.encode())) == expected


@pytest.mark.parametrize("bits", [0x7FFFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000])
def test_what_is_no_finite_number_is_refused(bits: int) -> None:
    with pytest.raises(ValueError, match="NaN or infinity"):
        _diff.canonical(double(bits))


REFINED = [
    ("-0", "0"), ("-0.0", "0"), ("-0e999", "0"), ("0.0e-999999999999999999999", "0"),
    ("1.0", "1"), ("1e0", "1"), ("1e2", "100"), ("10E-1", "1"), ("-2.50e1", "-25"),
    ("18446744073709551616", "18446744073709551616"),
    ("18446744073709551616.0", "18446744073709551616"),
    ("18446744073709551617", "18446744073709551617"),
    ("18446744073709551617.0", "18446744073709551616"),
    ("9007199254740993", "9007199254740993"), ("9007199254740993e0", "9007199254740992"),
    ("100000000000000000000", "100000000000000000000"), ("1e20", "100000000000000000000"),
    ("1000000000000000000000", "1000000000000000000000"), ("1e21", "1e+21"),
    ("-1e21", "-1e+21"), ("1E30", "1e+30"), ("333333333.33333329", "333333333.3333333"),
    ("4.50", "4.5"), ("2e-3", "0.002"), ("1e-6", "0.000001"), ("1e-7", "1e-7"),
    ("1.5e-10", "1.5e-10"), ("123456789012345678e-18", "0.12345678901234568"),
    ("5e-324", "5e-324"), ("3e-324", "5e-324"), ("2.4703282292062328e-324", "5e-324"),
    ("1.7976931348623158e308", "1.7976931348623157e+308"), ("1e308", "1e+308"),
    ("0." + "0" * 300 + "1e301", "1"), ("1" + "0" * 400 + "e-400", "1"),
    ("2251799813685249.5", "2251799813685249.5"), ("9007199254740992.0000", "9007199254740992"),
    ("9" * 5000, "9" * 5000), ("-" + "7" * 5000, "-" + "7" * 5000),
]  # fmt: skip


@pytest.mark.parametrize(("literal", "text"), REFINED)
def test_a_literal_prints_as_the_canonical_form_says(literal: str, text: str) -> None:
    assert _diff.canonical_text(literal.encode()) == text.encode()
    assert oracle.canonical(oracle.tree_from_text(literal.encode())) == text.encode()


FAULTY = [
    ("1e400", "too large"), ("-1e309", "too large"), ("1.7976931348623159e308", "too large"),
    ("1" + "0" * 309 + ".0", "too large"), ("1e99999999999999999999", "too large"),
    ("1e-400", "too small"), ("-2e-324", "too small"), ("2.47032822920623272e-324", "too small"),
    ("0." + "0" * 400 + "1", "too small"), ("1e-99999999999999999999", "too small"),
    ("9007199254740992.5", "fraction"), ("4503599627370497.5", "fraction"),
    ("9007199254740993.5", "fraction"),
    ("1.00000000000000000001", "fraction"), ("0.99999999999999999999", "fraction"),
    ("-123456789012345678.9", "fraction"), ("1" * 30 + ".5", "fraction"),
    ("90071992547409925e-1", "fraction"), ("1" + "0" * 30 + "1e-30", "fraction"),
]  # fmt: skip


@pytest.mark.parametrize(("literal", "reason"), FAULTY)
def test_a_number_that_a_double_cannot_keep_is_a_text_fault(literal: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        _diff.canonical_text(literal.encode())
    with pytest.raises(oracle.MalformedError):
        oracle.tree_from_text(literal.encode())


@pytest.mark.parametrize(
    "size", [0, 1, 17, 18, 19, 20, 38, 599, 600, 601, 1199, 1200, 1201, 4300, 4301, 10_000]
)
@pytest.mark.parametrize("near", [-1, 0, 1])
def test_integers_print_the_same_from_text_and_from_objects(size: int, near: int) -> None:
    for value in (10**size + near, -(10**size) - near):
        text = oracle.canonical(oracle.tree_from_object(value))
        assert _diff.canonical(value) == text
        assert _diff.canonical_text(text) == text


def test_strings_are_escaped_as_the_rfc_says() -> None:
    every = "".join(chr(code) for code in (*range(0x20), 0x22, 0x2F, 0x5C, 0x7F, 0x80, 0x20AC))
    expected = (
        r'"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f'
        r"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c"
        r"\u001d\u001e\u001f\"/\\" + '\x7f\x80€"'
    )
    assert _diff.canonical(every) == expected.encode()
    assert oracle.canonical(every) == expected.encode()


def test_escapes_of_the_rfc_s_example_are_read() -> None:
    text = rb'"\u20ac$\u000F\u000aA\u0027\u0042\u0022\u005c\\\"\/"'
    expected = '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'.encode()
    assert _diff.canonical_text(text) == expected
    assert oracle.canonical(oracle.tree_from_text(text)) == expected


def test_keys_sort_by_utf_16_code_units() -> None:
    in_order = ["\r", "1", "\x80", "ö", "€", "😀", "\ufb33"]
    value: Any = {key: place for place, key in enumerate(reversed(in_order))}
    text = _diff.canonical(value)
    positions = [text.index(oracle.canonical(key) + b":") for key in in_order]
    assert positions == sorted(positions)
    assert text == oracle.canonical(oracle.tree_from_object(value))


def test_every_character_sorts_as_its_code_units_do() -> None:
    edges = [0, 1, 0x1F, 0x20, 0x22, 0x2F, 0x5C, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF]
    edges += [0x10000, 0x103FF, 0x10400, 0x10FFFF]
    keys = [
        prefix + chr(code) for code in edges for prefix in ("", "a", "abcdefg", "abcdefgh", "é")
    ]
    value = dict.fromkeys([*keys, "", "a", "abcdefg", "abcdefgh"], True)
    assert _diff.canonical(value) == oracle.canonical(oracle.tree_from_object(value))
