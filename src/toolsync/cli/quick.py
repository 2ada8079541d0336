"""Arguments that are plainly right are taken as they are, without a validation library.

Typer hands every argument to pydantic, and loading that costs more than reading two
catalogues and comparing them: it would double the time of every start. Here a text
stays a text, and a number or a choice is looked up. What is wrong with one of those is
said here; whatever else is not plainly right goes the long way.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin, get_type_hints

import typer
import typer.core

from . import output

_LONG_WAY: Final = object()
_DIGITS: Final = 19


class Quick:
    """Gives every parameter of a command the short way; goes before Typer's own class."""

    callback: Any

    def get_help_option(self, ctx: Any) -> Any:
        """Returns `--help`, which prints like everything else."""
        option = super().get_help_option(ctx)  # type: ignore[misc]  # of the other base
        if option is not None:
            option.callback = _show_help
        return option

    def get_params(self, ctx: Any) -> list[Any]:
        """Returns every parameter, `--help` too."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of the other base
        slow = [each for each in parameters if "process_value" not in vars(each)]
        if slow:
            hints = get_type_hints(self.callback, include_extras=True)
            for each in slow:
                each.process_value = _short_way(
                    each, _wanted(hints.get(each.name)), each.process_value
                )
        return parameters


def _show_help(context: Any, _: Any, wanted: Any) -> None:
    # Typer's own way to print passes by what tells trouble with standard output.
    if wanted and not context.resilient_parsing:
        output.write_text(f"{context.get_help()}\n")
        context.exit()


class QuickCommand(Quick, typer.core.TyperCommand):
    """A command whose parameters go the short way."""


class _Wanted(NamedTuple):
    """What a parameter takes: its type without `| None`, and its bounds if it has any."""

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
        if plain is _LONG_WAY and (expected := _expected(wanted)):
            message = f"expected {expected}, got '{value}'"
            raise typer.BadParameter(message, context, parameter)
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


def _expected(wanted: _Wanted) -> str:
    """Says what a number or a choice may be; of other kinds nothing."""
    kind, low, high = wanted
    if kind is int:
        return f"a whole number from {low} to {high}"
    if isinstance(kind, type) and issubclass(kind, Enum):
        *others, last = (each.value for each in kind)
        return f"{', '.join(others)} or {last}"
    return ""


def _number(wanted: _Wanted, value: Any) -> Any:
    if not isinstance(value, int):
        if not (value.isascii() and value.isdecimal() and len(value) < _DIGITS):
            return _LONG_WAY
        value = int(value)
    _, low, high = wanted
    bounded = (low is None or value >= low) and (high is None or value <= high)
    return value if bounded else _LONG_WAY
