"""Which texts a JSON reader accepts and refuses, and at which byte it says so.

The ideas are those of JSON conformance suites: every rule of RFC 8259 from both
sides. Each text is read alone and as a value inside a tool.
"""

from __future__ import annotations

import pytest

import oracle
from toolsync import _diff
from toolsync.catalog import loads
from toolsync.errors import TextError

# Texts, with what their canonical text is (None: the same).
ACCEPTED: list[tuple[bytes, bytes | None]] = [
    (b"null", None), (b"true", None), (b"false", None), (b"0", None), (b'""', None), (b"[]", None),
    (b"{}", None), (b" \t\r\n1 \t\r\n", b"1"), (b"[ ]", b"[]"), (b"{ }", b"{}"), (b"[\n]", b"[]"),
    (b"[1,2]", None), (b"[ 1 , 2 ]", b"[1,2]"), (b"[[],[[]],{}]", None),
    (b"[null,true,false]", None),
    (b'{"":0}', None), (b'{ "a" : 1 , "b" : 2 }', b'{"a":1,"b":2}'),
    (b'{"b":1,"a":2}', b'{"a":2,"b":1}'),
    (b'{"a":{"a":{"a":{}}}}', None), (b'{"a":[],"b":[{}]}', None),
    (b"-0", b"0"), (b"-1", None), (b"10", None), (b"1.5", None), (b"-0.5", None), (b"1e1", b"10"),
    (b"1E1", b"10"), (b"1e+1", b"10"), (b"1e-1", b"0.1"), (b"1.5e1", b"15"), (b"0e0", b"0"),
    (b"0e+1", b"0"), (b"0.0e-1", b"0"), (b"1e01", b"10"), (b"1e-01", b"0.1"), (b"100e-2", b"1"),
    (b"123456789012345678901234567890", None), (b"-9223372036854775809", None), (b"0.1", None),
    (b'"a"', None), (b'"\\""', None), (b'"\\\\"', None), (b'"\\/"', b'"/"'),
    (b'"\\b\\f\\n\\r\\t"', None),
    (b'"\\u0041"', b'"A"'), (b'"\\u00e9"', b'"\xc3\xa9"'), (b'"\\u00E9"', b'"\xc3\xa9"'),
    (b'"\\u0000"', None), (b'"\\u001f"', None), (b'"\\u001F"', b'"\\u001f"'),
    (b'"\\u0008"', b'"\\b"'),
    (b'"\\u0022\\u005c"', b'"\\"\\\\"'), (b'"\\u002f"', b'"/"'), (b'"\\u007f"', b'"\x7f"'),
    (b'"\x7f"', None),
    (b'"\\ud83d\\ude00"', b'"\xf0\x9f\x98\x80"'), (b'"\\uD83D\\uDE00"', b'"\xf0\x9f\x98\x80"'),
    (b'"\\udbff\\udfff"', b'"\xf4\x8f\xbf\xbf"'), (b'"\\ud800\\udc00"', b'"\xf0\x90\x80\x80"'),
    (b'"\\uffff\\ufffe\\ufdd0"', b'"\xef\xbf\xbf\xef\xbf\xbe\xef\xb7\x90"'),
    (b'"\\u2028\\u2029"', b'"\xe2\x80\xa8\xe2\x80\xa9"'), (b'"\xe2\x80\xa8"', None),
    (b'"\\\\u0041"', None), (b'"\\\\\\u0041"', b'"\\\\A"'), (b'"a\\nb"', None),
    (b'"\xc2\x80\xdf\xbf"', None), (b'"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80"', None),
    (b'"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"', None), (b'"\xef\xbb\xbf"', None),
    (b'"/* no comment */"', None),
    (b'"{[,:]}"', None), (b'{"\\u0061":1}', b'{"a":1}'),
    (b'{"a\\u0000b":1,"a":2}', b'{"a":2,"a\\u0000b":1}'),
    (b'{"\\"":"\\""}', None), (b'{"\\ud83d\\ude00":1}', b'{"\xf0\x9f\x98\x80":1}'),
    (b'{"__proto__":{}}', None), (b'{"a":"b","A":"B"}', b'{"A":"B","a":"b"}'),
    (b"[" * 200 + b"]" * 200, None), (b'{"a":' * 200 + b"1" + b"}" * 200, None),
]  # fmt: skip

