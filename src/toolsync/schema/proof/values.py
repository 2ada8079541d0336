"""JSON values as JSON Schema sees them: their kind, when two are equal, what a number is exactly.

Python's equality is not JSON's (`True == 1`), and its integer hashes collide on
purpose-made input, so values are compared by a text key.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from json.encoder import encode_basestring
from typing import Any, Final

NULL: Final = 1
BOOLEAN: Final = 2
INTEGER: Final = 4
FRACTION: Final = 8  # numbers that are not whole: with INTEGER they make up "number"
STRING: Final = 16
ARRAY: Final = 32
OBJECT: Final = 64
NUMBER: Final = INTEGER | FRACTION
ANYTHING: Final = 127

SAFE: Final = 2**53 - 1
"""The largest whole number that every JSON reader holds exactly."""

MAX_DEPTH: Final = 128
"""How deep a value or schema may nest before it counts as undecidable."""

Exact = int | Fraction

_NAMED: Final = {
    "null": NULL,
    "boolean": BOOLEAN,
    "integer": INTEGER,
    "number": NUMBER,
    "string": STRING,
    "array": ARRAY,
    "object": OBJECT,
}
_BY_CLASS: Final = {
    str: STRING,
    bool: BOOLEAN,
    int: INTEGER,
    type(None): NULL,
    list: ARRAY,
    dict: OBJECT,
}


class Undecidable(Exception):  # noqa: N818 - an answer, caught by whoever asked
    """Says what stopped a decision: the reason, and the JSON Pointer where it stands."""

    def __init__(self, reason: str, where: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.where = where


def mask_of(named: Any) -> int:
    """Turns the value of `type` into a set of kinds.

    Raises:
        KeyError, TypeError: it names no kinds.
    """
    if named.__class__ is str:
        return _NAMED[named]
    if named.__class__ is not list:
        raise TypeError("type: neither a name nor a list")
    mask = 0
    for name in named:
        mask |= _NAMED[name]
    return mask


def kind_of(value: object) -> int:
    """Tells which one kind a JSON value is of; a float that is whole is an integer."""
    kind = _BY_CLASS.get(value.__class__)
    if kind is not None:
        return kind
    if isinstance(value, float):
        return INTEGER if value.is_integer() else FRACTION
    raise Undecidable(f"expected a JSON value, got a Python {type(value).__name__}")


def exact(number: float) -> Exact:
    """Reads a JSON number as the decimal that it spells: `0.1` is one tenth."""
    if isinstance(number, int):
        return number
    if number.is_integer():
        return int(number)
    if number != number or number in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN
        raise Undecidable("expected a finite number")
    return Fraction(repr(number))


def plain(number: Exact) -> int | float | None:
    """Spells an exact number as JSON can hold it; None where no double is that decimal."""
    if isinstance(number, int):
        return number
    if number.denominator == 1:
        return int(number)
    try:
        near = float(number)
    except OverflowError:
        return None
    return near if near and Fraction(repr(near)) == number else None


def key(value: Any, depth: int = 0) -> str:
    """Gives equal JSON values, and only those, the same text."""
    kind = kind_of(value)
    if kind == STRING:
        return encode_basestring(value)
    if kind == INTEGER:
        return format(int(value), "x")  # hexadecimal: no limit of digits, and linear
    if kind == FRACTION:
        return "~" + repr(value)
    if kind & (NULL | BOOLEAN):
        return {None: "N", True: "T", False: "F"}[value]
    return _compound_key(value, depth + 1)


def _compound_key(value: Any, depth: int) -> str:
    if depth > MAX_DEPTH:
        raise Undecidable("a value nested too deeply")
    if isinstance(value, list):
        return "[" + ",".join([key(item, depth) for item in value]) + "]"
    parts = [encode_basestring(name) + ":" + key(value[name], depth) for name in sorted(value)]
    return "{" + ",".join(parts) + "}"


def same(left: object, right: object) -> bool:
    """Tells whether two values are the same JSON; list order counts, member order does not."""
    return left is right or key(left) == key(right)


def size_of(number: float) -> Exact:
    """Gives the absolute value of a number, exactly."""
    value = exact(number)
    return -value if value < 0 else value


def largest_number(values: Iterable[Any]) -> Exact:
    """Finds the greatest size among the numbers in some values, however deep; 0 without any."""
    most: Exact = 0
    pending: list[Any] = list(values)
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            most = max(most, size_of(value))
    return most


def is_json(value: object) -> bool:
    """Tells whether a Python value stands for JSON; one that is circular does not."""
    pending: list[tuple[object, int]] = [(value, 0)]
    while pending:
        each, depth = pending.pop()
        if depth > _DEEPEST or (each.__class__ not in _BY_CLASS and not _is_finite(each)):
            return False
        if isinstance(each, dict):
            if not all(isinstance(name, str) for name in each):
                return False
            pending += [(part, depth + 1) for part in each.values()]
        elif isinstance(each, list):
            pending += [(part, depth + 1) for part in each]
    return True


_DEEPEST: Final = 2_000  # deeper than any text that is read


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and abs(value) < float("inf")
