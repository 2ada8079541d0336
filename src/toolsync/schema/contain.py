"""Is every value that one schema accepts accepted by another: yes with proof, no with witness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from toolsync.schema.accepts import accepts
from toolsync.schema.alike import alike
from toolsync.schema.budget import Budget
from toolsync.schema.check import affordable, manageable, refused_at
from toolsync.schema.dialect import Dialect
from toolsync.schema.nodes import Node
from toolsync.schema.normal import Normaliser
from toolsync.schema.place import Place
from toolsync.schema.pointer import pointer
from toolsync.schema.reading import Mode, Path, Reading, read
from toolsync.schema.search import Found, Outcome, Search, Stuck
from toolsync.schema.spelling import respelling_matters, respelt
from toolsync.schema.table import Table
from toolsync.schema.tableau import explore
from toolsync.schema.validity import fault, reading_dialect
from toolsync.schema.values import SAFE, Exact, Undecidable

Answer = Literal["yes", "no", "unknown"]
Schema = dict[str, Any] | bool

STEPS: Final = 50_000
"""The budget of one question, in steps of a few microseconds."""

_MISREAD: Final = (TypeError, ValueError, AttributeError, KeyError)


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


@dataclass(frozen=True, slots=True)
class _Side:
    """One schema as read, and its node."""

    reading: Reading
    node: Node
    largest: Exact


class Comparison:
    """Two schemas, or two places in them, read once and asked as often as needed.

    `reading` says how both sides are read (`new_reading`, how new is): "declared"
    for calls, "open" for plain JSON Schema, "closed" for the names that a side
    declares and no others, wherever it stands open. `old_at` and `new_at` are
    the tokens of the compared places; none are the roots.
    """

    __slots__ = ("_at", "_given", "_modes", "_search", "_sides", "_table")

    def __init__(  # noqa: PLR0913 - two sides, three facts each
        self,
        old: Schema,
        new: Schema,
        reading: Mode = "declared",
        *,
        new_reading: Mode | None = None,
        old_at: Path = (),
        new_at: Path = (),
    ) -> None:
        self._given = (old, new)
        self._modes: tuple[Mode, Mode] = (reading, new_reading or reading)
        self._at = (old_at, new_at)
        self._table = Table()
        self._sides: tuple[_Side, _Side] | None = None
        self._search: Search | None = None

    def contained(self) -> Containment:
        """Tells whether new accepts all that old accepts."""
        return self._ask(0, 1)

    def reverse(self) -> Containment:
        """Tells whether old accepts all that new accepts."""
        return self._ask(1, 0)

    def equivalent(self) -> Containment:
        """Tells whether both accept the same; else the answer of the first direction that fails."""
        answer = self.contained()
        return self.reverse() if answer.answer == "yes" else answer

    def _ask(self, left: int, right: int) -> Containment:
        try:
            if self._modes[0] == self._modes[1] and self._at == ((), ()) and alike(*self._given):
                return _YES
            return self._answer(left, right)
        except Undecidable as stop:
            return Containment("unknown", path=stop.where, reason=stop.reason)
        except RecursionError:
            return Containment("unknown", reason="schemas nested too deeply")
        except _MISREAD as error:
            return self._malformed(error)

    def _malformed(self, error: Exception) -> Containment:
        """Tells which schema is none, after it could not be read."""
        for schema in self._given:
            found = fault(schema, root_object=False)
            if found is not None:
                return Containment("unknown", path=found.path, reason=found.reason)
        raise error

    def _answer(self, left: int, right: int) -> Containment:
        sides = self._read()
        old, new = sides[left].node, sides[right].node
        if old is new:
            return _YES
        search = self._searching()
        outcome: Outcome = None
        if old.may and new is not self._table.true:
            outcome = search.solve(frozenset(((old, True), (new, False))))
        if isinstance(outcome, Found):
            return self._confirmed(left, right, outcome.value)
        if isinstance(outcome, Stuck):
            return Containment("unknown", path=outcome.where, reason=outcome.reason)
        return self._unless_hollow(left, search)

    def _searching(self) -> Search:
        """Gives the search with a fresh budget; what it found before stays known."""
        sides = self._read()
        if self._search is None:
            largest = max(each.largest for each in sides)
            within = self._modes != ("open", "open") and largest <= SAFE
            self._search = Search(self._table, Budget(STEPS), SAFE if within else None, explore)
        self._search.budget.left = STEPS
        return self._search

    def _read(self) -> tuple[_Side, _Side]:
        if self._sides is None:
            self._sides = (self._side(0), self._side(1))
        return self._sides

    def _side(self, side: int) -> _Side:
        reading = _read_as_meant(self._given[side], self._modes[side], self._at[side])
        normaliser = Normaliser(self._table, reading.schema, reading.origins)
        node = normaliser.node(reading.schema, Place(None, pointer(self._at[side])))
        return _Side(reading, node, normaliser.largest)

    def _unless_hollow(self, left: int, search: Search) -> Containment:
        """Withholds a "yes" that holds only because a reading left nothing over."""
        if self._modes[left] == "open":
            return _YES
        if search.solve(frozenset(((self._read()[left].node, True),))) is not None:
            return _YES
        plain = _read_as_meant(self._given[left], "open", self._at[left])
        table = Table()
        node = Normaliser(table, plain.schema, plain.origins).node(plain.schema, Place())
        outcome = Search(table, Budget(STEPS), None, explore).solve(frozenset(((node, True),)))
        if outcome is None:
            return _YES
        return Containment("unknown", reason="read as declared, the schema accepts nothing")

    def _confirmed(self, left: int, right: int, witness: Any) -> Containment:
        """Turns a found value into an answer, if a real validator agrees."""
        sides = self._read()
        budget = Budget(STEPS)
        held = accepts(sides[left].node, witness, budget) is True
        if not held or accepts(sides[right].node, witness, budget) is not False:
            return Containment("unknown", reason="a witness that does not hold")
        before, after = (self._judged(side, witness) for side in (left, right))
        if before is not None or after is None:
            return Containment("unknown", reason="a witness that the validator judges otherwise")
        return Containment("no", witness, self._pointer(right, after))

    def _pointer(self, side: int, steps: list[str]) -> str:
        """Spells where a side refuses a witness; behind a reference, from where that leads."""
        return pointer(steps) if self._unread(side) else self._read()[side].reading.place_of(steps)

    def _unread(self, side: int) -> bool:
        """Tells whether the validator judges by the schema as given, and not as read."""
        return self._modes[side] == "open" and not self._at[side]

    def _judged(self, side: int, witness: Any) -> list[str] | None:
        """Asks the real validator, within bounds, where one schema refuses a witness."""
        reading = self._read()[side].reading
        schema, dialect = reading.schema, Dialect.DRAFT2020
        if self._unread(side):
            schema, dialect = self._given[side], reading.dialect
        patterns = self._table.patterns
        if not affordable(reading.schema) or not manageable(witness, patterns):
            raise Undecidable("a witness that a validator would take too long for")
        if respelling_matters(patterns):
            schema = respelt(schema)
        try:
            return refused_at(schema, dialect, witness)
        except ValueError as stop:
            raise Undecidable(str(stop)) from stop


def _read_as_meant(schema: Schema, mode: Mode, at: Path) -> Reading:
    """Reads a schema; one that names no dialect and is odd as 2020-12 perhaps as draft-07."""
    found: Reading | None = None
    try:
        found = read(schema, mode, at=at)
    except _MISREAD:
        if not isinstance(schema, dict) or "$schema" in schema:
            raise
    if found is None or (found.odd and isinstance(schema, dict) and "$schema" not in schema):
        return read(schema, mode, reading_dialect(schema), at)
    return found


def contained(
    old: Schema, new: Schema, reading: Literal["declared", "open"] = "declared"
) -> Containment:
    """Tells whether every value that `old` accepts is accepted by `new`."""
    return Comparison(old, new, reading).contained()
