"""The library's door: what it takes and refuses, and that nothing changes behind it."""

from __future__ import annotations

from typing import Any, cast

import pytest

import toolsync
from toolsync import Catalog, Level, Limits, diff, loads


def tool(**schema: Any) -> dict[str, Any]:
    return {"name": "a", "inputSchema": {"type": "object", **schema}}


def test_a_dict_that_is_changed_later_changes_no_catalogue() -> None:
    given = tool(properties={"x": {"type": "string"}})
    old = Catalog([given])
    given["inputSchema"]["required"] = ["x"]
    changes = diff(old, Catalog([given]))
    assert [each.rule for each in changes.tools[0].findings] == ["input-property-became-required"]
    assert old["a"].definition == tool(properties={"x": {"type": "string"}})


def test_a_dict_that_stays_as_it_was_is_given_back() -> None:
    given = tool()
    assert Catalog([given])["a"].definition is given


def test_a_definition_that_is_changed_changes_no_catalogue() -> None:
    catalog = loads('[{"name":"a","inputSchema":{"type":"object"}}]')
    catalog["a"].definition["inputSchema"]["required"] = ["x"]
    assert diff(catalog, Catalog([tool()])).level == "identical"


@pytest.mark.parametrize("texts", [
    ('[{"name":"a","description":"one"}]', '[{"name":"a","description":"two"}]'),
    ('[{"description":"one"}]', '[{"description":"two"}]'),
    ('["one"]', '["two"]'),
    ('[{"name":"a","inputSchema":{},"n":1},{"name":"a","inputSchema":{},"n":2}]',
     '[{"name":"a","inputSchema":{},"n":1},{"name":"a","inputSchema":{},"n":3}]'),
])  # fmt: skip
def test_malformed_tools_that_differ_are_told(texts: tuple[str, str]) -> None:
    changes = diff(*map(loads, texts))
    assert "invalid" in [each.status for each in changes.tools]
    assert not changes.notify
    assert diff(loads(texts[0]), loads(texts[0])).tools == ()


def test_malformed_objects_that_differ_are_told() -> None:
    old, new = ([{"name": "a", "inputSchema": None, "n": n}] for n in (1, 2))
    assert [each.status for each in diff(Catalog(old), Catalog(new)).tools] == ["invalid"]
    assert diff(Catalog(old), Catalog(old)).tools == ()


def test_levels_are_ordered_by_severity() -> None:
    assert sorted(Level, reverse=True)[0] is max(Level) is Level.BREAKING
    assert Level.BREAKING > Level.DANGEROUS >= "dangerous" > Level.COMPATIBLE
    assert Level.IDENTICAL < "presentation" <= Level.PRESENTATION


def test_one_glob_may_be_a_text() -> None:
    old = Catalog([tool()])
    assert diff(old, Catalog([]), only="b*").level == "identical"
    assert diff(old, Catalog([]), ignore="a*").level == "identical"
    assert diff(old, Catalog([]), only="a").level == "breaking"


@pytest.mark.parametrize("text", [bytearray(b"[]"), memoryview(b"[]")])
def test_bytes_of_any_kind_are_read(text: bytearray) -> None:
    assert len(loads(text)) == 0


def test_what_is_no_catalogue_is_refused_in_one_line() -> None:
    anything: Any = []
    for call in (
        lambda: diff(anything, anything).level,
        lambda: loads(cast("Any", None)),
        lambda: Catalog(cast("Any", {"tools": []})),
        lambda: Catalog(cast("Any", "abc")),
    ):
        with pytest.raises(TypeError, match="expected"):
            call()


def test_tools_that_were_read_can_be_gathered_anew() -> None:
    a, b, c = ({**tool(), "name": name} for name in "abc")
    first, second = Catalog([a, b]), Catalog([b, c])
    gathered = Catalog.of([*first, second["c"]])
    assert gathered["a"] is first["a"]
    assert gathered.digest == Catalog([a, b, c]).digest
    other = Catalog([{**a, "description": "another"}])
    with pytest.raises(ValueError, match="tool 'a': two definitions"):
        Catalog.of([*first, *other])


def test_settings_that_do_not_exist_are_refused() -> None:
    catalog = Catalog([])
    with pytest.raises(ValueError, match="expected 'declared' or 'open'"):
        diff(catalog, catalog, reading=cast("Any", "closed"))
    with pytest.raises(ValueError, match="max_depth: expected 1 to"):
        Limits(max_depth=0)


def test_every_public_name_is_there() -> None:
    assert all(hasattr(toolsync, name) for name in toolsync.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = toolsync.nothing
