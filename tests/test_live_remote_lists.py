"""What a server lists: every page, within limits, and nothing that is faulty (RC 3 and 4)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from live_rig import bad, names, tool
from live_server import Server, filled, hang, now
from paper_loop import PaperLoop
from toolsync import Catalog, live

pytestmark = pytest.mark.anyio

A, B, C = tool("a"), tool("b"), tool("c")


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": PaperLoop}


async def test_rc3_all_pages_are_read_and_an_empty_cursor_is_one() -> None:
    server = Server()
    server.faults = [
        {"tools": [A], "nextCursor": ""},
        {"tools": [B], "nextCursor": "last"},
        {"tools": [C], "nextCursor": None},
    ]
    remote = await filled(server)
    assert names(remote.catalog) == ["a", "b", "c"]
    assert server.asked == [None, "", "last"]


SMALL = {"max_pages": 3, "max_tools": 5, "max_bytes": 400}
OVER: list[tuple[str, list[Any]]] = [
    ("more than 3 pages; raise max_pages", [{"tools": [], "nextCursor": str(n)} for n in range(9)]),
    ("page 1: 6 tools, over the limit of 5; raise max_tools", [{"tools": [A] * 6}]),
    ("over the limit of 400; raise max_bytes", [{"tools": [tool("a", "d" * 500)]}]),
    ("over the limit of 400; raise max_bytes", [{"tools": [], "nextCursor": "c" * 500}]),
    ("over the limit of 400; raise max_bytes",
     [{"tools": [{"name": "a", "inputSchema": [["d" * 500]]}]}]),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "pages"), OVER)
async def test_rc3_going_over_a_limit_names_it(reason: str, pages: list[Any]) -> None:
    server = Server(A, B)
    remote = await filled(server, name="shop", **SMALL)
    server.faults = pages
    remote.mark_stale()
    assert await remote.refresh() == "failed"
    assert remote.failure is not None
    assert remote.failure.reason.startswith("server 'shop': ")
    assert reason in remote.failure.reason
    assert names(remote.catalog) == ["a", "b"]


async def test_rc3_a_page_that_never_comes_ends_at_the_limit_on_time() -> None:
    server = Server(A)
    remote = await filled(server, timeout=2.0)
    server.faults = [hang]
    remote.mark_stale()
    at = now()
    assert await remote.refresh() == "failed"
    assert now() - at == pytest.approx(2.0, abs=0.1)
    assert remote.failure is not None
    assert remote.failure.reason == "time: no complete list within 2 s; raise timeout"
    assert server.open == 0


async def test_rc3_a_cursor_seen_before_ends_the_walk() -> None:
    server = Server()
    server.faults = [{"tools": [A], "nextCursor": "x"}, {"tools": [B], "nextCursor": "x"}]
    remote = server.remote(cooldown=0)
    assert await remote.refresh() == "failed"
    assert remote.failure is not None
    assert remote.failure.reason == "page 2: cursor did not advance"
    assert server.asked == [None, "x"]


async def test_rc3_with_stop_a_repeated_cursor_whose_page_is_known_ends_a_complete_list() -> None:
    server = Server()
    server.faults = [{"tools": [A, B], "nextCursor": ""}] * 2
    remote = await filled(server, repeated_cursor="stop")
    assert names(remote.catalog) == ["a", "b"]
    assert server.asked == [None, ""]
    assert any("cursor did not advance" in warning for warning in remote.warnings)


async def test_rc3_with_stop_a_repeated_cursor_that_brings_something_goes_on_to_the_limit() -> None:
    server = Server()
    server.faults = [{"tools": [tool(f"t{n}")], "nextCursor": "x"} for n in range(20)]
    remote = server.remote(repeated_cursor="stop", max_pages=10)
    assert await remote.refresh() == "failed"
    assert remote.failure is not None
    assert "max_pages" in remote.failure.reason


FAULTY: list[tuple[Any, str]] = [
    ({"tools": [A, {"name": "", "inputSchema": {"type": "object"}}]}, "page 1: tool 2, at '/name'"),
    ({"tools": [A, {"inputSchema": {"type": "object"}}]}, "page 1: tool 2, at '/name'"),
    ({"tools": [{"name": 5}]}, "page 1: tool 1, at '/name'"),
    ({"tools": [{"name": "\ud800", "inputSchema": {}}]}, "page 1: tool 1, at '/name'"),
    ({"tools": [{1: 2}]}, "page 1: tool 1, at "),
    ({"tools": [A, None]}, "page 1: tool 2, at "),
    ({"tools": [[A]]}, "page 1: tool 1, at "),
    ({"tools": {"a": A}}, "page 1: at 'tools': expected an array, got an object"),
    ({"tools": "a"}, "page 1: at 'tools': expected an array, got a string"),
    ({"tools": None}, "page 1: at 'tools': expected an array, got null"),
    ({}, "page 1: at 'tools': expected an array, got nothing"),
    ([A], "page 1: expected an object with 'tools', got an array"),
    (None, "page 1: expected an object with 'tools', got null"),
    (7, "page 1: expected an object with 'tools', got a number"),
    ({"tools": [], "nextCursor": 7}, "page 1: at 'nextCursor': expected a string, got a number"),
    ({"tools": [], "nextCursor": {}}, "page 1: at 'nextCursor': expected a string, got an object"),
]


@pytest.mark.parametrize(("page", "reason"), FAULTY)
async def test_rc4_a_faulty_list_is_never_used_and_the_error_says_where(
    page: Any, reason: str
) -> None:
    server = Server(A, B, tool("old"))
    remote = await filled(server)
    before = remote.catalog
    server.faults = [page]
    remote.mark_stale()
    assert await remote.refresh() == "failed"
    assert remote.failure is not None
    assert reason in remote.failure.reason
    assert remote.catalog is before
    assert remote.revision == 1


async def test_rc4_a_page_that_fails_begins_the_list_anew_and_at_last_fails_it() -> None:
    server = Server(A, B, C, size=2)
    remote = await filled(server)
    server.faults = [{"tools": [], "nextCursor": "2"}, ValueError("cursor\x1b[31m is old")] * 3
    remote.mark_stale()
    assert await remote.refresh() == "failed"
    assert remote.failure is not None
    assert remote.failure.reason == "page 2 failed: ValueError: cursor\\u{1B}[31m is old"
    assert server.lists == 1 + 3
    assert names(remote.catalog) == ["a", "b", "c"]


async def test_rc4_one_failing_page_is_made_good_by_the_next_attempt() -> None:
    server = Server(A, B)
    server.faults = [ConnectionError("gone")]
    assert names((await filled(server)).catalog) == ["a", "b"]


async def test_rc4_byte_equal_repeats_fold_with_a_warning() -> None:
    server = Server(A, B, dict(reversed(A.items())), size=2)
    remote = await filled(server)
    assert names(remote.catalog) == ["a", "b"]
    assert remote.warnings == ("tool 'a' stands more than once, each time the same",)


TWO_OF_ONE_NAME = [
    [{"tools": [A, tool("a", "other")]}],
    [{"tools": [A], "nextCursor": "1"}, {"tools": [tool("a", "other")]}],
    [{"tools": [A, {"name": "a"}]}],
    [{"tools": [{"name": "a"}], "nextCursor": "1"}, {"tools": [A]}],
    [{"tools": [{"name": "a"}], "nextCursor": "1"}, {"tools": [{"name": "a", "inputSchema": 1}]}],
]


@pytest.mark.parametrize("pages", TWO_OF_ONE_NAME)
async def test_rc4_two_definitions_of_one_name_are_listed_once_more_and_then_fail(
    pages: list[Any],
) -> None:
    server = Server(B)
    remote = await filled(server, attempts=5)
    server.faults = [*pages, *pages, *pages]
    remote.mark_stale()
    assert await remote.refresh() == "failed"
    assert server.lists == 1 + 2
    assert remote.failure is not None
    assert "tool 'a': two definitions under one name" in remote.failure.reason
    assert names(remote.catalog) == ["b"]


async def test_rc4_two_definitions_that_are_one_the_next_time_are_none() -> None:
    server = Server(A, B)
    server.faults = [{"tools": [A, tool("a", "other")]}]
    assert names((await filled(server)).catalog) == ["a", "b"]


async def test_rc4_an_unusable_tool_is_isolated_and_its_last_valid_definition_stays() -> None:
    server = Server(A, B)
    remote = await filled(server, name="shop")
    was = remote.catalog["a"]
    server.tools = [bad("a"), tool("b", "new"), bad("c"), {"name": "d", "inputSchema": 5}]
    remote.mark_stale()
    assert await remote.refresh() == "applied"
    assert names(remote.catalog) == ["a", "b"]
    assert remote.catalog["a"] is was
    assert [(each.plugin, each.tool) for each in remote.isolated] == [
        ("shop", "a"), ("shop", "c"), ("shop", "d"),
    ]  # fmt: skip
    assert remote.isolated[0].path == "/inputSchema/properties/q/type"
    assert any("'a' is left out" in warning for warning in remote.warnings)


async def test_rc4_an_isolated_tool_that_is_mended_or_gone_is_no_longer_isolated() -> None:
    server = Server(A, B)
    remote = await filled(server)
    server.tools = [bad("a"), bad("b")]
    remote.mark_stale()
    assert await remote.refresh() == "unchanged"
    server.tools = [tool("a", "mended")]
    remote.mark_stale()
    assert await remote.refresh() == "applied"
    assert names(remote.catalog) == ["a"]
    assert (remote.isolated, remote.warnings) == ((), ())


async def test_unchanged_tools_are_the_same_objects_and_the_catalogue_too() -> None:
    many = [tool(f"t{n}") for n in range(500)]
    server = Server(*many, size=100)
    remote = await filled(server)
    before = remote.catalog
    server.tools = [*map(dict, many)]
    remote.mark_stale()
    assert await remote.refresh() == "unchanged"
    assert remote.catalog is before
    server.tools[7] = tool("t7", "other")
    remote.mark_stale()
    assert await remote.refresh() == "applied"
    shared = [one is other for one, other in zip(before, remote.catalog, strict=True)]
    assert shared.count(False) == 1
    assert not shared[7]


async def test_whatever_a_server_sends_is_no_exception_of_ours() -> None:
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(5000):
        inner["a"] = {}
        inner = inner["a"]
    circle: dict[str, Any] = {"name": "c", "inputSchema": {"type": "object"}}
    circle["inputSchema"]["x"] = circle
    odd: list[Any] = [
        circle, {"name": "d", "inputSchema": deep}, {"name": "e", "inputSchema": {1: 2}},
        {"name": "f", "inputSchema": {"type": "object", "x": object()}},
        {"name": "g", "inputSchema": {"type": "object", "x": float("nan")}},
        {"name": "h", "inputSchema": {"type": "object"}, "annotations": 5},
        {"name": "i", "inputSchema": {"type": "object", "$ref": "http://127.0.0.1:9/x"}},
        {"name": "j\u202e\x1b[0m", "inputSchema": {"type": "object", "pattern": "("}},
    ]  # fmt: skip
    server = Server(A, *odd)
    remote = await filled(server)
    assert names(remote.catalog)[0] == "a"
    assert all(text.isprintable() for text in remote.warnings)
    answers: list[Any] = [1, "x", [], {"tools": 1}, {"tools": [1]}, RecursionError(), MemoryError()]
    for answer in answers:
        server.faults = [answer] * 3
        await asyncio.sleep(2)
        remote.mark_stale()
        assert await remote.refresh() == "failed"
    assert isinstance(remote.catalog, Catalog)


@pytest.mark.parametrize(
    "wrong",
    [{"max_pages": 0}, {"max_tools": -1}, {"timeout": 0}, {"attempts": 0},
     {"repeated_cursor": "go"}],
)  # fmt: skip
async def test_limits_that_cannot_be_meant_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        live.RemoteCatalog(hang, **wrong)  # type: ignore[arg-type]  # never asked
