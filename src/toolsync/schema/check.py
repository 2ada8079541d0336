"""Asks a real validator about a witness: it has the last word, within bounds."""

from __future__ import annotations

import re
from typing import Any, Final

import jsonschema
from jsonschema_specifications import (  # type: ignore[import-untyped]
    REGISTRY as SPECIFICATIONS,
)
from referencing.exceptions import Unresolvable

from toolsync.schema.dialect import Dialect
from toolsync.schema.keywords import IN_PLACE
from toolsync.schema.spelling import longest_text

_VALIDATORS: Final = {
    Dialect.DRAFT4: jsonschema.Draft4Validator,
    Dialect.DRAFT6: jsonschema.Draft6Validator,
    Dialect.DRAFT7: jsonschema.Draft7Validator,
    Dialect.DRAFT2019: jsonschema.Draft201909Validator,
    Dialect.DRAFT2020: jsonschema.Draft202012Validator,
}

MAX_PARTS: Final = 20_000
"""How many values a witness may consist of."""

MAX_ITEMS: Final = 400
"""How many items an array of it may have: validators compare each with each for `uniqueItems`."""

MAX_WORK: Final = 20_000
"""How many subschemas on one value a validator may be sent through."""


def refused_at(schema: dict[str, Any] | bool, dialect: Dialect, value: Any) -> list[str] | None:
    """Tells by which path of keywords a validator refuses a value; None where it accepts it.

    References are never fetched: the registry holds the meta-schemas and no way to get more.

    Raises:
        ValueError: the validator cannot be asked.
    """
    validator = _VALIDATORS[dialect](schema, registry=SPECIFICATIONS)
    try:
        error = next(validator.iter_errors(value), None)
    except (RecursionError, Unresolvable, re.error, OverflowError, TypeError) as stop:
        raise ValueError(f"the validator stopped: {type(stop).__name__}") from stop
    return None if error is None else [str(step) for step in error.absolute_schema_path]


def manageable(value: Any, patterns: list[str]) -> bool:
    """Tells whether a value is small enough for a validator, and its texts for the patterns."""
    limit = min(map(longest_text, patterns), default=None)
    pending = [value]
    left = MAX_PARTS
    while pending:
        each = pending.pop()
        left -= 1
        if left < 0 or (limit is not None and isinstance(each, str) and len(each) > limit):
            return False
        if isinstance(each, dict):
            pending += [*each, *each.values()]
        elif isinstance(each, list):
            if len(each) > MAX_ITEMS:
                return False
            pending += each
    return True


def affordable(schema: Any) -> bool:
    """Bounds the subschemas on one value (of a schema as read), which references multiply."""
    if not isinstance(schema, dict) or ("$defs" not in schema and not _doubling(schema)):
        return True
    return _work(schema, schema.get("$defs", {}), {}, 0) <= MAX_WORK


def _doubling(schema: dict[str, Any]) -> bool:
    return "unevaluatedProperties" in schema or "unevaluatedItems" in schema


def _work(schema: Any, definitions: Any, known: dict[str, int], depth: int) -> int:
    if not isinstance(schema, dict):
        return 1
    if depth > 200:
        return MAX_WORK + 1
    total = 1
    for keyword in schema.keys() & _ON_THE_SAME:
        value = schema[keyword]
        members = value if isinstance(value, list) else [value]
        if isinstance(value, dict) and keyword == "dependentSchemas":
            members = list(value.values())
        for each in members:
            total += _work(each, definitions, known, depth + 1)
    if "$ref" in schema:
        total += _referred(schema["$ref"], definitions, known, depth + 1)
    return min(total * (2 if _doubling(schema) else 1), MAX_WORK + 1)


_ON_THE_SAME: Final = IN_PLACE | {"not", "if"}


def _referred(reference: str, definitions: Any, known: dict[str, int], depth: int) -> int:
    name = reference.removeprefix("#/$defs/")
    if name not in known:
        known[name] = MAX_WORK + 1  # a loop on one value never ends
        known[name] = _work(definitions.get(name), definitions, known, depth)
    return known[name]
