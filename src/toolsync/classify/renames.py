"""Hints that something that went is what came under another name: only where one match fits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from toolsync.compare import key, said
from toolsync.model import ABSENT, Finding

_GONE: Final = frozenset(
    ("input-property-removed", "output-property-removed", "output-required-property-removed")
)
_CAME: Final = frozenset(
    ("input-property-added", "input-required-property-added", "output-property-added")
)
_TRAITS_OF_NO_USE: Final = frozenset(("title", "$comment"))

Trait = Callable[[Any], Hashable | None]


def unique_matches(
    gone: Mapping[Any, Any], came: Mapping[Any, Any], traits: Sequence[Trait]
) -> dict[Any, Any]:
    """Returns which of the names that went became which that came.

    Each trait is tried on what the ones before left over; a trait that two share
    on either side matches nothing, and what tied is not tried again.
    """
    left, right = dict(gone), dict(came)
    matches: dict[Any, Any] = {}
    for trait in traits:
        before, after = _grouped(left, trait), _grouped(right, trait)
        for sign, names in before.items():
            others = after.get(sign, [])
            if not others:
                continue
            if len(names) == len(others) == 1:
                matches[names[0]] = others[0]
            for name in names:
                del left[name]
            for name in others:
                del right[name]
    return matches


def _grouped(things: Mapping[Any, Any], trait: Trait) -> dict[Hashable, list[Any]]:
    groups: defaultdict[Hashable, list[Any]] = defaultdict(list)
    for name, thing in things.items():
        sign = trait(thing)
        if sign is not None:
            groups[sign].append(name)
    return groups


def with_renames(findings: Iterable[Finding]) -> list[Finding]:
    """Marks properties of one object that look renamed, on both findings."""
    made = list(findings)
    went: defaultdict[str, dict[int, Any]] = defaultdict(dict)
    arrived: defaultdict[str, dict[int, Any]] = defaultdict(dict)
    for index, finding in enumerate(made):
        if finding.rule in _GONE:
            went[finding.path.rpartition("/")[0]][index] = finding.old
        elif finding.rule in _CAME:
            arrived[finding.path.rpartition("/")[0]][index] = finding.new
    for place, gone in went.items():
        if place not in arrived:
            continue
        matches = unique_matches(gone, arrived[place], (_schema, _text))
        for lost, found in matches.items():
            made[lost], made[found] = _hinted(made[lost], made[found])
    return made


def _hinted(gone: Finding, came: Finding) -> tuple[Finding, Finding]:
    old, new = gone.property, came.property
    return (
        replace(gone, renamed_to=new, message=f"{gone.message}; it looks renamed to `{new}`"),
        replace(came, renamed_from=old, message=f"{came.message}; it looks renamed from `{old}`"),
    )


def _schema(schema: Any) -> Hashable | None:
    """Returns a property's schema, where it says anything at all."""
    if not isinstance(schema, dict):
        return None
    told = {word: value for word, value in schema.items() if word not in _TRAITS_OF_NO_USE}
    return key(told) if told else None


def _text(schema: Any) -> Hashable | None:
    """Returns a property's description with its type: the rest may have been refined."""
    if not isinstance(schema, dict):
        return None
    text = said(schema.get("description", ABSENT))
    return None if text is ABSENT else key([text, schema.get("type")])
