"""Characters that nobody sees and letters that pass for others, where a change brings them."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

import toolsync
from toolsync.classify import hidden
from toolsync.report.json import schema

UNSEEN = "\u200b"
TAGS = "\U000e0069\U000e0067"


def tool(description: str = "Finds.", **properties: Any) -> dict[str, Any]:
    described = {"type": "object", "properties": {"q": {"type": "string"}, **properties}}
    return {"name": "find", "description": description, "inputSchema": described}


def brought(old: Any, new: Any) -> list[tuple[str, str]]:
    """Names the findings of a change that are about what cannot be seen."""
    sides = (toolsync.Catalog([] if side is None else [side]) for side in (old, new))
    changes = toolsync.diff(*sides)
    jsonschema.validate(changes.to_dict(), schema())
    found = [one for each in changes.tools for one in each.findings]
    return [
        (one.path, one.rule) for one in found if "hidden" in one.rule or "look-alike" in one.rule
    ]


@pytest.mark.parametrize("text", [f"Finds{UNSEEN}.", f"Finds.{TAGS}", "Finds\x1b[8m.", "Finds\x7f"])
@pytest.mark.parametrize("fresh", [True, False], ids=["added", "changed"])
def test_a_description_that_hides_something(text: str, fresh: bool) -> None:
    want = [("/description", "hidden-characters-added")]
    assert brought(None if fresh else tool(), tool(text)) == want


def test_an_argument_that_hides_something_in_its_text_or_name() -> None:
    told = tool(n={"type": "string", "description": f"Name{UNSEEN}"})
    path = "/inputSchema/properties/n/description"
    assert brought(tool(), told) == [(path, "input-hidden-characters-added")]
    named = tool()
    named["inputSchema"]["properties"][f"n{UNSEEN}"] = {}
    path = f"/inputSchema/properties/n{UNSEEN}"
    assert brought(tool(), named) == [(path, "input-hidden-characters-added")]
    mixed = tool()
    mixed["inputSchema"]["properties"]["us\u0435r"] = {}
    path = "/inputSchema/properties/us\u0435r"
    assert brought(tool(), mixed) == [(path, "input-look-alike-letters-added")]


def test_what_hid_before_is_told_only_where_it_grew() -> None:
    old = tool(f"Finds{UNSEEN}.")
    assert brought(old, tool(f"Finds more{UNSEEN}.")) == []
    assert brought(old, tool("Finds.")) == []
    assert brought(old, tool(f"Finds{UNSEEN}{TAGS}.")) == [
        ("/description", "hidden-characters-added")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Größe — naïve ’quoted’ 東京",
        "поиск",
        "👩\u200d💻 ❤\ufe0f",
        'escaped \\u200b, \\b and "\n\t"',
    ],
)
def test_what_anybody_sees_is_not_told(text: str) -> None:
    assert brought(tool(), tool(text)) == []
    assert list(hidden(None, tool(text))) == []


def test_a_title_is_for_display_and_stays_quiet() -> None:
    quiet = {**tool(), "title": f"Find{UNSEEN}"}
    changes = toolsync.diff(toolsync.Catalog([tool()]), toolsync.Catalog([quiet]))
    assert changes.level == "presentation"
