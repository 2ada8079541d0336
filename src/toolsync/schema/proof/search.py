"""Looks for a value that some nodes accept and others refuse, or proves that there is none.

Containment is such a question: a value that old accepts and new refuses. The
search takes the conditions apart kind by kind; where it ends without a value on
every way, there is none. A goal that is met again below itself is taken as
empty there: values are finite, so a smallest one never needs itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from toolsync.schema.proof.accepts import Verdict, accepts, every, inverted
from toolsync.schema.proof.budget import Budget
from toolsync.schema.proof.nodes import Arrays, Node, Objects, Shape
from toolsync.schema.proof.table import Table
from toolsync.schema.proof.values import (
    ANYTHING,
    ARRAY,
    BOOLEAN,
    FRACTION,
    INTEGER,
    NULL,
    OBJECT,
    STRING,
    Exact,
    Undecidable,
    key,
)

Literal = tuple[Node, bool]
Goal = frozenset[Literal]

MAX_PATH: Final = 70
"""How many values may lie one in another on the way to a witness (Python's stack is finite)."""

# Small values first: a witness is for people to read.
_ORDER: Final = (NULL, BOOLEAN, INTEGER, STRING, FRACTION, ARRAY, OBJECT)
_BOOLEANS: Final = (False, True)


class Found(NamedTuple):
    """A value that meets the goal."""

    value: Any


class Stuck(NamedTuple):
    """Neither a value nor a proof; `reason` and `where` tell what was in the way."""

    reason: str
    where: str = ""


Outcome = Found | Stuck | None
"""None says: provably no value."""


class Search:
    """Answers goals over the nodes of one table; `limit` bounds the numbers that count."""

    __slots__ = ("_active", "_explore", "_low", "_memo", "budget", "limit", "table", "text")

    def __init__(self, table: Table, budget: Budget, limit: Exact | None, explore: Any) -> None:
        self.table = table
        self.budget = budget
        self.limit = limit
        self.text: Literal = (table.shape(mask=STRING), True)
        self._explore = explore
        self._memo: dict[Goal, Outcome] = {}
        self._active: dict[Goal, int] = {}
        self._low = MAX_PATH

    @property
    def known(self) -> int:
        """Counts the goals that were answered."""
        return len(self._memo)

    def solve(self, goal: Goal) -> Outcome:
        """Finds a value for a goal, proves that there is none, or says what stopped it."""
        self.budget.spend(len(goal) // 8)
        mask = kinds(goal)
        if not mask:
            return None
        if goal in self._memo:
            return self._memo[goal]
        if goal in self._active:
            self._low = min(self._low, self._active[goal])
            return None
        return self._open(goal, mask)

    def _open(self, goal: Goal, mask: int) -> Outcome:
        self.budget.spend()
        index = len(self._active)
        if index >= MAX_PATH:
            return Stuck("values nested too deeply")
        self._active[goal] = index
        outer, self._low = self._low, MAX_PATH
        ordered = sorted(goal, key=_rank)
        try:
            outcome = self._by_kind(ordered, mask)
        finally:
            del self._active[goal]
        if isinstance(outcome, Stuck) and not outcome.where:
            outcome = Stuck(outcome.reason, _place(ordered))
        if outcome is not None or self._low >= index:
            self._memo[goal] = outcome
        # Emptiness found under an assumption holds only as long as the assumption does.
        self._low = min(outer, self._low if self._low < index else MAX_PATH)
        return outcome

    def _by_kind(self, goal: list[Literal], mask: int) -> Outcome:
        finite = _finite(goal)
        if finite is not None:
            return self.among(goal, finite.values())
        stuck: Stuck | None = None
        for kind in _ORDER:
            if kind & mask:
                outcome = self._of_kind(goal, kind)
                if isinstance(outcome, Found):
                    return outcome
                stuck = stuck or outcome
        return stuck

    def _of_kind(self, goal: list[Literal], kind: int) -> Outcome:
        if kind == NULL:
            return self.among(goal, (None,))
        if kind == BOOLEAN:
            return self.among(goal, _BOOLEANS)
        try:
            outcome: Outcome = self._explore(self, kind, goal)
        except Undecidable as stop:
            if self.budget.left < 0:
                raise
            outcome = Stuck(stop.reason, stop.where)
        return outcome

    def among(self, goal: list[Literal], values: Iterable[Any]) -> Outcome:
        """Answers a goal whose only candidates are the given values."""
        stuck: Stuck | None = None
        for value in values:
            verdict = self.meets(goal, value)
            if verdict:
                return Found(value)
            if verdict is None:
                stuck = _unknown_part(goal)
        return stuck

    def meets(self, goal: Iterable[Literal], value: Any) -> Verdict:
        """Tells whether a value meets a goal."""
        budget = self.budget
        return every(
            accepts(node, value, budget) if wanted else inverted(accepts(node, value, budget))
            for node, wanted in goal
        )

    def equal_to(self, value: Any) -> Node:
        """Gives the node of one value, in terms of its parts where it has some."""
        table = self.table
        if isinstance(value, list):
            parts = tuple(self.equal_to(each) for each in value)
            count = len(parts)
            return table.shape(mask=ARRAY, arrays=Arrays(prefix=parts, least=count, most=count))
        if isinstance(value, dict):
            members = tuple((name, self.equal_to(value[name])) for name in sorted(value))
            names = tuple(sorted(value))
            objects = Objects(members, (), names, 0, len(names))
            return table.shape(mask=OBJECT, objects=objects)
        return table.among({key(value): value})


def kinds(goal: Iterable[Literal]) -> int:
    """Gives the kinds of which a value could still meet the goal; 0 where literals clash."""
    mask = ANYTHING
    wanted: set[Node] = set()
    refused: set[Node] = set()
    for node, positive in goal:
        if positive:
            mask &= node.may
            wanted.add(node)
        else:
            mask &= ~node.full
            refused.add(node)
    return mask if wanted.isdisjoint(refused) else 0


def _finite(goal: list[Literal]) -> dict[str, Any] | None:
    """Gives the shortest list of values to which a positive literal limits the goal."""
    best: dict[str, Any] | None = None
    for node, positive in goal:
        if positive and isinstance(node, Shape) and node.enum is not None:
            best = node.enum if best is None or len(node.enum) < len(best) else best
    return best


def _rank(literal: Literal) -> int:
    """Orders literals by age: a set's order differs from run to run."""
    return literal[0].number


def _place(goal: list[Literal]) -> str:
    """Gives the place that a goal is about: of what is refused, or else of what is accepted."""
    for wanted in (False, True):
        for node, positive in goal:
            if positive is wanted and node.where is not None:
                return told(node)
    return ""


def _unknown_part(goal: Iterable[Literal]) -> Stuck:
    for node, _ in goal:
        found = reason_in(node)
        if found is not None:
            return found
    return Stuck("a condition that could not be evaluated")


def reason_in(node: Node, depth: int = 12) -> Stuck | None:
    """Finds what in a node is not understood."""
    reason = getattr(node, "reason", None)
    if reason is not None:
        return Stuck(reason, told(node))
    if isinstance(node, Shape) and node.texts is not None:
        for pattern in node.texts.patterns:
            if pattern.reason:
                return Stuck(f"pattern: {pattern.reason}", told(node))
    found = None
    for part in _below(node) if depth else ():
        found = found or reason_in(part, depth - 1)
    return found


def told(node: Node) -> str:
    """Gives the JSON Pointer of a node, as far as it is known."""
    return "" if node.where is None else str(node.where)


def _below(node: Node) -> list[Node]:
    named = [getattr(node, name, None) for name in ("inner", "test", "then", "other")]
    parts = [part for part in named if part is not None]
    parts += getattr(node, "branches", ())
    parts += getattr(node, "parts", ())
    if isinstance(node, Shape) and node.objects is not None:
        parts += [each for _, each in node.objects.members]
        parts += [rule.node for rule in node.objects.rules]
    if isinstance(node, Shape) and node.arrays is not None:
        parts += node.arrays.prefix
        parts += [node.arrays.rest] if node.arrays.rest else []
        parts += [each.node for each in node.arrays.contains]
    return parts
