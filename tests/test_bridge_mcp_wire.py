"""Catalogues as pages: what each era can carry, and what one odd tool costs (nothing else)."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_types import methods

from mcp_rig import tool
from toolsync.bridge.mcp.wire import CursorError, Era, ToolPages
from toolsync.catalog import Catalog

VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


def frame(era: Era) -> dict[str, Any]:
    if era == "handshake":
        return {}
    return {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


class Pages(ToolPages):
    """Pages with a notebook."""

    def __init__(self, size: int = 1000) -> None:
        self.noted: list[str] = []
        super().__init__(size, frame, self.noted.append)

    def tools(self, catalog: Catalog, version: str) -> list[dict[str, Any]]:
        page = self.page(catalog, version, None)
        methods.validate_server_result("tools/list", version, page.result)
        found: list[dict[str, Any]] = page.result["tools"]
        return found


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"p": schema}}
    return {"name": "deep", "inputSchema": schema}


@pytest.mark.parametrize("version", VERSIONS)
def test_definitions_go_out_as_they_are(version: str) -> None:
    given = tool("a", title="A", **{"x-own": [1], "_meta": {"k": 1}})
    assert Pages().tools(Catalog([given]), version) == [given]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("odd", "kept"),
    [
        (tool("odd", icons=[{"sizes": "any"}]), tool("odd")),
        (tool("odd", title=5), tool("odd")),
        (tool("odd", annotations={"readOnlyHint": "often"}), tool("odd")),
        ({"name": "odd", "description": None, "inputSchema": {"type": "object"}}, ...),
        ({"name": "odd", "inputSchema": {"type": ["object"]}}, None),
        ({"name": "odd", "inputSchema": {}}, None),
        (deep(110), None),
    ],
)
def test_one_odd_tool_costs_a_session_nothing_else(version: str, odd: Any, kept: Any) -> None:
    pages = Pages()
    tools = pages.tools(Catalog([tool("a"), odd, tool("z")]), version)
    expected = [tool("a"), odd if kept is ... else kept, tool("z")]
    assert tools == [each for each in expected if each is not None]
    assert len(pages.noted) == (kept is not ...)
    assert all("\n" not in line for line in pages.noted)


def test_each_era_gets_what_its_wire_can_carry() -> None:
    """`execution` is gone in 2026-07-28; before it, an output schema is an object's."""
    pages = Pages()
    catalog = Catalog([
        tool("task", execution={"taskSupport": "optional"}),
        tool("many", outputSchema={"type": "array", "items": {"type": "string"}}),
    ])  # fmt: skip
    before = pages.tools(catalog, "2025-11-25")
    after = pages.tools(catalog, "2026-07-28")
    assert ["execution" in each for each in before] == [True, False]
    assert ["execution" in each for each in after] == [False, False]
    assert ["outputSchema" in each for each in before] == [False, False]
    assert ["outputSchema" in each for each in after] == [False, True]
    assert pages.noted == ["tool 'many': sent without 'outputSchema' to 2025-11-25 clients"]


def test_pages_are_made_once_and_tools_are_looked_at_once() -> None:
    pages = Pages()
    one = Catalog([tool("odd", title=5), tool("b")])
    assert pages.page(one, "2025-06-18", None) is pages.page(one, "2024-11-05", None)
    other = one.replace(tool("b", "Other."))
    assert pages.tools(other, "2025-06-18")[1]["description"] == "Other."
    assert len(pages.noted) == 1, "the odd one was not looked at again"


def walk(pages: Pages, catalog: Catalog) -> tuple[list[str], list[str]]:
    names: list[str] = []
    cursors: list[str] = []
    cursor = None
    while True:
        page = pages.page(catalog, "2025-11-25", cursor)
        names += [each["name"] for each in page.result["tools"]]
        cursor = page.result.get("nextCursor")
        assert page.last is (cursor is None)
        if cursor is None:
            return names, cursors
        cursors.append(cursor)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5])
def test_all_pages_together_are_the_list(count: int) -> None:
    names = [f"t{n}" for n in range(count)]
    found, cursors = walk(Pages(2), Catalog([tool(name) for name in names]))
    assert found == names
    assert len(cursors) == max(0, (count - 1) // 2)


def test_a_cursor_belongs_to_one_set_in_one_order() -> None:
    pages = Pages(1)
    tools = [tool("a"), tool("b"), tool("c")]
    _, cursors = walk(pages, Catalog(tools))
    assert walk(pages, Catalog(tools))[1] == cursors, "the same set again"
    for changed in (tools[::-1], [*tools, tool("d")], [tool("a", "New."), *tools[1:]]):
        with pytest.raises(CursorError):
            pages.page(Catalog(changed), "2025-11-25", cursors[0])
    for junk in ("", ".", "x.1", f"{cursors[0]}9", cursors[0].replace(".1", ".²"), "-.0", "\0"):
        with pytest.raises(CursorError):
            pages.page(Catalog(tools), "2025-11-25", junk)


def test_old_lists_are_let_go_of() -> None:
    pages = Pages()
    for number in range(6000):
        pages.page(Catalog([tool(f"t{number}")]), "2025-11-25", None)
    assert len(pages._listings) <= 64
    assert len(pages._fitted["handshake"]) <= 4096


def test_a_page_has_room_for_something() -> None:
    with pytest.raises(ValueError, match="page_size"):
        Pages(0)
