"""Catalog: order, lookup, immutability, repeats, replacing, and its digests."""

from __future__ import annotations

import copy
import json
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

import oracle
from toolsync import FormatError, _diff
from toolsync.catalog import Catalog, load, loads


def tool(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **fields}


def names(catalog: Catalog) -> list[str]:
    return [each.name for each in catalog]


def test_tools_keep_the_order_they_came_in() -> None:
    given = ["z", "a", "m", "Z", "😀", "\ufb33", ""[:0] + "b"]
    assert names(Catalog([tool(name) for name in given])) == given
    assert names(loads(json.dumps([tool(name) for name in given]))) == given


def test_lookup_is_by_exact_name() -> None:
    catalog = Catalog([tool("a"), tool("B", title="b")])
    assert len(catalog) == 2
    assert "a" in catalog
    assert "b" not in catalog
    assert None not in catalog
    assert catalog["B"].name == "B"
    with pytest.raises(KeyError):
        catalog["b"]
    assert "cafe\u0301" not in Catalog([tool("caf\u00e9")])


@pytest.mark.parametrize(
    "empty", [Catalog(), Catalog([]), Catalog(iter(())), loads('{"tools":[]}'), loads("[]")]
)
def test_an_empty_catalogue_is_one(empty: Catalog) -> None:
    assert len(empty) == 0
    assert list(empty) == []
    assert empty.invalid == ()
    assert empty.warnings == ()
    assert empty.digest == oracle.sha256(b"{}") == empty.semantic_digest


def test_a_catalogue_of_malformed_tools_has_the_digest_of_an_empty_one() -> None:
    catalog = loads(b'[{"name":"a"},null]')
    assert len(catalog.invalid) == 2
    assert catalog.digest == Catalog().digest


def test_catalogue_digests_count_names_and_digests_but_no_order() -> None:
    one, two = tool("a"), tool("b", title="T", inputSchema={"title": "S"})
    catalog = Catalog([one, two])
    full = {each.name: each.digest for each in catalog}
    assert catalog.digest == oracle.catalogue_digest(full)
    semantic = {each.name: each.semantic_digest for each in catalog}
    assert catalog.semantic_digest == oracle.catalogue_digest(semantic)
    turned = Catalog([two, one])
    assert (turned.digest, turned.semantic_digest) == (catalog.digest, catalog.semantic_digest)
    assert Catalog([one]).digest != catalog.digest


def test_names_are_written_as_canonical_keys_in_the_catalogue_digest() -> None:
    catalog = Catalog([tool(name) for name in ("\ufb33", "😀", '"', "\n", "é")])
    assert catalog.digest == oracle.catalogue_digest({each.name: each.digest for each in catalog})


@pytest.mark.parametrize(
    "attribute", ["digest", "semantic_digest", "source", "invalid", "warnings", "new"]
)
def test_a_catalogue_cannot_be_changed(attribute: str) -> None:
    catalog = Catalog([tool("a")])
    before = catalog.digest
    with pytest.raises((AttributeError, TypeError)):
        setattr(catalog, attribute, ())
    assert catalog.digest == before


@pytest.mark.parametrize(
    "attribute", ["name", "digest", "semantic_digest", "text", "definition", "new"]
)
def test_a_tool_cannot_be_changed(attribute: str) -> None:
    (made,) = Catalog([tool("a")])
    with pytest.raises(AttributeError):
        setattr(made, attribute, "x")
    with pytest.raises(TypeError):
        _diff.Tool()
    with pytest.raises(TypeError):
        type("Child", (_diff.Tool,), {})


def test_changing_what_was_given_changes_no_digest() -> None:
    given = tool("a", description="one", _meta={"n": [1, 2]})
    listed = [given]
    catalog = Catalog(listed)
    expected = oracle.tool_from_object(copy.deepcopy(given))
    given["description"] = "two"
    given["_meta"]["n"].append(3)
    given["inputSchema"]["required"] = ["x"]
    listed.append(tool("b"))
    made = catalog["a"]
    assert (made.digest, made.semantic_digest) == (expected.digest, expected.semantic)
    assert made.text == expected.full
    assert len(catalog) == 1


def test_changing_a_definition_changes_no_digest() -> None:
    text = json.dumps([tool("a", description="one")])
    (made,) = loads(text)
    made.definition["description"] = "two"
    (fresh,) = loads(text)
    assert (made.digest, made.semantic_digest) == (fresh.digest, fresh.semantic_digest)
    assert made.text == fresh.text


def test_a_tool_from_text_keeps_its_text_and_its_integers() -> None:
    inside = b'{ "name" : "\\u0061", "inputSchema":{"maximum":18446744073709551617, "x":1.50} }'
    (made,) = loads(b' {"nextCursor":null, "tools" : [ %b ] } ' % inside)
    assert made.name == "a"
    assert made.text == inside
    assert made.definition["inputSchema"] == {"maximum": 18446744073709551617, "x": 1.5}
    assert type(made.definition["inputSchema"]["maximum"]) is int
    assert made.definition == made.parsed
    assert made.definition is not made.definition
    assert made.parsed is made.parsed


