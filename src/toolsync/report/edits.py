"""The shortest way from one sequence to another, as far as it is worth looking for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

_MOST_ITEMS: Final = 3000
_MOST_EDITS: Final = 160

Kind = Literal["same", "gone", "new"]


class Step(NamedTuple):
    """One item that stayed, went or came; `at` is its place in the new sequence if it came."""

    kind: Kind
    at: int


def shared(a: Sequence[object], b: Sequence[object]) -> int:
    """Counts the items that both sequences begin with."""
    count = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        count += 1
    return count


def steps(a: Sequence[str], b: Sequence[str]) -> list[Step]:
    """Returns a way from `a` to `b`: the shortest one, or all of `a` gone and all of `b` come.

    The latter where nothing is shared, and where looking for more would cost too much.
    """
    if a and b and len(a) + len(b) <= _MOST_ITEMS:
        trail = _edits(a, b)
        if trail is not None:
            return _walk(len(a), len(b), trail)
    return [*(Step("gone", i) for i in range(len(a))), *(Step("new", i) for i in range(len(b)))]


def _edits(a: Sequence[str], b: Sequence[str]) -> list[dict[int, int]] | None:
    """Returns each diagonal's reach after every edit (Myers 1986), or None past the bound."""
    reach = {1: 0}
    trail: list[dict[int, int]] = []
    for edit in range(_MOST_EDITS + 1):
        trail.append(dict(reach))
        for k in range(-edit, edit + 1, 2):
            down = k == -edit or (k != edit and reach[k - 1] < reach[k + 1])
            x = reach[k + 1] if down else reach[k - 1] + 1
            while x < len(a) and 0 <= x - k < len(b) and a[x] == b[x - k]:
                x += 1
            reach[k] = x
            if x >= len(a) and x - k >= len(b):
                return trail
    return None


def _walk(x: int, y: int, trail: list[dict[int, int]]) -> list[Step]:
    """Goes back from both ends along the trail."""
    found: list[Step] = []
    for edit in range(len(trail) - 1, -1, -1):
        reach, k = trail[edit], x - y
        down = k == -edit or (k != edit and reach[k - 1] < reach[k + 1])
        from_x = reach[k + 1] if down else reach[k - 1]
        from_y = from_x - (k + 1 if down else k - 1)
        while x > max(from_x, 0) and y > max(from_y, 0):
            x, y = x - 1, y - 1
            found.append(Step("same", x))
        if edit:
            found.append(Step("new", from_y) if down else Step("gone", from_x))
            x, y = from_x, from_y
    return found[::-1]
