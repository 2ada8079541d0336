"""What the schemas of one value declare together, and how that closes the value to all else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from toolsync.schema.readings.keywords import IN_PLACE

_EMPTY: Final[frozenset[str]] = frozenset()
_SCALARS: Final = ("string", "integer", "number", "boolean", "null")  # a list may be no key
STRICT: Final = ("closed", "express")
"""The ways to read that close free maps too."""

MARKERS: Final = ("undeclared", "Not-Declared 1")
"""Names that stand for all undeclared ones; two, since a pattern may take one for its own."""


class Described(NamedTuple):
    """What the schemas that look at one value say of its parts.

    `members` counts the schemas that describe a member (two means several),
    `names` are all declared names, `lists` counts the schemas that describe items.
    """

    members: Mapping[str, Any]
    names: frozenset[str]
    lists: int = 0


class Doubles(NamedTuple):
    """Parts described by several schemas at once, which therefore stay as written."""

    members: frozenset[str] = _EMPTY
    items: bool = False


NOTHING: Final = Described({}, _EMPTY)
NO_DOUBLES: Final = Doubles()


def doubles_of(found: Described) -> Doubles:
    """Tells which parts several schemas describe."""
    twice = frozenset([name for name, count in found.members.items() if count > 1])
    return Doubles(twice, found.lists > 1)


def described_alone(schema: dict[str, Any]) -> Described:
    """Tells what a schema says that no other joins in looking at its value."""
    members = schema.get("properties", {})
    return Described(members, frozenset((*members, *schema.get("required", ()))))


def shut(body: dict[str, Any]) -> dict[str, Any]:
    """Lets no members in but declared ones and, where others are let in expressly, the markers."""
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        wanted = body.get(keyword, False)
        if wanted is not False:
            del body[keyword]
            body["properties"] = {**dict.fromkeys(MARKERS, wanted), **body.get("properties", {})}
    return body


def settle(body: dict[str, Any], found: Described, mode: str, *, top: bool) -> None:
    """Closes the copy of an owner as far as a way to read says."""
    strict = mode in STRICT and body.get("type", "object") not in _SCALARS
    if not (top or strict or found.names) or "unevaluatedProperties" in body:
        return
    if mode == "marked" and "additionalProperties" not in body:
        body["properties"] = {**dict.fromkeys(MARKERS, True), **body.get("properties", {})}
    close(body, found)


def close(body: dict[str, Any], found: Described) -> None:
    """Refuses members that no schema of this value declares."""
    missing = found.names.difference(found.members)
    if missing:
        own = body.get("properties", {})
        body["properties"] = {**own, **dict.fromkeys(sorted(missing), True)}
    if not IN_PLACE.isdisjoint(body) or "$ref" in body or "if" in body:
        body.setdefault("unevaluatedProperties", False)
    elif "additionalProperties" not in body:
        body["additionalProperties"] = False  # the same thing, and quicker to check
