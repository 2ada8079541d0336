"""Arrays: items by position, how many fulfil something, how many there are, repeats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolsync.schema.proof.nodes import Arrays, Contains
from toolsync.schema.proof.search import Found, Goal, Literal, Outcome, Search, Stuck
from toolsync.schema.proof.values import key

if TYPE_CHECKING:
    from typing import Self

MAX_ITEMS: Final = 400
MAX_LENGTHS: Final = 40
MAX_DISTINCT: Final = 64

Literals = tuple[Literal, ...]


class Somewhere(NamedTuple):
    """An item between the positions `start` and `end` (None: any behind) meets `literals`."""

    start: int
    end: int | None
    literals: Literals


class Repeated(NamedTuple):
    """Two items are the same."""


def refusals(atom: Arrays) -> list[Any]:
    """Lists the conditions of which one holds where an array breaks its keywords."""
    ways: list[Any] = []
    if atom.least:
        ways.append(Arrays(most=atom.least - 1))
    if atom.most is not None:
        ways.append(Arrays(least=atom.most + 1))
    ways += [Somewhere(i, i, ((node, False),)) for i, node in enumerate(atom.prefix)]
    if atom.rest is not None:
        ways.append(Somewhere(len(atom.prefix), None, ((atom.rest, False),)))
    for each in atom.contains:
        if each.least:
            ways.append(Arrays(contains=(Contains(each.node, 0, each.least - 1),)))
        if each.most is not None:
            ways.append(Arrays(contains=(Contains(each.node, each.most + 1, None),)))
    if atom.unique:
        ways.append(Repeated())
    return ways


class State:
    """The conditions on one array."""

    __slots__ = ("atoms", "contains", "least", "most", "repeated", "search", "somewhere", "unique")

    def __init__(self, search: Search, kind: int) -> None:
        del kind
        self.search = search
        self.atoms: tuple[Arrays, ...] = ()
        self.contains: tuple[Contains, ...] = ()
        self.least = 0
        self.most: int | None = None
        self.unique = False
        self.repeated = False
        self.somewhere: tuple[Somewhere, ...] = ()

    def copy(self) -> Self:
        """Gives an independent copy."""
        made = object.__new__(type(self))
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        return made

    def add(self, condition: Any) -> bool:
        """Takes one more condition; False where it clashes at once."""
        if isinstance(condition, Somewhere):
            self.somewhere += (condition,)
        elif isinstance(condition, Repeated):
            self.repeated = True
        else:
            self._merge(condition)
        clash = self.repeated and self.unique
        return not clash and (self.most is None or self.least <= self.most)

    def _merge(self, atom: Arrays) -> None:
        if atom.prefix or atom.rest is not None:
            self.atoms += (atom,)
        for each in atom.contains:
            if each.most is not None and each.least > each.most:
                self.most = -1  # no array has both: shorter than empty
            elif each.most == 0:  # none fulfils it: every item refuses it
                refused = self.search.table.negated(each.node)
                self.atoms += (Arrays(rest=refused),)
            else:
                self.contains += (each,)
        self.least = max(self.least, atom.least)
        if atom.most is not None:
            self.most = atom.most if self.most is None else min(self.most, atom.most)
        self.unique = self.unique or atom.unique

    def judge(self, condition: Any) -> int:
        """Tells whether a condition leaves nothing (0) or is open (1)."""
        trial = self.copy()
        return 1 if trial.add(condition) and trial.solve() is not None else 0

    def literals(self, index: int) -> Literals:
        """Lists what the item at a position must meet."""
        self.search.budget.spend(len(self.atoms) // 8)
        found: list[Literal] = []
        for atom in self.atoms:
            node = atom.prefix[index] if index < len(atom.prefix) else atom.rest
            if node is not None:
                found.append((node, True))
        return tuple(found)

    def solve(self) -> Outcome:
        """Finds an array, or proves that there is none."""
        self.search.budget.spend()
        longest = max([len(atom.prefix) for atom in self.atoms], default=0)
        positions = [each.start + 1 for each in self.somewhere]
        fixed = max(self.least, longest, *positions, 0)
        # Behind that, an item that nothing asks for could be left out again.
        wanted = len(self.somewhere) + sum(each.least for each in self.contains)
        last = fixed + wanted + 2 * self.repeated
        last = last if self.most is None else min(last, self.most)
        if self.least > MAX_ITEMS or last - self.least > 4 * MAX_LENGTHS:
            return Stuck("minItems: more items than are built")
        stuck: Stuck | None = None
        for length in range(self.least, last + 1):
            outcome = _Filling(self, length).run()
            if isinstance(outcome, Found):
                return outcome
            stuck = stuck or outcome
        return stuck


class _Filling:
    """Fills an array of one length."""

    __slots__ = ("_length", "_solve", "_state")

    def __init__(self, state: State, length: int) -> None:
        self._state = state
        self._length = length
        self._solve = state.search.solve

    def run(self) -> Outcome:
        """Places what must stand somewhere, one after the other, then fills the rest."""
        slots = [self._state.literals(index) for index in range(self._length)]
        return self._place(0, slots)

    def _place(self, index: int, slots: list[Literals]) -> Outcome:
        if index == len(self._state.somewhere):
            return self._place_contained(0, slots)
        self._state.search.budget.spend()
        each = self._state.somewhere[index]
        end = self._length if each.end is None else min(each.end + 1, self._length)
        stuck: Stuck | None = None
        for at in self._representatives(range(each.start, end), slots):
            with_it = slots.copy()
            with_it[at] = (*slots[at], *each.literals)
            if self._solve(frozenset(with_it[at])) is None:
                continue
            outcome = self._place(index + 1, with_it)
            if isinstance(outcome, Found):
                return outcome
            stuck = stuck or outcome
        return stuck

    def _representatives(self, positions: range, slots: list[Literals]) -> Iterator[int]:
        """Lists positions that differ in what their items must meet."""
        met: set[object] = set()
        for at in positions:
            eligible = tuple([_stands(each, at) for each in self._state.somewhere])
            if (slots[at], eligible) not in met:
                met.add((slots[at], eligible))
                yield at

    def _place_contained(self, index: int, slots: list[Literals]) -> Outcome:
        """Decides for each `contains`, position by position, whether the item fulfils it."""
        if index == len(self._state.contains):
            return self._complete(slots)
        return self._count(index, 0, 0, slots)

    def _count(self, index: int, at: int, so_far: int, slots: list[Literals]) -> Outcome:
        contains = self._state.contains[index]
        if contains.most is not None and so_far > contains.most:
            return None
        if so_far + self._length - at < contains.least:
            return None
        if at == self._length or (contains.most is None and so_far >= contains.least):
            return self._place_contained(index + 1, slots)
        self._state.search.budget.spend()
        stuck: Stuck | None = None
        for wanted in (so_far < contains.least, so_far >= contains.least):
            chosen = (*slots[at], (contains.node, wanted))
            outcome: Outcome = self._solve(frozenset(chosen))
            if isinstance(outcome, Found):
                rest = [*slots[:at], chosen, *slots[at + 1 :]]
                outcome = self._count(index, at + 1, so_far + wanted, rest)
            if isinstance(outcome, Found):
                return outcome
            stuck = stuck or outcome
        return stuck

    def _complete(self, slots: list[Literals]) -> Outcome:
        if self._state.repeated:
            return self._with_repeat(slots)
        return self._distinct(slots) if self._state.unique else self._values(slots)

    def _values(self, slots: list[Literals]) -> Outcome:
        values = []
        stuck: Stuck | None = None
        for slot in slots:
            outcome = self._solve(frozenset(slot))
            if outcome is None:
                return None
            if isinstance(outcome, Found):
                values.append(outcome.value)
            else:
                stuck = stuck or outcome
        return stuck or Found(values)

    def _with_repeat(self, slots: list[Literals]) -> Outcome:
        stuck: Stuck | None = None
        for first in range(len(slots)):
            for second in self._representatives(range(first + 1, len(slots)), slots):
                both = (*slots[first], *slots[second])
                joint = slots.copy()
                joint[first] = joint[second] = both
                outcome = self._values(joint)
                if isinstance(outcome, Found):
                    values = list(outcome.value)
                    values[second] = values[first]
                    return Found(values)
                stuck = stuck or outcome
        return stuck

    def _distinct(self, slots: list[Literals]) -> Outcome:
        """Chooses different values, hardest position first; being out of values proves little."""
        goals = [frozenset(slot) for slot in slots]
        if len(slots) > MAX_DISTINCT:
            return Stuck("uniqueItems: too many items to tell apart")
        values: list[Any] = [None] * len(slots)
        used: dict[str, Any] = {}
        for at in sorted(range(len(slots)), key=lambda each: self._room(goals[each])):
            outcome = self._solve(self._other_than(goals[at], used))
            if not isinstance(outcome, Found):
                return self._out_of_values(goals, goals[at], outcome)
            values[at] = outcome.value
            used[key(outcome.value)] = outcome.value
        return Found(values)

    def _room(self, goal: Goal) -> int:
        """Guesses how many values a position has to choose from."""
        enums = [getattr(node, "enum", None) for node, wanted in goal if wanted]
        return min([len(each) for each in enums if each is not None], default=10**6)

    def _other_than(self, goal: Goal, used: dict[str, Any]) -> Goal:
        search = self._state.search
        return goal | {(search.equal_to(each), False) for each in used.values()}

    def _out_of_values(self, goals: list[Goal], goal: Goal, outcome: Outcome) -> Outcome:
        if outcome is None and (self._solve(goal) is None or all(each == goal for each in goals)):
            return None  # all positions want the same few values, and there are too few
        return outcome or Stuck("uniqueItems: different values for every position")


def _stands(wanted: Somewhere, at: int) -> bool:
    return wanted.start <= at and (wanted.end is None or at <= wanted.end)
