"""Applying the patch to the old document gives the new one, as another library applies it."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

import catalogues
import toolsync
from toolsync.catalog import Catalog
from toolsync.compare.equality import same
from toolsync.report.patch import differences, document, operations, patch

KEYS = st.sampled_from(["", "~", "/", "~1", "~0", "-", "0", "a", "a/b", "é", "😀", "%"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 1.5, "", "a"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def _applied(document: Any, changes: list[dict[str, Any]]) -> Any:
    # Through JSON text, as whoever applies it gets it.
    result: Any = jsonpatch.apply_patch(
        json.loads(json.dumps(document)), json.loads(json.dumps(changes))
    )
    return result


def _check(old: Catalog, new: Catalog) -> list[dict[str, Any]]:
    changes: list[dict[str, Any]] = json.loads("".join(patch(old, new)))
    assert same(_applied(document(old), changes), document(new))
    return changes


@given(JSON, JSON)
def test_any_value_becomes_any_other(old: Any, new: Any) -> None:
    changes = list(differences([old], [new], ""))
    assert same(_applied([old], changes), [new])
    assert bool(changes) == (not same(old, new))


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)), st.sets(st.integers(0, 7)))
def test_tools_come_go_and_move_to_their_places(
    order: list[int], gone: set[int], come: set[int]
) -> None:
    old = Catalog(_tool(f"t{at}") for at in range(8) if at not in come)
    new = Catalog(_tool(f"t{at}") for at in order if at not in gone)
    _check(old, new)


def _tool(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


def test_one_tool_that_moved_is_one_move() -> None:
    names = [f"t{at}" for at in range(50)]
    moved = [*names[:3], *names[4:40], names[3], *names[40:]]
    changes = _check(Catalog(map(_tool, names)), Catalog(map(_tool, moved)))
    assert changes == [{"op": "move", "from": "/tools/3", "path": "/tools/39"}]


def test_an_item_of_a_list_comes_alone() -> None:
    old = {"name": "t", "inputSchema": {"type": "object", "required": ["a", "b", "c"]}}
    new = copy.deepcopy(old)
    new["inputSchema"]["required"] = ["a", "x", "b", "y", "c"]  # type: ignore[index]  # a schema
    path = "/tools/0/inputSchema/required"
    assert _check(Catalog([old]), Catalog([new])) == [
        {"op": "add", "path": f"{path}/1", "value": "x"},
        {"op": "add", "path": f"{path}/3", "value": "y"},
    ]


def test_equal_catalogues_need_nothing() -> None:
    catalog = Catalog(map(_tool, "abc"))
    assert "".join(patch(catalog, catalog)) == "[]\n"
    # Neither does another spelling: its canonical form is the same.
    spelled = [b'{"name":"t","inputSchema":{"type":"object","maxProperties":%b}}' % number
               for number in (b"1", b"1.0")]  # fmt: skip
    old, new = (toolsync.loads(b'{"tools":[' + each + b"]}") for each in spelled)
    assert list(operations(old, new)) == []


def test_true_is_not_one() -> None:
    changes = list(differences({"a": [1, 0]}, {"a": [True, False]}, ""))
    assert [change["value"] for change in changes] == [True, False]


@pytest.mark.parametrize("change", ["changed", "shuffled", "cut"])
def test_catalogues_of_a_real_size(change: str) -> None:
    tools = catalogues.tools(300)
    if change == "changed":
        other = catalogues.changed(tools, 2)
    elif change == "shuffled":
        other = catalogues.shuffled(tools)
    else:
        other = catalogues.shuffled(catalogues.tools(340))[70:]
    changes = _check(Catalog(tools), Catalog(other))
    assert changes
    kinds = {operation["op"] for operation in changes}
    assert kinds <= {"add", "remove", "replace", "move"}


def test_moves_are_as_few_as_can_be() -> None:
    random = Random(4)  # noqa: S311  it must repeat
    order = list(range(200))
    for _ in range(5):  # five tools taken out and put elsewhere
        order.insert(random.randrange(199), order.pop(random.randrange(200)))
    names = [f"t{at:03}" for at in order]
    changes = _check(Catalog(map(_tool, sorted(names))), Catalog(map(_tool, names)))
    assert len(changes) <= 5


def test_a_number_of_any_length_comes_through() -> None:
    old = toolsync.loads(b'{"tools":[{"name":"t","inputSchema":{"type":"object"},"x":1}]}')
    digits = b"9" * 5000
    new = toolsync.loads(
        b'{"tools":[{"name":"t","inputSchema":{"type":"object"},"x":%b}]}' % digits
    )
    assert digits.decode() in "".join(patch(old, new))
