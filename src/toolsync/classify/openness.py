"""Names that a schema does not declare: where a change may concern them, and whether it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Literal

import orjson

from toolsync.classify.pointers import steps
from toolsync.compare import Difference, at
from toolsync.model import ABSENT

Touch = Literal["", "less", "more", "ask"]
"""Undeclared names are not concerned, fewer or more are let in, or that is to be asked."""

_KEYWORDS: Final = frozenset(
    ("additionalProperties", "unevaluatedProperties", "patternProperties", "$ref")
)
_DECLARING: Final = ("properties", "required", "additionalProperties", "unevaluatedProperties")
# Beside these, or below anything but values, a keyword says little by itself.
_BESIDE: Final = frozenset(
    ("allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies", "$ref", "$dynamicRef",
     "$recursiveRef", "patternProperties", "unevaluatedProperties")
)  # fmt: skip
_VALUES: Final = frozenset(("properties", "items", "prefixItems", "additionalProperties"))
_IN_PLACE: Final = ("allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas")
_SIGNS: Final = re.compile(rb'roperties"|"object"|"\$(?:ref|dynamicRef|recursiveRef)"')
_BY_DIALECT: Final = re.compile(rb'"unevaluatedProperties"|"\$ref"')
_DEEPEST: Final = 200


def touch(found: Difference, old: Any) -> Touch:
    """Tells whether a change may concern undeclared names, and how, where its form shows that.

    `old` is the schema as it was.
    """
    if found.path[-1] == "$schema":
        return "ask" if _mentions(_BY_DIALECT, old) else ""
    if found.keyword in _KEYWORDS:
        return _by_form(found, old) or "ask"
    if found.keyword == "properties" and found.anchor == found.path:
        if found.new is ABSENT:
            return ""
        if found.old is ABSENT:
            return "ask" if _declares_nothing(found, old) else ""
    return "ask" if _mentions(_SIGNS, found.old) or _mentions(_SIGNS, found.new) else ""


def _by_form(found: Difference, old: Any) -> Touch:
    if found.keyword != "additionalProperties" or found.anchor != found.path:
        return ""
    node = at(old, found.path[1:-1])
    if not isinstance(node, dict) or not _BESIDE.isdisjoint(node):
        return ""
    if len(found.path) > 2 and not (node.get("properties") or node.get("required")):
        return ""
    if any(keyword not in _VALUES for keyword, _, _ in steps(found.path[:-1])):
        return ""
    if found.old is ABSENT and found.new is False:
        return "less"
    return "more" if found.old is False and found.new is ABSENT else ""


def _declares_nothing(found: Difference, old: Any) -> bool:
    if len(found.path) <= 3:  # the root is closed by being asked for
        return False
    node = at(old, found.path[1:-2])
    return isinstance(node, dict) and not any(node.get(word, {}) != {} for word in _DECLARING)


def _mentions(signs: re.Pattern[bytes], part: Any) -> bool:
    if part.__class__ is not dict and part.__class__ is not list:
        return isinstance(part, str) and part == "object"  # a type
    try:
        return signs.search(orjson.dumps(part)) is not None
    except TypeError:  # an integer too long, or nested too deeply
        return True


def relaxed(new: Any, old: Any) -> Any:
    """Returns new where silence lets in, of whatever value, also names that old has nowhere."""
    names = frozenset(_names(old, 0))
    return _relaxed(new, names, 0)


def _names(part: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST or not isinstance(part, (dict, list)):
        return
    if isinstance(part, dict) and isinstance(part.get("properties"), dict):
        yield from part["properties"]
    for each in part.values() if isinstance(part, dict) else part:
        yield from _names(each, depth + 1)


def _relaxed(part: Any, names: frozenset[str], depth: int, *, silent: bool = True) -> Any:
    if depth > _DEEPEST:
        return part
    if isinstance(part, list):
        return [_relaxed(each, names, depth + 1, silent=silent) for each in part]
    if not isinstance(part, dict):
        return part
    silent = silent and not _speaks(part)
    made = {
        word: _relaxed(each, names, depth + 1, silent=silent or word not in _IN_PLACE)
        for word, each in part.items()
    }
    if silent and isinstance(made.get("properties"), dict):
        kept = {name: each for name, each in made["properties"].items() if name in names}
        made["properties"] = kept
    return made


def _speaks(part: dict[str, Any]) -> bool:
    """Tells whether a schema says itself, or in an `allOf`, what holds for undeclared names."""
    beside = part.get("allOf")
    looked = [part, *beside] if isinstance(beside, list) else [part]
    words = ("additionalProperties", "unevaluatedProperties")
    return any(isinstance(each, dict) and word in each for each in looked for word in words)