# Texts, with the byte at which each stops being JSON.
REFUSED: list[tuple[bytes, int]] = [
    (b"", 0), (b" ", 1), (b"\n\t ", 3), (b"\x00", 0), (b"\xef\xbb\xbf1", 0), (b"\xff", 0),
    (b"a", 0),
    # words
    (b"nul", 0), (b"nulL", 0), (b"NULL", 0), (b"True", 0), (b"tru", 0), (b"fals", 0),
    (b"undefined", 0),
    (b"truefalse", 4), (b"nullx", 4), (b"true,", 4), (b"[tru]", 1), (b"[nul", 1), (b"NaN", 0),
    (b"Infinity", 0), (b"-Infinity", 1), (b"-NaN", 1), (b"[None]", 1),
    # numbers
    (b"-", 1), (b"+1", 0), (b"--1", 1), (b"-a", 1), (b"01", 1), (b"-01", 2), (b"00", 1),
    (b"007", 1),
    (b".5", 0), (b"-.5", 1), (b"1.", 2), (b"1.e1", 2), (b"1.a", 2), (b"1e", 2), (b"1e+", 3),
    (b"1e-", 3),
    (b"1ea", 2), (b"1e1.5", 3), (b"1.2.3", 3), (b"0x10", 1), (b"1_000", 1), (b"1,000", 1),
    (b"1 2", 2),
    (b"1a", 1), (b"[1.]", 3), (b"[-]", 2), (b"[1e]", 3), (b"[+1]", 1), (b"0b1", 1), (b"1e1e1", 3),
    (b"\xef\xbc\x91", 0), (b"1\xc2\xa0", 1), (b"[1\x0c]", 2), (b"0e", 2), (b"1n", 1), (b"- 1", 1),
    # strings
    (b'"', 1), (b'"abc', 4), (b"'a'", 0), (b'"a', 2), (b'"\\"', 3), (b'"\\', 2), (b'"\\x41"', 2),
    (b'"\\a"', 2), (b'"\\0"', 2), (b'"\\\'"', 2), (b'"\\U0041"', 2), (b'"\\u"', 3), (b'"\\u1"', 4),
    (b'"\\u12"', 5), (b'"\\u123"', 6), (b'"\\u12g4"', 5), (b'"\\uD83D\\u"', 9),
    (b'"\\ud83d\\x"', 8),
    (b'"\\u{41}"', 3), (b'"\\u+041"', 3), (b'"\\u 041"', 3), (b'"\\u00', 5), (b'"a\nb"', 2),
    (b'"a\tb"', 2), (b'"a\rb"', 2), (b'"a\x00b"', 2), (b'"\x1f"', 1), (b'"12345678\x01"', 9),
    (b'"a"b', 3), (b'"a""b"', 3), (b'"a\\\nb"', 3), (b"\\u0022", 0), (b"`a`", 0),
    # bytes that are not UTF-8
    (b'"\x80"', 1), (b'"\xbf"', 1), (b'"\xc3"', 1), (b'"\xc3(', 1), (b'"\xc0\xaf"', 1),
    (b'"\xc1\xbf"', 1),
    (b'"\xe0\x80\xaf"', 1), (b'"\xe0\x9f\xbf"', 1), (b'"\xe2\x82"', 1), (b'"\xe2(\xa1"', 1),
    (b'"\xed\xa0\x80"', 1), (b'"\xed\xbf\xbf"', 1), (b'"\xf0\x80\x80\xaf"', 1),
    (b'"\xf0\x8f\xbf\xbf"', 1),
    (b'"\xf0\x9f\x98"', 1), (b'"\xf4\x90\x80\x80"', 1), (b'"\xf5\x80\x80\x80"', 1),
    (b'"\xf8\x88\x80\x80\x80"', 1),
    (b'"\xfe\xff"', 1), (b'"abc\xff"', 4), (b'"\xc3\xa9\xff"', 3), (b'"12345678\x80"', 9),
    (b'"\xe2\x82', 1),
    (b'{"\xff":1}', 2), (b"[\xc3\xa9]", 1),
    # arrays
    (b"[", 1), (b"]", 0), (b"[1", 2), (b"[1,", 3), (b"[,", 1), (b"[,]", 1), (b"[1,]", 3),
    (b"[,1]", 1),
    (b"[1,,2]", 3), (b"[1 2]", 3), (b"[1;2]", 2), (b"[1:2]", 2), (b"[1}", 2), (b"[1]]", 3),
    (b"[1],", 3),
    (b"[[]", 3), (b'["a"', 4), (b'["a', 3), (b"[1]x", 3), (b"[1]\x00", 3), (b"[1,\n", 4),
    (b"[\x0b]", 1),
    (b"[ ", 2), (b"[*]", 1), (b"(1)", 0), (b"[1][2]", 3), (b"[]1", 2), (b"[...]", 1),
    # objects
    (b"{", 1), (b"}", 0), (b"{,}", 1), (b"{]", 1), (b'{"a"', 4), (b'{"a":', 5), (b'{"a":1', 6),
    (b'{"a":1,', 7),
    (b'{"a":1,}', 7), (b'{"a"}', 4), (b'{"a",1}', 4), (b'{"a" 1}', 5), (b'{"a":}', 5),
    (b'{"a"::1}', 5),
    (b"{a:1}", 1), (b"{'a':1}", 1), (b"{1:1}", 1), (b"{null:1}", 1), (b'{"a":1 "b":2}', 7),
    (b'{"a":1;}', 6),
    (b'{"a":1,,"b":2}', 7), (b'{"a":1]', 6), (b'{"a":1}}', 7), (b'{"a":1}x', 7), (b"{:1}", 1),
    (b'{"a', 3),
    (b'{"a":1}{"b":2}', 7), (b'{"a":b}', 5), (b'{"a"=1}', 4), (b"{{}}", 1), (b"{[]:1}", 1),
    (b'{"a":1,b', 7),
    # comments and other things that some readers take
    (b"/**/1", 0), (b"1/**/", 1), (b"[1]//", 3), (b"#1", 0), (b"[1,/**/2]", 3), (b"<a>", 0),
    (b"\xc2\xa01", 0),
    (b"\x0c1", 0), (b"\xe2\x80\xa81", 0), (b"\x1e1", 0), (b"1\x1e", 1), (b"\x001", 0),
    (b"1\x00\x00", 1),
]  # fmt: skip


