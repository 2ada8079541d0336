"""Where in a text a tool stands, and each part of it: lines and columns.

A report names a JSON Pointer into a tool as toolsync reads it; an editor or a code review
wants a line of the file. Shapes other than MCP's are followed by their own keywords.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from toolsync import _reading
from toolsync.catalog import LIMITS, Limits
from toolsync.errors import ToolsyncError
from toolsync.pages import placed_tool_arrays

_SPELLINGS: Final = {
    "inputSchema": ("inputSchema", "input_schema", "parameters", "args_schema",
                    "parametersJsonSchema"),
    "outputSchema": ("outputSchema", "response", "responseJsonSchema"),
}  # fmt: skip
_WRAPPERS: Final = ("functionDeclarations", "function_declarations")
_MARKS: Final = re.compile(rb"[ \t\r\n,:]*")
_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_STEP: Final = 4096
_CONTINUATION: Final = bytes(range(0x80, 0xC0))


class Region(NamedTuple):
    """A stretch of a text; lines and columns count from 1, columns in characters."""

    line: int
    column: int
    end_line: int
    end_column: int


class _Place(NamedTuple):
    """A value, and where it begins and ends; `key` is where its key begins, if it has one."""

    value: _reading.Value
    key: int
    start: int
    end: int


class Locator:
    """Finds tools and their parts in one text; reads it when it is first asked."""

    def __init__(self, text: bytes, *, limits: Limits = LIMITS) -> None:
        self._text = text
        self._limits = limits
        self._tools: dict[str, _Place] | None = None
        self._lines: _Lines | None = None
        self._inside: dict[int, dict[str, _Place]] = {}
        self._last = ""

    def region(self, name: str, tokens: Sequence[str] = ()) -> Region | None:
        """Returns where a part of a tool stands, or what is left of the way to it.

        None where the text has no such tool.
        """
        if self._tools is None:
            self._tools = dict(self._named_tools())
        place = self._tools.get(name)
        if place is None:
            return None
        if self._last != name:  # what was outlined of one tool serves until the next
            self._inside, self._last = {}, name
        _, start, _, end = self._follow(place, tokens)
        if self._lines is None:
            self._lines = _Lines(self._text)
        return Region(*self._lines.at(start), *self._lines.at(end))

    def _follow(self, place: _Place, tokens: Sequence[str]) -> _Place:
        for depth, key in enumerate(tokens):
            names = _SPELLINGS.get(key, (key,)) if not depth else (key,)
            inner = next((found for name in names if (found := self._step(place, name))), None)
            if inner is None and not depth and key == "inputSchema":
                continue  # a LangChain tool may be its own schema
            if inner is None:
                break
            place = inner
        return place

    def _step(self, place: _Place, token: str) -> _Place | None:
        inside = self._inside.get(place.start)
        if inside is None:
            inside = self._inside[place.start] = dict(self._parts(place))
        return inside.get(token)

    def _parts(self, place: _Place) -> Iterator[tuple[str, _Place]]:
        """Yields the parts of an object or array by the token that leads to them."""
        if place.value.kind not in ("object", "array"):
            return
        # The core says how long a value is, but of a string with escapes not where it stands.
        inner, at = place.value.outline(), place.start + 1
        is_object = place.value.kind == "object"
        pairs = inner.members() if is_object else ((None, each) for each in inner.elements())
        for index, (name, value) in enumerate(pairs):
            key = start = self._after_marks(at)
            if name is not None:
                start = self._after_marks(self._string_end(key))
            is_string = value.kind == "string"
            at = self._string_end(start) if is_string else start + value.end - value.start
            if name is None or name.fault is None:
                yield str(index) if name is None else name.string, _Place(value, key, start, at)

    def _after_marks(self, at: int) -> int:
        found = _MARKS.match(self._text, at)
        return found.end() if found else at

    def _string_end(self, at: int) -> int:
        found = _STRING.match(self._text, at)
        return found.end() if found else at

    def _named_tools(self) -> Iterator[tuple[str, _Place]]:
        """Yields every tool that has a name, the first of a name last."""
        try:
            limits = self._limits
            arrays = placed_tool_arrays(self._text, limits.max_depth, limits.max_string)
        except ToolsyncError:
            return  # another text than the one that was read
        found = [
            named
            for array in arrays
            for _, element in self._parts(_Place(array, array.start, array.start, array.end))
            for named in self._named(element)
        ]
        yield from reversed(found)

    def _named(self, place: _Place) -> Iterator[tuple[str, _Place]]:
        if place.value.kind != "object":
            return
        inside = dict(self._parts(place))
        function = inside.get("function")
        wrapped = next((inside[name] for name in _WRAPPERS if name in inside), None)
        if function is not None and function.value.kind == "object":
            yield from self._named(function)
        elif wrapped is not None and wrapped.value.kind == "array":
            for _, each in self._parts(wrapped):
                yield from self._named(each)
        else:
            name = inside.get("name") or inside.get("title")
            if name is not None and name.value.kind == "string" and name.value.fault is None:
                yield name.value.string, place


class _Lines:
    """Turns offsets into lines and columns, each in about the same time."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts = [0]
        end = text.find(b"\n")
        while end >= 0:
            self._starts.append(end + 1)
            end = text.find(b"\n", end + 1)
        # Characters before every few thousand bytes: a text may be one line.
        self._counts: list[int] = [] if text.isascii() else list(_counts(text))

    def at(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        begin = self._starts[line - 1]
        return line, 1 + self._before(offset) - self._before(begin)

    def _before(self, offset: int) -> int:
        if not self._counts:
            return offset
        step = offset // _STEP
        return self._counts[step] + _characters(self._text[step * _STEP : offset])


def _counts(text: bytes) -> Iterator[int]:
    count = 0
    yield count
    for start in range(0, len(text), _STEP):
        count += _characters(text[start : start + _STEP])
        yield count


def _characters(piece: bytes) -> int:
    return len(piece.translate(None, _CONTINUATION))
