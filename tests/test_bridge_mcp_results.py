"""What tools give and raise, as results."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from mcp_rig import ERAS, bench, over_http, tool
from toolsync.bridge.mcp._compat import raw_request
from toolsync.bridge.mcp.errors import RemoteError
from toolsync.bridge.mcp.results import failure_of, result_of


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


RAW = {
    "content": [{"type": "text", "text": "x", "own": 1}], "isError": True,
    "structuredContent": {"a": 1}, "_meta": {"k": None}, "own": [1 << 70],
}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "handshake", "modern"),
    [
        (RAW, RAW, RAW),
        ({"content": [], "structuredContent": [1]}, {"content": []},
         {"content": [], "structuredContent": [1]}),
        ("hello", {"content": [text("hello")]}, {"content": [text("hello")]}),
        (None, {"content": []}, {"content": []}),
        ({"a": 1}, {"content": [text('{"a":1}')], "structuredContent": {"a": 1}}, ...),
        ({"content": "no list"}, {"content": [text('{"content":"no list"}')],
                                  "structuredContent": {"content": "no list"}}, ...),
        ([1, "é"], {"content": [text('[1,"é"]')]},
         {"content": [text('[1,"é"]')], "structuredContent": [1, "é"]}),
        (True, {"content": [text("true")]}, {"content": [text("true")], "structuredContent": True}),
        (types.CallToolResult(content=[types.TextContent(type="text", text="t")]),
         {"content": [text("t")], "isError": False, "resultType": "complete"}, ...),
    ],
)  # fmt: skip
def test_what_a_tool_gives(value: Any, handshake: Any, modern: Any) -> None:
    assert result_of(value, modern=False) == handshake
    wanted = handshake if modern is ... else modern
    assert result_of(value, modern=True) == {**wanted, "resultType": "complete"}


@pytest.mark.parametrize("value", [object(), {1, 2}, float("nan"), {"content": [b"x"]}, b"x"])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        result_of(value, modern=True)


def test_a_failure_is_one_harmless_line() -> None:
    made = failure_of("a\x1b", ValueError("one\ntwo\x1b[2J " + "x" * 900), modern=False)
    line = made["content"][0]["text"]
    assert made["isError"] is True
    assert line.startswith(r"'a\u{1B}' failed: one\ntwo\u{1B}[2J xxx")
    assert line.isprintable()
    assert len(line) < 600
    assert failure_of("a", KeyError(), modern=True)["content"] == [text("'a' failed: KeyError")]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_results_and_failures_reach_the_client(mode: str) -> None:
    async def call(name: str, arguments: Any) -> Any:
        if name == "raises":
            raise RuntimeError("no luck")
        if name == "refused":
            raise RemoteError("server 'x': tools/call", -32099, "not today", {"why": 1})
        if name == "odd":
            return object()
        return RAW

    names = ["raw", "raises", "refused", "odd"]
    async with bench() as made, over_http(made.server) as url:
        await made.serve(*[tool(name) for name in names], call=call)
        async with Client(url, mode=mode, cache=None) as client:
            params = {"name": "raw", "arguments": {}}
            raw = await raw_request(client.session, "tools/call", params)
            assert raw.pop("resultType", "complete") == "complete"
            assert raw == RAW
            for name in ("raises", "odd"):
                result = await client.call_tool(name, {})
                assert result.is_error is True
                assert isinstance(result.content[0], types.TextContent)
                assert result.content[0].text.startswith(f"'{name}' failed: ")
            with pytest.raises(MCPError) as caught:
                await client.call_tool("refused", {})
            assert (caught.value.code, caught.value.data) == (-32099, {"why": 1})
            for odd in ({"name": 5}, {}, {"name": "raw", "arguments": [1]}):
                with pytest.raises(MCPError) as caught:
                    await raw_request(client.session, "tools/call", odd)
                assert caught.value.code in (types.INVALID_PARAMS, types.HEADER_MISMATCH)
