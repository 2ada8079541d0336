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
    if refers:
        validator = getattr(tools.jsonschema, _VALIDATORS[dialect])(schema, registry=tools.registry)
    else:
        validator = _blank(dialect).evolve(schema=schema)

    def refused_at(value: Any) -> list[str] | None:
        try:
            error = next(validator.iter_errors(value), None)
        except tools.stops as stop:
            raise ValueError(f"the validator stopped: {type(stop).__name__}") from stop
        return None if error is None else [str(step) for step in error.absolute_schema_path]

    return refused_at
