"""Objects: which members there must, may and cannot be, and what their values fulfil."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolsync.schema.proof.assignment import Assignment
from toolsync.schema.proof.nodes import Node, Objects, Pattern, Rule, Shape
from toolsync.schema.proof.search import Goal, Literal, Outcome, Search, Stuck
from toolsync.schema.proof.values import Undecidable

if TYPE_CHECKING:
    from typing import Self

MAX_PATTERNS: Final = 5

Literals = tuple[Literal, ...]


class Some(NamedTuple):
    """Some member meets `literals`: the one of this name, or one that `rule` applies to.

    `naming` is asked of the member's name.
    """

    name: str | None
    rule: Rule | None
    literals: Literals
    naming: Literals = ()


def refusals(atom: Objects) -> list[Any]:
    """Lists the conditions of which one holds where an object breaks its keywords."""
    ways: list[Any] = [Lacking(name) for name in atom.required]
    ways += [Some(name, None, ((node, False),)) for name, node in atom.members]
    ways += [Some(None, rule, ((rule.node, False),)) for rule in atom.rules]
    if atom.least:
        ways.append(Objects(most=atom.least - 1))
    if atom.most is not None:
        ways.append(Objects(least=atom.most + 1))
    if atom.names is not None:
        ways.append(Some(None, None, (), ((atom.names, False),)))
    return ways


class Lacking(NamedTuple):
    """There is no member of this name."""

    name: str


class Region(NamedTuple):
    """Names that nobody spells out, told apart by the patterns that they match."""

    matched: frozenset[Pattern]
    literals: Literals


class State:
    """The conditions on one object."""

    __slots__ = (
        "lacking",
        "least",
        "members",
        "most",
        "names",
        "required",
        "rules",
        "search",
        "some",
    )

    def __init__(self, search: Search, kind: int) -> None:
        del kind
        self.search = search
        self.members: dict[str, Literals] = {}
        self.rules: tuple[Rule, ...] = ()
        self.required: dict[str, None] = {}
        self.lacking: frozenset[str] = frozenset()
        self.names: Literals = ()
        self.least = 0
        self.most: int | None = None
        self.some: tuple[Some, ...] = ()

    def copy(self) -> Self:
        """Gives an independent copy."""
        made = object.__new__(type(self))
        made.search = self.search
        made.members = self.members.copy()
        made.rules = self.rules
        made.required = self.required.copy()
        made.lacking = self.lacking
        made.names = self.names
        made.least, made.most = self.least, self.most
        made.some = self.some
        return made

    def add(self, condition: Any) -> bool:
        """Takes one more condition; False where it clashes at once."""
        if isinstance(condition, Some):
            self.some += (condition,)
        elif isinstance(condition, Lacking):
            self.lacking |= {condition.name}
            return condition.name not in self.required
        else:
            self._merge(condition)
        return self.most is None or max(self.least, len(self.required)) <= self.most

    def _merge(self, atom: Objects) -> None:
        members = self.members
        for name, node in atom.members:
            members[name] = (*members.get(name, ()), (node, True))
        self.rules += atom.rules
        self.required.update(dict.fromkeys(atom.required))
        if atom.names is not None:
            self.names += ((atom.names, True),)
        self.least = max(self.least, atom.least)
        if atom.most is not None:
            self.most = atom.most if self.most is None else min(self.most, atom.most)

    def judge(self, condition: Any) -> int:
        """Tells whether a condition is ruled out (0), met anyway (2) or open (1)."""
        if isinstance(condition, Some):
            return self._judge_some(condition)
        if isinstance(condition, Lacking):
            if condition.name in self.required:
                return 0
            return 2 if condition.name in self.lacking else 1
        if condition.most is not None and max(len(self.required), self.least) > condition.most:
            return 0
        met = condition == Objects(least=condition.least) and condition.least <= len(self.required)
        return 2 if met else 1

    def _judge_some(self, some: Some) -> int:
        if some.name is not None:
            return self._judge_named(some.name, some.literals)
        try:
            goals = [goal for _, goal in self.candidates(some)]
        except Undecidable:
            return 1
        return 0 if all(self.search.solve(goal) is None for goal in goals) else 1

    def _judge_named(self, name: str, wanted: Literals) -> int:
        met = self.literals(name)
        against = [(node, not positive) for node, positive in wanted]
        if len(wanted) == 1 and against[0] in met:
            return 0
        if self.search.solve(frozenset((*met, *wanted))) is None:
            return 0
        if name not in self.required or len(wanted) != 1:
            return 1
        return 2 if self.search.solve(frozenset((*met, *against))) is None else 1

    def literals(self, name: str | None) -> Literals:
        """Lists what the value of a member must meet."""
        assert name is not None  # noqa: S101 - asked for named members only
        self.search.budget.spend(1 + len(self.rules) // 8)
        found = list(self.members.get(name, ()))
        if name in self.lacking:
            found.append((self.search.table.false, True))
        found += [(rule.node, True) for rule in self.rules if rule.applies(name)]
        return tuple(found)

    def candidates(self, some: Some) -> Iterator[tuple[str | Region, Goal]]:
        """Lists the members that could be the wanted one, each with its value's goal."""
        if some.name is not None:
            yield some.name, frozenset((*self.literals(some.name), *some.literals))
            return
        for name in self.explicit(some):
            applies = some.rule is None or some.rule.applies(name)
            if applies and self.named_well(name, some.naming) is not False:
                yield name, frozenset((*self.literals(name), *some.literals))
        for region in self.regions(some):
            yield region, frozenset((*region.literals, *some.literals))

    def explicit(self, some: Some | None = None) -> list[str]:
        """Lists the names that some condition spells out."""
        names = dict.fromkeys((*self.required, *self.members, *self.lacking))
        rules = [*self.rules, *[each.rule for each in (*self.some, some) if each and each.rule]]
        for rule in rules:
            names.update(dict.fromkeys(sorted(rule.names)))
        naming = [*self.names, *[one for each in (*self.some, some) if each for one in each.naming]]
        for node, _ in naming:
            names.update(dict.fromkeys(_listed(node)))
        names.update(dict.fromkeys(each.name for each in self.some if each.name is not None))
        self.search.budget.spend(1 + (len(names) + len(rules)) // 8)
        return list(names)

    def named_well(self, name: str, naming: Literals = ()) -> bool | None:
        """Tells whether a member may have this name; None where that is not known."""
        goal = (*self.names, *naming)
        return self.search.meets(goal, name) if goal else True

    def regions(self, some: Some | None = None) -> Iterator[Region]:
        """Lists the kinds of names that nobody spells out."""
        patterns = self.patterns(some)
        if len(patterns) > MAX_PATTERNS:
            raise Undecidable("patternProperties: too many patterns to combine")
        for flags in product((False, True), repeat=len(patterns)):
            matched = frozenset(each for each, on in zip(patterns, flags, strict=True) if on)
            if some is None or some.rule is None or _reaches(some.rule, matched):
                applying = [(rule.node, True) for rule in self.rules if _reaches(rule, matched)]
                yield Region(matched, tuple(applying))

    def patterns(self, some: Some | None = None) -> tuple[Pattern, ...]:
        """Lists the patterns by which names are told apart."""
        rules = [*self.rules, *[each.rule for each in (*self.some, some) if each and each.rule]]
        self.search.budget.spend(len(rules) // 8)
        return tuple(dict.fromkeys(one for rule in rules for one in (*rule.inside, *rule.outside)))

    def solve(self) -> Outcome:
        """Finds an object, or proves that there is none."""
        if self.most is not None and self.most < max(self.least, len(self.required)):
            return None
        stuck: Stuck | None = None
        for name in self.required:
            named = self.named_well(name)
            outcome = self.search.solve(frozenset(self.literals(name)))
            if outcome is None or named is False:
                return None
            if named is None:
                stuck = stuck or Stuck("propertyNames: a name could not be checked")
            if isinstance(outcome, Stuck):
                stuck = stuck or outcome
        if stuck is not None and not self.some:
            return stuck
        return Assignment(self).run(0, {})


def _reaches(rule: Rule, matched: frozenset[Pattern]) -> bool:
    return all(each in matched for each in rule.inside) and not any(
        each in matched for each in rule.outside
    )


def _listed(node: Node) -> list[str]:
    """Lists the texts that a condition on names spells out."""
    if isinstance(node, Shape):
        own = [each for each in (node.enum or {}).values() if isinstance(each, str)]
        return own + [name for part in node.parts for name in _listed(part)]
    branches = getattr(node, "branches", None) or ()
    inner = getattr(node, "inner", None)
    return [name for each in (*branches, *((inner,) if inner else ())) for name in _listed(each)]
