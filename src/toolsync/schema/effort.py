"""Bounds beforehand what a real validator does with a value, which has no budget of its own.

The count follows the validator's own way through schema and value, except that
it meets every pair of them once: what the validator does again is multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolsync.schema.backtracking import STEPS, strain
from toolsync.schema.pointer import tokens_of

MAX_WORK: Final = 40_000
"""How many steps, of some ten microseconds, a validator may take for one value."""

_LISTS: Final = ("allOf", "anyOf", "oneOf")
_BRANCHES: Final = ("if", "then", "else")
_EVALUATING: Final = ("unevaluatedProperties", "unevaluatedItems")
_EACH: Final = frozenset(
    ("additionalProperties", "additionalItems", "items", "contains", *_EVALUATING)
)


class TooMuch(Exception):  # noqa: N818 - an answer, caught by its caller
    """Says that a validator would take too long, or that nobody can tell how long."""


class _Asked(NamedTuple):
    """A subschema that is asked about a value; `seeking` for what it evaluates only."""

    schema: Any
    value: Any
    seeking: bool = False


class Effort:
    """Counts the steps of validators that judge by one schema, a reference to its parts by pointer.

    Raises:
        TooMuch: from `of`, there are more than `most`, or a reference is of another sort.
    """

    __slots__ = ("_known", "_most", "_root", "_sizes", "_targets", "_values")

    def __init__(self, root: Any, most: int = MAX_WORK) -> None:
        self._root = root
        self._most = most
        self._targets: dict[str, Any] = {}
        self._known: dict[tuple[int, int, bool], int] = {}
        self._sizes: dict[int, int] = {}
        self._values: Any = None

    def of(self, value: Any) -> int:
        """Gives an upper bound of the steps for a value."""
        self._known.clear()  # it goes by identity, which ends with the value
        self._sizes.clear()
        self._values = value
        return self._total(_Asked(self._root, value))

    def _total(self, asked: _Asked) -> int:
        schema = asked.schema
        if not isinstance(schema, dict):
            return 1
        at = (id(schema), id(asked.value), asked.seeking)
        known = self._known.get(at)
        if known is not None:
            return known
        self._known[at] = self._most + 1  # a loop on one value never ends
        total = 1 if asked.seeking else self._own(schema, asked.value)
        parts = self._sought(*asked[:2]) if asked.seeking else self._checked(*asked[:2])
        for part in parts:
            total += self._total(part)
            if total > self._most:
                break
        if total > self._most or len(self._known) > self._most:
            raise TooMuch
        self._known[at] = total
        return total

    def _own(self, schema: dict[str, Any], value: Any) -> int:
        """Counts a schema's keywords without subschemas, with the messages they may write."""
        size = self._size(value)
        total = 1 + (len(schema) + size) // 64
        if "enum" in schema and schema["enum"].__class__ is list:
            total += len(schema["enum"]) * size // 16
        for keyword in ("enum", "const", "not"):
            if keyword in schema:
                total += self._size(schema[keyword]) // 64
        if schema.get("uniqueItems") is True and isinstance(value, list):
            total += len(value) * size // 16
        if isinstance(value, dict):
            total += sum(
                len(schema.get(each, ())) for each in ("properties", "required")
            ) // 64 + self._named(schema.get("patternProperties", ()), value)
        if isinstance(value, str) and "pattern" in schema:
            total += self._strain(schema["pattern"], value)
        return total

    def _named(self, patterns: Any, value: dict[str, Any]) -> int:
        total = 0
        for pattern in patterns:
            for name in value:
                # Three keywords may each look for the names that match.
                total += 3 * self._strain(pattern, name)
                if total > self._most:
                    raise TooMuch
        return total

    def _strain(self, pattern: str, text: str) -> int:
        steps = strain(pattern, text)
        if steps is None:
            raise TooMuch
        return 1 + steps // STEPS

    def _checked(self, schema: dict[str, Any], value: Any) -> Iterator[_Asked]:
        """Lists what the validator asks to judge a value."""
        yield from self._beside(schema, value)
        if "not" in schema:
            yield _Asked(schema["not"], value)
        if isinstance(value, dict):
            yield from _members(schema, value)
        if isinstance(value, list):
            yield from _items(schema, value)
        if isinstance(value, (dict, list)) and any(each in schema for each in _EVALUATING):
            yield _Asked(schema, value, seeking=True)

    def _beside(
        self, schema: dict[str, Any], value: Any, *, seeking: bool = False
    ) -> Iterator[_Asked]:
        """Lists the subschemas that look at the same value."""
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if keyword in schema:
                yield _Asked(self._target(schema[keyword]), value, seeking)
        for keyword in _LISTS:
            for each in schema.get(keyword, ()):
                yield _Asked(each, value, seeking)
        for keyword in _BRANCHES:
            if keyword in schema:
                yield _Asked(schema[keyword], value, seeking)
        for keyword in ("dependentSchemas", "dependencies"):
            for name, each in schema.get(keyword, {}).items() if isinstance(value, dict) else ():
                if name in value:
                    yield _Asked(each, value, seeking)

    def _sought(self, schema: dict[str, Any], value: Any) -> Iterator[_Asked]:
        """Lists what the validator asks to know what a schema evaluates."""
        yield from self._beside(schema, value, seeking=True)
        for keyword in _LISTS:
            for each in schema.get(keyword, ()):
                yield _Asked(each, value)
        if "if" in schema:
            yield _Asked(schema["if"], value)
        yield from _members(schema, value) if isinstance(value, dict) else _items(schema, value)

    def _target(self, reference: Any) -> Any:
        if reference not in self._targets:
            self._targets[reference] = self._found(reference)
        return self._targets[reference]

    def _found(self, reference: Any) -> Any:
        if not isinstance(reference, str) or reference[:1] != "#" or "%" in reference:
            raise TooMuch
        here = self._root
        for token in tokens_of(reference[1:]):
            try:
                here = here[int(token)] if isinstance(here, list) else here[token]
            except (KeyError, IndexError, ValueError, TypeError):
                raise TooMuch from None
        return here

    def _size(self, value: Any) -> int:
        """Counts the parts of a value; long texts count as several."""
        if isinstance(value, str):
            return 1 + len(value) // 64
        if not isinstance(value, (dict, list)):
            return 1 if value.__class__ is not int else 1 + value.bit_length() // 512
        known = self._sizes.get(id(value))
        if known is None:
            members = [*value, *value.values()] if isinstance(value, dict) else value
            known = self._sizes[id(value)] = 1 + sum(map(self._size, members))
        return known


def _members(schema: dict[str, Any], value: dict[str, Any]) -> Iterator[_Asked]:
    """Lists what is asked about the members of an object."""
    properties = schema.get("properties", {})
    for name in properties if len(properties) < len(value) else value:
        if name in properties and name in value:
            yield _Asked(properties[name], value[name])
    for each in schema.get("patternProperties", {}).values():
        for item in value.values():
            yield _Asked(each, item)
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in schema:
            for item in value.values():
                yield _Asked(schema[keyword], item)
    if "propertyNames" in schema:
        for name in value:
            yield _Asked(schema["propertyNames"], name)


def _items(schema: dict[str, Any], value: list[Any]) -> Iterator[_Asked]:
    """Lists what is asked about the items of an array."""
    for keyword in ("prefixItems", "items"):
        if isinstance(schema.get(keyword), list):
            for each, item in zip(schema[keyword], value, strict=False):
                yield _Asked(each, item)
    for keyword in ("items", "additionalItems", "contains", "unevaluatedItems"):
        if isinstance(schema.get(keyword), (dict, bool)):
            for item in value:
                yield _Asked(schema[keyword], item)
