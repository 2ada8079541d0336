"""What changed in a text, word by word.

A text of any length costs bounded work: what both ends share is cut off first,
and a middle that is too large or too different is shown as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from .edits import Kind, shared, steps

# A word keeps the white space after it, so that blanks do not count as common words;
# scripts written without blanks are compared by character.
_WORD: Final = (
    r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W\u2e80-\u9fff\uac00-\ud7af]+\s*|[^\w\s]\s*|\s+"
)


class Piece(NamedTuple):
    """A stretch of text that stayed, went or came."""

    kind: Kind
    text: str


def word_diff(old: str, new: str) -> list[Piece]:
    """Returns the shortest way from one text to the other, in words."""
    a, b = re.findall(_WORD, old), re.findall(_WORD, new)
    head = shared(a, b)
    tail = shared(a[head:][::-1], b[head:][::-1])
    middle = _middle(a[head : len(a) - tail], b[head : len(b) - tail])
    ends = [Piece("same", "".join(a[:head]))], [Piece("same", "".join(a[len(a) - tail :]))]
    return _joined([*ends[0], *middle, *ends[1]])


def excerpt(pieces: Sequence[Piece], around: int) -> list[Piece]:
    """Keeps of every unchanged stretch what stands within `around` characters of a change."""
    last = len(pieces) - 1
    return [
        Piece("same", _around(piece.text, around, first=i == 0, last=i == last))
        if piece.kind == "same"
        else piece
        for i, piece in enumerate(pieces)
    ]


def _middle(a: list[str], b: list[str]) -> list[Piece]:
    whole = [Piece("gone", "".join(a)), Piece("new", "".join(b))]
    way = (Piece(kind, (b if kind == "new" else a)[at]) for kind, at in steps(a, b))
    pieces = _tidy(_joined(way))
    kept = sum(len(piece.text) for piece in pieces if piece.kind == "same")
    longer = max(len(piece.text) for piece in whole)
    return pieces if kept * 3 >= longer else whole


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Joins neighbours of one kind; between two unchanged stretches, what went comes first."""
    result: list[Piece] = []
    gone = new = ""
    for piece in [*pieces, Piece("same", "")]:
        if piece.kind == "gone":
            gone += piece.text
        elif piece.kind == "new":
            new += piece.text
        elif piece.text or gone or new:
            for part in (*_parted(gone, new), piece):
                _append(result, part)
            gone = new = ""
    return result


def _append(pieces: list[Piece], piece: Piece) -> None:
    if not piece.text:
        return
    if piece.kind == "same" and pieces and pieces[-1].kind == "same":
        pieces[-1] = Piece("same", pieces[-1].text + piece.text)
    else:
        pieces.append(piece)


def _parted(gone: str, new: str) -> Iterator[Piece]:
    """Takes whole words off both ends that only the blanks beside them kept apart."""
    head = _alike(gone, new)
    yield Piece("same", gone[:head])
    gone, new = gone[head:], new[head:]
    tail = _alike(gone[::-1], new[::-1])
    yield Piece("gone", gone[: len(gone) - tail])
    yield Piece("new", new[: len(new) - tail])
    yield Piece("same", gone[len(gone) - tail :])


def _alike(a: str, b: str) -> int:
    """Counts the characters that both begin with, back to the last end of a word."""
    count = shared(a, b)
    if a[count : count + 1].isalnum() or b[count : count + 1].isalnum():
        while count and a[count - 1].isalnum():
            count -= 1
    return count


def _tidy(pieces: list[Piece]) -> list[Piece]:
    """Takes a lone short word between two changes as changed: it reads better in one."""
    result: list[Piece] = []
    for i, piece in enumerate(pieces):
        inner = 0 < i < len(pieces) - 1
        if piece.kind == "same" and inner and len(piece.text.strip()) <= 3:
            result += [Piece("gone", piece.text), Piece("new", piece.text)]
        else:
            result.append(piece)
    return _joined(result)


def _around(text: str, around: int, *, first: bool, last: bool) -> str:
    room = around if first or last else 2 * around
    if len(text) <= room + 12:
        return text
    head = "" if first else _cut_at_word(text[:around], backward=False)
    tail = "" if last else _cut_at_word(text[-around:], backward=True)
    return f"{head}…{tail}" if first or last else f"{head} … {tail}"


def _cut_at_word(text: str, *, backward: bool) -> str:
    if backward:
        start = text.find(" ") + 1
        return text[start:] if 0 < start < len(text) // 2 else text
    end = text.rfind(" ")
    return text[:end] if end > len(text) // 2 else text
