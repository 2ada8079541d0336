"""One difference: a fact, with what a judge needs to look at it by itself."""

from __future__ import annotations

from typing import Any, NamedTuple

from toolsync.model import ABSENT, Side

Pointer = tuple[str, ...]


class Difference(NamedTuple):
    """One fact: at `path`, `keyword` was `old` and is `new`; no judgement.

    `path` holds the reference tokens of a JSON Pointer into the tool (new, or
    old where nothing stands in new). `property` is the nearest argument's name.
    `came` and `gone` are the members that did so.
    `anchor` is a pointer that is good in both tools: setting old's value there
    to new's makes this change (and those that share the anchor) by itself.
    `users` names the arguments that reach the place through a definition.
    `required` says that a property that came or went is a required one.
    """

    side: Side
    keyword: str
    path: Pointer
    old: Any = ABSENT
    new: Any = ABSENT
    property: str | None = None
    came: tuple[Any, ...] = ()
    gone: tuple[Any, ...] = ()
    anchor: Pointer = ()
    users: tuple[str, ...] = ()
    required: bool = False


class Place(NamedTuple):
    """Where a pair of subschemas stands.

    `anchor` is set below a place whose parts do not stand at the same pointer
    on both sides; `origin` is the definition the place belongs to; `was` is where
    it stood in old, where that is elsewhere.
    """

    path: Pointer
    property: str | None = None
    anchor: Pointer | None = None
    origin: Pointer | None = None
    forked: bool = False
    was: Pointer | None = None

    def stood(self) -> Pointer:
        """Returns the place in old."""
        return self.path if self.was is None else self.was

    def down(self, *tokens: str, prop: str | None = None) -> Place:
        """Returns the place `tokens` further down."""
        path, prop = self.path + tokens, prop or self.property
        was = None if self.was is None else self.was + tokens
        return Place(path, prop, self.anchor, self.origin, self.forked, was)
