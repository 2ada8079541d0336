"""Makes the nodes of the normal form, equal ones once: that settles most comparisons unproved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolsync.schema.proof.nodes import (
    AnyOf,
    Arrays,
    If,
    Link,
    Node,
    Not,
    Numbers,
    Objects,
    OneOf,
    Opaque,
    Pattern,
    Shape,
    Texts,
)
from toolsync.schema.proof.values import ANYTHING, OBJECT, Exact, kind_of, mask_of


class Table:
    """Makes nodes, each once: equal conditions are the same object."""

    __slots__ = ("_made", "_patterns", "_types", "false", "met", "seen", "true")

    def __init__(self) -> None:
        self._made: dict[object, Node] = {}
        self._patterns: dict[str, Pattern] = {}
        self._types: dict[str, Node] = {}
        self.met: dict[bytes, tuple[Node, Exact]] = {}
        self.seen: dict[int, tuple[Any, Node, Exact]] = {}
        self.true = self.shape()
        self.false = self.shape(mask=0)

    def pattern(self, text: str) -> Pattern:
        """Gives the one `Pattern` of a text."""
        found = self._patterns.get(text)
        if found is None:
            found = self._patterns[text] = Pattern(text)
        return found

    @property
    def patterns(self) -> list[str]:
        """Lists the patterns met so far."""
        return list(self._patterns)

    def of_type(self, named: Any) -> Node | None:
        """Gives the node of a schema that only says one `type`; None for any other."""
        if named.__class__ is not str:
            return None
        found = self._types.get(named)
        if found is None:
            found = self._types[named] = self.shape(mask_of(named))
        return found

    def shape(  # noqa: PLR0913, PLR0917 - one argument for each kind of value
        self,
        mask: int = ANYTHING,
        enum: dict[str, Any] | None = None,
        numbers: Numbers | None = None,
        texts: Texts | None = None,
        arrays: Arrays | None = None,
        objects: Objects | None = None,
        parts: Sequence[Node] = (),
    ) -> Node:
        """Makes a conjunction; what can accept nothing is `false`."""
        if enum is not None:
            enum = {each: value for each, value in enum.items() if kind_of(value) & mask}
        distinct = tuple(dict.fromkeys(parts)) if parts else ()
        kept = tuple(part for part in distinct if part is not self.true) if parts else ()
        atoms = (numbers, texts, arrays, objects)
        if len(kept) == 1 and mask == ANYTHING and enum is None and atoms == (None,) * 4:
            return kept[0]
        at = (mask, None if enum is None else frozenset(enum), *atoms, kept)
        found = self._made.get(at)
        if found is None:
            found = Shape(mask, enum, numbers, texts, arrays, objects, kept)
            if mask and not found.may:
                found = self.false
            else:
                found.number = len(self._made)
            self._made[at] = found
        return found

    def link(self) -> Link:
        """Makes a step of a recursion, which is no other's equal."""
        found = Link()
        found.number = len(self._made)
        self._made[found] = found
        return found

    def all_of(self, nodes: Iterable[Node]) -> Node:
        """Makes a conjunction of nodes."""
        return self.shape(parts=tuple(nodes))

    def any_of(self, nodes: Iterable[Node]) -> Node:
        """Makes a disjunction."""
        flat: dict[Node, None] = {}
        for node in nodes:
            inner = node.branches if isinstance(node, AnyOf) else (node,)
            flat.update(dict.fromkeys(each for each in inner if each.may))
        if self.true in flat:
            return self.true
        if len(flat) < 2:
            return next(iter(flat), self.false)
        return self._kept(AnyOf, ("any", frozenset(flat)), tuple(flat))

    def one_of(self, nodes: Iterable[Node]) -> Node:
        """Makes an exclusive choice; branches of unlike kinds make it a plain one."""
        branches = tuple(node for node in nodes if node.may)
        met = twice = 0
        for each in branches:
            twice |= met & each.may
            met |= each.may
        if not twice or _told_apart(branches):
            return self.any_of(branches)
        at = ("one", tuple(sorted(map(id, branches))))
        return self._kept(OneOf, at, branches)

    def negated(self, node: Node) -> Node:
        """Makes a negation."""
        if isinstance(node, Not):
            return node.inner
        if node in {self.true, self.false}:
            return self.false if node is self.true else self.true
        return self._kept(Not, ("not", node), node)

    def conditional(self, test: Node, then: Node, other: Node) -> Node:
        """Makes an if-then-else."""
        if then is other:
            return then
        if test in {self.true, self.false}:
            return then if test is self.true else other
        return self._kept(If, ("if", test, then, other), test, then, other)

    def opaque(self, reason: str, identity: object = None) -> Node:
        """Makes a condition that is not understood; equal identities are the same condition."""
        at = ("opaque", reason, object() if identity is None else identity)
        return self._kept(Opaque, at, reason)

    def among(self, values: dict[str, Any]) -> Node:
        """Makes the choice among some values, given by their keys."""
        return self.shape(enum=values)

    def _kept(self, make: Any, at: object, *parts: Any) -> Node:
        found = self._made.get(at)
        if found is None:
            found = make(*parts)
            found.number = len(self._made)
            self._made[at] = found
        return found


def _told_apart(branches: tuple[Node, ...]) -> bool:
    """Tells whether a required member with listed values tells all branches apart."""
    first = branches[0]
    if not isinstance(first, Shape) or first.may != OBJECT or first.objects is None:
        return False
    return any(_discriminates(name, branches) for name in first.objects.required)


def _discriminates(name: str, branches: tuple[Node, ...]) -> bool:
    met: set[str] = set()
    for each in branches:
        listed = _listed(each, name)
        if listed is None or not met.isdisjoint(listed):
            return False
        met.update(listed)
    return True


def _listed(branch: Node, name: str) -> dict[str, Any] | None:
    """Gives the values to which a branch limits a member that it requires."""
    if not isinstance(branch, Shape) or branch.may != OBJECT or branch.objects is None:
        return None
    member = dict(branch.objects.members).get(name)
    if name not in branch.objects.required or not isinstance(member, Shape):
        return None
    return member.enum
