"""Two catalogues: what became of each tool, how much is worked out, and the report."""

import json
from typing import Any

import jsonschema
import pytest

import toolsync
from toolsync.classify import findings
from toolsync.report.json import schema

Tool = dict[str, Any]


def tool(name: str, **parts: Any) -> Tool:
    described = {"type": "object", "properties": {"title": {"type": "string"}}}
    return {"name": name, "description": f"Does {name}.", "inputSchema": described, **parts}


def catalog(*tools: Any) -> toolsync.Catalog:
    return toolsync.Catalog(tools)


def text(*tools: Any) -> toolsync.Catalog:
    return toolsync.loads(json.dumps({"tools": tools}))


def diff(old: list[Any], new: list[Any], **how: Any) -> toolsync.Changes:
    return toolsync.diff(catalog(*old), catalog(*new), **how)


def told(changes: toolsync.Changes) -> list[tuple[str | None, str, str]]:
    return [(one.name, one.status, one.level.value) for one in changes.tools]


A, B = tool("a"), tool("b")
BAD = tool("a", inputSchema={"type": "object", "properties": {"n": {"type": "int"}}})
MALFORMED = {"name": "a", "inputSchema": None}
LOUD = {**A, "description": "Does more."}
QUIET = {**A, "title": "A"}


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        ([A], [A], []),
        ([A], [A, B], [("b", "added", "compatible")]),
        ([A, B], [A], [("b", "removed", "breaking")]),
        ([A], [LOUD], [("a", "changed", "documentation")]),
        ([A], [QUIET], [("a", "changed", "presentation")]),
        ([], [BAD], [("a", "invalid", "presentation")]),
        ([A], [BAD], [("a", "invalid", "breaking")]),
        ([BAD], [A], [("a", "changed", "compatible")]),
        ([BAD], [{**BAD, "description": "Other."}], [("a", "invalid", "presentation")]),
        ([BAD], [], [("a", "removed", "presentation")]),
        ([BAD], [BAD], []),
        ([], [MALFORMED], [("a", "invalid", "presentation")]),
        ([A], [MALFORMED], [("a", "invalid", "breaking")]),
        ([MALFORMED], [A], [("a", "changed", "compatible")]),
        ([MALFORMED], [BAD], [("a", "invalid", "presentation")]),
        ([BAD], [MALFORMED], [("a", "invalid", "presentation")]),
        ([MALFORMED], [MALFORMED], []),
        ([MALFORMED], [], [("a", "removed", "presentation")]),
        ([], [{"inputSchema": {}}], [(None, "invalid", "presentation")]),
    ],
)
def test_what_became_of_a_tool(old: list[Any], new: list[Any], want: list[Any]) -> None:
    changes = diff(old, new)
    assert told(changes) == want
    assert changes.level == (want[0][2] if want else "identical")
    jsonschema.validate(changes.to_dict(all=True), schema())


def test_an_invalid_tool_names_its_fault_and_hides_no_neighbour() -> None:
    changes = diff([A, B], [BAD, {**B, "description": "Other."}])
    (invalid,) = changes.invalid
    assert invalid.path == "/inputSchema/properties/n/type"
    assert invalid.reason
    assert [one.name for one in changes.changed] == ["b"]


def test_tools_are_sorted_by_name_and_the_nameless_come_last() -> None:
    changes = diff([], [tool("z"), {"inputSchema": {}}, tool("c"), {"title": "none"}])
    assert [(one.name, one.index) for one in changes.tools] == [
        ("c", 1),
        ("z", 0),
        (None, 1),
        (None, 3),
    ]


def test_text_and_objects_give_one_report() -> None:
    old, new = [A, B, QUIET | {"name": "q"}], [LOUD, tool("q"), tool("n")]
    from_text = toolsync.diff(text(*old), text(*new)).to_dict()
    assert json.dumps(from_text) == json.dumps(diff(old, new).to_dict())


def test_the_report_holds_what_stood_and_stands() -> None:
    changed = tool("a", inputSchema={"type": "object", "properties": {"title": {"default": None}}})
    report = diff([A, B], [changed, B]).to_dict()
    assert report["summary"] == {
        "added": 0,
        "removed": 0,
        "changed": 1,
        "invalid": 0,
        "unchanged": 1,
        "levels": {"identical": 1, "dangerous": 1},
        "bump": "minor",
    }
    default = next(one for one in report["tools"][0]["findings"] if "default" in one["rule"])
    assert "old" not in default
    assert default["new"] is None
    assert default["property"] == "title"


def test_all_tells_unchanged_tools_too() -> None:
    report = diff([A, B], [LOUD, B]).to_dict(all=True)
    assert [(one["name"], one["status"]) for one in report["tools"]] == [
        ("a", "changed"),
        ("b", "unchanged"),
    ]


