r"""Reads ECMA-262 patterns (with the `u` flag's code points) into a small syntax tree.

JSON Schema names this dialect: `\\d`, `\\w` and `\\s` have fixed sets, and `$` is
the very end. Only what regular languages can express is read; the rest is
refused by name, so that nobody reasons about it as if it were understood.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

Ranges = tuple[tuple[int, int], ...]

LAST: Final = 0x10FFFF
MAX_PATTERN: Final = 4_000
MAX_NESTING: Final = 60
MAX_COUNT: Final = 100_000


class NotRegular(Exception):  # noqa: N818 - an answer, caught by its caller
    """Names the part of a pattern that automata cannot express, or that is not understood."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of a set of code points."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Edge:
    """`^` (start) or `$` (end)."""

    start: bool


@dataclass(frozen=True, slots=True)
class Look:
    """A look-ahead: what follows must, or must not, match."""

    inner: Syntax
    wanted: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after the other; no parts match the empty text."""

    parts: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several alternatives."""

    parts: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part between `least` and `most` times; None is any number."""

    inner: Syntax
    least: int
    most: int | None


Syntax = Chars | Edge | Look | Sequence | Choice | Repeat


def normal_ranges(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sorts and joins ranges of code points."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)


def inverted(ranges: Ranges) -> Ranges:
    """Gives every code point that is not in the ranges."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if low > start:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        gaps.append((start, LAST))
    return tuple(gaps)


def _points(text: str) -> Ranges:
    return normal_ranges((ord(each), ord(each)) for each in text)


