"""Asks a real validator about a witness: it has the last word, within bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Final, NamedTuple

from toolsync.schema.dialect import Dialect

Refuser = Callable[[Any], list[str] | None]
"""Tells by which path of keywords a value is refused; None where it is accepted.

Raises ValueError where the validator cannot be asked.
"""

_VALIDATORS: Final = {
    Dialect.DRAFT4: "Draft4Validator",
    Dialect.DRAFT6: "Draft6Validator",
    Dialect.DRAFT7: "Draft7Validator",
    Dialect.DRAFT2019: "Draft201909Validator",
    Dialect.DRAFT2020: "Draft202012Validator",
}

_TYPE: Final = frozenset(("type", "format"))  # no format is asserted


class _Tools(NamedTuple):
    """What is needed of the validator's packages."""

    jsonschema: ModuleType
    registry: Any
    stops: tuple[type[Exception], ...]


@cache
def _tools() -> _Tools:
    """Loads the validator once there is a witness to confirm: most comparisons never have one."""
    import jsonschema  # noqa: PLC0415
    import jsonschema_specifications  # type: ignore[import-untyped]  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415

    stops = (RecursionError, Unresolvable, re.error, OverflowError, TypeError)
    return _Tools(jsonschema, jsonschema_specifications.REGISTRY, stops)


@cache
def _blank(dialect: Dialect) -> Any:
    """Gives a validator that accepts everything; one for another schema is quickly made of it."""
    tools = _tools()
    return getattr(tools.jsonschema, _VALIDATORS[dialect])({}, registry=tools.registry)


def refuser(
    schema: dict[str, Any] | bool, dialect: Dialect, *, refers: bool = True
) -> Refuser:
    """Makes a validator of a schema ready to be asked; `refers` says that it may hold references.

    References are never fetched: the registry holds the meta-schemas and no way to get more.
    """
    tools = _tools()
    blank = _blank(dialect)
    made = None
    if refers:
        made = getattr(tools.jsonschema, _VALIDATORS[dialect])(schema, registry=tools.registry)

    def refused_at(value: Any) -> list[str] | None:
        try:
            validator = made or blank.evolve(schema=_asked(schema, value, blank))
            error = next(validator.iter_errors(value), None)
        except tools.stops as stop:
            raise ValueError(f"the validator stopped: {type(stop).__name__}") from stop
        return None if error is None else [str(step) for step in error.absolute_schema_path]

    return refused_at


def _asked(schema: dict[str, Any] | bool, value: Any, validator: Any) -> dict[str, Any] | bool:
    """Answers beforehand for members of which only a `type` is asked: most, and long ways for it.

    The validator says whether they are of that type. What it is then asked has no
    `$schema` either, in which it would look for another one than this.
    """
    if not isinstance(schema, dict):
        return schema
    asked = {word: each for word, each in schema.items() if word != "$schema"}
    members = schema.get("properties")
    if isinstance(members, dict) and isinstance(value, dict):
        known = {
            name: True
            for name in value
            if _is_type(members.get(name), value[name], validator)
        }
        if known:
            asked["properties"] = {**members, **known}
    return asked


def _is_type(schema: Any, value: Any, validator: Any) -> bool:
    """Tells whether a schema asks for one type and nothing else, and a value is of that type."""
    if not isinstance(schema, dict) or not schema.keys() <= _TYPE:
        return False
    named = schema.get("type")
    return isinstance(named, str) and bool(validator.is_type(value, named))
