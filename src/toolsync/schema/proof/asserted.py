"""Reads the keywords whose values are numbers, texts, names and plain values.

A value of the wrong sort raises: a malformed schema must not be read as a milder one.
"""

from __future__ import annotations

from typing import Any, TypeVar

from toolsync.schema.proof.nodes import Arrays, Numbers, Objects, Texts
from toolsync.schema.proof.table import Table
from toolsync.schema.proof.values import Exact, exact, key

_Atom = TypeVar("_Atom", Numbers, Texts, Arrays, Objects)


def unless_empty(atom: _Atom, empty: _Atom) -> _Atom | None:
    """Gives None for keywords that ask nothing."""
    return None if atom == empty else atom


def _listed(value: Any) -> list[Any]:
    if value.__class__ is not list:
        raise TypeError("expected a list")
    return value


def names_in(value: Any) -> tuple[str, ...]:
    """Gives the names in a list, sorted and once each."""
    names = _listed(value)
    if not all([each.__class__ is str for each in names]):  # noqa: C419 - met in every object
        raise TypeError("expected a list of names")
    return tuple(sorted(set(names)))


def flag(schema: dict[str, Any], keyword: str) -> bool:
    """Gives a boolean keyword; absent is false."""
    value = schema.get(keyword, False)
    if value.__class__ is not bool:
        raise TypeError(f"{keyword}: expected a boolean")
    return value


def enum_of(schema: dict[str, Any]) -> dict[str, Any]:
    """Gives the values of `enum` and `const` together, by their keys."""
    values = {key(each): each for each in _listed(schema["enum"])} if "enum" in schema else None
    if "const" not in schema:
        return values or {}
    only = key(schema["const"])
    return {} if values is not None and only not in values else {only: schema["const"]}


def count(schema: dict[str, Any], keyword: str) -> int | None:
    """Gives a keyword that counts; None where it is absent."""
    if keyword not in schema:
        return None
    value = schema[keyword]
    if value.__class__ is not int and not (value.__class__ is float and value.is_integer()):
        raise TypeError(f"{keyword}: expected a whole number")
    return int(value)


def numbers_of(schema: dict[str, Any]) -> Numbers | None:
    """Gives the bounds and multiples of numbers; None where they are free."""
    low, low_open = _tighter(schema, "minimum", "exclusiveMinimum", 1)
    high, high_open = _tighter(schema, "maximum", "exclusiveMaximum", -1)
    step = exact(schema["multipleOf"]) if "multipleOf" in schema else None
    multiples = () if step is None else (step,)
    return unless_empty(Numbers(low, high, low_open, high_open, multiples), Numbers())


def _tighter(
    schema: dict[str, Any], inclusive: str, exclusive: str, sign: int
) -> tuple[Exact | None, bool]:
    """Gives the tighter of an inclusive and an exclusive bound, and whether it is exclusive."""
    closed = exact(schema[inclusive]) if inclusive in schema else None
    opened = exact(schema[exclusive]) if exclusive in schema else None
    if opened is None or (closed is not None and closed * sign > opened * sign):
        return closed, False
    return opened, True


def texts_of(schema: dict[str, Any], table: Table) -> Texts | None:
    """Gives the lengths and patterns of texts; None where they are free."""
    text = schema.get("pattern", "")
    if text.__class__ is not str:
        raise TypeError("pattern: expected a text")
    patterns = (table.pattern(text),) if text else ()
    most = count(schema, "maxLength")
    hint = schema.get("format")
    hint = hint if isinstance(hint, str) else None
    return unless_empty(Texts(count(schema, "minLength") or 0, most, patterns, hint), Texts())
