"""Builds one object: gives every wanted member a name, then fills the object up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolsync.schema.proof.nodes import Pattern, Texts
from toolsync.schema.proof.search import Found, Goal, Literal, Outcome, Stuck
from toolsync.schema.proof.values import Undecidable, key

if TYPE_CHECKING:
    from toolsync.schema.proof.objects import Literals, Region, Some, State

MAX_MEMBERS: Final = 2_000
_FRESH: Final = "extra"


def _text(pattern: Pattern) -> str:
    return pattern.text


class Assignment:
    """Gives every wanted member a name, then fills the object up."""

    __slots__ = ("_fresh", "_solve", "_state")

    def __init__(self, state: State) -> None:
        self._state = state
        self._solve = state.search.solve
        self._fresh = 0

    def run(self, index: int, chosen: dict[str, Literals]) -> Outcome:
        """Assigns the wanted members from `index` on, then completes."""
        if index == len(self._state.some):
            return self._complete(chosen)
        self._state.search.budget.spend()
        some = self._state.some[index]
        stuck: Stuck | None = None
        try:
            for candidate, goal in self._state.candidates(some):
                outcome = self._with(index, chosen, candidate, goal, some)
                if isinstance(outcome, Found):
                    return outcome
                stuck = stuck or outcome
        except Undecidable as stop:
            if self._state.search.budget.left < 0:
                raise
            stuck = Stuck(stop.reason, stop.where)
        return stuck

    def _with(
        self,
        index: int,
        chosen: dict[str, Literals],
        candidate: str | Region,
        goal: Goal,
        some: Some,
    ) -> Outcome:
        outcome = self._solve(goal)
        if not isinstance(outcome, Found):
            return outcome
        if isinstance(candidate, str):
            extra = (*chosen.get(candidate, ()), *some.literals)
            return self.run(index + 1, {**chosen, candidate: extra})
        state = self._state
        taken = [name for name in chosen if self._in_region(name, candidate)]
        stuck: Stuck | None = None
        for name in (*taken, None):
            if name is None:
                found = self._name(candidate, chosen, some.naming)
            elif state.named_well(name, some.naming) is False:
                continue
            else:
                found = Found(name)
            if isinstance(found, Found):
                extra = (*chosen.get(found.value, ()), *some.literals)
                found = self.run(index + 1, {**chosen, found.value: extra})
                if isinstance(found, Found):
                    return found
            stuck = stuck or found
        return stuck

    def _in_region(self, name: str, region: Region) -> bool:
        """Tells whether an already chosen fresh name could serve once more."""
        state = self._state
        if name in state.members or name in state.required:
            return False
        return set(state.literals(name)) == set(region.literals)

    def _name(
        self, region: Region, taken: dict[str, Literals] | dict[str, Any], naming: Literals = ()
    ) -> Outcome:
        """Finds a name in a region that is not taken."""
        state = self._state
        patterns = state.patterns()
        avoided = {*state.explicit(), *taken}
        naming = (*state.names, *naming)
        if not patterns and not naming:
            return Found(self._fresh_name(avoided))
        table = state.search.table
        literals: list[Literal] = [state.search.text, *naming]
        for pattern in dict.fromkeys((*patterns, *sorted(region.matched, key=_text))):
            node = table.shape(texts=Texts(patterns=(pattern,)))
            literals.append((node, pattern in region.matched))
        if avoided:
            literals.append((table.among({key(name): name for name in avoided}), False))
        return self._solve(frozenset(literals))

    def _fresh_name(self, avoided: set[str]) -> str:
        name = _FRESH
        number = 1
        while name in avoided:
            number += 1
            name = f"{_FRESH}{number}"
        return name

    def _complete(self, chosen: dict[str, Literals]) -> Outcome:
        state = self._state
        value: dict[str, Any] = {}
        stuck: Stuck | None = None
        for name in dict.fromkeys((*state.required, *chosen)):
            named = state.named_well(name)
            goal = frozenset((*state.literals(name), *chosen.get(name, ())))
            outcome = self._solve(goal)
            if outcome is None or named is False:
                return None
            if isinstance(outcome, Stuck) or named is None:
                stuck = stuck or (outcome if isinstance(outcome, Stuck) else Stuck("propertyNames"))
                continue
            value[name] = outcome.value
        if stuck is not None:
            return stuck
        if state.most is not None and len(value) > state.most:
            return None
        return Found(value) if len(value) >= state.least else self._fill(value)

    def _fill(self, value: dict[str, Any]) -> Outcome:
        """Adds members until there are as many as there must be."""
        state = self._state
        if state.least > MAX_MEMBERS:
            return Stuck("minProperties: more members than are built")
        stuck: Stuck | None = None
        for name in state.explicit():
            if len(value) >= state.least:
                break
            if name not in value:
                stuck = self._filled(value, name) or stuck
        try:
            for region in state.regions():
                stuck = self._fill_region(value, region) or stuck
        except Undecidable as stop:
            if state.search.budget.left < 0:
                raise
            stuck = Stuck(stop.reason, stop.where)
        return Found(value) if len(value) >= state.least else stuck

    def _filled(self, value: dict[str, Any], name: str) -> Stuck | None:
        named = self._state.named_well(name)
        if named is False:
            return None
        outcome = self._solve(frozenset(self._state.literals(name)))
        if named and isinstance(outcome, Found):
            value[name] = outcome.value
        if named is None:
            return Stuck("propertyNames: a name could not be checked")
        return outcome if isinstance(outcome, Stuck) else None

    def _fill_region(self, value: dict[str, Any], region: Region) -> Stuck | None:
        outcome = self._solve(frozenset(region.literals))
        if not isinstance(outcome, Found):
            return outcome
        while len(value) < self._state.least:
            self._state.search.budget.spend()
            name = self._name(region, value)
            if not isinstance(name, Found):
                return name
            value[name.value] = outcome.value
        return None
