"""What stands beside a finding's message: both values, what differs in a text, and the proof.

Values are safe to print; the words of a text are as they stand, line breaks and all. What
the message says already is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from toolsync.safe import printable, safe_text

from .cut import MOST_OF_ONE, clipped
from .shape import FindingEntry, OverriddenEntry
from .values import json_text, pair
from .words import Piece, excerpt, word_diff

ROOM: Final = 72
"""How many characters a value has that is shown in a line of text."""

_TEXT_ROOM: Final = 400
_AROUND: Final = 28
_NOTHING: Final = object()


class Sides(NamedTuple):
    """Both values as JSON text; None where nothing stood, or stands."""

    old: str | None
    new: str | None


class Words(NamedTuple):
    """A text that changed, word by word; `cut` says that more followed."""

    pieces: tuple[Piece, ...]
    cut: bool = False


def evidence(
    finding: FindingEntry, *, room: int = ROOM, full: bool = False
) -> Sides | Words | None:
    """Returns the values of a finding as they are worth showing, if they are."""
    old: Any = finding.get("old", _NOTHING)
    new: Any = finding.get("new", _NOTHING)
    if old is _NOTHING and new is _NOTHING:
        return None
    if isinstance(old, str) and isinstance(new, str) and len(old) + len(new) > ROOM:
        return _words(old, new, full=full)
    room = MOST_OF_ONE if full else room
    if old is _NOTHING:
        return _alone(Sides(None, json_text(_terse(new), room)), finding["message"])
    if new is _NOTHING:
        return _alone(Sides(json_text(_terse(old), room), None), finding["message"])
    before, after = pair(old, new, room)
    said = f"is now {after} (was {before})" in safe_text(finding["message"])
    return None if said else Sides(before, after)


def _terse(value: Any) -> Any:
    """Puts a schema's prose last: where room is short, its type says more."""
    if isinstance(value, dict) and "description" in value:
        rest = {key: part for key, part in value.items() if key != "description"}
        return {**rest, "description": value["description"]}
    return value


def _alone(sides: Sides, message: str) -> Sides | None:
    """Keeps a value that has no other side, unless the message shows it already."""
    text = sides.old or sides.new or ""
    said = text.replace(" ", "") in safe_text(message).replace(" ", "") and len(text) > 3
    return None if said else sides


def _words(old: str, new: str, *, full: bool) -> Words:
    pieces = word_diff(old, new)
    if full:
        return Words(tuple(pieces))
    shown = tuple(_fitting(excerpt(pieces, _AROUND)))
    return Words(shown, cut=len(shown) < len(pieces))


def _fitting(pieces: Sequence[Piece]) -> Iterator[Piece]:
    room = _TEXT_ROOM
    for piece in pieces:
        text = _shortened(piece)
        room -= len(printable(text))
        if room < 0:
            return
        yield Piece(piece.kind, text)


def _shortened(piece: Piece) -> str:
    text = piece.text
    if piece.kind == "same" or len(text) <= 170:
        return text
    return f"{text[:110].rstrip()} … {text[-40:].lstrip()}"


def verdict(finding: FindingEntry) -> str:
    """Says what a finding's witness proves."""
    return "possible now" if finding.get("witness_of") == "result" else "refused now"


def decided(was: OverriddenEntry) -> str:
    """Returns the reason why a level was decided otherwise, on one line."""
    return safe_text(clipped(" ".join(was["reason"].split()), 1000))


OVERRIDDEN: Final = "overridden, was "
"""What stands before the level that a finding had by itself."""
