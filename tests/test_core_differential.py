"""The compiled core against the plain-Python oracle: the same bytes, and the same refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import core_strategies as given_as
import oracle
from core_strategies import spell
from toolsync import _diff, _reading
from toolsync.catalog import Catalog, loads

Outcome = bytes | str


def of_core(work: Any, value: Any) -> Outcome:
    """What the core makes of a value: bytes, or the kind of its refusal."""
    try:
        result = work(value)
    except _diff.NotJSON:
        return "not JSON"
    except ValueError:
        return "malformed"
    assert isinstance(result, bytes)
    return result


def of_oracle(work: Any, value: Any) -> Outcome:
    """The same of the oracle."""
    try:
        result = work(value)
    except oracle.UnreadableError:
        return "not JSON"
    except oracle.MalformedError:
        return "malformed"
    return result if isinstance(result, bytes) else oracle.canonical(result)


def oracle_projection(text: bytes) -> bytes:
    return oracle.tool_from_text(text).projection


def encoded(value: Any) -> tuple[str, str] | str:
    """Both digests of one tool given as objects, or the pointer to its fault."""
    made = _reading.Encoder(250, 1 << 20).tool(value)
    return (made.digest, made.semantic_digest) if isinstance(made, _diff.Tool) else made[1]


def read(text: bytes) -> _diff.Tool | tuple[str | None, str, str, bytes]:
    """One tool, read as the only one of a list."""
    root, _ = _reading.outline(b"[ %b\n ]" % text, 250, 1 << 20)
    (made,) = root.tools()
    return made


@given(given_as.data, given_as.spellings)
def test_text_has_the_oracle_s_canonical_text(value: Any, seed: int) -> None:
    text = spell(value, seed)
    assert of_core(_diff.canonical_text, text) == of_oracle(oracle.tree_from_text, text)


@given(given_as.raw_data, given_as.spellings)
def test_odd_numbers_surrogates_and_repeated_keys_are_read_as_by_the_oracle(
    value: Any, seed: int
) -> None:
    text = spell(value, seed)
    assert of_core(_diff.canonical_text, text) == of_oracle(oracle.tree_from_text, text)


@given(given_as.literals)
def test_number_literals_have_the_oracle_s_canonical_text(literal: str) -> None:
    text = literal.encode()
    assert of_core(_diff.canonical_text, text) == of_oracle(oracle.tree_from_text, text)


@given(given_as.data, given_as.spellings)
def test_every_spelling_of_a_value_has_the_same_canonical_text(value: Any, seed: int) -> None:
    expected = _diff.canonical(value)
    assert _diff.canonical_text(spell(value, 0)) == expected
    assert _diff.canonical_text(spell(value, seed)) == expected


@given(given_as.data)
def test_canonical_text_is_its_own_canonical_text(value: Any) -> None:
    text = _diff.canonical(value)
    assert _diff.canonical_text(text) == text


@given(given_as.objects)
def test_objects_have_the_oracle_s_canonical_text(value: Any) -> None:
    assert _diff.canonical(value) == oracle.canonical(oracle.tree_from_object(value))


@given(given_as.tools, given_as.spellings)
def test_projections_are_the_oracle_s(tool: Any, seed: int) -> None:
    text = spell(tool, seed)
    assert _diff.projection(text) == oracle_projection(text)


@given(given_as.tools, given_as.spellings)
def test_digests_are_the_oracle_s_from_text_and_from_objects(tool: Any, seed: int) -> None:
    expected = oracle.tool_from_object(tool)
    made = read(spell(tool, seed))
    assert isinstance(made, _diff.Tool)
    assert made.name == expected.name
    assert (made.digest, made.semantic_digest) == (expected.digest, expected.semantic)
    assert encoded(tool) == (expected.digest, expected.semantic)


@given(given_as.tools, given_as.spellings)
def test_definitions_keep_every_integer_and_every_string(tool: Any, seed: int) -> None:
    made = read(spell(tool, seed))
    assert isinstance(made, _diff.Tool)
    tree = oracle.tree_from_object(made.definition)
    assert oracle.canonical(tree) == oracle.canonical(oracle.tree_from_object(tool))


@given(given_as.raw_tools, given_as.spellings)
def test_text_faults_are_found_where_the_oracle_finds_them(tool: Any, seed: int) -> None:
    text = spell(tool, seed)
    expected = of_oracle(oracle_projection, text)
    assert of_core(_diff.projection, text) == expected
    made = read(text)
    if isinstance(made, _diff.Tool):
        assert expected != "malformed"
        return
    with pytest.raises(oracle.MalformedError) as caught:
        oracle.tool_from_text(text)
    assert made[1] in {pointer(fault.path) for fault in caught.value.faults}


def pointer(path: oracle.Path) -> str:
    """A JSON Pointer as the core prints it: what cannot be encoded is replaced."""
    tokens = (token.replace("~", "~0").replace("/", "~1") for token in path)
    joined = "".join("/" + token for token in tokens)
    return joined.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


@given(given_as.odd_tools, given_as.spellings)
def test_malformed_tools_are_the_oracle_s_from_text_and_from_objects(tool: Any, seed: int) -> None:
    text = spell(tool, seed)
    expected = of_oracle(oracle_projection, text)
    assert of_core(_diff.projection, text) == expected
    assert isinstance(read(text), _diff.Tool) is isinstance(expected, bytes)
    assert isinstance(encoded(tool), tuple) is isinstance(expected, bytes)


@given(given_as.data, given_as.spellings, st.data())
def test_broken_texts_are_refused_as_by_the_oracle(value: Any, seed: int, data: Any) -> None:
    text = spell(value, seed)
    place = data.draw(st.integers(0, len(text)))
    change = data.draw(st.sampled_from(_CHANGES))
    broken = text[:place] + change + text[place + data.draw(st.integers(0, 3)) :]
    assert of_core(_diff.canonical_text, broken) == of_oracle(oracle.tree_from_text, broken)


_CHANGES = [
    b"", b"x", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b".", b"e", b"\x00",
    b"\x80", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\n", b" ", b"\\u12", b"tru",
    b"\xc0\xaf", b"\xef\xbb\xbf", b"//", b"NaN", b"'",
]  # fmt: skip


@given(given_as.data, given_as.spellings, st.data())
def test_what_stands_before_a_fault_could_still_become_json(
    value: Any, seed: int, data: Any
) -> None:
    text = spell(value, seed)
    place = data.draw(st.integers(0, len(text)))
    broken = text[:place] + data.draw(st.sampled_from(_CHANGES)) + text[place:]
    offset = refused_at(broken)
    if offset is None:
        return
    assert 0 <= offset <= len(broken)
    assert refused_at(broken[:offset]) in (None, offset), "the text before the fault is at fault"


def refused_at(text: bytes) -> int | None:
    """The byte offset at which the core refuses a text."""
    try:
        _diff.canonical_text(text)
    except _diff.NotJSON as refusal:
        return refusal.offset
    except ValueError:
        return None
    return None


@given(given_as.objects, given_as.strangers, given_as.names)
def test_what_json_cannot_hold_is_refused(value: Any, stranger: Any, name: str) -> None:
    for holder in ({name: [value, stranger]}, [{name: stranger}, value], stranger):
        assert of_core(_diff.canonical, holder) == "malformed"
        assert of_oracle(oracle.tree_from_object, holder) == "malformed"
        tool = {"name": "t", "inputSchema": {"x": holder}}
        where = encoded(tool)
        assert isinstance(where, str)
        assert where.startswith("/inputSchema/x")


@given(given_as.tools)
def test_a_tool_s_text_is_canonical_where_it_came_as_objects(tool: Any) -> None:
    made = _reading.Encoder(250, 1 << 20).tool(tool)
    assert isinstance(made, _diff.Tool)
    assert made.text == oracle.tool_from_object(tool).full
    assert made.definition is tool


@given(st.lists(given_as.tools, max_size=4), given_as.spellings)
def test_catalogue_digests_are_the_oracle_s(tools: list[Any], seed: int) -> None:
    expected = oracle.well_formed(tools, oracle.tool_from_object)
    text = spell({"tools": tools}, seed)
    for catalog in (Catalog(tools), loads(text), loads(json.dumps({"tools": tools}))):
        assert {tool.name for tool in catalog} == set(expected)
        assert catalog.digest == oracle.catalogue_digest(
            {name: tool.digest for name, tool in expected.items()}
        )
        assert catalog.semantic_digest == oracle.catalogue_digest(
            {name: tool.semantic for name, tool in expected.items()}
        )
