"""Is every value that one schema accepts accepted by another: yes with proof, no with witness."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from toolsync.schema.proof.accepts import accepts
from toolsync.schema.proof.alike import alike
from toolsync.schema.proof.nodes import Objects
from toolsync.schema.proof.normal import Normaliser
from toolsync.schema.proof.place import Place
from toolsync.schema.proof.search import Found, Outcome, Search, Stuck
from toolsync.schema.proof.sides import MISREAD, Schema, Side, Sides, read_as_meant
from toolsync.schema.proof.table import Table
from toolsync.schema.proof.tableau import explore
from toolsync.schema.proof.values import OBJECT, SAFE, Undecidable, is_json
from toolsync.schema.readings.reading import Mode, Path

Answer = Literal["yes", "no", "unknown"]
Confirmed = Literal["both", "left", "neither"]

STEPS: Final = 50_000
"""The budget of one question, in steps of a few microseconds."""


@dataclass(frozen=True, slots=True)
class Containment:
    """The answer to "is every value of old a value of new?".

    "no" comes with a `witness` that old accepts and new refuses, and `path` is
    the JSON Pointer of the keyword in new (as read) that refuses it. "unknown"
    comes with the `reason`, and the `path` of the keyword that stopped the proof.
    """

    answer: Answer
    witness: Any = None
    path: str = ""
    reason: str = ""


_YES: Final = Containment("yes")


class Comparison:
    """Two schemas, or two places in them, read once and asked as often as needed.

    `reading` says how both sides are read (`new_reading`, how new is): "declared"
    for calls, "open" for plain JSON Schema, the others to tell how it came to be
    open. `old_at` and `new_at` are the tokens of the compared places; none are the
    roots. `among` holds the schemas of the judgement that this is a part of.
    """

    __slots__ = ("_at", "_given", "_modes", "_pair", "_shared", "_sides")

    def __init__(  # noqa: PLR0913 - two sides, three facts each
        self,
        old: Schema,
        new: Schema,
        reading: Mode = "declared",
        *,
        new_reading: Mode | None = None,
        old_at: Path = (),
        new_at: Path = (),
        among: Sides | None = None,
    ) -> None:
        self._given = (old, new)
        self._modes: tuple[Mode, Mode] = (reading, new_reading or reading)
        self._at = (old_at, new_at)
        self._shared = among is not None
        self._sides = among or Sides()
        self._pair: tuple[Side, Side] | None = None

    def contained(self, confirmed: Confirmed = "both") -> Containment:
        """Tells whether new accepts all that old accepts.

        A real validator has the last word on a witness, or on the sides that are `confirmed`.
        """
        return self._ask(0, 1, confirmed)

    def reverse(self, confirmed: Confirmed = "both") -> Containment:
        """Tells whether old accepts all that new accepts."""
        return self._ask(1, 0, confirmed)

    def equivalent(self) -> Containment:
        """Tells whether both accept the same; else the answer of the first direction that fails."""
        answer = self.contained()
        return self.reverse() if answer.answer == "yes" else answer

    def _ask(self, left: int, right: int, confirmed: Confirmed) -> Containment:
        if not self._shared and self._looks_alike():  # a look is quicker than reading
            return _YES
        found = _settled(lambda: self._answer(left, right, confirmed), self._given, self._sides)
        if self._shared and found.answer == "unknown" and self._looks_alike():
            return _YES
        return found

    def _looks_alike(self) -> bool:
        try:
            same_reading = self._modes[0] == self._modes[1] and self._at == ((), ())
            return same_reading and alike(*self._given)
        except RecursionError:
            return False

    def _answer(self, left: int, right: int, confirmed: Confirmed) -> Containment:
        sides = self._read()
        old, new = sides[left].node, sides[right].node
        if old is new:
            return _YES
        search = self._searching()
        outcome: Outcome = None
        if old.may and new is not self._sides.table.true:
            outcome = search.solve(frozenset(((old, True), (new, False))))
        if isinstance(outcome, Found):
            return self._confirmed(sides[left], sides[right], outcome.value, confirmed)
        if isinstance(outcome, Stuck):
            return Containment("unknown", path=outcome.where, reason=outcome.reason)
        return self._unless_hollow(left, search)

    def _searching(self) -> Search:
        largest = max(each.largest for each in self._read())
        within = self._modes != ("open", "open") and largest <= SAFE
        return self._sides.search(STEPS, within=within)

    def _read(self) -> tuple[Side, Side]:
        if self._pair is None:
            old, new = zip(self._given, self._modes, self._at, strict=True)
            pair = (self._sides.side(*old), self._sides.side(*new))
            for side in pair:  # in this order whichever is asked first: an answer shows it
                side.normalise()
            self._pair = pair
        return self._pair

    def _unless_hollow(self, left: int, search: Search) -> Containment:
        """Withholds a "yes" that holds only because a reading left nothing over."""
        if self._modes[left] != "declared":
            return _YES
        if search.solve(frozenset(((self._read()[left].node, True),))) is not None:
            return _YES
        plain = read_as_meant(self._given[left], "open", self._at[left])
        table = Table()
        node = Normaliser(table, plain.schema, plain.origins).node(plain.schema, Place())
        search = Search(table, self._sides.budget(STEPS), None, explore)
        outcome = search.solve(frozenset(((node, True),)))
        if outcome is None:
            return _YES
        return Containment("unknown", reason="read as declared, the schema accepts nothing")

    def _confirmed(self, old: Side, new: Side, witness: Any, confirmed: Confirmed) -> Containment:
        """Turns a found value into an answer, if a real validator agrees."""
        budget = self._sides.budget(STEPS)
        held = accepts(old.node, witness, budget) is True
        if not held or accepts(new.node, witness, budget) is not False:
            return Containment("unknown", reason="a witness that does not hold")
        if confirmed == "neither":
            return Containment("no", witness)
        judged = self._sides.judged
        before = judged(old, witness)
        after = [] if confirmed == "left" else judged(new, witness)
        if before is not None or after is None:
            return Containment("unknown", reason="a witness that the validator judges otherwise")
        return Containment("no", witness, new.pointer(after))


def _settled(ask: Callable[[], Containment], given: Iterable[Schema], sides: Sides) -> Containment:
    """Turns what stops an answer into one."""
    try:
        sides.begin()
        return ask()
    except Undecidable as stop:
        return Containment("unknown", path=stop.where, reason=stop.reason)
    except RecursionError:
        return Containment("unknown", reason="schemas nested too deeply")
    except MISREAD:
        from toolsync.schema.validity import fault  # noqa: PLC0415  loads tables, and is rare

        if not all(map(is_json, given)):
            return Containment("unknown", reason="a schema that is no JSON")
        for schema in given:
            found = fault(schema, root_object=False)
            if found is not None:
                return Containment("unknown", path=found.path, reason=found.reason)
        raise
    finally:
        sides.settle()


def takes(schema: Schema, value: Any, reading: Mode, among: Sides) -> Containment:
    """Tells whether a schema accepts one value; a "no" has the validator's word."""

    def ask() -> Containment:
        side = among.side(schema, reading)
        verdict = accepts(side.node, value, among.budget(STEPS))
        if verdict is None:
            return Containment("unknown", reason="a condition that could not be evaluated")
        if verdict:
            return _YES
        refused = among.judged(side, value)
        if refused is None:
            return Containment("unknown", reason="a witness that the validator judges otherwise")
        return Containment("no", value, side.pointer(refused))

    return _settled(ask, (schema,), among)