def ids(texts: list[tuple[bytes, bytes | None]] | list[tuple[bytes, int]]) -> list[str]:
    return [repr(text[:24])[2:-1] for text, _ in texts]


def in_tool(value: bytes) -> bytes:
    return b'{"name":"t","inputSchema":{"default":%b}}' % value


def in_list(value: bytes) -> bytes:
    """A catalogue with a good tool on either side of one that holds the value."""
    beside = b'{"name":"%b","inputSchema":{"type":"object"}}'
    return b'{"tools":[%b,%b,%b]}' % (beside % b"before", in_tool(value), beside % b"after")


@pytest.mark.parametrize(("text", "canonical"), ACCEPTED, ids=ids(ACCEPTED))
def test_a_json_text_is_accepted(text: bytes, canonical: bytes | None) -> None:
    expected = text if canonical is None else canonical
    assert _diff.canonical_text(text) == expected
    assert oracle.canonical(oracle.tree_from_text(text)) == expected


@pytest.mark.parametrize(("text", "canonical"), ACCEPTED, ids=ids(ACCEPTED))
def test_a_json_text_is_accepted_inside_a_tool(text: bytes, canonical: bytes | None) -> None:
    catalog = loads(in_list(text))
    assert not catalog.invalid
    assert [tool.name for tool in catalog] == ["before", "t", "after"]
    assert catalog["t"].text == in_tool(text)
    expected = oracle.tool_from_text(in_tool(text))
    assert (catalog["t"].digest, catalog["t"].semantic_digest) == (
        expected.digest,
        expected.semantic,
    )
    assert _diff.canonical(catalog["t"].definition) == expected.full


@pytest.mark.parametrize(("text", "offset"), REFUSED, ids=ids(REFUSED))
def test_what_is_no_json_is_refused_at_its_first_fault(text: bytes, offset: int) -> None:
    with pytest.raises(_diff.NotJSON) as caught:
        _diff.canonical_text(text)
    assert caught.value.offset == offset
    assert caught.value.reason
    with pytest.raises(oracle.UnreadableError):
        oracle.parse(text)


@pytest.mark.parametrize(("text", "offset"), REFUSED, ids=ids(REFUSED))
def test_what_is_no_json_is_refused_inside_a_tool(text: bytes, offset: int) -> None:
    whole = in_list(text)
    start = whole.index(b'"default":') + len(b'"default":')
    with pytest.raises(TextError) as caught:
        loads(whole)
    found = caught.value.offset
    assert found is not None
    assert str(found) in str(caught.value)
    # What went on too long or not far enough may do otherwise with a tool around it.
    free = text[offset : offset + 1] in (b"", b",", b"}")
    assert found >= start + offset if free else found == start + offset


@pytest.mark.parametrize("size", range(1, 24))
def test_a_text_cut_anywhere_is_refused_at_its_end(size: int) -> None:
    text = b'{"a":[1,{"b":"c\\u0041"}]}'[:size]
    with pytest.raises(_diff.NotJSON) as caught:
        _diff.canonical_text(text)
    assert caught.value.offset == size


def test_a_plain_run_ends_at_each_of_its_marks() -> None:
    """Eight bytes are looked at in one step: every mark at every place of a step."""
    for lead in range(18):
        for mark in (b"\\", b"\x1f", b"\x00", b"\x80", b"\xff"):
            text = b'"' + b"~" * lead + mark
            with pytest.raises(_diff.NotJSON) as caught:
                _diff.canonical_text(text + b" " * 9)
            assert caught.value.offset == len(text) - (mark != b"\\")
        with pytest.raises(_diff.NotJSON) as caught:
            _diff.canonical_text(b'"' + b"~" * lead + b'"x' + b"~" * 9)
        assert caught.value.offset == lead + 2


def test_a_plain_run_of_every_length_is_kept() -> None:
    for size in range(40):
        text = b'"' + (b"~ \x7f!#[]^" * 5)[:size] + b'"'
        assert _diff.canonical_text(text) == text
