"""A sentence in parts: its plain words, and what a page must show as code.

Pages that render Markdown make more of plain text than its author wrote: `@name` calls a
person, `#1` leads to an issue, an address becomes a link, a row of hexadecimal digits a
commit. None of that happens inside of code, so only words made of letters stay plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from toolsync.safe import printable

_QUOTED: Final = re.compile(r"(`[^`]+`)")
_PLAIN: Final = re.compile(
    r"""[(“"']*
    (?: [^\W\d_]+ (?: ['’-] [^\W\d_]+ )* | \d{1,3} (?: ,\d{3} )* | [→—–…·] )
    [)”"']* [,.;:!?…]*""",
    re.VERBOSE,
)
_HEXADECIMAL: Final = re.compile(r"[0-9a-fA-F]{7,}")
_EDGES: Final = re.compile(r"([(]*)(.*?)([,.;:)]*)", re.DOTALL)


class Part(NamedTuple):
    """A stretch of a sentence; `code` where it must not be read as markup."""

    text: str
    code: bool = False


def parts(sentence: str) -> list[Part]:
    """Returns the parts of a sentence, on one line and safe to print; neighbours differ."""
    found: list[Part] = []
    for piece in _pieces(printable(sentence)):
        if found and found[-1].code == piece.code:
            found[-1] = Part(found[-1].text + piece.text, piece.code)
        elif piece.code and len(found) > 1 and not found[-1].text.strip():
            blank = found.pop().text  # it stands between two pieces of code
            found[-1] = Part(found[-1].text + blank + piece.text, code=True)
        else:
            found.append(piece)
    return found


def _pieces(sentence: str) -> Iterator[Part]:
    for piece in _QUOTED.split(sentence):
        if _QUOTED.fullmatch(piece):
            yield Part(piece[1:-1], code=True)
        else:
            yield from _words(piece)


def _words(text: str) -> Iterator[Part]:
    """Yields words and blanks; a JSON value of several words is one piece of code."""
    value = ""
    for word in re.findall(r"\s+|\S+", text):
        if value or not _is_plain(word):
            value += word
            if not _is_open(value):
                yield from _edged(value)
                value = ""
        else:
            yield Part(word)
    yield from _edged(value)


def _is_plain(word: str) -> bool:
    if word.isspace():
        return True
    return bool(_PLAIN.fullmatch(word)) and not (_HEXADECIMAL.search(word) or _is_open(word))


def _is_open(text: str) -> bool:
    """Tells whether a quote or bracket is still to be closed."""
    return text.count('"') % 2 == 1 or any(
        text.count(left) > text.count(right) for left, right in ("[]", "{}")
    )


def _edged(word: str) -> Iterator[Part]:
    match = _EDGES.fullmatch(word)
    before, core, after = match.groups() if match else ("", word, "")
    for text, code in ((before, False), (core, True), (after, False)):
        if text:
            yield Part(text, code)
