"""New tools whose names look like others."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import toolsync
from toolsync.changes.likeness import twins
from toolsync.report.json import schema

RULE = "tool-name-looks-like-another"


def named(*names: str) -> list[Any]:
    return [{"name": name, "inputSchema": {"type": "object"}} for name in names]


def likened(old: list[str], new: list[str]) -> dict[str | None, str]:
    changes = toolsync.diff(toolsync.Catalog(named(*old)), toolsync.Catalog(named(*new)))
    jsonschema.validate(changes.to_dict(), schema())
    found = [(tool, one) for tool in changes.tools for one in tool.findings if one.rule == RULE]
    assert all((one.path, one.level) == ("/name", "dangerous") for _, one in found)
    return {tool.name: one.message for tool, one in found}


@pytest.mark.parametrize(
    "name",
    ["se\u0430rch_li5t", "search_li5t\u200b", "\uff53earch_li5t", "search_1i5t", "search_Ii5t",
     "\U0001d42cearch_li5t", "search\u2011li5t", "s\u0435\u0430r\u0441h_l\u04565t"],
)  # fmt: skip
def test_a_new_name_that_looks_like_one_that_stays(name: str) -> None:
    known = "search-li5t" if "\u2011" in name else "search_li5t"
    assert [*likened([known], [known, name])] == [name]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("search", "Search"),
        ("get_user", "get-user"),
        ("get_user", "getuser"),
        ("caf\u00e9", "cafe"),
        ("v2", "v3"),
        ("\u043f\u043e\u0438\u0441\u043a", "\u043f\u043e\u0438\u0441\u043a\u0438"),
    ],
)
def test_names_that_differ_to_the_eye(one: str, other: str) -> None:
    assert likened([one], [one, other]) == {}


def test_the_name_is_spelled_so_that_the_difference_shows() -> None:
    (message,) = likened(["search"], ["search", "se\u0430rch"]).values()
    assert message == (
        "the name se\\u{430}rch looks like search: calls meant for the one may go to the other"
    )


def test_a_name_that_took_the_place_of_another_looks_like_it() -> None:
    assert [*likened(["search"], ["search\u200b"])] == ["search\u200b"]


def test_two_new_names_that_look_alike_are_both_told() -> None:
    assert [*likened([], ["burn", "bum"])] == ["bum", "burn"]


def test_what_stood_before_is_not_told_again() -> None:
    assert likened(["search", "se\u0430rch"], ["search", "se\u0430rch"]) == {}


def test_a_name_with_a_line_break_is_one_name() -> None:
    assert twins(["a\nb"], ["a", "b", "a\nb"]) == {}
    assert twins(["1\nb"], ["l\nb", "l"]) == {"1\nb": "l\nb"}


def test_thousands_of_names_that_all_look_alike_cost_little() -> None:
    names = [f"{n:013b}".replace("0", "l") for n in range(8192)]
    started = time.process_time()
    assert len(twins(names, names)) == len(names)
    assert time.process_time() - started < 5  # pairs would take minutes


def test_no_real_catalogue_has_names_that_look_alike(shared: Path) -> None:
    for path in sorted(shared.glob("corpus/*/*.json")):
        names = [tool["name"] for tool in json.loads(path.read_bytes())["tools"]]
        assert twins(names, names) == {}, path.name
