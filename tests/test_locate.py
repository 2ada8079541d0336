"""Where in a file a tool stands: the region that is named holds exactly that part."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolsync
from toolsync.compare.equality import same
from toolsync.locate import Locator, Region

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def _cut(text: bytes, region: Region) -> str:
    """Cuts a region out of a text, as an editor counts lines and columns."""
    lines = text.decode().split("\n")[region.line - 1 : region.end_line]
    lines[-1] = lines[-1][: region.end_column - 1]
    lines[0] = lines[0][region.column - 1 :]
    return "\n".join(lines)


def _parts(value: Any, tokens: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yields every part by the way to it; a member together with its name."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*tokens, name), {name: inner}
            yield from _parts(inner, (*tokens, name))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield (*tokens, str(at)), [inner]
            yield from _parts(inner, (*tokens, str(at)))


@given(VALUES, VALUES, st.sampled_from([None, 1, 4]), st.booleans())
def test_every_part_is_where_it_is_said_to_be(
    first: Any, second: Any, indent: int | None, escaped: bool
) -> None:
    tools = [
        {"description": "–", "x": first, "name": "one"},
        {"name": "t\u00fc\u2028\U0001f600", "x": second, "inputSchema": {"type": "object"}},
    ]
    text = json.dumps({"tools": tools}, indent=indent, ensure_ascii=escaped).encode()
    locator = Locator(text)
    for tool in tools:
        for tokens, value in _parts(tool):
            region = locator.region(str(tool["name"]), tokens)
            assert region
            left, right = "{}" if isinstance(value, dict) else "[]"
            assert same(json.loads(left + _cut(text, region) + right), value)


def test_what_is_not_there_is_shown_by_what_is_left_of_the_way() -> None:
    text = b'{"tools": [{"name": "t",\n"inputSchema": {\n"type": "object"}}]}'
    locator = Locator(text)
    region = locator.region("t", ("inputSchema", "properties", "x"))
    assert region
    assert _cut(text, region).startswith('"inputSchema": {')
    whole = locator.region("t")
    assert whole == Region(1, 12, 3, 19)
    assert locator.region("another") is None


def test_the_first_of_two_namesakes_is_the_one() -> None:
    text = b'[{"name": "t", "inputSchema": {}},\n{"name": "t", "inputSchema": {}}]'
    region = Locator(text).region("t")
    assert region
    assert region.line == 1


def test_a_text_that_holds_no_list_holds_no_tool() -> None:
    assert Locator(b"not JSON").region("t") is None
    assert Locator(b'{"a": 1}').region("t") is None


def test_a_long_line_is_counted_in_characters() -> None:
    tools = [{"name": f"t{at}", "description": "ü" * 3000} for at in range(9)]
    text = json.dumps({"tools": tools}, ensure_ascii=False).encode()
    locator = Locator(text)
    for tool in tools:
        region = locator.region(str(tool["name"]))
        assert region
        assert json.loads(_cut(text, region)) == tool


@pytest.mark.parametrize("shape", ["[\n%s,\n%s]", "%s\n%s"], ids=["array", "log"])
@pytest.mark.parametrize("page", ['{"tools": %s}', '{"id": 1, "result": {"tools": %s}}'])
def test_tools_of_every_page_are_where_they_are_said_to_be(shape: str, page: str) -> None:
    tools = [{"name": f"t{at}", "inputSchema": {"type": "object"}} for at in range(4)]
    first, last = (page % json.dumps(some) for some in (tools[:2], tools[2:]))
    text = (shape % (first.replace("]}", '], "nextCursor": "x"}', 1), last)).encode()
    assert len(toolsync.loads(text)) == 4
    locator = Locator(text)
    for tool in tools:
        region = locator.region(str(tool["name"]))
        assert region
        assert json.loads(_cut(text, region)) == tool


@pytest.mark.parametrize(
    "text",
    [
        '{"tools": [{"name": "t", "inputSchema": {"properties": {"a": {"type": "string"}}}}]}',
        '[{"function": {"name": "t", "parameters": {"properties": {"a": {}}}}}]',
        '[{"type": "function", "name": "t", "parameters": {"properties": {"a": {}}}}]',
        '[{"name": "t", "input_schema": {"properties": {"a": {}}}}]',
        '[{"functionDeclarations": [{"name": "t", "parameters": {"properties": {"a": {}}}}]}]',
        '[{"name": "t", "args_schema": {"properties": {"a": {}}}}]',
        '[{"title": "t", "type": "object", "properties": {"a": {}}}]',
        '{"id":1,"result":{"tools":[{"name": "t", "inputSchema": {"properties": {"a": {}}}}]}}',
    ],
)
def test_every_shape_is_followed_by_its_own_words(text: str) -> None:
    region = Locator(text.encode()).region("t", ("inputSchema", "properties", "a"))
    assert region
    assert _cut(text.encode(), region).startswith('"a": {')


def test_handed_formats_are_located(shared: Path) -> None:
    found = 0
    for path in sorted((shared / "cases" / "formats").iterdir()):
        text = path.read_bytes()
        locator = Locator(text)
        for tool in toolsync.loads(text):
            for name in tool.parsed["inputSchema"].get("properties", {}):
                region = locator.region(tool.name, ("inputSchema", "properties", name))
                assert region
                assert _cut(text, region).startswith(json.dumps(name))
                found += 1
    assert found > 50
