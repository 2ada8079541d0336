"""One finding as lines: what happened where, old → new, and the proof."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolsync.safe import printable, safe_text, safe_words

from .cut import KEPT, KEPT_IN_FULL, MOST_OF_ONE, clipped
from .line import Line, Span, line
from .shape import FindingEntry, OverriddenEntry
from .values import json_text, pair
from .words import Piece, excerpt, word_diff

LEVEL_WIDTH: Final = 13  # of "documentation"
_WIDE: Final = 120
_ROOM: Final = 72
_TEXT_ROOM: Final = 400
_AROUND: Final = 28
_NOTHING: Final = object()
_ARROW: Final = Span(" → ", "dim")


def finding_lines(
    finding: FindingEntry, indent: int, *, full: bool = False, of: str = "", under: str = ""
) -> Iterator[Line]:
    """Tells one finding: a line of its own, with its values where they fit, else below.

    `of` names the tool that the witness is about, where several share the finding;
    `under` is the level that the heading says for it.
    """
    spans = [" " * indent, *_head(finding, under, KEPT_IN_FULL if full else KEPT)]
    details = _values(finding, full=full)
    rule = Span(f"  [{safe_text(finding['rule'])}]", "dim")
    inner = indent + 4
    if _width([*spans, *details, rule]) <= _WIDE:
        yield line(*spans, *(["  ", *details] if details else []), rule, hang=inner)
    else:
        yield line(*spans, rule, hang=inner)
        if details:
            yield line(" " * inner, *details, hang=inner)
    if "witness" in finding:
        yield line(" " * inner, *_witness(finding, of, full=full), hang=inner)
    if "overridden" in finding:
        yield line(" " * inner, *_overridden(finding["overridden"]), hang=inner)


def _width(parts: list[str | Span]) -> int:
    return sum(len(part.text if isinstance(part, Span) else part) for part in parts)


def _head(finding: FindingEntry, under: str, most: int) -> Iterator[str | Span]:
    level = finding["level"]
    if level != under:
        yield Span(level.ljust(LEVEL_WIDTH), level)
        yield "  "
    if finding["path"]:
        yield Span(safe_text(clipped(finding["path"], most)), "path")
        yield "  "
    yield safe_words(clipped(finding["message"], 2 * most))


def _values(finding: FindingEntry, *, full: bool) -> list[str | Span]:
    old: Any = finding.get("old", _NOTHING)
    new: Any = finding.get("new", _NOTHING)
    if old is _NOTHING and new is _NOTHING:
        return []
    if isinstance(old, str) and isinstance(new, str) and len(old) + len(new) > _ROOM:
        return list(_words(old, new, full=full))
    room = MOST_OF_ONE if full else _ROOM
    if old is _NOTHING:
        return _alone("+ ", json_text(_terse(new), room), "new", finding["message"])
    if new is _NOTHING:
        return _alone("- ", json_text(_terse(old), room), "gone", finding["message"])
    before, after = pair(old, new, room)
    if f"is now {after} (was {before})" in safe_text(finding["message"]):
        return []
    return [Span(before, "gone"), _ARROW, Span(after, "new")]


def _terse(value: Any) -> Any:
    """Puts a schema's prose last: where room is short, its type says more."""
    if isinstance(value, dict) and "description" in value:
        rest = {key: part for key, part in value.items() if key != "description"}
        return {**rest, "description": value["description"]}
    return value


def _alone(mark: str, text: str, look: str, message: str) -> list[str | Span]:
    """Shows a value that has no other side, unless the message does so already."""
    if text.replace(" ", "") in safe_text(message).replace(" ", "") and len(text) > 3:
        return []
    return [Span(mark, look), Span(text, look)]


def _words(old: str, new: str, *, full: bool) -> Iterator[str | Span]:
    pieces = word_diff(old, new)
    room = _TEXT_ROOM
    for piece in pieces if full else excerpt(pieces, _AROUND):
        text = printable(piece.text if full else _shortened(piece))
        room -= len(text)
        if room < 0 and not full:
            yield Span(" …", "dim")
            return
        yield _marked(piece.kind, text)


def _shortened(piece: Piece) -> str:
    text = piece.text
    if piece.kind == "same" or len(text) <= 170:
        return text
    return f"{text[:110].rstrip()} … {text[-40:].lstrip()}"


def _marked(kind: str, text: str) -> str | Span:
    # The marks stay where there is colour: nobody should need to see red and green.
    if kind == "gone":
        return Span(f"[-{text}-]", "gone")
    if kind == "new":
        return Span(f"{{+{text}+}}", "new")
    return text


def _overridden(was: OverriddenEntry) -> Iterator[str | Span]:
    yield Span("overridden, was ", "dim")
    yield Span(was["level"], was["level"])
    yield f": {safe_text(clipped(' '.join(was['reason'].split()), 1000))}"


def _witness(finding: FindingEntry, of: str, *, full: bool) -> Iterator[str | Span]:
    text = json_text(finding["witness"], MOST_OF_ONE if full else 2 * _ROOM)
    result = finding.get("witness_of") == "result"
    yield Span("possible now: " if result else "refused now: ", "dim")
    yield f"{of} " if of else ""
    yield Span(text, "witness")
