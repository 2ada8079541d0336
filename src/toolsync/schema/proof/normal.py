"""Brings a self-contained 2020-12 schema (see `reading`) into the normal form of `nodes`.

Every subschema is read once. References that lead back to a schema being read
become links; one that leads back without a step into a value means nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from toolsync.schema.proof.asserted import (
    count,
    enum_of,
    flag,
    names_in,
    numbers_of,
    texts_of,
    unless_empty,
)
from toolsync.schema.proof.evaluated import unevaluated_items, unevaluated_properties
from toolsync.schema.proof.nodes import (
    Arrays,
    Contains,
    Link,
    Node,
    Numbers,
    Objects,
    Rule,
)
from toolsync.schema.proof.place import Place
from toolsync.schema.proof.table import Table
from toolsync.schema.proof.values import (
    ANYTHING,
    MAX_DEPTH,
    OBJECT,
    Exact,
    Undecidable,
    largest_number,
    mask_of,
)

MAX_PLACES: Final = 50_000
"""How many subschemas are read before a schema counts as too large to decide."""

_NUMBER_KEYWORDS: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_TEXT_KEYWORDS: Final = frozenset({"minLength", "maxLength", "pattern", "format"})
_OBJECT_KEYWORDS: Final = frozenset(
    {
        "properties",
        "patternProperties",
        "additionalProperties",
        "required",
        "minProperties",
        "maxProperties",
        "propertyNames",
    }
)
_NO_NAMES: Final[list[str]] = []
_ARRAY_KEYWORDS: Final = frozenset(
    {"prefixItems", "items", "contains", "minItems", "maxItems", "uniqueItems"}
)
_PART_KEYWORDS: Final = frozenset(
    {
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "dependentRequired",
        "dependentSchemas",
        "unevaluatedProperties",
        "unevaluatedItems",
        "x-undecidable",
    }
)


class Normaliser:
    """Reads the subschemas of one document into the nodes of a table."""

    __slots__ = ("_active", "_defs", "_origins", "_places", "_read", "covered", "largest", "table")

    def __init__(self, table: Table, root: Any, origins: Mapping[str, str] | None = None) -> None:
        self.table = table
        self._defs: Mapping[str, Any] = root.get("$defs", {}) if isinstance(root, dict) else {}
        self._origins = origins or {}
        self._read: dict[str, Node] = {}
        self._active: dict[str, tuple[int, Link]] = {}
        self._places = 0
        self.largest: Exact = 0
        self.covered = 0

    def node(self, schema: Any, place: Place) -> Node:
        """Gives the node of a subschema."""
        if schema is True or schema is False:
            return self.table.true if schema else self.table.false
        if not isinstance(schema, dict):
            return self._opaque("a schema that is neither an object nor a boolean", place)
        self._places += 1
        if self._places > MAX_PLACES:
            raise Undecidable("a schema too large to decide", str(place))
        if place.steps > MAX_DEPTH:
            raise Undecidable("a schema nested too deeply", str(place))
        try:
            made = self._shape(schema, place)
        except Undecidable as stop:
            if stop.where:
                raise
            return self._opaque(stop.reason, place)
        if made.where is None:
            made.where = place
        return made

    def _plain_type(self, schema: Any) -> Node | None:
        """Gives the node of the most frequent schemas, which say one `type` and no more."""
        if schema.__class__ is not dict or len(schema) != 1:
            return None
        return self.table.of_type(schema.get("type"))

    def _member(self, schema: Any, place: Place, name: str) -> Node:
        """Reads a member, unless it was met before, on any side."""
        seen = self.table.seen.get(id(schema))  # which keeps it, and so its identity
        if seen is None:
            try:
                text = orjson.dumps(schema)
            except TypeError:  # an integer too long, or nested too deeply
                text = b'"$ref"'
            if b'"$ref"' in text:  # means another schema in another document
                return self.node(schema, place.into(name, "properties"))
            met = self.table.met
            known = met.get(text)
            if known is None:
                known = met[text] = self._measured(schema, place.into(name, "properties"))
            seen = self.table.seen[id(schema)] = (schema, *known)
        _, node, largest = seen
        self.largest = max(self.largest, largest)
        return node

    def _measured(self, schema: Any, place: Place) -> tuple[Node, Exact]:
        """Gives the node of a subschema, and the largest number in it."""
        outer, self.largest = self.largest, 0
        node = self.node(schema, place)
        largest, self.largest = self.largest, max(outer, self.largest)
        return node, largest

    def _opaque(self, reason: str, place: Place) -> Node:
        made = self.table.opaque(reason)
        made.where = place
        return made

    def _shape(self, schema: dict[str, Any], place: Place) -> Node:
        keywords = schema.keys()
        table = self.table
        enum = None
        if "enum" in schema or "const" in schema:
            enum = enum_of(schema)
            self.largest = max(self.largest, largest_number(enum.values()))
        return table.shape(
            mask_of(schema["type"]) if "type" in schema else ANYTHING,
            enum,
            None if _NUMBER_KEYWORDS.isdisjoint(keywords) else self._numbers(schema),
            None if _TEXT_KEYWORDS.isdisjoint(keywords) else texts_of(schema, table),
            None if _ARRAY_KEYWORDS.isdisjoint(keywords) else self._arrays(schema, place),
            None if _OBJECT_KEYWORDS.isdisjoint(keywords) else self._objects(schema, place),
            () if _PART_KEYWORDS.isdisjoint(keywords) else self._parts(schema, place),
        )

    def _numbers(self, schema: dict[str, Any]) -> Numbers | None:
        named = [schema[keyword] for keyword in _NUMBER_KEYWORDS.intersection(schema)]
        if not all(each.__class__ in {int, float} for each in named):
            raise TypeError("expected a number")
        self.largest = max(self.largest, largest_number(named))
        return numbers_of(schema)

    def target(self, reference: str) -> tuple[Any, str]:
        """Gives what a generated reference means, with its place in the original."""
        name = reference.removeprefix("#/$defs/")
        return self._defs[name], self._origins.get(name, "")

    def reference(self, reference: str, place: Place) -> Node:
        """Gives the node of what a generated reference means."""
        found = self._read.get(reference)
        if found is not None:
            return found
        if reference in self._active:
            depth, link = self._active[reference]
            if depth == place.depth:
                raise Undecidable("a reference that leads back to itself")
            return link
        schema, origin = self.target(reference)
        link = self.table.link()
        self._active[reference] = (place.depth, link)
        made = self.node(schema, Place(None, origin, place.depth, place.steps + 1))
        link.target = made
        link.where = made.where
        del self._active[reference]
        self._read[reference] = made
        return made

    def _objects(self, schema: dict[str, Any], place: Place) -> Objects | None:
        properties = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        members = [
            (name, self._plain_type(each) or self._member(each, place, name))
            for name, each in properties.items()
        ]
        rules = [
            Rule(
                (self.table.pattern(text),),
                frozenset(),
                (),
                self.node(each, place.into(text, "patternProperties")),
            )
            for text, each in patterns.items()
        ]
        rest = self._optional(schema, "additionalProperties", place)
        true = self.table.true
        if rest is None:
            members = [each for each in members if each[1] is not true]
        else:
            outside = tuple(sorted([rule.inside[0] for rule in rules], key=_pattern_text))
            rules.append(Rule((), frozenset(properties), outside, rest))
        rules = [rule for rule in rules if rule.node is not true]
        return unless_empty(
            Objects(
                tuple(sorted(members, key=_first)),
                tuple(rules),
                names_in(schema.get("required", _NO_NAMES)),
                count(schema, "minProperties") or 0,
                count(schema, "maxProperties"),
                self._optional(schema, "propertyNames", place),
            ),
            Objects(),
        )

    def _optional(self, schema: dict[str, Any], keyword: str, place: Place) -> Node | None:
        """Reads a subschema that may be absent; one that accepts everything is as good as that."""
        if keyword not in schema:
            return None
        made = self.node(schema[keyword], place.into(keyword))
        return None if made is self.table.true else made

    def _arrays(self, schema: dict[str, Any], place: Place) -> Arrays | None:
        prefix = [
            self.node(each, place.into(index, "prefixItems"))
            for index, each in enumerate(schema.get("prefixItems", ()))
        ]
        rest = self._optional(schema, "items", place)
        while prefix and prefix[-1] is (rest or self.table.true):
            prefix.pop()
        return unless_empty(
            Arrays(
                tuple(prefix),
                rest,
                self._contains(schema, place),
                count(schema, "minItems") or 0,
                count(schema, "maxItems"),
                flag(schema, "uniqueItems"),
            ),
            Arrays(),
        )

    def _contains(self, schema: dict[str, Any], place: Place) -> tuple[Contains, ...]:
        if "contains" not in schema:
            return ()
        least, most = count(schema, "minContains"), count(schema, "maxContains")
        least = 1 if least is None else least
        if not least and most is None:
            return ()
        return (Contains(self.node(schema["contains"], place.into("contains")), least, most),)

    def _parts(self, schema: dict[str, Any], place: Place) -> tuple[Node, ...]:
        table = self.table
        parts: list[Node] = []
        if "x-undecidable" in schema:
            parts.append(self._undecidable(schema["x-undecidable"], place))
        if "$ref" in schema:
            parts.append(self.reference(schema["$ref"], place))
        joins: tuple[tuple[str, Callable[[list[Node]], Node]], ...] = (
            ("allOf", table.all_of),
            ("anyOf", table.any_of),
            ("oneOf", table.one_of),
        )
        for keyword, join in joins:
            if keyword in schema:
                parts.append(join(self.members(schema, keyword, place)))
        if "not" in schema:
            parts.append(table.negated(self.node(schema["not"], place.at("not"))))
        if "if" in schema:
            parts.append(self._conditional(schema, place))
        if "dependentRequired" in schema or "dependentSchemas" in schema:
            parts += self._dependents(schema, place)
        if "unevaluatedProperties" in schema:
            parts += unevaluated_properties(self, schema, place)
        if "unevaluatedItems" in schema:
            parts += unevaluated_items(self, schema, place)
        return tuple(parts)

    def _undecidable(self, told: Mapping[str, str], place: Place) -> Node:
        made = self.table.opaque(told["reason"], told.get("identity"))
        if made.where is None:
            made.where = Place(None, told["where"]) if "where" in told else place
        return made

    def members(self, schema: dict[str, Any], keyword: str, place: Place) -> list[Node]:
        """Reads a list of subschemas that look at the same value."""
        return [self.node(each, place.at(i, keyword)) for i, each in enumerate(schema[keyword])]

    def _conditional(self, schema: dict[str, Any], place: Place) -> Node:
        test = self.node(schema["if"], place.at("if"))
        then, other = (
            self.node(schema.get(keyword, True), place.at(keyword)) for keyword in ("then", "else")
        )
        return self.table.conditional(test, then, other)

    def _dependents(self, schema: dict[str, Any], place: Place) -> list[Node]:
        asked = [
            (name, self.requires(*names_in(names)))
            for name, names in schema.get("dependentRequired", {}).items()
        ]
        asked += [
            (name, self.node(each, place.at(name, "dependentSchemas")))
            for name, each in schema.get("dependentSchemas", {}).items()
        ]
        return [self.table.any_of((self.lacks(name), node)) for name, node in asked]

    def requires(self, *names: str) -> Node:
        """Gives the node of objects (or anything else) with these members."""
        if not names:
            return self.table.true
        return self.table.shape(objects=Objects(required=tuple(sorted(set(names)))))

    def lacks(self, name: str) -> Node:
        """Gives the node of objects (or anything else) without this member."""
        return self.table.shape(objects=Objects(members=((name, self.table.false),)))

    def has(self, name: str) -> Node:
        """Gives the node of objects with this member."""
        return self.table.shape(mask=OBJECT, objects=Objects(required=(name,)))


def _first(pair: tuple[str, Node]) -> str:
    return pair[0]


def _pattern_text(pattern: Any) -> str:
    return str(pattern.text)
