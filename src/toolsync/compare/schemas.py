"""Two schemas, keyword by keyword: facts at every depth, without judgement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolsync.compare.branches import matched
from toolsync.compare.difference import Difference, Place
from toolsync.compare.equality import key, members, said, same
from toolsync.compare.walk import Compare, Node, Walk
from toolsync.model import ABSENT, Side


def schemas(side: Side, old: Any, new: Any) -> list[Difference]:
    """Returns every difference of two schemas, in no particular order."""
    walk = Walk(side, old, new, _COMPARE, _value)
    walk.run()
    return walk.finished()


def _value(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
    given = after if before is ABSENT else before
    idle = keyword in _IDLE and ABSENT in (before, after) and same(given, _IDLE[keyword])
    walk.note(place, "spelling" if idle else keyword, before, after, keyword)


def _reference(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    """Tells of a reference that cannot be followed here."""
    walk.note(place, "reference", old.get(keyword, ABSENT), new.get(keyword, ABSENT), keyword)


def _type(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
    was, now = _kinds(before), _kinds(after)
    came, gone = tuple(sorted(now - was)), tuple(sorted(was - now))
    word = keyword if came or gone else "order"
    walk.note(place, word, before, after, keyword, came=came, gone=gone)


def _kinds(value: Any) -> set[str]:
    """Returns the kinds of value that a `type` allows; `number` is two of them."""
    if value is ABSENT:
        return set(_KINDS)
    kinds = {kind for kind in _listed(value) if isinstance(kind, str)}
    if isinstance(value, str):
        kinds = {value}
    return kinds | {"integer", _FRACTION} if "number" in kinds else kinds


def _text(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
    respaced = same(said(before), said(after))
    walk.note(place, "respaced" if respaced else keyword, before, after, keyword)


def _set(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    """Compares lists that are sets: `enum`, a trigger's list of dependencies."""
    before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
    if not isinstance(before, list) or not isinstance(after, list):
        walk.note(place, keyword, before, after)
        return
    came, gone = members(before, after)
    if came or gone:
        walk.note(place, keyword, before, after, came=came, gone=gone)
    else:
        walk.note(place, "order", before, after, keyword)