_DIGIT: Final = ((0x30, 0x39),)
_WORD: Final = normal_ranges([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
_BREAKS: Final = _points("\n\r\u2028\u2029")
_SPACE: Final = normal_ranges(
    [*_points("\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff"), (0x2000, 0x200A)]
)
_CLASSES: Final = {
    "d": _DIGIT,
    "D": inverted(_DIGIT),
    "w": _WORD,
    "W": inverted(_WORD),
    "s": _SPACE,
    "S": inverted(_SPACE),
}
_DOT: Final = inverted(_BREAKS)
_CONTROLS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_HEX: Final = frozenset("0123456789abcdefABCDEF")


def parse(pattern: str) -> Syntax:
    """Reads a pattern.

    Raises:
        NotRegular: it is no pattern, or needs more than a regular language.
    """
    if len(pattern) > MAX_PATTERN:
        raise NotRegular("a pattern longer than can be analysed")
    reader = _Reader(pattern)
    tree = reader.choice(0)
    if reader.at < len(pattern):
        raise NotRegular("an unbalanced parenthesis")
    return tree


class _Reader:
    """A recursive-descent reader; `at` is the next character's index."""

    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        self.at += 1
        return self.text[self.at - 1 : self.at]

    def taken(self, literal: str) -> bool:
        found = self.text.startswith(literal, self.at)
        self.at += len(literal) if found else 0
        return found

    def choice(self, depth: int) -> Syntax:
        if depth > MAX_NESTING:
            raise NotRegular("a pattern nested too deeply")
        parts = [self.sequence(depth)]
        while self.taken("|"):
            parts.append(self.sequence(depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self, depth: int) -> Syntax:
        parts: list[Syntax] = []
        while self.peek() not in {"", "|", ")"}:
            parts.append(self.repeated(self.atom(depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self, inner: Syntax) -> Syntax:
        bounds = self.quantifier()
        if bounds is None:
            return inner
        if isinstance(inner, (Edge, Look)):
            raise NotRegular("a repeated assertion")
        self.taken("?")  # laziness changes what is captured, not what matches
        return Repeat(inner, *bounds)

    def quantifier(self) -> tuple[int, int | None] | None:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if self.peek() in simple:
            return simple[self.take()]
        end = self.text.find("}", self.at) if self.peek() == "{" else -1
        if end < 0:
            return None
        least, comma, most = self.text[self.at + 1 : end].partition(",")
        if not _is_count(least) or (most and not _is_count(most)):
            return None
        self.at = end + 1
        low = int(least)
        high = (int(most) if most else None) if comma else low
        if low > MAX_COUNT or (high is not None and (high > MAX_COUNT or high < low)):
            raise NotRegular("a repetition out of bounds")
        return low, high

    def atom(self, depth: int) -> Syntax:
        symbol = self.take()
        if symbol == "(":
            return self.group(depth)
        if symbol == "[":
            return Chars(self.char_class())
        if symbol == "\\":
            return self.escape()
        if symbol in "^$":
            return Edge(symbol == "^")
        if symbol == ".":
            return Chars(_DOT)
        if symbol in "*+?":
            raise NotRegular("nothing to repeat")
        return Chars(((ord(symbol), ord(symbol)),))

    def group(self, depth: int) -> Syntax:
        wanted: bool | None = None
        if self.taken("?"):
            if self.taken("=") or self.taken("!"):
                wanted = self.text[self.at - 1] == "="
            elif not self.taken(":"):
                self.group_name()
        inner = self.choice(depth + 1)
        if not self.taken(")"):
            raise NotRegular("an unbalanced parenthesis")
        return inner if wanted is None else Look(inner, wanted)

    def group_name(self) -> None:
        if not self.taken("<") or self.peek() in {"=", "!", ""}:
            raise NotRegular("a look-behind or unknown group")
        end = self.text.find(">", self.at)
        if end < 0:
            raise NotRegular("an unbalanced group name")
        self.at = end + 1

    def escape(self) -> Syntax:
        if self.peek() in {"b", "B"}:
            raise NotRegular("a word boundary")
        if self.peek().isdigit() and self.peek() != "0":
            raise NotRegular("a back-reference")
        return Chars(self.escaped())

    def escaped(self) -> Ranges:
        """Reads what follows a backslash, in a class or outside."""
        symbol = self.take()
        if symbol in _CLASSES:
            return _CLASSES[symbol]
        point = self.code_point(symbol)
        return ((point, point),)

    def code_point(self, symbol: str) -> int:
        if symbol in _CONTROLS:
            return _CONTROLS[symbol]
        if symbol == "0" and not self.peek().isdigit():
            return 0
        if symbol == "c" and self.peek().isascii() and self.peek().isalpha():
            return ord(self.take()) % 32
        if symbol == "x":
            return self.hexadecimal(2)
        if symbol == "u":
            return self.unicode()
        if symbol and symbol.isascii() and not symbol.isalnum():
            return ord(symbol)
        names = {"p": "a Unicode property", "P": "a Unicode property", "k": "a back-reference"}
        raise NotRegular(names.get(symbol, "an escape that is not understood"))

    def hexadecimal(self, digits: int) -> int:
        text = self.text[self.at : self.at + digits]
        if len(text) < digits or not set(text) <= _HEX:
            raise NotRegular("an escape that is not understood")
        self.at += digits
        return int(text, 16)

    def unicode(self) -> int:
        if self.taken("{"):
            end = self.text.find("}", self.at)
            if end < 0 or end - self.at > 6:
                raise NotRegular("an escape that is not understood")
            point = self.hexadecimal(end - self.at)
            self.at += 1
            return min(point, LAST)
        high = self.hexadecimal(4)
        if 0xD800 <= high < 0xDC00 and self.taken("\\u"):
            low = self.hexadecimal(4)
            return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
        return high

    def char_class(self) -> Ranges:
        negated = self.taken("^")
        ranges: list[tuple[int, int]] = []
        while not self.taken("]"):
            first = self.class_atom()
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in {"]", ""}:
                self.at += 1
                ranges += _span(first, self.class_atom())
            else:
                ranges += first
        joined = normal_ranges(ranges)
        return inverted(joined) if negated else joined

    def class_atom(self) -> Ranges:
        symbol = self.take()
        if not symbol:
            raise NotRegular("an unbalanced bracket")
        if symbol != "\\":
            return ((ord(symbol), ord(symbol)),)
        if self.taken("b"):
            return ((8, 8),)
        return self.escaped()


def _span(first: Ranges, last: Ranges) -> Ranges:
    if len(first) != 1 or len(last) != 1 or first[0][0] != first[0][1] or last[0][0] != last[0][1]:
        return (*first, (0x2D, 0x2D), *last)  # `[\w-.]`: beside a class, a dash is a dash
    if last[0][0] < first[0][0]:
        raise NotRegular("a range out of order")
    return ((first[0][0], last[0][0]),)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7
