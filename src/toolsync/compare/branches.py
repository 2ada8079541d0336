"""Which branch of `anyOf`, `allOf` or `oneOf` became which.

Branches have no names, so they are paired in rounds, each by a key that says a
little less than the one before; every round is one pass over a dictionary.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from toolsync.compare.equality import key

_TEXTS = frozenset(("title", "description", "$comment", "examples", "default", "deprecated"))

Pairs = list[tuple[int, int]]


def matched(old: Sequence[Any], new: Sequence[Any]) -> tuple[Pairs, list[int], list[int]]:
    """Returns the pairs of branches that differ, and those that only went or only came.

    Branches that are equal on both sides are left out.
    """
    gone, came = list(range(len(old))), list(range(len(new)))
    pairs: Pairs = []
    for number, trait in enumerate(_ROUNDS):
        found, gone, came = _round(old, new, gone, came, trait)
        pairs += found if number else []
        if not gone or not came:
            return pairs, gone, came
    if len(gone) == len(came) == 1 and _alike(old[gone[0]], new[came[0]]):
        return [*pairs, (gone[0], came[0])], [], []
    return pairs, gone, came


def _round(
    old: Sequence[Any],
    new: Sequence[Any],
    gone: list[int],
    came: list[int],
    trait: Callable[[Any], object],
) -> tuple[Pairs, list[int], list[int]]:
    waiting: defaultdict[object, list[int]] = defaultdict(list)
    for index in reversed(gone):
        if (sign := trait(old[index])) is not None:
            waiting[sign].append(index)
    pairs, left = [], []
    for index in came:
        sign = trait(new[index])
        same = waiting.get(sign) if sign is not None else None
        if same:
            pairs.append((same.pop(), index))
        else:
            left.append(index)
    taken = {index for index, _ in pairs}
    return pairs, [index for index in gone if index not in taken], left


def _untitled(branch: Any) -> object:
    if not isinstance(branch, dict):
        return None
    return key({word: value for word, value in branch.items() if word not in _TEXTS})


def _reference(branch: Any) -> object:
    ref = branch.get("$ref") if isinstance(branch, dict) else None
    return ref if isinstance(ref, str) else None


def _discriminator(branch: Any) -> object:
    """Names the constants that tell a branch from its neighbours: `{"kind": {"const": "a"}}`."""
    properties = branch.get("properties") if isinstance(branch, dict) else None
    if not isinstance(properties, dict):
        return None
    found = [
        (name, key(inner["const"] if "const" in inner else inner["enum"][0]))
        for name, inner in properties.items()
        if isinstance(inner, dict) and ("const" in inner or _single(inner.get("enum")))
    ]
    return tuple(sorted(found)) or None


def _single(values: Any) -> bool:
    return isinstance(values, list) and len(values) == 1


def _title(branch: Any) -> object:
    title = branch.get("title") if isinstance(branch, dict) else None
    return title if isinstance(title, str) else None


def _shape(branch: Any) -> object:
    if not isinstance(branch, dict) or "const" in branch:
        return None
    properties = branch.get("properties")
    names = tuple(sorted(properties)) if isinstance(properties, dict) else ()
    return (_kind(branch), names) if names else None


def _requirement(branch: Any) -> object:
    if not isinstance(branch, dict) or set(branch) != {"required"}:
        return None
    return key(branch["required"])


def _plain(branch: Any) -> object:
    """Pairs branches of one type that say nothing to tell them apart."""
    if not isinstance(branch, dict) or "const" in branch or _discriminator(branch) is not None:
        return None
    kind = _kind(branch)
    return None if kind in (None, b'"object"') else kind


def _kind(branch: dict[str, Any]) -> object:
    return key(branch["type"]) if "type" in branch else None


def _alike(old: Any, new: Any) -> bool:
    """Tells whether the last two branches left are worth comparing with each other."""
    if not isinstance(old, dict) or not isinstance(new, dict) or "const" in old or "const" in new:
        return False
    if _discriminator(old) is not None and _discriminator(new) is not None:
        return False
    return _kind(old) == _kind(new)


_ROUNDS: tuple[Callable[[Any], object], ...] = (
    key,
    _untitled,
    _reference,
    _discriminator,
    _title,
    _shape,
    _requirement,
    _plain,
)