def breaks(old: Schema, new: Schema, value: Any, reading: Mode, among: Sides) -> Containment:
    """Answers "no" where a real validator says that old accepts a guessed value and new does not.

    Anything else proves nothing, and is "unknown".
    """

    def ask() -> Containment:
        before, after = among.side(old, reading), among.side(new, reading)
        if before.obvious and after.obvious and among.judged(before, value) is None:
            refused = among.judged(after, value)
            if refused is not None:
                return Containment("no", value, after.pointer(refused))
        return Containment("unknown", reason="a guess that proves nothing")

    return _settled(ask, (old, new), among)


def sample(schema: Schema, reading: Mode, among: Sides, names: Sequence[str] = ()) -> Containment:
    """Answers "no" with a witness where a schema accepts a value, or an object with some members.

    The names are added to what the schema means, and not to how it reads: it declares them.
    """

    def ask() -> Containment:
        side = among.side(schema, reading)
        search = among.search(STEPS, within=reading != "open" and side.largest <= SAFE)
        goal = {(side.node, True)}
        if names:
            asked = Objects(required=tuple(sorted(set(names))))
            goal.add((among.table.shape(mask=OBJECT, objects=asked), True))
        outcome = search.solve(frozenset(goal)) if side.node.may else None
        if outcome is None:
            return _YES
        if isinstance(outcome, Stuck):
            return Containment("unknown", path=outcome.where, reason=outcome.reason)
        if among.judged(side, outcome.value) is not None:
            return Containment("unknown", reason="a witness that the validator judges otherwise")
        return Containment("no", outcome.value)

    return _settled(ask, (schema,), among)


def contained(
    old: Schema, new: Schema, reading: Literal["declared", "open"] = "declared"
) -> Containment:
    """Tells whether every value that `old` accepts is accepted by `new`.

    What is no schema, or no JSON at all, is "unknown", as all that cannot be decided.
    """
    return Comparison(old, new, reading).contained()
