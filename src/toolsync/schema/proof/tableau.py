"""Takes a goal apart for values of one kind: conjunctions at once, choices one by one.

What is left on each way is a list of plain conditions on one kind of value,
which a `State` (numbers, texts, arrays, objects) turns into a value or a proof
that there is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, Protocol

from toolsync.schema.proof import arrays, numeric, objects, texts
from toolsync.schema.proof.nodes import AnyOf, If, Link, Node, Not, OneOf, Opaque, Shape
from toolsync.schema.proof.search import Found, Literal, Outcome, Search, Stuck, told
from toolsync.schema.proof.values import ARRAY, NUMBER, OBJECT, STRING

DEAD: Final = 0
OPEN: Final = 1
SURE: Final = 2


class Excluded(NamedTuple):
    """Not one of these values (texts or numbers), by their keys."""

    values: dict[str, Any]


Item = Any  # a literal (node, wanted), or a plain condition on one kind of value
Alternative = tuple[Item, ...]


class State(Protocol):
    """The plain conditions met on one way, for values of one kind."""

    def add(self, condition: Any) -> bool:
        """Takes one more condition; False where it clashes at once."""

    def judge(self, condition: Any) -> int:
        """Tells whether a condition is already DEAD, already SURE, or OPEN."""

    def copy(self) -> State:
        """Gives an independent copy."""

    def solve(self) -> Outcome:
        """Finds a value, proves that there is none, or says what stopped it."""


_MODULES: Final[dict[int, Any]] = {STRING: texts, ARRAY: arrays, OBJECT: objects}


def explore(search: Search, kind: int, goal: list[Literal]) -> Outcome:
    """Answers a goal for values of one kind."""
    module = numeric if kind & NUMBER else _MODULES[kind]
    state = module.State(search, kind)
    return _Way(search, kind, goal, state, {}, [], None).run(goal)


class _Way:
    """One way through the choices."""

    __slots__ = ("choices", "finite", "goal", "kind", "opaque", "search", "seen", "state")

    def __init__(  # noqa: PLR0913, PLR0917 - a fork copies each of them
        self,
        search: Search,
        kind: int,
        goal: list[Literal],
        state: State,
        seen: dict[Literal, None],
        choices: list[list[Alternative]],
        opaque: Stuck | None,
    ) -> None:
        self.search = search
        self.kind = kind
        self.goal = goal
        self.state = state
        self.seen = seen
        self.choices = choices
        self.opaque = opaque
        self.finite: dict[str, Any] | None = None

    def fork(self) -> _Way:
        """Gives a copy on which one alternative can be tried."""
        self.search.budget.spend(1 + (len(self.seen) + len(self.choices)) // 16)
        return _Way(
            self.search,
            self.kind,
            self.goal,
            self.state.copy(),
            self.seen.copy(),
            self.choices.copy(),
            self.opaque,
        )

    def run(self, items: Iterable[Item]) -> Outcome:
        """Takes items in, then tries the alternatives of the narrowest choice in turn."""
        self.search.budget.spend()
        if not self._absorb(list(items)) or not self._narrow():
            return None
        if self.finite is not None:
            # Whatever the choices, only these values could still do.
            return self.search.among(self.goal, self.finite.values())
        if self.choices:
            return self._try(self.choices.pop())
        outcome = self.state.solve()
        return self.opaque if isinstance(outcome, Found) and self.opaque else outcome

    def _try(self, choice: list[Alternative]) -> Outcome:
        stuck: Stuck | None = None
        for alternative in choice:
            if self._judge(alternative) == DEAD:
                continue
            outcome = self.fork().run(alternative)
            if isinstance(outcome, Found):
                return outcome
            stuck = stuck or outcome
        return stuck

    def _narrow(self) -> bool:
        """Drops dead alternatives and settled choices; leaves the narrowest choice last."""
        while len(self.choices) > 1 and self.finite is None:
            kept = []
            forced: Alternative | None = None
            for choice in self.choices:
                live = self._live(choice)
                if live is None:
                    continue
                if not live:
                    return False
                if len(live) == 1 and forced is None:
                    forced = live[0]
                else:
                    kept.append(live)
            self.choices = sorted(kept, key=len, reverse=True)
            if forced is None:
                break
            if not self._absorb(list(forced)):
                return False
        return True

    def _live(self, choice: list[Alternative]) -> list[Alternative] | None:
        """Gives the alternatives that are still possible; None where one holds anyway."""
        live = []
        for alternative in choice:
            self.search.budget.spend(1 + len(alternative) // 8)
            verdict = self._judge(alternative)
            if verdict == SURE:
                return None
            if verdict != DEAD:
                live.append(alternative)
        return live

    def _judge(self, alternative: Alternative) -> int:
        verdict = SURE
        for item in alternative:
            if item.__class__ is tuple:
                verdict = min(verdict, self._judge_literal(item))
            else:
                self.search.budget.spend()
                verdict = min(verdict, self.state.judge(item))
            if verdict == DEAD:
                break
        return verdict

    def _judge_literal(self, literal: Literal) -> int:
        node, wanted = literal
        if literal in self.seen or (node.full if wanted else ~node.may) & self.kind:
            return SURE
        if (node, not wanted) in self.seen or not (node.may if wanted else ~node.full) & self.kind:
            return DEAD
        return OPEN

    def _absorb(self, items: list[Item]) -> bool:
        """Takes conditions in until only choices are left; False where they clash."""
        budget = self.search.budget
        while items:
            budget.spend()
            item = items.pop()
            if item.__class__ is not tuple:
                if not self.state.add(item):
                    return False
                continue
            verdict = self._judge_literal(item)
            if verdict == DEAD:
                return False
            if verdict == OPEN:
                self.seen[item] = None
                if not self._expand(item[0], item[1], items):
                    return False
        return True

    def _expand(self, node: Node, wanted: bool, items: list[Item]) -> bool:
        if isinstance(node, Shape):
            return self._accept(node, items) if wanted else self._refuse(node, items)
        if isinstance(node, Not):
            items.append((node.inner, not wanted))
        elif isinstance(node, Link):
            items.append((node.target, wanted))
        elif isinstance(node, Opaque):
            self.opaque = self.opaque or Stuck(node.reason, told(node))
        elif isinstance(node, If):
            return self._choose(_if_ways(node, wanted), items)
        elif isinstance(node, AnyOf):
            if wanted:
                return self._choose([((each, True),) for each in node.branches], items)
            items += [(each, False) for each in node.branches]
        elif isinstance(node, OneOf):
            return self._choose(_exclusive_ways(node, wanted, self.kind), items)
        return True

    def _choose(self, ways: list[Alternative], items: list[Item]) -> bool:
        kept = []
        for way in ways:
            self.search.budget.spend(1 + len(way) // 8)
            verdicts = [
                self._judge_literal(each) if each.__class__ is tuple else OPEN for each in way
            ]
            if min(verdicts, default=SURE) == SURE:
                return True
            if DEAD not in verdicts:
                kept.append(way)
        if len(kept) == 1:
            items += kept[0]
        elif kept:
            self.choices.append(kept)
        return bool(kept)

    def _accept(self, shape: Shape, items: list[Item]) -> bool:
        if shape.enum is not None and (self.finite is None or len(shape.enum) < len(self.finite)):
            self.finite = shape.enum
        atom = shape.atom(self.kind)
        items += [(part, True) for part in shape.parts]
        return atom is None or self.state.add(atom)

    def _refuse(self, shape: Shape, items: list[Item]) -> bool:
        ways = shape.negations.get(self.kind)
        if ways is None:
            ways = shape.negations[self.kind] = self._refusals(shape)
        return self._choose(ways, items)

    def _refusals(self, shape: Shape) -> list[Alternative]:
        """Lists the ways in which a value of this kind is refused by a shape."""
        ways: list[Alternative] = [((part, False),) for part in shape.parts]
        if shape.enum is not None:
            ways.append(self._other_than(shape.enum))
        atom = shape.atom(self.kind)
        if atom is not None:
            module = numeric if self.kind & NUMBER else _MODULES[self.kind]
            ways += [(each,) for each in module.refusals(atom)]
        return ways

    def _other_than(self, enum: dict[str, Any]) -> Alternative:
        if self.kind & (NUMBER | STRING):
            return (Excluded(enum),)
        listed = [each for each in enum.values() if isinstance(each, (list, dict))]
        return tuple((self.search.equal_to(each), False) for each in listed)


def _if_ways(node: If, wanted: bool) -> list[Alternative]:
    return [
        ((node.test, True), (node.then, wanted)),
        ((node.test, False), (node.other, wanted)),
    ]


def _exclusive_ways(node: OneOf, wanted: bool, kind: int) -> list[Alternative]:
    branches = tuple(each for each in node.branches if each.may & kind)
    if wanted:
        return [
            # By position: a branch that stands twice is never the only one.
            ((each, True), *((other, False) for other in branches[:at] + branches[at + 1 :]))
            for at, each in enumerate(branches)
        ]
    ways: list[Alternative] = [tuple((each, False) for each in branches)]
    for index, each in enumerate(branches):
        ways += [((each, True), (other, True)) for other in branches[index + 1 :]]
    return ways
