"""JSON values in a line of text: bounded, safe, and only what differs.

Two long values that differ in one place would look alike once cut, so members
that both sides share are left out before anything is shortened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

from toolsync.safe import printable, safe_text

CUT: Final = "…"


def json_text(value: object, room: int | None = None) -> str:
    """Returns the JSON text of a value, safe to print; past `room` characters it is cut."""
    pieces: list[str] = []
    left = room
    for piece in _pieces(value, room):
        pieces.append(piece)
        if left is not None:
            left -= len(piece)
            if left < 0:
                return _cut("".join(pieces), max(room or 0, 1))
    return "".join(pieces)


def _cut(text: str, room: int) -> str:
    """Cuts a safe text, but never inside of an escape."""
    kept = text[:room]
    escape = kept.rfind("\\u{")
    if escape >= 0 and "}" not in kept[escape:] and "}" in text[escape : escape + 10]:
        kept = kept[:escape]
    return kept.rstrip() + CUT


def pair(old: object, new: object, room: int | None) -> tuple[str, str]:
    """Shows two values side by side, without the members that both have."""
    if room is not None and type(old) is type(new):
        texts = json_text(old, 2 * room), json_text(new, 2 * room)
        if sum(map(len, texts)) > room:
            old, new = _differing(old, new)
    return json_text(old, room), json_text(new, room)


class _Rest:
    """What is left of an object or a list without the members that both sides have."""

    def __init__(self, members: list[tuple[str | None, Any]], brackets: str) -> None:
        self.members = members
        self.brackets = brackets


def _differing(old: Any, new: Any) -> tuple[Any, Any]:
    if isinstance(old, list) and isinstance(new, list):
        return _uncommon(old, new)
    if isinstance(old, dict) and isinstance(new, dict):
        return _unequal(old, new)
    return old, new


def _uncommon(old: list[Any], new: list[Any]) -> tuple[Any, Any]:
    # Keyed by text: a set of hostile integers degenerates, a set of texts does not.
    texts = [[json_text(item) for item in side] for side in (old, new)]
    gone = _missing_from(set(texts[1]), old, texts[0])
    came = _missing_from(set(texts[0]), new, texts[1])
    if not gone and not came:  # only the order or the repeats differ
        return old, new
    return _rest(gone, old), _rest(came, new)


def _missing_from(others: set[str], mine: list[Any], texts: list[str]) -> list[Any]:
    return [item for item, text in zip(mine, texts, strict=True) if text not in others]


def _rest(kept: list[Any], whole: list[Any]) -> Any:
    return _Rest([(None, item) for item in kept], "[]") if len(kept) < len(whole) else whole


def _unequal(old: dict[str, Any], new: dict[str, Any]) -> tuple[Any, Any]:
    left, right = dict(old), dict(new)
    for key in [key for key in old if key in new]:
        if json_text(old[key]) == json_text(new[key]):
            del left[key], right[key]
        else:
            left[key], right[key] = _differing(old[key], new[key])
    if len(left) == len(old):
        return left, right
    return _Rest([*left.items()], "{}"), _Rest([*right.items()], "{}")


def _pieces(value: Any, room: int | None) -> Iterator[str]:
    # Recursion is bounded by the depth limit of reading.
    if isinstance(value, dict):
        yield from _members(value.items(), "{}", room)
    elif isinstance(value, list | tuple):
        yield from _members(((None, item) for item in value), "[]", room)
    elif isinstance(value, _Rest):
        yield from _members(chain([(None, CUT)], value.members), value.brackets, room)
    else:
        yield _scalar(value, room)


def _members(
    members: Iterable[tuple[str | None, Any]], brackets: str, room: int | None
) -> Iterator[str]:
    yield brackets[0]
    separator = ""
    for key, item in members:
        yield separator
        separator = ", "
        if item is CUT:
            yield CUT
            continue
        if key is not None:
            yield _quoted(key, room) + ": "
        yield from _pieces(item, room)
    yield brackets[1]


def _scalar(value: object, room: int | None) -> str:
    if isinstance(value, str):
        return _quoted(value, room)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return _digits(value)
    return safe_text(str(value))


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # Python refuses to print integers past 4,300 digits
        return f"(an integer of about {value.bit_length() * 30103 // 100000} digits)"


def _quoted(text: str, room: int | None) -> str:
    if room is not None and len(text) > room:
        text = text[: room + 1]
    return f'"{printable(text.replace(chr(92), chr(92) * 2).replace(chr(34), chr(92) + chr(34)))}"'
