"""Finds repeated values among JSON values, by JSON equality and in linear time.

Python's own sets and dicts are no help: `True == 1`, and integers a multiple of
2**61 - 1 apart share one hash, so that a hostile list costs quadratic time.
Texts hash with a secret; hence every value is turned into a text that is equal
exactly where the values are.
"""

from __future__ import annotations

from typing import Final

_CLOSE: Final = object()


def first_repeat(values: list[object]) -> int | None:
    """Tells the index of the first value that stands earlier in the list too."""
    try:
        # Texts are their own keys; a mixed set would fall for numbers.
        if all(value.__class__ is str for value in values) and len(set(values)) == len(values):
            return None
    except TypeError:  # pragma: no cover - a str subclass that cannot be hashed
        pass
    seen: set[str] = set()
    for index, value in enumerate(values):
        key = identity(value)
        if key in seen:
            return index
        seen.add(key)
    return None


def identity(value: object) -> str:
    """Spells a JSON value so that two values are equal JSON exactly where the texts are equal."""
    parts: list[str] = []
    pending: list[object] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            parts.append("{")
            pending.append(_CLOSE)
            for name in sorted(item, reverse=True):
                pending += (item[name], name)
        elif isinstance(item, list):
            parts.append("[")
            pending.append(_CLOSE)
            pending += reversed(item)
        else:
            parts.append("]" if item is _CLOSE else _scalar(item))
    return "".join(parts)


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return f"s{len(value)}:{value}"
    if isinstance(value, bool) or value is None:
        return {True: "t", False: "f", None: "n"}[value]
    if isinstance(value, float) and not value.is_integer():
        return f"d{value!r},"
    # Hexadecimal has no limit of digits, and 1.0 is 1.
    return f"i{int(value):x},"  # type: ignore[call-overload]  # only numbers are left
