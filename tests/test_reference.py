"""What references mean inside one document, and why some mean nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest

from toolsync.schema.dialect import Dialect
from toolsync.schema.reference import Resolved, Resolver, Unresolvable, stands_as_schema

ROOT: dict[str, Any] = {
    "$id": "https://example.com/tool",
    "$defs": {
        "plain": {"type": "string"},
        "a/b": {"$id": "item", "$anchor": "A", "$defs": {"inner": True}},
        "c%d": {"$id": "urn:example:x", "$anchor": "A"},
        "": {"const": 1},
    },
    "x": {"list": [{"$id": "elsewhere"}, 5]},
}


def resolved(
    ref: object,
    root: dict[str, Any] | bool = ROOT,
    dialect: Dialect = Dialect.DRAFT2020,
    base: str | None = None,
) -> Resolved:
    return Resolver(root, dialect).resolve(ref, base)


def reason(*arguments: Any, **named: Any) -> str:
    with pytest.raises(Unresolvable) as caught:
        resolved(*arguments, **named)
    assert str(caught.value) == caught.value.reason
    return caught.value.reason


@pytest.mark.parametrize(
    ("ref", "tokens", "base"),
    [
        ("#", (), "https://example.com/tool"),
        ("https://example.com/tool", (), "https://example.com/tool"),
        ("tool#/$defs/plain", ("$defs", "plain"), "https://example.com/tool"),
        ("#/$defs/plain", ("$defs", "plain"), "https://example.com/tool"),
        ("#/%24defs/plain", ("$defs", "plain"), "https://example.com/tool"),
        ("#/$defs/", ("$defs", ""), "https://example.com/tool"),
        ("#/$defs/c%25d", ("$defs", "c%d"), "urn:example:x"),
        ("#/$defs/a~1b", ("$defs", "a/b"), "https://example.com/item"),
        ("item", ("$defs", "a/b"), "https://example.com/item"),
        ("item#A", ("$defs", "a/b"), "https://example.com/item"),
        ("item#/$defs/inner", ("$defs", "a/b", "$defs", "inner"), "https://example.com/item"),
        ("urn:example:x#A", ("$defs", "c%d"), "urn:example:x"),
        ("#/x/list/0", ("x", "list", "0"), "https://example.com/elsewhere"),
    ],
)
def test_a_reference_leads_to_a_place_and_its_base(
    ref: str, tokens: tuple[str, ...], base: str
) -> None:
    found = resolved(ref)
    here: Any = ROOT
    for token in tokens:
        here = here[int(token)] if isinstance(here, list) else here[token]
    assert found.schema is here
    assert (found.tokens, found.base, found.overridable) == (tokens, base, False)


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        (5, "expected a reference as a string"),
        ("#/$defs/nope", 'got no "nope" in "/$defs"'),
        ("#/definitions/plain", 'got no "definitions" in the document (did you mean "$defs"?)'),
        ("#/$defs/Plain", 'got no "Plain" in "/$defs" (did you mean "plain"?)'),
        ("#/x/list/01", 'got no "01"'),
        ("#/x/list/-", 'got no "-"'),
        ("#/x/list/2", 'got no "2"'),
        ("#/x/list/99999999999999999999", 'got no "99999999999999999999"'),
        ("#/x/list/1", 'expected a reference to a schema, got 5 at "/x/list/1"'),
        ("#/x/list", "expected a reference to a schema, got an array"),
        ("#A", 'got "https://example.com/tool#A"'),
        ("other.json", 'got "https://example.com/other.json"'),
        ("http://127.0.0.1:1/x.json", "nothing is fetched"),
        ("file:///etc/passwd", "nothing is fetched"),
        ("http://[", 'got "http://["'),
        ("http://json-schema.org/draft-07/schema#", "nothing is fetched"),
        ("#/\x1b[31m\u202e", r'got no "\u{1B}[31m\u{202E}"'),
    ],
)
def test_a_reference_to_nowhere_says_why(ref: object, said: str) -> None:
    assert said in reason(ref)


def test_long_references_are_cut_in_reasons() -> None:
    assert len(reason("#/" + "x" * 10_000)) < 300


def test_the_same_name_may_stand_twice_with_the_same_meaning() -> None:
    twice = {"$defs": {"a": {"$anchor": "A", "const": 1}, "b": {"$anchor": "A", "const": 1.0}}}
    assert resolved("#A", twice).tokens[0] == "$defs"
    differing = {"$defs": {"a": {"$anchor": "A", "const": 1}, "b": {"$anchor": "A", "const": True}}}
    assert "expected one schema named" in reason("#A", differing)


def test_many_repeats_of_a_name_are_compared_once() -> None:
    repeats: dict[str, Any] = {f"d{index}": {"$anchor": "A"} for index in range(2_000)}
    resolver = Resolver({"$defs": repeats}, Dialect.DRAFT2020)
    assert all(resolver.resolve("#A").schema == {"$anchor": "A"} for _ in range(2_000))


@pytest.mark.parametrize("dialect", [Dialect.DRAFT6, Dialect.DRAFT7])
def test_older_drafts_name_places_by_id(dialect: Dialect) -> None:
    root = {"definitions": {"a": {"$id": "#name"}, "b": {"$id": "http://x.y/b#part"}}}
    assert resolved("#name", root, dialect).tokens == ("definitions", "a")
    assert resolved("http://x.y/b#part", root, dialect).tokens == ("definitions", "b")


def test_draft_04_has_its_own_keyword() -> None:
    root = {"definitions": {"a": {"id": "#name"}, "b": {"$id": "#other"}}}
    assert resolved("#name", root, Dialect.DRAFT4).tokens == ("definitions", "a")
    assert "#other" in reason("#other", root, Dialect.DRAFT4)


def test_siblings_of_a_reference_name_nothing_in_older_drafts() -> None:
    root = {"definitions": {"a": {"$ref": "#", "$id": "there"}}}
    assert "there" in reason("there", root, Dialect.DRAFT7)
    assert resolved("there", root, Dialect.DRAFT2019).tokens == ("definitions", "a")


def test_names_count_only_where_schemas_stand() -> None:
    root = {
        "properties": {"$id": {"type": "string"}, "$anchor": {"type": "string"}},
        "const": {"$anchor": "inside"},
        "x-unknown": {"$anchor": "inside"},
    }
    assert "inside" in reason("#inside", root)
    assert Resolver(root, Dialect.DRAFT2020).root_base == ""


def test_the_base_follows_the_way_down() -> None:
    resolver = Resolver(ROOT, Dialect.DRAFT2020)
    assert resolver.base_at(()) == "https://example.com/tool"
    assert resolver.base_at(("$defs", "a/b", "$defs")) == "https://example.com/item"
    assert resolver.enter({"$id": "deep/x#"}, "http://h/a/b") == "http://h/a/deep/x"
    assert resolver.enter(None, "http://h/a") == "http://h/a"


def test_a_dynamic_reference_without_rival_is_a_plain_one() -> None:
    alone = {"$dynamicAnchor": "node", "$defs": {"k": {"$id": "q", "$anchor": "node"}}}
    found = Resolver(alone, Dialect.DRAFT2020).resolve_dynamic("#node")
    assert (found.tokens, found.overridable) == ((), False)


def test_a_dynamic_reference_with_a_rival_may_be_overridden() -> None:
    rivals = {"$dynamicAnchor": "node", "$defs": {"k": {"$id": "q", "$dynamicAnchor": "node"}}}
    resolver = Resolver(rivals, Dialect.DRAFT2020)
    assert resolver.resolve_dynamic("#node").overridable
    assert not resolver.resolve_dynamic("#/$defs/k").overridable
    assert not resolver.resolve("#node").overridable


def test_recursive_references_of_2019_are_dynamic_where_two_resources_ask_for_it() -> None:
    alone = {"$recursiveAnchor": True}
    assert not Resolver(alone, Dialect.DRAFT2019).resolve_dynamic("#").overridable
    rivals = {"$recursiveAnchor": True, "$defs": {"k": {"$id": "q", "$recursiveAnchor": True}}}
    assert Resolver(rivals, Dialect.DRAFT2019).resolve_dynamic("#").overridable
    assert not Resolver({"$defs": {}}, Dialect.DRAFT2019).resolve_dynamic("#").overridable


@pytest.mark.parametrize(
    ("pointed", "dialect", "expected"),
    [
        ("", Dialect.DRAFT7, True),
        ("properties/a", Dialect.DRAFT7, True),
        ("properties", Dialect.DRAFT7, False),
        ("properties/a/items/0/not", Dialect.DRAFT7, True),
        ("items/0", Dialect.DRAFT2020, False),
        ("$defs/a", Dialect.DRAFT7, False),
        ("$defs/a", Dialect.DRAFT2020, True),
        ("const/properties/a", Dialect.DRAFT2020, False),
        ("properties/const/not", Dialect.DRAFT2020, True),
    ],
)
def test_keywords_tell_where_schemas_stand(pointed: str, dialect: Dialect, expected: bool) -> None:
    assert stands_as_schema(tuple(pointed.split("/")) if pointed else (), dialect) is expected


def test_deep_and_circular_documents_are_survived() -> None:
    circular: dict[str, Any] = {}
    circular["not"] = circular
    assert re.search("nothing is fetched", reason("#nowhere", circular))
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"not": deep}
    assert re.search("nothing is fetched", reason("#nowhere", deep))
    assert resolved("#" + "/not" * 4_000, deep).tokens == ("not",) * 4_000
