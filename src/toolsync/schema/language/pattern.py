r"""Tells whether a pattern is an ECMA-262 regular expression: in linear time, without an engine.

JSON Schema patterns are ECMAScript's, which Python's `re` both widens
(`(?P<n>a)`) and narrows (`\p{L}`, `[^]`), and native engines overflow their stack
on long hostile patterns; hence this reader of the grammar (ECMA-262 2025,
22.2.1 and annex B). Authors write for either of its two modes, so a pattern
that compiles with the `u` flag or without it is good.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from functools import lru_cache
from typing import Final

_PLAIN: Final = re.compile(r"[^\\()\[\]{}*+?|^$]+")
_PLAIN_IN_CLASS: Final = re.compile(r"[^\\\]\-]+(?!-)")
_BRACES: Final = re.compile(r"\{([0-9]+)(,([0-9]*))?\}")
# Bounded, or a row of unfinished names would be read in quadratic time.
_GROUP_NAME: Final = re.compile(r"<([^>]{1,200})>")
_MODIFIERS: Final = re.compile(r"\?([ims]*)(?:-([ims]*))?:")
_HEX: Final = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})")
_CODE_POINT: Final = re.compile(r"u\{([0-9A-Fa-f]+)\}")
_PROPERTY: Final = re.compile(r"[pP]\{\w+(?:=\w+)?\}", re.ASCII)
_DIGITS: Final = re.compile(r"[0-9]+")
_ASTRAL: Final = re.compile(r"[\U00010000-\U0010ffff]")
_SURROGATES: Final = re.compile(r"u([dD][89abAB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})")
_MOST_REMEMBERED: Final = 256  # characters; patterns return from tool to tool
_MAX_NESTING: Final = 1_000  # engines recurse and give up, at the latest, some way above it
_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")
_CONTROLS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}


def pattern_fault(pattern: str) -> str | None:
    """Says why a pattern compiles in neither mode of ECMA-262; None where it compiles in one."""
    return (_fault if len(pattern) <= _MOST_REMEMBERED else _fault.__wrapped__)(pattern)


@lru_cache(256)
def _fault(pattern: str) -> str | None:
    try:
        _Reader(pattern, unicode=False).read()
    except _SyntaxFault as legacy:
        try:
            _Reader(pattern, unicode=True).read()
        except _SyntaxFault:
            return f"expected an ECMA-262 regular expression, got {legacy.reason}"
    return None


class _SyntaxFault(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Reader:
    # fmt: off
    __slots__ = ("_at", "_backreference", "_bars", "_end", "_groups", "_loose_k", "_named",
                 "_names", "_opened", "_quantifiable", "_repeatable", "_text", "_unicode")
    # fmt: on

    def __init__(self, pattern: str, *, unicode: bool) -> None:
        # Without the u flag a pattern is read by UTF-16 code units.
        narrow = unicode or pattern.isascii()
        self._text = pattern if narrow else _ASTRAL.sub(_code_units, pattern)
        self._unicode = unicode
        self._at = 0
        self._end = len(self._text)
        self._repeatable = False
        # Of each group still open: where it began, its last `|`, may a quantifier follow it.
        self._opened = [-1]
        self._bars = [-1]
        self._quantifiable = [True]
        self._groups = 0
        self._backreference = 0
        self._named: list[str] = []
        self._names: dict[str, int] = {}
        self._loose_k = False

    def read(self) -> None:
        text = self._text
        while self._at < self._end:
            plain = _PLAIN.match(text, self._at)
            if plain:
                self._at = plain.end()
                self._repeatable = True
            else:
                self._special(text[self._at])
        if len(self._opened) > 1:
            raise _SyntaxFault(f"`(` that nothing closes at offset {self._opened[-1]}")
        self._check_references()

    def _special(self, char: str) -> None:
        if char == "\\":
            self._at += 1
            self._repeatable = self._escape()
        elif char == "[":
            self._class()
        elif char == "(":
            self._open()
        elif char == ")":
            self._close()
        elif char in "*+?{":
            self._quantifier(char)
        elif char in "|^$":
            self._boundary(char)
        else:
            self._lone(char)

    def _boundary(self, char: str) -> None:
        if char == "|":
            self._bars[-1] = self._at
        self._repeatable = False
        self._at += 1

    def _lone(self, char: str) -> None:
        if self._unicode:
            raise _SyntaxFault(f"a lone `{char}` at offset {self._at}")
        self._repeatable = True
        self._at += 1

    def _quantifier(self, char: str) -> None:
        width = 1
        if char == "{":
            braces = _BRACES.match(self._text, self._at)
            if braces is None:
                self._lone(char)
                return
            width = braces.end() - braces.start()
            if braces[3] and not _in_order(braces[1], braces[3]):
                raise _SyntaxFault(f"a repetition out of order at offset {self._at}")
        if not self._repeatable:
            raise _SyntaxFault(f"`{char}` with nothing before it to repeat, at offset {self._at}")
        self._at += width
        self._at += self._text.startswith("?", self._at)
        self._repeatable = False

    def _open(self) -> None:
        start = self._at
        if len(self._opened) > _MAX_NESTING:
            raise _SyntaxFault(f"groups nested more than {_MAX_NESTING} deep at offset {start}")
        self._at += 1
        quantifiable = True
        if self._text.startswith("?", self._at):
            quantifiable = self._group_kind(start)
        else:
            self._groups += 1
        self._opened.append(start)
        self._bars.append(-1)
        self._quantifiable.append(quantifiable)
        self._repeatable = False

    def _group_kind(self, start: int) -> bool:
        """Reads what follows `(?`; tells whether a quantifier may follow the group."""
        text, at = self._text, self._at
        if text.startswith(("?=", "?!"), at):
            self._at += 2
            return not self._unicode
        if text.startswith(("?<=", "?<!"), at):
            self._at += 3
            return False
        modifiers = _MODIFIERS.match(text, at)
        if modifiers:
            self._check_modifiers(modifiers, start)
            self._at = modifiers.end()
            return True
        self._at += 1
        if not text.startswith("<", self._at):
            raise _SyntaxFault(_unknown_group(text, start))
        self._groups += 1
        self._declare(self._group_name())
        return True

    def _check_modifiers(self, modifiers: re.Match[str], start: int) -> None:
        flags = modifiers[1] + (modifiers[2] or "")
        if len(set(flags)) < len(flags) or (modifiers[2] is not None and not flags):
            raise _SyntaxFault(f"flags that repeat or are missing at offset {start}")

    def _declare(self, name: str) -> None:
        before = self._names.get(name)
        if before is not None:
            # The same name may stand again only in another alternative of the
            # innermost group around both: a `|` must have come in between.
            around = bisect_left(self._opened, before) - 1
            if self._bars[around] < before:
                raise _SyntaxFault(f"a group name that stands twice before offset {self._at}")
        self._names[name] = self._at

    def _group_name(self) -> str:
        found = _GROUP_NAME.match(self._text, self._at)
        name = _spelled_out(found[1]) if found else ""
        if found is None or not name.replace("$", "_").isidentifier():
            raise _SyntaxFault(f"no usable group name at offset {self._at}")
        self._at = found.end()
        return name

    def _close(self) -> None:
        if len(self._opened) == 1:
            raise _SyntaxFault(f"`)` that closes nothing at offset {self._at}")
        self._opened.pop()
        self._bars.pop()
        self._repeatable = self._quantifiable.pop()
        self._at += 1

    def _escape(self) -> bool:
        """Reads what follows a backslash; tells whether a quantifier may follow."""
        char = self._text[self._at : self._at + 1]
        if char in {"b", "B"}:
            self._at += 1
            return False
        if char == "k":
            self._at += 1
            self._named_reference()
        elif "1" <= char <= "9":
            self._numbered_reference()
        else:
            self._character()
        return True

    def _named_reference(self) -> None:
        before = self._at
        try:
            self._named.append(self._group_name())
        except _SyntaxFault:
            if self._unicode:
                raise
            self._loose_k = True
            self._at = before

    def _numbered_reference(self) -> None:
        digits = _DIGITS.match(self._text, self._at)
        if digits is None:  # a digit of another script: `"1" <= char <= "9"` lets none through
            raise _SyntaxFault(f"an unknown escape at offset {self._at}")
        # Nothing holds 10**9 groups, and longer numbers would be slow to read.
        number = int(digits[0]) if len(digits[0]) < 10 else 10**9
        self._backreference = max(self._backreference, number)
        self._at = digits.end()

    def _check_references(self) -> None:
        if self._unicode and self._backreference > self._groups:
            raise _SyntaxFault(f"a reference to group {self._backreference} of {self._groups}")
        if not (self._unicode or self._names):
            return  # without named groups, `\k` is just the letter
        if self._loose_k or any(name not in self._names for name in self._named):
            raise _SyntaxFault("a `\\k` that names no group")

    def _character(self) -> int | None:
        r"""Reads an escaped character after its backslash; None for a set such as `\d`."""
        char = self._text[self._at : self._at + 1]
        if not char:
            raise _SyntaxFault("a backslash at the end")
        if char in "dDsSwW":
            self._at += 1
            return None
        if char in "pP" and self._unicode:
            self._property()
            return None
        if char in "xu":
            return self._hexadecimal(char)
        if char == "c":
            return self._control()
        return self._identity(char)

    def _property(self) -> None:
        found = _PROPERTY.match(self._text, self._at)
        if found is None:
            raise _SyntaxFault(f"no usable property name at offset {self._at}")
        self._at = found.end()

    def _hexadecimal(self, char: str) -> int:
        pair = _SURROGATES.match(self._text, self._at) if self._unicode else None
        if pair:
            self._at = pair.end()
            high, low = int(pair[1], 16), int(pair[2], 16)
            return 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF)
        found = _HEX.match(self._text, self._at)
        if found is None and self._unicode:
            found = _CODE_POINT.match(self._text, self._at)
            if found is None or int(found[1], 16) > sys.maxunicode:
                raise _SyntaxFault(f"an unfinished `\\{char}` at offset {self._at}")
        if found is None:
            self._at += 1
            return ord(char)
        self._at = found.end()
        return int(found[found.lastindex or 0], 16)

    def _control(self) -> int:
        letter = self._text[self._at + 1 : self._at + 2]
        if letter.isascii() and letter.isalpha():
            self._at += 2
            return ord(letter) % 32
        if self._unicode:
            raise _SyntaxFault(f"an unfinished `\\c` at offset {self._at}")
        return ord("\\")  # annex B: the backslash stands for itself, the c follows

    def _identity(self, char: str) -> int:
        if self._unicode and char not in _SYNTAX and char not in _CONTROLS:
            following = self._text[self._at + 1 : self._at + 2]
            if char != "0" or "0" <= following <= "9":
                raise _SyntaxFault(f"an unknown escape at offset {self._at}")
        self._at += 1
        if char == "0":
            return 0
        return _CONTROLS.get(char, ord(char))

    def _class(self) -> None:
        start = self._at
        self._at += 1 + self._text.startswith("^", self._at + 1)
        while not self._text.startswith("]", self._at):
            plain = _PLAIN_IN_CLASS.match(self._text, self._at)
            if plain:
                self._at = plain.end()
            elif self._at >= self._end:
                raise _SyntaxFault(f"`[` that nothing closes at offset {start}")
            else:
                self._class_member()
        self._at += 1
        self._repeatable = True

    def _class_member(self) -> None:
        start = self._at
        low = self._class_atom()
        text, at = self._text, self._at
        if not text.startswith("-", at) or at + 1 >= self._end or text[at + 1] == "]":
            return
        self._at += 1
        high = self._class_atom()
        if low is None or high is None:
            if self._unicode:
                raise _SyntaxFault(f"a range that ends in a set of characters at offset {start}")
        elif low > high:
            raise _SyntaxFault(f"a range out of order at offset {start}")

    def _class_atom(self) -> int | None:
        char = self._text[self._at]
        self._at += 1
        if char != "\\":
            return ord(char)
        escaped = self._text[self._at : self._at + 1]
        if escaped == "b" or (escaped == "-" and self._unicode):
            self._at += 1
            return 8 if escaped == "b" else ord("-")
        if not self._unicode:
            return self._legacy_class_escape(escaped)
        return self._character()

    def _legacy_class_escape(self, escaped: str) -> int | None:
        if "0" <= escaped <= "7":
            return self._octal()
        following = self._text[self._at + 1 : self._at + 2]
        if escaped == "c" and following.isascii() and (following.isdigit() or following == "_"):
            self._at += 2
            return ord(following) % 32
        self._loose_k = self._loose_k or escaped == "k"
        return self._character()

    def _octal(self) -> int:
        width = 1
        while width < 3 and "0" <= self._text[self._at + width : self._at + width + 1] <= "7":
            width += 1
        value = int(self._text[self._at : self._at + width], 8)
        if value > 0o377:
            width, value = 2, value // 8
        self._at += width
        return value


def _in_order(low: str, high: str) -> bool:
    low, high = low.lstrip("0"), high.lstrip("0")
    return (len(low), low) <= (len(high), high)


def _code_units(found: re.Match[str]) -> str:
    offset = ord(found[0]) - 0x10000
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))


def _spelled_out(name: str) -> str:
    r"""Replaces `\u0061` and `\u{61}` in a group name by the character."""
    if "\\" not in name:
        return name
    escape = r"\\u(?:([0-9A-Fa-f]{4})|\{0*([0-9A-Fa-f]{1,5})\})"
    return re.sub(escape, lambda found: chr(int(found[1] or found[2], 16)), name)


def _unknown_group(text: str, start: int) -> str:
    if text.startswith("(?P<", start):
        return f"Python's `(?P<` at offset {start}; write `(?<`"
    if re.compile(r"\(\?[a-zA-Z]+\)").match(text, start):
        return f"a flag for the whole pattern at offset {start}; write `(?i:…)` around its part"
    return f"an unknown kind of group at offset {start}"