def _values(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    """Compares `enum` and `const` as what they are: the values that are allowed."""
    both = ("const" in old) + ("enum" in old), ("const" in new) + ("enum" in new)
    if both != (1, 1) or ("const" in old) == ("const" in new):
        (_set if keyword == "enum" else _value)(walk, keyword, old, new, place)
    elif keyword in new:
        came, gone = members(_allowed(old), _allowed(new))
        word = "enum" if came or gone else "spelling"
        was, now = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
        walk.note(place, word, was, now, keyword, came=came, gone=gone)


def _allowed(node: Node) -> list[Any]:
    values = [node["const"]] if "const" in node else node["enum"]
    return values if isinstance(values, list) else []


def _names(schema: Node, keyword: str) -> dict[str, Any]:
    found = schema.get(keyword, {})
    return found if isinstance(found, dict) else {}


def _required(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    """Tells who became required and who optional, apart from arguments that came or went."""
    before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
    came, gone = members(_listed(before), _listed(after))
    was, now = _names(old, "properties"), _names(new, "properties")
    if not came and not gone:
        walk.note(place, "order" if before and after else "spelling", before, after, keyword)
    here = tuple(name for name in came if name in was or name not in now)
    if here:
        walk.note(place, keyword, before, after, came=here, prop=_only(here, place))
    left = tuple(name for name in gone if name in now or name not in was)
    if left:
        walk.note(place, keyword, before, after, gone=left, prop=_only(left, place))


def _only(names: tuple[Any, ...], place: Place) -> str | None:
    return names[0] if len(names) == 1 else place.property


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _properties(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    before, after = _names(old, keyword), _names(new, keyword)
    named = keyword == "properties"
    for name in {**before, **after}:
        was, now = before.get(name, ABSENT), after.get(name, ABSENT)
        prop = name if named else None
        if was is ABSENT or now is ABSENT:
            needed = named and name in _listed((new if was is ABSENT else old).get("required"))
            more = {"prop": name, "required": needed} if named else {}
            walk.note(place, keyword, was, now, keyword, name, **more)
        elif not same(was, now):
            walk.stack.append((was, now, place.down(keyword, name, prop=prop)))
    if not before and not after:
        walk.note(place, "spelling", old.get(keyword, ABSENT), new.get(keyword, ABSENT), keyword)


def _dependencies(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    before, after = _names(old, keyword), _names(new, keyword)
    for name in {**before, **after}:
        was, now = before.get(name, ABSENT), after.get(name, ABSENT)
        if same(was, now):
            continue
        lists = isinstance(was, list), isinstance(now, list)
        if any(lists):
            came, gone = members(_listed(was), _listed(now))
            word = "dependentRequired" if came or gone else "order"
            walk.note(place, word, was, now, keyword, name, came=came, gone=gone)
        elif was is ABSENT or now is ABSENT:
            walk.note(place, "dependentSchemas", was, now, keyword, name)
        else:
            walk.stack.append((was, now, place.down(keyword, name)))
    if not before and not after:
        walk.note(place, "spelling", old.get(keyword, ABSENT), new.get(keyword, ABSENT), keyword)


def _definitions(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    """Tells which definitions came and went; those on both sides are met through references."""
    before, after = _names(old, keyword), _names(new, keyword)
    came = tuple(name for name in after if name not in before)
    gone = tuple(name for name in before if name not in after)
    if came or gone or not (before or after):
        old_map, new_map = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
        walk.note(place, "definitions", old_map, new_map, keyword, came=came, gone=gone)
    walk.usage.pools.append((keyword, before, after, place))


def _subschema(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
    if isinstance(before, list) and isinstance(after, list):
        _tuple(walk, keyword, old, new, place)
    elif before is ABSENT or after is ABSENT:
        empty = (before is ABSENT or _open(before)) and (after is ABSENT or _open(after))
        plain = empty and keyword in ("items", "additionalItems", "propertyNames")
        walk.note(place, "spelling" if plain else keyword, before, after, keyword)
    elif isinstance(before, list) or isinstance(after, list):
        walk.note(place, "schema", before, after, keyword)
    else:
        walk.stack.append((before, after, place.down(keyword)))


def _extras(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    """Compares what is said of undeclared properties: silence, yes, no or a schema."""
    before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
    if isinstance(before, dict) and isinstance(after, dict) and before and after:
        walk.stack.append((before, after, place.down(keyword)))
    elif _open(before) and _open(after):
        walk.note(place, "spelling", before, after, keyword)
    else:
        walk.note(place, keyword, before, after)


def _open(schema: Any) -> bool:
    return schema is True or schema == {}


def _condition(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    """Compares `if`, `then`, `else`; parts that came or went with their `if` are told with it."""
    before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
    if before is not ABSENT and after is not ABSENT:
        walk.stack.append((before, after, place.down(keyword)))
    elif keyword == "if" or ("if" in old) == ("if" in new):
        walk.note(place, keyword, before, after)


def _tuple(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
    was, now = _listed(before), _listed(after)
    for index, (left, right) in enumerate(zip(was, now, strict=False)):
        if not same(left, right):
            walk.stack.append((left, right, place.down(keyword, str(index))))
    if len(was) != len(now):
        came, gone = tuple(now[len(was) :]), tuple(was[len(now) :])
        walk.note(place, "prefixItems", before, after, keyword, came=came, gone=gone)


def _branches(walk: Walk, keyword: str, old: Node, new: Node, place: Place) -> None:
    before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
    if not isinstance(before, list) or not isinstance(after, list):
        all_came, all_gone = tuple(_listed(after)), tuple(_listed(before))
        walk.note(place, keyword, before, after, came=all_came, gone=all_gone)
        return
    walk.shuffled = True
    once = keyword != "oneOf"
    was, now = _distinct(before, once), _distinct(after, once)
    pairs, gone, came = matched([before[i] for i in was], [after[i] for i in now])
    inner = place
    if [was[left] for left, _ in pairs] != [now[right] for _, right in pairs] or gone or came:
        inner = place._replace(anchor=place.anchor or (*place.path, keyword))
    for left, right in pairs:
        at = now[right]
        walk.stack.append((before[was[left]], after[at], inner.down(keyword, str(at))))
    if gone or came:
        more = {"came": tuple(after[now[i]] for i in came)}
        more["gone"] = tuple(before[was[i]] for i in gone)
        walk.note(inner, keyword, before, after, **more)
    elif not pairs:
        walk.note(place, "order", before, after, keyword)


def _distinct(branches: list[Any], once: bool) -> list[int]:
    """Returns the places of the branches that count: repeats do only in `oneOf`."""
    if not once:
        return list(range(len(branches)))
    first: dict[bytes, int] = {}
    for index, branch in enumerate(branches):
        first.setdefault(key(branch), index)
    return list(first.values())


_FRACTION: Final = "number"
_KINDS: Final = ("array", "boolean", "integer", "null", _FRACTION, "object", "string")
_IDLE: Final[Mapping[str, object]] = {  # keywords that say nothing at this value
    **dict.fromkeys(("minLength", "minItems", "minProperties"), 0),
    **dict.fromkeys(("uniqueItems", "exclusiveMinimum", "exclusiveMaximum"), False),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), False),
    "minContains": 1,
}
_COMPARE: Final[Mapping[str, Compare]] = {
    "$ref": _reference,
    "description": _text,
    "type": _type,
    "properties": _properties,
    "patternProperties": _properties,
    "required": _required,
    "enum": _values,
    "const": _values,
    "dependentRequired": _dependencies,
    "dependentSchemas": _dependencies,
    "dependencies": _dependencies,
    "$defs": _definitions,
    "definitions": _definitions,
    "additionalProperties": _extras,
    "unevaluatedProperties": _extras,
    "prefixItems": _tuple,
    **dict.fromkeys(("if", "then", "else"), _condition),
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), _branches),
    **dict.fromkeys(("items", "additionalItems", "unevaluatedItems", "contains"), _subschema),
    **dict.fromkeys(("propertyNames", "not"), _subschema),
}
