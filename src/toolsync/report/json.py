"""Reports as JSON: the same report, the same bytes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from toolsync.safe import safe_json

_PIECE: Final = 1 << 20


def encode(report: Mapping[str, Any]) -> str:
    """Returns the JSON text of a report, indented, ending in a line break.

    Characters that could steer a terminal are written as JSON escapes: a reader
    gets the same strings.
    """
    return "".join(pieces(report))


def pieces(report: Mapping[str, Any] | list[Any]) -> Iterator[str]:
    """Yields the same text in pieces: a large report is held once, not several times."""
    data = _dumped(report)
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _PIECE) + 1 or len(data)
        yield safe_json(data[start:end].decode(errors="surrogatepass"))
        start = end
    yield "\n"


def _dumped(report: Mapping[str, Any] | list[Any]) -> bytes:
    try:
        return orjson.dumps(report, option=orjson.OPT_INDENT_2)
    except TypeError:
        # Integers past 64 bits, lone surrogates or more than 254 levels: all legal here.
        return _plainly(report).encode(errors="surrogatepass")


def schema() -> dict[str, Any]:
    """Returns the JSON Schema (2020-12) that every report of `toolsync diff` satisfies."""
    found: dict[str, Any] = orjson.loads(
        Path(__file__).with_name("report.schema.json").read_bytes()
    )
    return found


def _plainly(report: Mapping[str, Any] | list[Any]) -> str:
    try:
        return json.dumps(report, indent=2, ensure_ascii=False)
    except ValueError:
        return _with_any_digits(report)


def _with_any_digits(report: Mapping[str, Any] | list[Any]) -> str:
    # Python's guard against slow conversions counts 4,300 digits; what got here was
    # read under the limits of the command line.
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(report, indent=2, ensure_ascii=False)
    finally:
        sys.set_int_max_str_digits(before)
