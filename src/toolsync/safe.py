r"""Untrusted text made harmless for terminals, pages and CI logs.

Tool names, descriptions, file names and what other programs answered may hold
escape sequences, text that runs backwards, or characters that nobody sees. All of
them are shown as `\u{…}`. The ranges are spelled out instead of asked from
`unicodedata`, so that every Python prints the same bytes.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_UNSEEN: Final = (
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\xa0\xad\u034f\u061c"  # no-break space, soft hyphen, joiner, Arabic letter mark
    "\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"  # fillers and Mongolian selectors
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f"  # spaces, zero width, bidi, separators
    "\u2800\u3164\uffa0"  # blanks that count as letters or symbols
    "\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef"  # surrogates, private use, noncharacters
    "\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ufffe\uffff"  # variation selectors, BOM, annotations
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # format controls
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff"  # tags, selectors, private planes
)
# Letters that pass for Latin ones: some Greek ones, other alphabets, wide forms.
_STRANGE: Final = (
    "[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧνορ\u0400-\u058f\u13a0-\u13ff\u1c80-\u1c8f\u2c80-\u2cff"
    "\ua640-\ua69f\uab70-\uabbf\uff21-\uff5a]"
)


@cache
def _unsafe() -> re.Pattern[str]:
    # Compiled when the first text needs it: most catalogues are plain ASCII.
    return re.compile(f"[{_UNSEEN}]")


@cache
def _command() -> re.Pattern[str]:
    return re.compile(r"##(?=[\w.-]*\[)")


def safe_text(text: str) -> str:
    r"""Shows every control, bidi and invisible character of a text as `\u{…}`.

    Also breaks `##[` and `##word[`, which CI runners obey anywhere in a line. Doing it
    twice changes nothing.
    """
    if not (text.isascii() and text.isprintable()):
        text = _unsafe().sub(_escaped, text)
    return _disobeyed(text, "#\\u{23}")


def _disobeyed(text: str, broken: str) -> str:
    return _command().sub(lambda _: broken, text) if "##" in text else text


def named(text: str) -> str:
    """Quotes a name in a sentence."""
    return f"'{safe_text(text)}'"


def safe_words(text: str) -> str:
    """Shows a name or a sentence; words of two alphabets that look alike get their spelling too."""
    if text.isascii() or not re.search(_STRANGE, text):
        return safe_text(text)
    return safe_text(re.sub(r"[\w.-]+`?", _with_spelling, text))


def _with_spelling(match: re.Match[str]) -> str:
    name = match[0]
    return f"{name} ({spelled(name.rstrip('`'))})" if _disguised(name) else name


def spelled(text: str) -> str:
    r"""Shows a text in ASCII: every other character, and every control, as `\u{…}`."""
    return "".join(c if " " <= c <= "~" else f"\\u{{{ord(c):X}}}" for c in text)


def _disguised(name: str) -> bool:
    """Tells whether a word has both Latin letters and strange ones."""
    words = re.findall(r"[^\W_]+", name)
    return any(re.search(_STRANGE, word) and re.search("[A-Za-z]", word) for word in words)


def printable(text: str) -> str:
    r"""Shows a text on one line: line breaks and tabs as `\n` and `\t`, the rest made safe."""
    return safe_text(text.replace("\n", "\\n").replace("\t", "\\t"))


def safe_line(line: str) -> str:
    """Keeps a finished output line from being read as a CI command (`::error::…`).

    Looks for `##word[` again: safe texts side by side may make one.
    """
    if line.lstrip().startswith("::"):
        line = line.replace("::", "\\u{3A}:", 1)
    return _disobeyed(line, "#\\u{23}")


def safe_json(text: str) -> str:
    """Rewrites JSON text so that it reads the same and holds no unsafe character.

    Outside of strings JSON has none but line breaks, which stay.
    """
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        text = _unsafe().sub(_json_escaped, text)
    return _disobeyed(text, "#\\u0023")


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):X}}}"


def _json_escaped(match: re.Match[str]) -> str:
    char = match[0]
    if char == "\n":
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
