"""Facts: what stood, what stands, where; nothing of what that means."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema_pairs import related
from toolsync.compare import Difference, differences
from toolsync.model import ABSENT

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def tool(**parts: Any) -> dict[str, Any]:
    return {"name": "lend", "inputSchema": {"type": "object"}, **parts}


def of(**arguments: Any) -> dict[str, Any]:
    return tool(inputSchema={"type": "object", "properties": arguments})


def schema(**parts: Any) -> dict[str, Any]:
    return tool(inputSchema={"type": "object", **parts})


def paths(old: Any, new: Any) -> list[str]:
    return ["/".join(("", *one.path)) for one in differences(old, new)]


def only(old: Any, new: Any) -> Difference:
    (found,) = differences(old, new)
    return found


def test_nothing_differs_from_itself() -> None:
    assert differences(of(a=STRING), of(a=STRING)) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [([1], [True]), ([0], [False]), (1, True), ({"a": 1}, {"a": True}), ("1", 1)],
)
def test_values_that_python_takes_for_equal_differ(old: Any, new: Any) -> None:
    assert paths(of(a={"default": old}), of(a={"default": new}))


@pytest.mark.parametrize(("old", "new"), [(1, 1.0), (-0.0, 0), (100, 1e2)])
def test_numbers_of_one_value_are_one(old: Any, new: Any) -> None:
    assert differences(of(a={"minimum": old}), of(a={"minimum": new})) == ()


def test_null_is_a_value_and_absence_is_not() -> None:
    found = only(of(a={}), of(a={"default": None}))
    assert (found.old, found.new) == (ABSENT, None)


def test_an_enum_names_what_came_and_went() -> None:
    old, new = {"enum": ["a", "b", "c", "d"]}, {"enum": ["d", "x", "a"]}
    found = only(of(s=old), of(s=new))
    assert (found.came, found.gone) == (("x",), ("b", "c"))
    assert found.path == ("inputSchema", "properties", "s", "enum")


def test_a_constant_is_an_enum_of_one() -> None:
    found = only(of(s={"const": "a"}), of(s={"enum": ["a", "b"]}))
    assert (found.keyword, found.came, found.gone) == ("enum", ("b",), ())


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
def test_one_inserted_branch_is_one_difference(keyword: str) -> None:
    branches: list[Any] = [STRING, {"type": "object", "properties": {"a": STRING}}, INTEGER]
    longer = [branches[0], {"type": "null"}, *branches[1:]]
    found = only(of(v={keyword: branches}), of(v={keyword: longer}))
    assert (found.came, found.gone) == (({"type": "null"},), ())


def test_a_branch_is_known_again_by_what_discriminates_it() -> None:
    def branch(kind: str, **more: Any) -> dict[str, Any]:
        return {"type": "object", "properties": {"kind": {"const": kind}, **more}}

    old = [branch("a", n=INTEGER), branch("b")]
    new = [branch("b", n=INTEGER), branch("a", n=STRING)]
    assert sorted(paths(of(v={"anyOf": old}), of(v={"anyOf": new}))) == [
        "/inputSchema/properties/v/anyOf/0/properties/n",
        "/inputSchema/properties/v/anyOf/1/properties/n/type",
    ]


def test_repeats_count_in_one_of_only() -> None:
    for keyword, word in (("anyOf", "order"), ("oneOf", "oneOf")):
        found = only(of(v={keyword: [STRING]}), of(v={keyword: [STRING, STRING]}))
        assert found.keyword == word


def test_a_new_required_argument_is_one_difference() -> None:
    new = schema(properties={"a": STRING}, required=["a"])
    found = only(schema(), new)
    assert found.required
    assert found.path == ("inputSchema", "properties", "a")


def test_arguments_named_like_keywords_are_arguments() -> None:
    found = only(of(title=STRING), of(title=INTEGER))
    assert (found.keyword, found.property) == ("type", "title")


NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "n": STRING}}


def nodes(node: Any, **arguments: str) -> dict[str, Any]:
    links = {name: {"$ref": f"#/$defs/{where}"} for name, where in arguments.items()}
    return schema(properties=links, **{"$defs": {"Node": node}})


def test_a_changed_definition_is_told_once_with_its_users() -> None:
    new = {**NODE, "required": ["n"]}
    found = only(nodes(NODE, a="Node", b="Node"), nodes(new, a="Node", b="Node"))
    assert found.path == ("inputSchema", "$defs", "Node", "required")
    assert found.users == ("a", "b")


def test_another_definition_is_told_at_the_argument() -> None:
    pool = {"$defs": {"P": {"minLength": 1}, "Q": {"minLength": 2}}}
    p, q = {"$ref": "#/$defs/P"}, {"$ref": "#/$defs/Q"}
    old = schema(properties={"left": p, "right": p}, **pool)
    new = schema(properties={"left": p, "right": q}, **pool)
    assert paths(old, new) == ["/inputSchema/properties/right/minLength"]


def test_inlining_a_definition_changes_no_more_than_that() -> None:
    old = schema(properties={"a": {"$ref": "#/$defs/P"}}, **{"$defs": {"P": STRING}})
    assert {one.keyword for one in differences(old, of(a=STRING))} <= {"$ref", "definitions"}


def test_definitions_behind_an_anchor_are_compared() -> None:
    def anchored(kind: str) -> dict[str, Any]:
        pool = {"$defs": {"P": {"$anchor": "p", "type": kind}}}
        return schema(properties={"a": {"$ref": "#p"}}, **pool)

    assert only(anchored("string"), anchored("integer")).keyword == "type"


def test_a_reference_by_number_follows_a_new_order() -> None:
    def ordered(*branches: Any) -> dict[str, Any]:
        return of(a={"anyOf": list(branches)}, b={"$ref": "#/properties/a/anyOf/0"})

    found = {one.keyword for one in differences(ordered(STRING, INTEGER), ordered(INTEGER, STRING))}
    assert found == {"order", "type"}


def test_references_in_a_circle_end() -> None:
    circle = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    old = schema(properties={"v": {"$ref": "#/$defs/a"}}, **circle)
    assert differences(old, of(v=STRING))


def doubling(levels: int, leaf: Any, name: str) -> dict[str, Any]:
    pool: dict[str, Any] = {f"{name}{levels}": leaf}
    for level in range(levels):
        link = {"$ref": f"#/$defs/{name}{level + 1}"}
        pool[f"{name}{level}"] = {"properties": {"a": link, "b": link}}
    return schema(properties={"v": {"$ref": f"#/$defs/{name}0"}}, **{"$defs": pool})


@pytest.mark.parametrize("name", ["x", "y"])
def test_definitions_that_double_sixty_times_are_walked_once(name: str) -> None:
    found = differences(doubling(60, STRING, "x"), doubling(60, INTEGER, name))
    assert [one.keyword for one in found if one.keyword != "definitions"] == ["type"]


def test_thirty_thousand_branches_are_paired_in_one_pass() -> None:
    old = [{"type": "object", "properties": {f"p{n}": STRING}} for n in range(30_000)]
    new = [{**branch, "minProperties": 1} for branch in reversed(old)]
    found = differences(of(v={"anyOf": old}), of(v={"anyOf": new}))
    assert {one.keyword for one in found} == {"minProperties"}
    assert len(found) == 30_000


def test_numbers_made_to_collide_do_not() -> None:
    stride = 2**61 - 1  # what CPython takes the hash of an int modulo
    values = [number * stride for number in range(20_001)]
    found = only(of(v={"enum": values[:-1]}), of(v={"enum": values[1:]}))
    assert (found.came, found.gone) == ((values[-1],), (0,))


def test_a_nest_as_deep_as_a_catalogue_may_be_is_walked() -> None:
    old: Any = STRING
    new: Any = INTEGER
    for _ in range(240):
        old, new = {"items": old}, {"items": new}
    assert only(of(v=old), of(v=new)).keyword == "type"


@given(related(), st.booleans())
def test_a_difference_is_seen_from_both_sides(pair: tuple[str, Any, Any], swap: bool) -> None:
    _, old, new = pair
    before, after = (of(v=new), of(v=old)) if swap else (of(v=old), of(v=new))
    assert bool(differences(before, after)) == bool(differences(after, before))
    assert differences(before, before) == ()


@given(related())
def test_every_pointer_leads_somewhere(pair: tuple[str, Any, Any]) -> None:
    old, new = of(v=pair[1]), of(v=pair[2])
    for one in differences(old, new):
        if one.anchor == one.path:
            assert _stands(new, one.path) or _stands(old, one.path)


def _stands(thing: Any, path: tuple[str, ...]) -> bool:
    for token in path:
        if isinstance(thing, list):
            token_index = int(token)
            if token_index >= len(thing):
                return False
            thing = thing[token_index]
        elif isinstance(thing, dict) and token in thing:
            thing = thing[token]
        else:
            return False
    return True