@pytest.mark.parametrize("digits", [18, 19, 20, 600, 601, 4300, 4301, 9000])
def test_definitions_hold_integers_of_any_size(digits: int) -> None:
    text = b"9" * digits
    (made,) = loads(b'[{"name":"a","inputSchema":{"n":%b,"m":-%b}}]' % (text, text))
    assert made.definition["inputSchema"] == {"n": 10**digits - 1, "m": 1 - 10**digits}


def test_digests_are_computed_once() -> None:
    (made,) = Catalog([tool("a")])
    assert made.digest is made.digest
    assert made.semantic_digest is made.semantic_digest


def test_text_and_objects_give_the_same_catalogue() -> None:
    given = [tool("a", description="x "), tool("b", _meta={"n": 2**70, "f": 1.0, "s": "\u2028"})]
    one, two = Catalog(given), loads(json.dumps({"tools": given}, indent=3))
    assert (one.digest, one.semantic_digest) == (two.digest, two.semantic_digest)


# --- replace ---------------------------------------------------------------------


def test_replacing_a_tool_keeps_its_place_and_all_others() -> None:
    old = Catalog([tool("a"), tool("b"), tool("c")])
    new = old.replace(tool("b", description="new"))
    assert names(new) == ["a", "b", "c"]
    assert new["a"] is old["a"]
    assert new["c"] is old["c"]
    assert new["b"].digest != old["b"].digest
    assert new.digest == Catalog([tool("a"), tool("b", description="new"), tool("c")]).digest
    assert old.digest == Catalog([tool("a"), tool("b"), tool("c")]).digest


def test_replacing_an_unknown_tool_adds_it() -> None:
    old = loads(json.dumps([tool("a")]))
    new = old.replace(tool("b"))
    assert names(new) == ["a", "b"]
    assert names(old) == ["a"]
    assert "b" not in old
    assert new.digest == Catalog([tool("a"), tool("b")]).digest


def test_replacing_a_malformed_tool_makes_it_good() -> None:
    old = loads(b'[{"name":"a"},{"name":"b","inputSchema":{}}]')
    new = old.replace(tool("a"))
    assert new.invalid == ()
    assert [invalid.name for invalid in old.invalid] == ["a"]
    assert set(names(new)) == {"a", "b"}


@pytest.mark.parametrize(
    "bad", [{"name": "a"}, {}, {"name": "a", "inputSchema": {"x": float("nan")}}]
)
def test_replacing_with_a_malformed_tool_is_refused(bad: dict[str, Any]) -> None:
    old = Catalog([tool("a")])
    with pytest.raises(FormatError, match=r"name|inputSchema"):
        old.replace(bad)
    assert names(old) == ["a"]


# --- names that stand twice ------------------------------------------------------


@pytest.mark.parametrize("as_text", [True, False])
def test_equal_repeats_fold_into_one_with_a_warning(as_text: bool) -> None:
    given = [tool("a"), tool("b"), tool("a"), tool("a")]
    catalog = loads(json.dumps(given)) if as_text else Catalog(given)
    assert names(catalog) == ["a", "b"]
    assert catalog.invalid == ()
    (warning,) = catalog.warnings
    assert "'a'" in warning
    assert catalog.digest == Catalog([tool("a"), tool("b")]).digest


def test_repeats_that_are_spelled_otherwise_are_the_same_definition() -> None:
    catalog = loads(b'[{"name":"a","inputSchema":{}},{ "inputSchema" : {}, "name":"\\u0061" }]')
    assert names(catalog) == ["a"]
    assert catalog.invalid == ()
    assert len(catalog.warnings) == 1


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize(
    "others", [[tool("a", title="T")], [tool("a"), tool("a", description="x")]]
)
def test_two_definitions_under_one_name_are_malformed(
    others: list[dict[str, Any]], as_text: bool
) -> None:
    given = [tool("a"), tool("b"), *others, tool("c")]
    catalog = loads(json.dumps(given)) if as_text else Catalog(given)
    assert names(catalog) == ["b", "c"]
    assert "a" not in catalog
    (invalid,) = catalog.invalid
    assert invalid.name == "a"
    assert invalid.path == "/name"
    assert "duplicate name" in invalid.reason
    assert given[invalid.index]["name"] == "a"
    assert catalog.digest == Catalog([tool("b"), tool("c")]).digest


# --- copies ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))],  # noqa: S301 - our own bytes
)
@pytest.mark.parametrize("of", ["catalogue", "tool"])
def test_copies_are_right_or_refused_cleanly(duplicate: Any, of: str) -> None:
    catalog = loads(json.dumps([tool("a"), tool("b")]))
    original: Any = catalog if of == "catalogue" else catalog["a"]
    try:
        other = duplicate(original)
    except TypeError as refusal:
        assert "pickle" in str(refusal)  # noqa: PT017 - either outcome is right
        return
    assert (other.digest, other.semantic_digest) == (original.digest, original.semantic_digest)


# --- where they come from --------------------------------------------------------


def test_a_file_is_its_source(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([tool("a")]))
    assert load(file).source == str(file)
    assert load(str(file)).digest == Catalog([tool("a")]).digest
    assert Catalog().source is None


def test_subclasses_of_dict_and_generators_are_taken() -> None:
    catalog = Catalog(each for each in (OrderedDict(tool("a")), tool("b", tags=("x", "y"))))
    assert names(catalog) == ["a", "b"]
    assert catalog["b"].digest == Catalog([tool("b", tags=["x", "y"])])["b"].digest
