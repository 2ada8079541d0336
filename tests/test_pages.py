"""What stands around the tools: results, messages, pages, logs; incomplete lists are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolsync import FormatError, IncompleteError, TextError, loads


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


def page(*names: str, cursor: Any = ...) -> dict[str, Any]:
    rest = {} if cursor is ... else {"nextCursor": cursor}
    return {"tools": [tool(name) for name in names], **rest}


def response(result: dict[str, Any], number: int = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def request(number: int, **parameters: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": parameters}


def names(*values: Any) -> list[str]:
    """Reads the values as the lines of one text."""
    return [each.name for each in loads("\n".join(map(json.dumps, values)))]


def test_a_list_result() -> None:
    assert names(page("a", "b")) == ["a", "b"]


def test_a_bare_array() -> None:
    assert names([tool("a"), tool("b")]) == ["a", "b"]


def test_a_response_around_a_result() -> None:
    assert names(response(page("a"))) == ["a"]


def test_pages_on_lines_of_their_own() -> None:
    assert names(page("a", cursor="1"), page("b")) == ["a", "b"]


def test_pages_in_an_array() -> None:
    assert names([page("a", cursor="1"), response(page("b"))]) == ["a", "b"]


def test_pages_written_over_several_lines() -> None:
    text = json.dumps(page("a", cursor="1"), indent=2) + "\n" + json.dumps(page("b"), indent=2)
    assert [each.name for each in loads(text)] == ["a", "b"]


def test_a_session_log() -> None:
    hello = {"jsonrpc": "2.0", "id": 0, "result": {"capabilities": {"tools": {}}}}
    changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    assert names(
        hello, request(1), response(page("a", cursor="x")), request(2, cursor="x"),
        response(page("b"), 2), changed,
    ) == ["a", "b"]  # fmt: skip


def test_the_last_list_of_a_log_counts() -> None:
    assert names(request(1), response(page("a")), request(2), response(page("b"), 2)) == ["b"]


def test_a_list_that_was_begun_again_drops_its_first_pages() -> None:
    assert names(
        request(1), response(page("a", cursor="x")), request(2), response(page("b"), 2)
    ) == ["b"]  # fmt: skip


def test_a_null_cursor_ends_a_list() -> None:
    assert names(page("a", cursor=None)) == ["a"]


@pytest.mark.parametrize("cursor", ["more", ""])
def test_a_list_that_ends_with_a_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(IncompleteError, match="nextCursor"):
        names(page("a", cursor=cursor))


def test_other_lists_in_an_object() -> None:
    assert names({"functions": [{"name": "a", "parameters": {"type": "object"}}]}) == ["a"]
    declarations = [{"name": "a", "parameters": {"type": "OBJECT"}}]
    assert names({"functionDeclarations": declarations}) == ["a"]


def test_an_error_saved_as_a_list_is_no_empty_catalogue() -> None:
    with pytest.raises(FormatError, match="JSON-RPC error instead of a list: 'no such method'"):
        names({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no such method"}})


def test_an_error_beside_a_list_does_no_harm() -> None:
    failed = {"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "elsewhere"}}
    assert names(failed, response(page("a"))) == ["a"]


def test_control_characters_of_a_server_never_reach_the_message() -> None:
    with pytest.raises(FormatError) as caught:
        names({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "\x1b[31m"}})
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("value", [None, 1, "tools", {}, {"servers": []}])
def test_what_holds_no_list_is_refused(value: Any) -> None:
    with pytest.raises(FormatError, match="holds no catalogue"):
        names(value)


@pytest.mark.parametrize("tools", [None, {}, "a"])
def test_tools_that_are_no_array_are_refused(tools: Any) -> None:
    with pytest.raises(FormatError, match="'tools': expected an array"):
        names({"tools": tools})


def test_data_behind_the_document_is_refused() -> None:
    with pytest.raises(TextError, match="data after the document at line 2, column 1"):
        names(page("a"), {})
    with pytest.raises(TextError, match="data after the document at line 1"):
        loads('[{"name":"a","inputSchema":{}}] x')


def test_a_fault_in_a_log_names_its_line() -> None:
    with pytest.raises(TextError, match="line 2") as caught:
        loads(json.dumps(page("a", cursor="1")) + '\n{"tools":[}')
    assert caught.value.offset is not None


def test_a_repeated_key_around_the_tools_is_refused() -> None:
    with pytest.raises(TextError, match="duplicate key"):
        loads('{"tools":[],"tools":[]}')


def test_a_tool_named_like_a_page_is_a_tool() -> None:
    assert names([{**tool("a"), "tools": [], "result": {}}]) == ["a"]
