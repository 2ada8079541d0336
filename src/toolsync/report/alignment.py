"""Two JSON values side by side, line by line: what stands on which line of which side.

Members are matched by their names and items by what they are, so a line is marked where
it differs, and not because a bracket moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from toolsync.compare.equality import key, same
from toolsync.model import ABSENT

from .edits import shared, steps
from .values import json_text
from .words import Piece, word_diff

_ROOM: Final = 4000
_LONG: Final = 24


class Row(NamedTuple):
    """One line; `same` stands on both sides as `old`, `edit` has two texts of one place.

    `words` tells an edited text word by word, the key before it left out.
    """

    kind: Literal["same", "gone", "new", "edit"]
    depth: int
    old: str = ""
    new: str = ""
    words: tuple[Piece, ...] = ()


class Fold(NamedTuple):
    """Lines between changes that are the same, and far from any."""

    rows: tuple[Row, ...]


def rows(old: object, new: object) -> Iterator[Row]:
    """Yields the lines of two values; a side may be `ABSENT`."""
    if old is ABSENT or new is ABSENT:
        yield from _alone("new" if old is ABSENT else "gone", "", new if old is ABSENT else old, 0)
    else:
        yield from _aligned("", old, new, 0)


def pairs(old: Sequence[Any], new: Sequence[Any]) -> Iterator[tuple[int | None, int | None]]:
    """Matches the items of two arrays by their places; None where an item has no match.

    Where as many went as came, they are taken for the same items, changed.
    """
    before = [key(item).decode() for item in old]
    after = [key(item).decode() for item in new]
    head = shared(before, after)
    tail = shared(before[head:][::-1], after[head:][::-1])
    ends = len(before) - tail, len(after) - tail
    yield from ((at, at) for at in range(head))
    if ends[0] == ends[1]:
        yield from ((at, at) for at in range(head, ends[0]))
    else:
        yield from _stepped(before[head : ends[0]], after[head : ends[1]], head)
    yield from ((ends[0] + at, ends[1] + at) for at in range(tail))


def _stepped(
    before: list[str], after: list[str], head: int
) -> Iterator[tuple[int | None, int | None]]:
    reached = head
    for kind, at in steps(before, after):
        if kind == "gone":
            yield head + at, None
            continue
        yield (head + at if kind == "same" else None), reached
        reached += 1


def _aligned(label: str, old: Any, new: Any, depth: int) -> Iterator[Row]:
    if same(old, new):
        yield from _alone("same", label, new, depth)
    elif isinstance(old, dict) and isinstance(new, dict) and old and new:
        yield Row("same", depth, f"{label}{{")
        yield from _members(old, new, depth + 1)
        yield Row("same", depth, "}")
    elif isinstance(old, list) and isinstance(new, list) and old and new:
        yield Row("same", depth, f"{label}[")
        yield from _items(old, new, depth + 1)
        yield Row("same", depth, "]")
    elif isinstance(old, dict | list) or isinstance(new, dict | list):
        yield from _alone("gone", label, old, depth)
        yield from _alone("new", label, new, depth)
    else:
        yield _edited(label, old, new, depth)


def _members(old: dict[str, Any], new: dict[str, Any], depth: int) -> Iterator[Row]:
    for name in _merged(old, new):
        label = f"{json_text(name, _ROOM)}: "
        if name not in new:
            yield from _alone("gone", label, old[name], depth)
        elif name not in old:
            yield from _alone("new", label, new[name], depth)
        else:
            yield from _aligned(label, old[name], new[name], depth)


def _merged(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yields the names of both in the order of the new; one that went, where it stood."""
    behind: dict[str | None, list[str]] = {}
    last = None
    for name in old:
        if name in new:
            last = name
        else:
            behind.setdefault(last, []).append(name)
    yield from behind.get(None, ())
    for name in new:
        yield name
        yield from behind.get(name, ())


def _items(old: list[Any], new: list[Any], depth: int) -> Iterator[Row]:
    for before, after in pairs(old, new):
        if before is None and after is not None:
            yield from _alone("new", "", new[after], depth)
        elif after is None and before is not None:
            yield from _alone("gone", "", old[before], depth)
        elif before is not None and after is not None:
            yield from _aligned("", old[before], new[after], depth)


def _edited(label: str, old: Any, new: Any, depth: int) -> Row:
    words: tuple[Piece, ...] = ()
    if isinstance(old, str) and isinstance(new, str) and len(old) + len(new) > _LONG:
        words = tuple(word_diff(old, new))
    if not words or sum(len(piece.text) for piece in words) > _ROOM:
        return Row("edit", depth, label + json_text(old, _ROOM), label + json_text(new, _ROOM))
    return Row("edit", depth, label, label, words)


def _alone(
    kind: Literal["same", "gone", "new"], label: str, value: Any, depth: int
) -> Iterator[Row]:
    # Recursion is bounded by the depth limit of reading.
    if isinstance(value, dict) and value:
        yield Row(kind, depth, f"{label}{{")
        for name, member in value.items():
            yield from _alone(kind, f"{json_text(name, _ROOM)}: ", member, depth + 1)
        yield Row(kind, depth, "}")
    elif isinstance(value, list) and value:
        yield Row(kind, depth, f"{label}[")
        for item in value:
            yield from _alone(kind, "", item, depth + 1)
        yield Row(kind, depth, "]")
    else:
        yield Row(kind, depth, f"{label}{json_text(value, _ROOM)}")


def folded(lines: Sequence[Row], around: int = 2) -> list[Row | Fold]:
    """Folds lines that are the same, but for `around` beside a change and those it stands in."""
    shown = [row.kind != "same" for row in lines]
    kept = _near(shown, around)
    places = range(len(lines))
    for order, brackets in ((reversed(places), "{["), (places, "}]")):
        for at in _around(lines, shown, order, brackets):
            kept[at] = True
    return list(_gathered(lines, kept))


def _around(
    lines: Sequence[Row], shown: Sequence[bool], order: Iterable[int], brackets: str
) -> Iterator[int]:
    """Yields the places of the brackets that changes stand in, seen from one end."""
    depth = 0
    for at in order:
        if shown[at]:
            depth = lines[at].depth
        elif lines[at].depth < depth and lines[at].old[-1:] in brackets:
            yield at
            depth = lines[at].depth


def _near(shown: list[bool], around: int) -> list[bool]:
    kept = [False] * len(shown)
    for at, is_change in enumerate(shown):
        if is_change:
            kept[max(at - around, 0) : at + around + 1] = [True] * (
                min(at + around + 1, len(shown)) - max(at - around, 0)
            )
    return kept


def _gathered(lines: Sequence[Row], kept: list[bool]) -> Iterator[Row | Fold]:
    run: list[Row] = []
    for row, is_kept in zip(lines, kept, strict=True):
        if not is_kept:
            run.append(row)
            continue
        yield from _run(run)
        run = []
        yield row
    yield from _run(run)


def _run(run: list[Row]) -> Iterator[Row | Fold]:
    if len(run) > 1:
        yield Fold(tuple(run))
    else:
        yield from run
