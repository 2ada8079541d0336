"""What the oracle computes with: exact values, and how text and objects become them.

A text is read with the standard library's `json`, whose hooks keep what it would
round or drop.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A number, as its canonical text: two are equal exactly where these are."""

    text: str


Tree: TypeAlias = "dict[str, Tree] | list[Tree] | Number | str | bool | None"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a tool is malformed, and where: reference tokens of a JSON Pointer into it."""

    path: Path
    reason: str


class UnreadableError(ValueError):
    """Says that a text is no JSON at all, or a value nothing JSON could hold."""


class MalformedError(ValueError):
    """Carries every fault that keeps a value from having a canonical text."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(faults)
        self.faults = faults


# --- numbers ---------------------------------------------------------------------


def number_from_text(literal: str) -> Number | str:
    """Returns the number, or in a word what is wrong with its literal."""
    if not re.search(r"[.eE]", literal):
        return Number("0" if literal == "-0" else literal)
    double = float(literal)
    digits, scale = _digits_and_scale(literal)
    if math.isinf(double):
        return "too large for a double"
    if double == 0 and digits:
        return "becomes zero"
    if double.is_integer() and digits and scale < 0:
        return "loses its fraction"
    return Number(double_text(double))


def _digits_and_scale(literal: str) -> tuple[str, int]:
    """The literal's value is `int(digits) * 10**scale`, with no zero at either end of digits."""
    mantissa, _, exponent = literal.lower().lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    stripped = digits.rstrip("0")
    shift = int(Decimal(exponent or "0").max(-(10**12)).min(10**12))
    return stripped, shift - len(fraction) + len(digits) - len(stripped)


def double_text(double: float) -> str:
    """A finite double as the canonical form prints it."""
    if double.is_integer() and abs(double) < 1e21:
        return str(int(double))
    return ecmascript(double)


def ecmascript(double: float) -> str:
    """ECMA-262, Number::toString, for radix 10 and a finite number other than zero."""
    sign = "-" if double < 0 else ""
    # repr gives the shortest digits that read back, which are the ones ECMA-262 asks for.
    _, digit_tuple, exponent = Decimal(repr(abs(double))).normalize().as_tuple()
    digits = "".join(map(str, digit_tuple))
    assert isinstance(exponent, int)
    return sign + _placed(digits, len(digits) + exponent)


def _placed(digits: str, point: int) -> str:
    """`0.digits * 10**point`, in the notation that ECMA-262 chooses."""
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{point - 1:+d}"


# --- reading text ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Literal:
    text: str


@dataclass(frozen=True, slots=True)
class _Members:
    pairs: list[tuple[str, Any]]


def _no_constant(word: str) -> Any:
    raise UnreadableError(f"{word} is no JSON value")


def parse(text: bytes) -> Any:
    """Reads JSON strictly; objects keep repeated keys, numbers their spelling."""
    try:
        return json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_Members,
            parse_int=_Literal,
            parse_float=_Literal,
            parse_constant=_no_constant,
        )
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UnreadableError(str(error)) from error


@dataclass(slots=True)
class _Collector:
    faults: list[Fault] = field(default_factory=list)

    def add(self, path: Path, reason: str) -> None:
        self.faults.append(Fault(path, reason))


def tree_from_text(text: bytes) -> Tree:
    """The exact value of one JSON text; `MalformedError` for text faults."""
    return _checked(_from_parsed, parse(text))


def _checked(convert: Callable[[Any, Path, _Collector], Tree], value: Any) -> Tree:
    collector = _Collector()
    tree = convert(value, (), collector)
    if collector.faults:
        raise MalformedError(collector.faults)
    return tree


def _from_parsed(value: Any, path: Path, faults: _Collector) -> Tree:
    if isinstance(value, _Members):
        return _from_members(value.pairs, path, faults)
    if isinstance(value, list):
        return [_from_parsed(item, (*path, str(i)), faults) for i, item in enumerate(value)]
    if isinstance(value, _Literal):
        number = number_from_text(value.text)
        if isinstance(number, Number):
            return number
        faults.add(path, number)
        return None
    if isinstance(value, str):
        return _text(value, path, faults)
    assert value is None or isinstance(value, bool)
    return value


def _from_members(pairs: list[tuple[str, Any]], path: Path, faults: _Collector) -> Tree:
    result: dict[str, Tree] = {}
    for key, value in pairs:
        _text(key, (*path, key), faults)
        if key in result:
            faults.add((*path, key), "repeated key")
        result[key] = _from_parsed(value, (*path, key), faults)
    return result


def _text(value: str, path: Path, faults: _Collector) -> str:
    if any(0xD800 <= ord(character) <= 0xDFFF for character in value):
        faults.add(path, "lone surrogate")
    return value


# --- reading Python values -------------------------------------------------------


def tree_from_object(value: Any) -> Tree:
    """The exact value of a JSON value held in Python objects."""
    return _checked(lambda item, path, faults: _from_object(item, path, faults, ()), value)


def _from_object(value: Any, path: Path, faults: _Collector, inside: tuple[int, ...]) -> Tree:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(str.__str__(value), path, faults)
    if isinstance(value, int):
        # Through Decimal, because str() refuses integers of more than 4300 digits.
        return Number(format(Decimal(int(value)), "f"))
    if isinstance(value, float):
        return _from_float(value, path, faults)
    if isinstance(value, Mapping | list | tuple) and id(value) not in inside:
        return _from_container(value, path, faults, (*inside, id(value)))
    faults.add(path, "no JSON value")
    return None


def _from_float(value: float, path: Path, faults: _Collector) -> Tree:
    if math.isfinite(value):
        return Number(double_text(float(value)))
    faults.add(path, "not finite")
    return None


def _from_container(value: Any, path: Path, faults: _Collector, inside: tuple[int, ...]) -> Tree:
    if not isinstance(value, Mapping):
        return [_from_object(v, (*path, str(i)), faults, inside) for i, v in enumerate(value)]
    result: dict[str, Tree] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            faults.add(path, "a key that is no string")
            continue
        name = _text(str.__str__(key), (*path, str.__str__(key)), faults)
        result[name] = _from_object(item, (*path, name), faults, inside)
    return result
