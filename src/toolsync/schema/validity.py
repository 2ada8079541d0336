"""Tells which schemas and tools nobody can use, where, and how to go on.

A tool is unusable (docs/verdicts.md) when its `inputSchema` does not say
`"type": "object"` at the root, a schema of it is refused by the meta-schema of
its dialect, a reference leads nowhere or out of the document, a pattern does
not compile, or a hint is no boolean. Nothing is fetched, no pattern is run, and
time grows with the size of the schema only.

`format` in a meta-schema is no assertion here, except that patterns must
compile. A target of a reference is judged as a schema wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import orjson

from toolsync.schema.dialect import Dialect, dialect_of
from toolsync.schema.language.pattern import pattern_fault
from toolsync.schema.pointer import pointer
from toolsync.schema.reference import Resolver, Unresolvable, stands_as_schema
from toolsync.schema.shown import shown
from toolsync.schema.survey import Survey, link_of_tokens, tokens_of_link

MAX_FAULTS: Final = 100
"""How many faults of one schema are told; who mends these sees the next."""

_SCHEMAS: Final = ("inputSchema", "outputSchema")

HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """One reason why a schema or tool is unusable: a JSON Pointer, and "expected …, got …"."""

    path: str
    reason: str


def tool_fault(
    definition: dict[str, Any], sound: dict[str, Any] | None = None
) -> SchemaFault | None:
    """Finds one fault of a well-formed tool definition, with its pointer into the tool.

    `sound` is a definition without fault: a schema that stands there too needs no look.
    """
    fields: tuple[str, ...] = _SCHEMAS
    if sound is not None:
        fields = tuple(
            each for each in _SCHEMAS if not _is_shared(definition.get(each), sound.get(each))
        )
    return next(_tool_faults(definition, 1, fields), None)


def _is_shared(schema: object, other: object) -> bool:
    if schema.__class__ is not dict or other.__class__ is not dict:
        return False
    try:
        return orjson.dumps(schema) == orjson.dumps(other)
    except TypeError:  # an integer too long, or nested too deeply: takes a look
        return False


def tool_faults(definition: dict[str, Any], limit: int = MAX_FAULTS) -> tuple[SchemaFault, ...]:
    """Finds all faults of a well-formed tool, by path; at most `limit` in each schema."""
    return tuple(sorted(_tool_faults(definition, limit), key=lambda each: each.path))


def fault(schema: object, *, root_object: bool = True) -> SchemaFault | None:
    """Finds one fault of a schema; `root_object` asks for `"type": "object"` at its root."""
    return next(_schema_faults(schema, 1, root_object=root_object), None)


def faults(
    schema: object, *, root_object: bool = True, limit: int = MAX_FAULTS
) -> tuple[SchemaFault, ...]:
    """Finds all faults of a schema, by path; at most `limit`."""
    found = islice(_schema_faults(schema, limit, root_object=root_object), limit)
    return tuple(sorted(found, key=lambda each: each.path))


def reading_dialect(schema: object) -> Dialect:
    """Tells the dialect in which a schema is read.

    `$schema` decides. Without one, or with one that is not understood, it is
    2020-12; but draft-07 where 2020-12's meta-schema refuses and draft-07's accepts.
    """
    return _read(schema, 1)[0]


def _tool_faults(
    definition: dict[str, Any], limit: int, fields: tuple[str, ...] = _SCHEMAS
) -> Iterator[SchemaFault]:
    yield from _hint_faults(definition.get("annotations"))
    if "inputSchema" in fields:
        yield from _below("/inputSchema", definition.get("inputSchema"), limit, root_object=True)
    if "outputSchema" in fields and definition.get("outputSchema") is not None:
        yield from _below("/outputSchema", definition["outputSchema"], limit, root_object=False)


def _below(path: str, schema: object, limit: int, *, root_object: bool) -> Iterator[SchemaFault]:
    for found in islice(_schema_faults(schema, limit, root_object=root_object), limit):
        yield SchemaFault(path + found.path, found.reason)


def _hint_faults(annotations: object) -> Iterator[SchemaFault]:
    if not isinstance(annotations, dict):
        return
    for hint in HINTS:
        value = annotations.get(hint, False)
        if not isinstance(value, bool):
            reason = f"expected true or false, got {shown(value)}; leave it out for the default"
            yield SchemaFault(f"/annotations/{hint}", reason)


def _schema_faults(schema: object, limit: int, *, root_object: bool) -> Iterator[SchemaFault]:
    if root_object:
        yield from _root_faults(schema)
        if not isinstance(schema, dict):
            return
    dialect, survey = _read(schema, limit)
    yield from _unresolved(schema, dialect, survey)
    for place, (where, reason) in survey.misfits:
        yield SchemaFault(pointer(tokens_of_link(place) + where), f"{reason} ({dialect.label})")
    yield from _pattern_faults(survey)


def _pattern_faults(survey: Survey) -> Iterator[SchemaFault]:
    read: dict[str, str | None] = {}  # generated schemas repeat their patterns
    for pattern, place in survey.patterns:
        if pattern not in read:
            read[pattern] = pattern_fault(pattern)
        reason = read[pattern]
        if reason is not None:
            yield SchemaFault(pointer(tokens_of_link(place)), reason)


def _root_faults(schema: object) -> Iterator[SchemaFault]:
    if not isinstance(schema, dict):
        yield SchemaFault("", f'expected an object with "type": "object", got {shown(schema)}')
    elif "type" not in schema:
        yield SchemaFault("", 'expected "type": "object" at the root, got no "type"; add it')
    elif schema["type"] != "object":
        got = shown(schema["type"])
        yield SchemaFault("/type", f'expected "type": "object" at the root, got {got}')


def _read(schema: object, limit: int) -> tuple[Dialect, Survey]:
    """Chooses the dialect and walks the schema in it."""
    named = isinstance(schema, dict) and "$schema" in schema
    chosen = dialect_of(schema) if named else None
    survey = _surveyed(schema, chosen or Dialect.DRAFT2020, limit)
    if chosen is not None or not survey.misfits:
        return chosen or Dialect.DRAFT2020, survey
    older = _surveyed(schema, Dialect.DRAFT7, 1)
    return (Dialect.DRAFT2020, survey) if older.misfits else (Dialect.DRAFT7, older)


def _surveyed(schema: object, dialect: Dialect, limit: int) -> Survey:
    survey = Survey(dialect, limit)
    survey.walk(schema)
    return survey


def _unresolved(schema: Any, dialect: Dialect, survey: Survey) -> Iterator[SchemaFault]:
    """Follows every reference one step; a target at no known place joins the survey."""
    if not survey.references:
        return
    resolver = Resolver(schema, dialect)
    followed: set[tuple[str, str]] = set()
    joined: set[tuple[str, ...]] = set()
    # The list grows while targets join.
    for ref, place in survey.references:
        base = resolver.base_at(tokens_of_link(place)[:-1]) if survey.named else resolver.root_base
        if (base, ref) in followed:
            continue
        followed.add((base, ref))
        try:
            tokens = resolver.resolve(ref, base).tokens
        except Unresolvable as unresolvable:
            yield SchemaFault(pointer(tokens_of_link(place)), unresolvable.reason)
            continue
        if not stands_as_schema(tokens, dialect) and tokens not in joined:
            joined.add(tokens)
            survey.walk(resolver.resolve(ref, base).schema, link_of_tokens(tokens))
