"""Sets as they travel over a host link: what is received equals what was sent, always."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsync import Catalog
from toolsync.bridge.link.toolset import Toolset, delta, full, taken, told
from toolsync.bridge.link.wire import RpcError

TOOLS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from("abcdef"),
            "title": st.sampled_from(["one", "two", "ü\U0001f600"]),
            "inputSchema": st.sampled_from(
                [{"type": "object"}, {"type": "object", "x": [1, None]}]
            ),
        }
    ),
    unique_by=lambda tool: tool["name"],
)


def travelled(update: dict[str, Any]) -> dict[str, Any]:
    received: dict[str, Any] = json.loads(json.dumps(update))
    return received


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}} | more


@given(TOOLS, TOOLS)
def test_a_delta_leads_from_any_set_to_any_other(old: list[Any], new: list[Any]) -> None:
    base, now = Toolset(3, Catalog(old)), Toolset(4, Catalog(new))
    for update in (delta(base, now), told(base, now), told(None, now)):
        received = taken(base, travelled(update))
        assert [each.definition for each in received.catalog] == new
        assert received.revision == 4
        assert taken(received, travelled(update)).catalog.digest == now.catalog.digest
        assert received.catalog.digest == now.catalog.digest == update["digest"]


def test_a_delta_holds_exactly_what_differs() -> None:
    old = Catalog([tool("same"), tool("changed"), tool("gone")])
    new = Catalog([tool("new"), tool("changed", title="Changed"), tool("same")])
    assert delta(Toolset(1, old), Toolset(2, new)) == {
        "revision": 2,
        "digest": new.digest,
        "base": 1,
        "changed": [tool("new"), tool("changed", title="Changed")],
        "removed": ["gone"],
        "order": ["new", "changed", "same"],
    }


def test_the_shorter_form_travels() -> None:
    old = Toolset(1, Catalog([tool("a")]))
    assert "tools" in told(None, old)
    assert "tools" in told(old, Toolset(2, Catalog([tool("b")])))
    assert "base" in told(old, Toolset(2, Catalog([tool("a"), tool("b")])))


def test_an_update_of_an_earlier_revision_changes_nothing() -> None:
    held = Toolset(2, Catalog([tool("a")]))
    assert taken(held, full(Toolset(1, Catalog([tool("b")])))) == held


def test_the_same_update_again_changes_nothing() -> None:
    old, new = Toolset(1, Catalog([tool("a")])), Toolset(2, Catalog([tool("a"), tool("b")]))
    update = delta(old, new)
    held = taken(old, update)
    assert taken(held, update) == held


def test_a_set_that_had_got_lost_comes_again_under_the_same_revision() -> None:
    held, now = Toolset(2, Catalog([tool("old")])), Toolset(2, Catalog([tool("a")]))
    assert taken(held, full(now)).catalog.digest == now.catalog.digest


@pytest.mark.parametrize("held", [None, Toolset(1, Catalog([tool("a")]))])
def test_a_delta_against_another_base_is_refused(held: Toolset | None) -> None:
    update = delta(Toolset(2, Catalog()), Toolset(3, Catalog([tool("a")])))
    with pytest.raises(RpcError, match="revision 2 is not what is held") as error:
        taken(held, update)
    assert (error.value.code, error.value.data) == (-32001, {"held": held and 1})


@pytest.mark.parametrize(
    ("update", "message"),
    [
        ({}, "revision: expected a whole number"),
        ({"revision": True, "tools": []}, "revision: expected a whole number"),
        ({"revision": 9}, "tools: expected an array, got nothing"),
        ({"revision": 9, "tools": [7]}, r"tools\[0\]: expected an object, got a number"),
        ({"revision": 9, "tools": [{"name": ""}]}, "tool ''"),
        ({"revision": 9, "base": 1, "changed": [], "order": ["a", "b"]}, "order: names other"),
        ({"revision": 9, "base": 1, "changed": [], "order": ["a", "a"]}, "order: names other"),
        ({"revision": 9, "base": 1, "changed": [], "order": 7}, "order: expected an array"),
    ],
)
def test_a_malformed_update_says_where(update: dict[str, Any], message: str) -> None:
    with pytest.raises(RpcError, match=message):
        taken(Toolset(1, Catalog([tool("a")])), update)
