"""Regular languages: does a text match, and is there a text in some languages and not in others.

Own automata rather than a library: those that were looked at build whole
automata before answering, or read Python's patterns and not ECMA-262's. Here
states are made as they are met, and a cap ends what explodes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from toolsync.schema.language.ecma import (
    LAST,
    Chars,
    Choice,
    Edge,
    Look,
    NotRegular,
    Ranges,
    Repeat,
    Sequence,
    Syntax,
    parse,
)

MAX_STATES: Final = 2_000
MAX_PRODUCT: Final = 4_000
MAX_LENGTH: Final = 2_000
MAX_WORK: Final = 2_000_000

_SURROGATES: Final = (0xD800, 0xDFFF)
# Witnesses are read by people, and validators agree most about plain characters.
_LIKED: Final = [ord(each) for each in "ab01ABxyzZ_- .,:/@#"] + list(range(0x21, 0x7F))


class TooLarge(Exception):  # noqa: N818 - an answer, caught by its caller
    """Says that an automaton grew past its cap."""


@dataclass(slots=True)
class _Machine:
    """A Thompson automaton; `edges` are free moves, guarded by start or end of the text."""

    moves: list[tuple[Ranges, int] | None] = field(default_factory=list)
    edges: list[list[tuple[int, str]]] = field(default_factory=list)

    def state(self) -> int:
        if len(self.moves) >= MAX_STATES:
            raise TooLarge("a pattern with too many states")
        self.moves.append(None)
        self.edges.append([])
        return len(self.moves) - 1

    def build(self, tree: Syntax, start: int) -> int:
        """Adds what `tree` reads, from `start`; gives the state behind it."""
        if isinstance(tree, Chars):
            end = self.state()
            here = self.state()
            self.edges[start].append((here, ""))
            self.moves[here] = (tree.ranges, end)
            return end
        if isinstance(tree, Edge):
            end = self.state()
            self.edges[start].append((end, "^" if tree.start else "$"))
            return end
        if isinstance(tree, Sequence):
            for part in tree.parts:
                start = self.build(part, start)
            return start
        if isinstance(tree, Choice):
            return self._choice(tree, start)
        if isinstance(tree, Repeat):
            return self._repeat(tree, start)
        raise NotRegular("a look-ahead")

    def _choice(self, tree: Choice, start: int) -> int:
        end = self.state()
        for part in tree.parts:
            entry = self.state()
            self.edges[start].append((entry, ""))
            self.edges[self.build(part, entry)].append((end, ""))
        return end

    def _repeat(self, tree: Repeat, start: int) -> int:
        for _ in range(tree.least):
            start = self.build(tree.inner, start)
        if tree.most is None:
            loop = self.state()
            self.edges[start].append((loop, ""))
            self.edges[self.build(tree.inner, loop)].append((loop, ""))
            return loop
        end = self.state()
        self.edges[start].append((end, ""))
        for _ in range(tree.most - tree.least):
            start = self.build(tree.inner, start)
            self.edges[start].append((end, ""))
        return end


_DONE: Final = 0  # the deterministic state of a search that has succeeded


class Automaton:
    """The texts in which a pattern is found, as an automaton made deterministic on demand."""

    __slots__ = (
        "_begin",
        "_cuts",
        "_ends",
        "_final",
        "_live",
        "_machine",
        "_numbers",
        "_sets",
        "_start",
        "_steps",
        "_work",
    )

    def __init__(self, tree: Syntax) -> None:
        machine = _Machine()
        self._start = machine.state()
        self._final = machine.build(tree, self._start)
        self._machine = machine
        cuts = {0}
        for move in machine.moves:
            for low, high in move[0] if move else ():
                cuts.update((low, high + 1))
        self._cuts = sorted(cuts)
        self._sets: list[frozenset[int]] = [frozenset()]
        self._ends: list[bool] = [True]
        self._live: list[bool] = [True]
        self._begin: int | None = None
        self._work = 0
        self._numbers: dict[frozenset[int], int] = {}
        self._steps: dict[tuple[int, int], int] = {}

    @property
    def cuts(self) -> list[int]:
        """The code points at which the automaton may begin to behave differently."""
        return self._cuts

    @property
    def work(self) -> int:
        """Counts what making it deterministic took so far."""
        return self._work

    def begin(self) -> int:
        """Gives the state before any character."""
        if self._begin is None:
            self._begin = self._number(self._closure({self._start}, "^"), at_start=True)
        return self._begin

    def accepts(self, state: int) -> bool:
        """Tells whether a text that ends in this state matches."""
        return self._ends[state]

    def hopeless(self, state: int) -> bool:
        """Tells whether no text that leads through this state matches."""
        return not self._live[state]

    def step(self, state: int, point: int) -> int:
        """Gives the state behind one more character."""
        if state == _DONE:
            return _DONE
        at = (state, bisect_right(self._cuts, point))
        found = self._steps.get(at)
        if found is None:
            found = self._steps[at] = self._advance(state, point)
        return found

    def _advance(self, state: int, point: int) -> int:
        reached = {self._start}  # the search may begin anew behind any character
        self._work += len(self._sets[state])
        if self._work > MAX_WORK:
            raise TooLarge("a pattern that takes too many steps")
        for each in self._sets[state]:
            move = self._machine.moves[each]
            if move and holds(move[0], point):
                reached.add(move[1])
        return self._number(self._closure(reached, ""), at_start=False)

    def _closure(self, states: set[int], allowed: str) -> frozenset[int]:
        seen = set(states)
        pending = list(states)
        while pending:
            for target, guard in self._machine.edges[pending.pop()]:
                if (not guard or guard in allowed) and target not in seen:
                    seen.add(target)
                    pending.append(target)
        return frozenset(seen)

    def _number(self, states: frozenset[int], *, at_start: bool) -> int:
        if self._final in states:
            return _DONE
        known = self._numbers.get(states)
        if known is not None and not at_start:
            return known
        if len(self._sets) >= MAX_STATES:
            raise TooLarge("a pattern with too many states")
        self._sets.append(states)
        ending = self._closure(set(states), "^$" if at_start else "$")
        self._ends.append(self._final in ending)
        moving = any(self._machine.moves[each] for each in states)
        self._live.append(moving or self._final in ending)
        number = len(self._sets) - 1
        if not at_start:  # at the very start `^` still holds, so that state is its own
            self._numbers[states] = number
        return number


def holds(ranges: Ranges, point: int) -> bool:
    """Tells whether a code point is in the ranges."""
    at = bisect_right(ranges, (point, LAST)) - 1
    return at >= 0 and point <= ranges[at][1]


class Language:
    """The texts that one pattern matches somewhere, as ECMA-262 reads it.

    A pattern with look-aheads behind its opening `^` is several automata: those
    that must match and those that must not.
    """

    __slots__ = ("parts",)

    def __init__(self, pattern: str) -> None:
        self.parts = [(Automaton(tree), wanted) for tree, wanted in _split(parse(pattern))]

    @classmethod
    def exactly(cls, text: str) -> Language:
        """Gives the language of one text."""
        chars = tuple(Chars(((ord(each), ord(each)),)) for each in text)
        made = cls.__new__(cls)
        whole = Sequence((Edge(start=True), *chars, Edge(start=False)))
        made.parts = [(Automaton(whole), True)]
        return made

    @property
    def work(self) -> int:
        """Counts what its automata took so far."""
        return sum(automaton.work for automaton, _ in self.parts)

    def matches(self, text: str) -> bool:
        """Tells whether the pattern is found in a text, in time linear in its length."""
        return all(_runs(automaton, text) == wanted for automaton, wanted in self.parts)


def _runs(automaton: Automaton, text: str) -> bool:
    state = automaton.begin()
    for each in text:
        if state == _DONE:
            return True
        state = automaton.step(state, ord(each))
    return automaton.accepts(state)


def _split(tree: Syntax) -> list[tuple[Syntax, bool]]:
    """Takes the look-aheads that stand right behind an opening `^` apart."""
    parts = tree.parts if isinstance(tree, Sequence) else (tree,)
    if not parts or not isinstance(parts[0], Edge) or not parts[0].start:
        return [(tree, True)]
    looks = 1
    while looks < len(parts) and isinstance(parts[looks], Look):
        looks += 1
    seen = [look for look in parts[1:looks] if isinstance(look, Look)]
    return [
        (Sequence((parts[0], *parts[looks:])), True),
        *[(Sequence((parts[0], look.inner)), look.wanted) for look in seen],
    ]


Wanted = list[tuple[Language, bool]]


def find(
    wanted: Wanted,
    least: int = 0,
    most: int | None = None,
    spend: Callable[[int], None] | None = None,
) -> str | None:
    """Finds a shortest text of a length that is in, or not in, each language as wanted.

    Returns None where there is provably none. `spend` is told of the work done.

    Raises:
        TooLarge: the search met more states than its cap.
    """
    return _Search(wanted, spend).run(least, most)


class _Search:
    """A breadth-first walk of the product of all automata."""

    __slots__ = ("_alphabet", "_automata", "_met", "_must", "_must_not", "_spend", "_wanted")

    def __init__(self, wanted: Wanted, spend: Callable[[int], None] | None) -> None:
        self._spend = spend
        self._automata = [each for language, _ in wanted for each, _ in language.parts]
        self._wanted = wanted
        # Single automata decide for themselves; others only together.
        single = [(each.parts[0], on) for each, on in wanted if len(each.parts) == 1]
        self._must = {id(each) for (each, plus), on in single if plus == on}
        self._must_not = {id(each) for (each, plus), on in single if plus != on}
        self._alphabet = _alphabet(self._automata)
        self._met = 0

    def run(self, least: int, most: int | None) -> str | None:
        if least > MAX_LENGTH:
            raise TooLarge("a text longer than can be searched for")
        layer = {tuple(each.begin() for each in self._automata): ""}
        for _ in range(least):
            layer = self._next(layer, set())
        seen: set[tuple[int, ...]] = set(layer)
        length = least
        while layer:
            for states, text in layer.items():
                if self._accepted(states):
                    return text
            if length == most:
                return None
            layer = self._next(layer, seen)
            length += 1
        return None

    def _next(
        self, layer: dict[tuple[int, ...], str], seen: set[tuple[int, ...]]
    ) -> dict[tuple[int, ...], str]:
        following: dict[tuple[int, ...], str] = {}
        for states, text in layer.items():
            if self._spend is not None:
                self._spend(1 + len(self._alphabet) * len(states) // 4)
            for point in self._alphabet:
                target = tuple(
                    [each.step(at, point) for each, at in zip(self._automata, states, strict=True)]
                )
                if target in following or target in seen or self._lost(target):
                    continue
                following[target] = text + chr(point)
                self._count()
        if seen:
            seen.update(following)
        return following

    def _lost(self, states: tuple[int, ...]) -> bool:
        """Tells whether some language can no longer turn out as wanted."""
        for automaton, state in zip(self._automata, states, strict=True):
            if state == _DONE:
                if id(automaton) in self._must_not:
                    return True
            elif id(automaton) in self._must and automaton.hopeless(state):
                return True
        return False

    def _count(self) -> None:
        self._met += 1
        if self._met > MAX_PRODUCT:
            raise TooLarge("a combination of patterns with too many states")

    def _accepted(self, states: tuple[int, ...]) -> bool:
        at = 0
        for language, wanted in self._wanted:
            inside = True
            for automaton, positive in language.parts:
                inside = inside and automaton.accepts(states[at]) == positive
                at += 1
            if inside != wanted:
                return False
        return True


def _alphabet(automata: list[Automaton]) -> list[int]:
    """One code point for every set of them that all automata treat alike, liked ones first."""
    cuts = sorted({0, *(cut for each in automata for cut in each.cuts), *_around_surrogates()})
    cuts = [cut for cut in cuts if cut <= LAST]
    chosen: dict[int, int] = {}
    for point in _LIKED:
        chosen.setdefault(bisect_right(cuts, point), point)
    for index, cut in enumerate(cuts):
        if not _SURROGATES[0] <= cut <= _SURROGATES[1]:
            chosen.setdefault(index + 1, cut)
    return list(chosen.values())


def _around_surrogates() -> tuple[int, int]:
    return _SURROGATES[0], _SURROGATES[1] + 1
