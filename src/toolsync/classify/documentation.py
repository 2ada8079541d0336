"""What a schema says to people and models at each value's place, however it is put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolsync.classify.pointers import POOLS, Pointer, steps
from toolsync.compare import key, said, target
from toolsync.model import ABSENT

Place = tuple[str, ...]


class Word(NamedTuple):
    """What one keyword says, and where the schema that says it stands."""

    thing: Any
    at: Pointer


Words = dict[tuple[str, bytes], Word]


class Told(NamedTuple):
    """One place: the first schema that describes it, its pointer, and what all of them say."""

    schema: Any
    at: Pointer
    words: Words


Said = dict[Place, Told]
_BESIDE: Final = ("allOf", "anyOf", "oneOf")
_ALSO: Final = ("then", "else")
_NAMED: Final = {"properties": "", "patternProperties": "/"}
_INSIDE: Final = (
    "items", "additionalProperties", "unevaluatedProperties", "additionalItems",
    "unevaluatedItems", "contains", "propertyNames", "not", "if",
)  # fmt: skip
_IDLE: Final = frozenset(("deprecated", "readOnly", "writeOnly"))
SILENT: Final = frozenset((
    "type", "enum", "const", "required", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems",
    "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties",
    "dependentRequired", "dependentSchemas", "dependencies", "prefixItems", "$ref", "$defs",
    "definitions", "$schema",
    "$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor",
    "$vocabulary", "$comment", "title", *_BESIDE, *_ALSO, *_NAMED, *_INSIDE,
))  # fmt: skip


def said_at(path: Pointer) -> Place:
    """Returns the place of a value as `texts` names it."""
    place: Place = ()
    for keyword, name, _ in steps(path):
        if keyword in POOLS and name is not None:
            place = (f"<{name}>",)  # not a place of its own: matches nothing
        elif keyword in _NAMED and name is not None:
            place = (*place, _NAMED[keyword] + name)
        elif keyword in ("items", "prefixItems") and name is not None:
            place = (*place, f"<{name}>")
        elif keyword in _INSIDE:
            place = (*place, f"<{keyword}>")
    return place


def texts(root: Any, at: Pointer, schema: Any, left: Iterator[object]) -> Said | None:
    """Returns what is said at each place of a part of a schema; None where that is too much.

    References are followed. A place that is described at all is there, even where
    nothing is said; `at` is the pointer of the part. Every node takes one of what is `left`.
    """
    found: Said = {}
    stack: list[_Part] = [_Part(schema, (), at, frozenset())]
    for _ in left:
        if not stack:
            return found
        part = stack.pop()
        node = part.node
        if not isinstance(node, dict) or id(node) in part.above:
            if node is True:
                found.setdefault(part.place, Told(node, part.at, {}))
            continue  # a definition inside itself says again what it said
        here = found.setdefault(part.place, Told(node, part.at, {})).words
        for word, thing in _words(node):
            here.setdefault((word, key(thing)), Word(thing, part.at))
        stack.extend(_parts(root, part))
    return None


class _Part(NamedTuple):
    node: Any
    place: Place
    at: Pointer
    above: frozenset[int]

    def inner(self, node: Any, *tokens: str, mark: str | None = None) -> _Part:
        """Returns a part further down: of the same value, unless marked as another."""
        place = self.place if mark is None else (*self.place, mark)
        return _Part(node, place, self.at + tokens, self.above | {id(self.node)})


def _words(node: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for word, thing in node.items():
        if word == "description":
            text = said(thing)
            if text is not ABSENT:
                yield word, text
        elif word not in SILENT and not (thing is False and word in _IDLE):
            yield word, thing


def _parts(root: Any, part: _Part) -> Iterator[_Part]:
    node = part.node
    yield from _beside(root, part)
    for keyword, mark in _NAMED.items():
        inner = node.get(keyword)
        for name, each in inner.items() if isinstance(inner, dict) else ():
            yield part.inner(each, keyword, name, mark=mark + name)
    for keyword in _INSIDE:
        if isinstance(node.get(keyword), dict):
            yield part.inner(node[keyword], keyword, mark=f"<{keyword}>")
    for keyword in ("prefixItems", "items"):
        inner = node.get(keyword)
        for index, each in enumerate(inner if isinstance(inner, list) else ()):
            yield part.inner(each, keyword, str(index), mark=f"<{index}>")


def _beside(root: Any, part: _Part) -> Iterator[_Part]:
    """Yields the subschemas that describe the same value."""
    node = part.node
    for keyword in _BESIDE:
        branches = node.get(keyword)
        for index, each in enumerate(branches if isinstance(branches, list) else ()):
            yield part.inner(each, keyword, str(index))
    for keyword in _ALSO:
        if keyword in node:
            yield part.inner(node[keyword], keyword)
    for keyword in ("dependentSchemas", "dependencies"):
        inner = node.get(keyword)
        for name, each in inner.items() if isinstance(inner, dict) else ():
            yield part.inner(each, keyword, name)
    found = target(root, node.get("$ref"))
    if found is not None:
        yield part.inner(found[1])._replace(at=part.at[:1] + found[0])
