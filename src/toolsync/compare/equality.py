"""JSON equality, which is not Python's: `true` is not `1`, and `1.0` is `1`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from toolsync._diff import canonical
from toolsync.model import ABSENT

_SCALARS = (str, bool, type(None))


def same(old: object, new: object) -> bool:
    """Tells whether two values are one JSON value; absent equals only absent."""
    if old is new:
        return True
    if old is ABSENT or new is ABSENT or old != new:
        return False  # Python tells more values equal than JSON does, never fewer
    if isinstance(old, _SCALARS) and isinstance(new, _SCALARS):
        return isinstance(old, bool) == isinstance(new, bool)
    return _is_one_text(old, new) or canonical(old) == canonical(new)


def _is_one_text(old: object, new: object) -> bool:
    """Tells at once that two values are written alike, as most equal ones are."""
    try:
        return orjson.dumps(old) == orjson.dumps(new)
    except TypeError:  # an integer too long, or nested too deeply
        return False


def key(value: object) -> bytes:
    """Returns what is equal exactly for equal JSON values, and safe to hash."""
    return canonical(value)


def spelled(value: object) -> str:
    """Returns the canonical text of a value, for people to read."""
    return canonical(value).decode("utf-8", "replace")


def members(old: Iterable[Any], new: Iterable[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Returns what came and what went between two lists read as sets."""
    before = {key(value): value for value in old}
    after = {key(value): value for value in new}
    came = tuple(value for at, value in after.items() if at not in before)
    gone = tuple(value for at, value in before.items() if at not in after)
    return came, gone


def said(text: object) -> object:
    """Returns a text as a reader takes it: line ends and outer blanks do not count."""
    if not isinstance(text, str):
        return ABSENT if text is None else text
    if "\n" not in text and "\r" not in text:
        return text.strip(" \t") or ABSENT
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip(" \t") for line in lines).strip(" \t\n") or ABSENT
