"""Respells ECMA-262 patterns for Python's `re`, which the checking validator uses."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

_TOKEN: Final = re.compile(
    r"""
    \\u\{(?P<braced>[0-9a-fA-F]{1,6})\}
    | \\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})
    | (?P<named>\(\?<(?![=!]))
    | \\k<(?P<again>\w+)>
    | (?P<dash>(?<=\\[wWdDsS])-(?!\]))
    | \\c(?P<control>[A-Za-z])
    | \\[pP]\{[^}]*\}
    | \\(?P<escaped>.)
    | (?P<plain>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_MOST_REMEMBERED: Final = 256  # characters; patterns return from tool to tool
_SPACE: Final = "\\t-\\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

_NESTING: Final = frozenset(
    {"properties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
_NAMING: Final = _NESTING | {"patternProperties"}
_DATA: Final = frozenset({"enum", "const", "required", "dependentRequired", "x-undecidable"})


def for_python(pattern: str) -> str:
    r"""Spells a pattern so that `re` reads it as ECMA-262 does.

    Digits and words are ASCII, and `$` is the end, not the last line's. What
    `re` cannot express is left: it refuses to compile, or a test tells.
    """
    return (_spelt if len(pattern) <= _MOST_REMEMBERED else _spelt.__wrapped__)(pattern)


@lru_cache(256)
def _spelt(pattern: str) -> str:
    inside = False
    out: list[str] = []
    for token in _TOKEN.finditer(pattern):
        text = _token(token, inside=inside)
        if token["plain"] == "[":
            inside = True
        elif token["plain"] == "]":
            inside = False
        out.append(text)
    return "(?a:" + "".join(out) + ")"


def _token(token: re.Match[str], *, inside: bool) -> str:
    kind = token.lastgroup
    if kind == "plain":
        return _plain(token.group(), inside=inside)
    if kind == "escaped":
        return _escaped(token["escaped"], token.group(), inside=inside)
    if kind == "control":
        return f"\\x{ord(token['control']) % 32:02x}"
    if kind in {"braced", "low"}:
        return re.escape(chr(_point(token)))
    if kind == "again":
        return f"(?P={token['again']})"
    if kind == "dash":
        return r"\-" if inside else "-"
    return "(?P<" if kind == "named" else token.group()


def _plain(text: str, *, inside: bool) -> str:
    if inside:
        return r"\[" if text == "[" else text
    return {"$": r"\Z", ".": "[^\n\r\u2028\u2029]"}.get(text, text)


def _escaped(letter: str, text: str, *, inside: bool) -> str:
    if letter == "s":
        return _SPACE if inside else f"[{_SPACE}]"
    if letter == "S" and not inside:
        return f"[^{_SPACE}]"
    return "/" if letter == "/" else text


def _point(token: re.Match[str]) -> int:
    if token["braced"]:
        return min(int(token["braced"], 16), 0x10FFFF)
    high, low = int(token["high"], 16), int(token["low"], 16)
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)


def respelt(schema: Any) -> Any:
    """Copies a schema with every pattern spelt for Python."""
    if not isinstance(schema, dict):
        return [respelt(each) for each in schema] if isinstance(schema, list) else schema
    out: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "pattern" and isinstance(value, str):
            out[keyword] = for_python(value)
        elif keyword == "patternProperties" and isinstance(value, dict):
            out[keyword] = {for_python(name): respelt(each) for name, each in value.items()}
        elif keyword in _NESTING and isinstance(value, dict):
            out[keyword] = {name: respelt(each) for name, each in value.items()}
        else:
            out[keyword] = value if keyword in _DATA else respelt(value)
    return out


def patterns_in(schema: Any) -> list[str]:
    """Lists the patterns in a schema as read."""
    found: list[str] = []
    pending = [schema]
    while pending:
        here = pending.pop()
        if isinstance(here, list):
            pending += here
        if not isinstance(here, dict):
            continue
        for keyword, value in here.items():
            if keyword == "pattern" and isinstance(value, str):
                found.append(value)
            elif keyword in _NAMING and isinstance(value, dict):
                found += value if keyword == "patternProperties" else ()
                pending += value.values()
            elif keyword not in _DATA:
                pending.append(value)
    return found


def respelling_matters(patterns: list[str]) -> bool:
    """Tells whether some pattern could mean something else to Python."""
    return any(not each.isascii() or set(each) & set("\\$.") for each in patterns)