def test_a_catalogue_does_not_differ_from_itself() -> None:
    same = catalog(A, B)
    changes = toolsync.diff(same, same)
    assert (changes.level, changes.notify, changes.tools, changes.unchanged) == (
        "identical",
        False,
        (),
        2,
    )


class _Counted:
    """Counts how many tools are judged."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls = 0
        monkeypatch.setattr("toolsync.changes.outcome.findings", self._count)

    def _count(self, *parts: Any, **how: Any) -> Any:
        self.calls += 1
        return findings(*parts, **how)


def test_the_level_is_known_at_the_first_break(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = _Counted(monkeypatch)
    old = [tool(f"t{n}") for n in range(50)]
    new = [tool(f"t{n}", inputSchema={"type": "object"}) for n in range(50)]
    changes = diff(old, new)
    assert counted.calls == 0
    assert changes.level == "breaking"
    assert counted.calls == 1
    assert len(changes.tools) == len(changes.tools) == 50
    assert counted.calls == 50


def test_the_level_needs_no_look_at_what_is_only_spelled_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = _Counted(monkeypatch)
    changes = diff([A], [QUIET])
    assert changes.level == "presentation"
    assert counted.calls == 0


def renames(old: list[Any], new: list[Any]) -> dict[str | None, str | None]:
    return {one.name: one.renamed_to for one in diff(old, new).removed if one.renamed_to}


def takes(*names: str) -> Tool:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}}


def test_a_renamed_tool_is_hinted_on_top_of_both() -> None:
    changes = diff([tool("fetch")], [{**tool("fetch"), "name": "read"}])
    assert [(one.name, one.renamed_from) for one in changes.added] == [("read", "fetch")]
    assert [(one.name, one.renamed_to) for one in changes.removed] == [("fetch", "read")]
    assert changes.level == "breaking"


def test_a_rename_shows_though_a_title_repeats_the_name() -> None:
    old = tool("fetch", description="Reads.", inputSchema={**takes("u"), "title": "fetchArgs"})
    new = tool("read", description="Gets.", inputSchema={**takes("u"), "title": "readArgs"})
    assert renames([old], [new]) == {"fetch": "read"}


def test_the_same_words_and_similar_arguments_are_a_rename() -> None:
    old = tool("add_sub", description="Adds one.", inputSchema=takes("id", "sub"))
    new = tool("write_sub", description="Adds one.", inputSchema=takes("id", "sub", "method"))
    assert renames([old], [new]) == {"add_sub": "write_sub"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([tool("open")], [tool("show"), tool("peek")]),
        ([tool("open"), tool("look")], [tool("show")]),
        ([tool("x", inputSchema=takes())], [tool("y", inputSchema=takes())]),
        ([tool("x", inputSchema=takes("a"))], [tool("y", inputSchema=takes("b"))]),
    ],
)
def test_no_rename_is_claimed_where_several_fit_or_nothing_does(old: Any, new: Any) -> None:
    assert renames(old, new) == {}


SHORT = tool("a", inputSchema={"type": "object"}, description="Other.")


@pytest.mark.parametrize(
    ("how", "want"),
    [
        ({"only": ["b*"]}, [("b", "removed", "breaking")]),
        ({"ignore": ["b"]}, [("a", "changed", "breaking")]),
        ({"ignore": ["b", "input-*"]}, [("a", "changed", "documentation")]),
        ({"only": ["description-changed"]}, [("a", "changed", "documentation")]),
        ({"ignore": ["a", "tool-removed"]}, []),
        ({"ignore": ["tool:a", "rule:tool-*"]}, []),
        ({"only": ["a", "description-*"]}, [("a", "changed", "documentation")]),
        ({"only": ["nobody"]}, []),
    ],
)
def test_only_and_ignore_take_tools_and_rules(how: Any, want: Any) -> None:
    changes = diff([A, B], [SHORT], **how)
    assert told(changes) == want
    assert changes.level == (want[0][2] if want else "identical")
    jsonschema.validate(changes.to_dict(all=True), schema())


def test_what_is_ignored_is_ignored_before_tools_are_matched() -> None:
    old, new = [tool("fetch")], [{**tool("fetch"), "name": "read"}]
    assert diff(old, new, ignore=["read"]).removed[0].renamed_to is None


def test_the_open_reading_is_used_when_asked_for() -> None:
    longer = tool("a", inputSchema=takes("title", "page"))
    assert diff([A], [longer]).level == "compatible"
    assert diff([A], [longer], reading="open").level == "breaking"


def test_both_directions_find_the_same_tools() -> None:
    old, new = [A, B, BAD | {"name": "c"}, MALFORMED | {"name": "m"}], [LOUD, tool("n")]
    there, back = diff(old, new), diff(new, old)
    assert {one.name for one in there.tools} == {one.name for one in back.tools}
