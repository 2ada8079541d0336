"""One difference: a `Change` with what a judge needs to look at it by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from toolsync.model import Change

Pointer = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference(Change):
    """A change, the members that came and went, and where it can be replayed.

    `anchor` is a pointer that is good in both tools: setting old's value there
    to new's makes this change (and those that share the anchor) by itself.
    `users` names the arguments that reach the place through a definition.
    `required` says that a property that came or went is a required one.
    """

    came: tuple[Any, ...] = ()
    gone: tuple[Any, ...] = ()
    anchor: Pointer = ()
    users: tuple[str, ...] = ()
    required: bool = False


class Place(NamedTuple):
    """Where a pair of subschemas stands.

    `anchor` is set below a place whose parts do not stand at the same pointer
    on both sides; `origin` is the definition the place belongs to.
    """

    path: Pointer
    property: str | None = None
    anchor: Pointer | None = None
    origin: Pointer | None = None
    forked: bool = False

    def down(self, *tokens: str, prop: str | None = None) -> Place:
        """Returns the place `tokens` further down."""
        path = self.path + tokens
        return Place(path, prop or self.property, self.anchor, self.origin, self.forked)
