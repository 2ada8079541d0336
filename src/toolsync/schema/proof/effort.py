"""Bounds beforehand what a real validator does with a value, which has no budget of its own.

The count follows the validator's own way through schema and value, except that
it meets every pair of them once: what the validator does again is multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolsync.schema.pointer import tokens_of

MAX_WORK: Final = 40_000
"""How many steps, of some ten microseconds, a validator may take for one value."""

_LISTS: Final = ("allOf", "anyOf", "oneOf")
_BRANCHES: Final = ("if", "then", "else")
_EVALUATING: Final = frozenset(("unevaluatedProperties", "unevaluatedItems"))
_BESIDE: Final = frozenset(
    ("$ref", "$dynamicRef", "$recursiveRef", "dependentSchemas", "dependencies", *_LISTS,
     *_BRANCHES)
)  # fmt: skip
_REST: Final = ("additionalProperties", "unevaluatedProperties")
_OTHERS: Final = frozenset(
    ("patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames")
)
_COSTLY: Final = frozenset(
    ("enum", "const", "not", "uniqueItems", "patternProperties", "pattern")
)
_ASKING: Final = _BESIDE | _COSTLY


class TooMuch(Exception):  # noqa: N818 - an answer, caught by its caller
    """Says that a validator would take too long, or that nobody can tell how long."""


_Asked = tuple[Any, Any, bool]
"""A subschema, the value that it is asked about, and whether for what it evaluates only."""


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
        return self._total(self._root, value, seeking=False)

    def _total(self, schema: Any, value: Any, *, seeking: bool) -> int:
        if not isinstance(schema, dict):
            return 1
        at = (id(schema), id(value), seeking)
        known = self._known.get(at)
        if known is not None:
            return known
        self._known[at] = self._most + 1  # a loop on one value never ends
        total = 1 if seeking else self._own(schema, value)
        if isinstance(value, dict):
            total += sum(len(value) for each in _REST if schema.get(each).__class__ is bool)
        parts = self._sought(schema, value) if seeking else self._checked(schema, value)
        for part, its_value, its_seeking in parts:
            if part.__class__ is bool:
                total += 1
            elif not isinstance(its_value, (dict, list)) and _ASKING.isdisjoint(part):
                total += 1 + (len(part) + self._size(its_value)) // 64  # most members
            else:
                total += self._total(part, its_value, seeking=its_seeking)
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
        if isinstance(value, dict):
            total += (len(schema.get("properties", ())) + len(schema.get("required", ()))) // 64
        return total if _COSTLY.isdisjoint(schema) else total + self._costly(schema, value, size)

    def _costly(self, schema: dict[str, Any], value: Any, size: int) -> int:
        total = 0
        if "enum" in schema and schema["enum"].__class__ is list:
            total += len(schema["enum"]) * size // 16
        for keyword in ("enum", "const", "not"):
            if keyword in schema:
                total += self._size(schema[keyword]) // 64
        if schema.get("uniqueItems") is True and isinstance(value, list):
            total += len(value) * size // 16
        if isinstance(value, dict):
            total += self._named(schema.get("patternProperties", ()), value)
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
        from toolsync.schema.language.backtracking import STEPS, strain  # noqa: PLC0415  patterns are rare

        steps = strain(pattern, text)
        if steps is None:
            raise TooMuch
        return 1 + steps // STEPS

    def _checked(self, schema: dict[str, Any], value: Any) -> Iterator[_Asked]:
        """Lists what the validator asks to judge a value."""
        if not _BESIDE.isdisjoint(schema):
            yield from self._beside(schema, value)
        if "not" in schema:
            yield schema["not"], value, False
        if isinstance(value, dict):
            yield from _members(schema, value)
        if isinstance(value, list):
            yield from _items(schema, value)
        if isinstance(value, (dict, list)) and not _EVALUATING.isdisjoint(schema):
            yield schema, value, True

    def _beside(
        self, schema: dict[str, Any], value: Any, *, seeking: bool = False
    ) -> Iterator[_Asked]:
        """Lists the subschemas that look at the same value."""
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if keyword in schema:
                yield self._target(schema[keyword]), value, seeking
        for keyword in _LISTS:
            for each in schema.get(keyword, ()):
                yield each, value, seeking
        for keyword in _BRANCHES:
            if keyword in schema:
                yield schema[keyword], value, seeking
        for keyword in ("dependentSchemas", "dependencies"):
            for name, each in schema.get(keyword, {}).items() if isinstance(value, dict) else ():
                if name in value:
                    yield each, value, seeking

    def _sought(self, schema: dict[str, Any], value: Any) -> Iterator[_Asked]:
        """Lists what the validator asks to know what a schema evaluates."""
        yield from self._beside(schema, value, seeking=True)
        for keyword in _LISTS:
            for each in schema.get(keyword, ()):
                yield each, value, False
        if "if" in schema:
            yield schema["if"], value, False
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
        at = id(value)
        known = self._sizes.get(at)
        if known is None:
            known = 1
            if isinstance(value, dict):
                known += len(value) + sum([len(name) // 64 for name in value])
                value = value.values()
            known = self._sizes[at] = known + sum(map(self._size, value))
        return known


def _members(schema: dict[str, Any], value: dict[str, Any]) -> Iterator[_Asked]:
    """Lists what is asked about the members of an object."""
    properties = schema.get("properties", {})
    for name in properties if len(properties) < len(value) else value:
        if name in properties and name in value:
            yield properties[name], value[name], False
    if _OTHERS.isdisjoint(schema):
        return
    for each in schema.get("patternProperties", {}).values():
        for item in value.values():
            yield each, item, False
    for keyword in _REST:  # those that are booleans were counted at once
        if keyword in schema and schema[keyword].__class__ is not bool:
            for item in value.values():
                yield schema[keyword], item, False
    if "propertyNames" in schema:
        for name in value:
            yield schema["propertyNames"], name, False


def _items(schema: dict[str, Any], value: list[Any]) -> Iterator[_Asked]:
    """Lists what is asked about the items of an array."""
    for keyword in ("prefixItems", "items"):
        if isinstance(schema.get(keyword), list):
            for each, item in zip(schema[keyword], value, strict=False):
                yield each, item, False
    for keyword in ("items", "additionalItems", "contains", "unevaluatedItems"):
        if isinstance(schema.get(keyword), (dict, bool)):
            for item in value:
                yield schema[keyword], item, False
