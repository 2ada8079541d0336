"""Arguments that are plainly right are taken as they are, without a validation library.

Typer hands every argument to pydantic, and loading that costs more than reading two
catalogues and comparing them: it would double the time of every start. Here a text
stays a text, and a number or a choice is looked up; whatever is not plainly right goes
the long way, which knows how to say what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin, get_type_hints

import typer.core

_LONG_WAY: Final = object()


class Quick:
    """Gives every parameter of a command the short way; goes before Typer's own class."""

    callback: Any

    def get_params(self, ctx: Any) -> list[Any]:
        """Is every parameter, `--help` too."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of the other base
        slow = [each for each in parameters if "process_value" not in vars(each)]
        if slow:
            hints = get_type_hints(self.callback, include_extras=True)
            for each in slow:
                each.process_value = _short_way(
                    each, _wanted(hints.get(each.name)), each.process_value
                )
        return parameters


class QuickCommand(Quick, typer.core.TyperCommand):
    """Is one command."""


class _Wanted(NamedTuple):
    """Is what a parameter takes: its type without `| None`, and its bounds if it has any."""

    kind: Any
    low: float | None = None
    high: float | None = None


def _wanted(hint: Any) -> _Wanted:
    if get_origin(hint) is not Annotated:
        return _Wanted(None)
    kind, info = get_args(hint)
    kinds = [each for each in get_args(kind) if each is not type(None)]
    if len(kinds) == 1 and type(None) in get_args(kind):
        kind = kinds[0]
    return _Wanted(kind, info.min, info.max)


def _short_way(
    parameter: Any, wanted: _Wanted, long_way: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    def process(context: Any, value: Any) -> Any:
        plain = _plain(wanted, value)
        if plain is _LONG_WAY or (plain is None and parameter.required):
            return long_way(context, value)
        callback = parameter.callback
        return plain if callback is None else callback(context, parameter, plain)

    return process


def _plain(wanted: _Wanted, value: Any) -> Any:
    kind = wanted.kind
    if value is None:
        return () if kind == list[str] else None
    if kind is bool or kind is str:
        return value if isinstance(value, kind) else _LONG_WAY
    if kind is int:
        return _number(wanted, value)
    if kind == list[str]:
        return list(value) if all(isinstance(each, str) for each in value) else _LONG_WAY
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next((each for each in kind if value in (each, each.value)), _LONG_WAY)
    return _LONG_WAY


def _number(wanted: _Wanted, value: Any) -> Any:
    if not isinstance(value, int):
        if not (value.isascii() and value.isdecimal() and len(value) < 19):
            return _LONG_WAY
        value = int(value)
    _, low, high = wanted
    bounded = (low is None or value >= low) and (high is None or value <= high)
    return value if bounded else _LONG_WAY
