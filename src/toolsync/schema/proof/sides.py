"""Schemas as they are read for one judgement: each once, however often it is asked about.

Most of what a judge asks is about the same two schemas, or about a third made of
their parts. All of it is dropped together with the judgement.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

import orjson

from toolsync.allowance import Allowance
from toolsync.schema.dialect import Dialect, may_be_older
from toolsync.schema.pointer import pointer
from toolsync.schema.proof.budget import USED_UP, Budget
from toolsync.schema.proof.check import Refuser, refuser
from toolsync.schema.proof.effort import Effort, TooMuch
from toolsync.schema.proof.nodes import Node
from toolsync.schema.proof.normal import Normaliser
from toolsync.schema.proof.place import Place
from toolsync.schema.proof.search import Search
from toolsync.schema.proof.table import Table
from toolsync.schema.proof.tableau import explore
from toolsync.schema.proof.values import SAFE, Exact, Undecidable
from toolsync.schema.readings.as_read import Reading
from toolsync.schema.readings.reading import Copies, Mode, Path, read
from toolsync.schema.readings.spelling import patterns_in, respelling_matters, respelt

Schema = dict[str, Any] | bool

MISREAD = (TypeError, ValueError, AttributeError, KeyError, ArithmeticError)
"""What reading a schema raises that is none."""


MAX_SIDES: Final = 12
KEPT_SIDES: Final = 3
"""How many schemas are kept as read, and how many of them when there are more."""

EFFORT: Final = 4
COPY: Final = 6
"""How many steps of a comparison take as long as one of a validator, or as reading a subschema."""

FAILED: Final = 5_000
"""How many subschemas count as read where a schema is too large or too deep."""

MAX_GOALS: Final = 20_000
"""How many goals a search may have answered before it starts anew: a memory, not a store."""


class _Shelf:
    """Holds the table of a judgement, made when it is first asked for: a good guess needs none."""

    __slots__ = ("_table",)

    def __init__(self) -> None:
        self._table: Table | None = None

    @property
    def table(self) -> Table:
        """The nodes of all schemas."""
        if self._table is None:
            self._table = Table()
        return self._table

    @property
    def patterned(self) -> bool:
        """Tells whether any of the schemas that were brought into normal form has a pattern."""
        return self._table is not None and bool(self._table.patterns)


class Side:
    """One schema as read; its node and a real validator for it are made when first asked for."""

    __slots__ = (
        "_at", "_effort", "_largest", "_mode", "_node", "_patterns", "_refuser", "_shelf", "given",
        "reading", "unread",
    )  # fmt: skip

    def __init__(
        self, given: Schema, reading: Reading, at: Path, shelf: _Shelf, mode: Mode
    ) -> None:
        self.given = given
        self.reading = reading
        self.unread = mode == "open" and not at
        self._at = at
        self._mode: Mode = mode
        self._shelf = shelf
        self._node: Node | None = None
        self._largest: Exact = 0
        self._effort: Effort | None = None
        self._patterns: list[str] | None = None
        self._refuser: Refuser | None = None

    @property
    def node(self) -> Node:
        """Gives the normal form.

        Raises:
            Undecidable: the schema is too large or too deep for one.
        """
        return self.normalise()

    def normalise(self) -> Node:
        """Makes the normal form, unless that is done."""
        if self._node is None:
            try:
                self._node = self._normal()
            except MISREAD:
                dialect = self._supposed()
                if dialect is self.reading.dialect:
                    raise
                self.reading = read(self.given, self._mode, dialect, self._at)
                self._node = self._normal()
        return self._node

    def _supposed(self) -> Dialect:
        """Tells the dialect of a schema that names none and is none in the usual one."""
        if isinstance(self.given, dict) and "$schema" not in self.given:
            return _reading_dialect(self.given)
        return self.reading.dialect

    def _normal(self) -> Node:
        schema = self.reading.schema
        normaliser = Normaliser(self._shelf.table, schema, self.reading.origins)
        node = normaliser.node(schema, Place(None, pointer(self._at)))
        self._largest = normaliser.largest
        return node

    @property
    def largest(self) -> Exact:
        """Gives the largest number in the schema, once its node is made."""
        return self._largest

    @property
    def obvious(self) -> bool:
        """Tells that a validator means by the schema what it says, whatever the value."""
        try:
            text = orjson.dumps(self.reading.schema)
        except TypeError:  # an integer too long, or nested too deeply
            return False
        return b'"pattern' not in text and b"x-undecidable" not in text

    @property
    def patterns(self) -> list[str]:
        """Lists the patterns in the schema."""
        if self._patterns is None:
            self._patterns = patterns_in(self.reading.schema)
        return self._patterns

    def refused_at(self, value: Any, *, patterned: bool) -> list[str] | None:
        """Asks the validator by which path the schema refuses a value; None where it accepts.

        It judges by the schema as given where that was only to be read as written.

        Raises:
            ValueError: the validator cannot be asked.
        """
        if self._refuser is None:
            schema, dialect = self.reading.schema, Dialect.DRAFT2020
            if self.unread:
                schema, dialect = self.given, self.reading.dialect
            if patterned and respelling_matters(self.patterns):
                schema = respelt(schema)
            # A reading refers to its own definitions alone.
            refers = self.unread or (isinstance(schema, dict) and "$defs" in schema)
            self._refuser = refuser(schema, dialect, refers=refers)
        return self._refuser(value)

    def effort(self, value: Any) -> int:
        """Bounds the steps that a validator takes for a value.

        Raises:
            TooMuch: it would take too long.
        """
        if self._effort is None:
            self.unread = self.unread and _refers_by_pointer(self.given, self.reading.dialect)
            self._effort = Effort(self.given if self.unread else self.reading.schema)
        return self._effort.of(value)

    def pointer(self, steps: list[str]) -> str:
        """Spells where the validator refuses; behind a reference, from where that leads."""
        return pointer(steps) if self.unread else self.reading.place_of(steps)


class Sides:
    """The schemas of one judgement and the nodes that they are made of, all in one table.

    An `allowance` is what other judgements draw on too.
    """

    __slots__ = ("_allowance", "_copies", "_known", "_open", "_searches", "_shelf")

    def __init__(self, allowance: Allowance | None = None) -> None:
        self._allowance = allowance
        self._open: list[Budget] = []
        self._shelf = _Shelf()
        self._copies: Copies = {}
        self._known: dict[tuple[int, Mode, Path], Side] = {}
        self._searches: dict[bool, Search] = {}

    @property
    def table(self) -> Table:
        """The nodes of all schemas."""
        return self._shelf.table

    def side(self, schema: Schema, mode: Mode, at: Path = ()) -> Side:
        """Reads a schema, or a place in it, unless it is known.

        Raises:
            Undecidable: it cannot be read.
        """
        known = (id(schema), mode, at)  # what is known is kept, and its identity with it
        found = self._known.get(known)
        if found is None:
            if len(self._known) >= MAX_SIDES:
                self._forget()
            found = self._known[known] = self._read(schema, mode, at)
        return found

    def _forget(self) -> None:
        """Drops all but the first schemas: those made up later are asked about once or twice."""
        self._known = dict(islice(self._known.items(), KEPT_SIDES))
        self._copies.clear()
        self.table.seen.clear()

    def _read(self, schema: Schema, mode: Mode, at: Path) -> Side:
        try:
            reading = read_as_meant(schema, mode, at, self._copies)
        except Undecidable:
            self._charge(COPY * FAILED)
            raise
        self._charge(COPY * reading.copies)
        return Side(schema, reading, at, self._shelf, mode)

    def search(self, steps: int, *, within: bool) -> Search:
        """Gives the search with a fresh budget; what it found before stays known.

        `within` keeps to the numbers that every JSON reader holds exactly.
        """
        found = self._searches.get(within)
        if found is None or found.known > MAX_GOALS:
            found = Search(self.table, Budget(steps), SAFE if within else None, explore)
            self._searches[within] = found
        self._fill(found.budget, steps)
        return found

    def budget(self, steps: int) -> Budget:
        """Gives a budget for work without a search."""
        made = Budget(steps)
        self._fill(made, steps)
        return made

    def _fill(self, budget: Budget, steps: int) -> None:
        budget.refill(steps, self._allowance)
        self._open.append(budget)

    def begin(self) -> None:
        """Starts a question.

        Raises:
            Undecidable: nothing is left to answer it with.
        """
        if self._allowance is not None and self._allowance.used_up:
            raise Undecidable(USED_UP)

    def settle(self) -> None:
        """Ends a question: what it used is taken off what all share."""
        if self._allowance is not None:
            for budget in self._open:
                budget.settle(self._allowance)
        self._open.clear()

    def _charge(self, steps: int) -> None:
        if self._allowance is not None:
            self._allowance.charge(steps)

    def judged(self, side: Side, value: Any) -> list[str] | None:
        """Asks the real validator, within bounds, where a side refuses a value.

        Raises:
            Undecidable: that would take too long, or it cannot be asked.
        """
        try:
            self._charge(EFFORT * side.effort(value))
            return side.refused_at(value, patterned=self._shelf.patterned)
        except (TooMuch, RecursionError):
            reason = "a witness that a validator would take too long for"
            raise Undecidable(reason) from None
        except ValueError as stop:
            raise Undecidable(str(stop)) from stop


def read_as_meant(schema: Schema, mode: Mode, at: Path, copies: Copies | None = None) -> Reading:
    """Reads a schema; one that names no dialect and is odd as 2020-12 perhaps as draft-07."""
    found: Reading | None = None
    named = not isinstance(schema, dict) or "$schema" in schema
    if not named and may_be_older(schema):
        return read(schema, mode, _reading_dialect(schema), at, copies)
    try:
        found = read(schema, mode, at=at, copies=copies)
    except MISREAD:
        if named:
            raise
    if found is None or (found.odd and not named):
        return read(schema, mode, _reading_dialect(schema), at, copies)
    return found


def _reading_dialect(schema: Schema) -> Dialect:
    from toolsync.schema.validity import reading_dialect  # noqa: PLC0415  loads tables, and is rare

    return reading_dialect(schema)


def _refers_by_pointer(schema: Schema, dialect: Dialect) -> bool:
    """Tells that no reference goes by a name, which a validator may look for at every use."""
    try:
        text = orjson.dumps(schema)
    except TypeError:  # an integer too long, or nested too deeply
        return False
    named = (b'"$anchor"', b'"$dynamicRef"', b'"$recursiveRef"', f'"{dialect.id_keyword}"'.encode())
    return not any(each in text for each in named)
