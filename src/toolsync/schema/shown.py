"""Quotes pieces of untrusted input in reasons: bounded, without control or invisible characters."""

from __future__ import annotations

from toolsync.safe import printable

MAX_SHOWN = 80


def shown(value: object) -> str:
    """Names a JSON value in a few printable characters: `"5"`, `5`, `true`, `an object`."""
    if isinstance(value, str):
        return quoted(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _number(value)
    return "an object" if isinstance(value, dict) else "an array"


def quoted(text: str) -> str:
    """Puts a text between quotation marks, cut and escaped where it must be."""
    short = text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
    return f'"{printable(short)}"'


def _number(value: float) -> str:
    # Python refuses to write integers of thousands of digits.
    if isinstance(value, int) and value.bit_length() > 256:
        return "a very large number" if value > 0 else "a very small number"
    return repr(value)
