"""Levels of differences from reasoning about the schemas they stand in.

The whole schema decides first; each unit of differences is then judged by
making it alone, and never against what the whole came to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolsync.classify.engine import Engine
from toolsync.classify.naming import extras
from toolsync.classify.openness import object_place, openness
from toolsync.classify.plain import is_plain, only_adds_names
from toolsync.classify.removals import passing, removals
from toolsync.classify.replay import closed, replayed
from toolsync.classify.ruling import Judgement, Reading, Ruling
from toolsync.classify.units import Case, Unit, parts, units
from toolsync.compare import Difference
from toolsync.model import ABSENT, Level
from toolsync.rules import SchemaSide

if TYPE_CHECKING:
    from toolsync.schema import Containment

_MOST: Final = 32  # units that are judged one by one; the others go by the whole
_MOST_PARTS: Final = 8  # keywords of one place that are judged one by one
_UNDECLARED: Final = "only what nobody declared is affected"
_MILD: Final = "the rest of the schema leaves nothing that it could hurt"
_EQUAL: Final = "the same values are allowed"
_TOGETHER: Final = "other changes may make up for it"
_TOO_MANY: Final = Ruling(Level.UNKNOWN, "too many changes to judge each by itself")
_PATIENCE: Final = 2  # units that may turn out too hard before the rest are let be
_TOO_HARD: Final = "other parts of the schema were too hard to decide"
_IDLE: Final = frozenset((("yes", "silence"), ("silence", "yes"), ("more", "silence")))


def judged(
    side: SchemaSide, old: Any, new: Any, cases: Sequence[Case], reading: Reading
) -> Judgement:
    """Rules on the differences between two schemas that decide what they accept."""
    return _Court(Engine(side, reading), old, new, cases, reading).judgement()


class _Court:
    """One pair of schemas before the judge."""

    __slots__ = (
        "_cases", "_engine", "_new", "_old", "_open", "_openness", "_plain", "_rulings", "_stuck",
        "_units",
    )  # fmt: skip

    def __init__(
        self, engine: Engine, old: Any, new: Any, cases: Sequence[Case], reading: Reading
    ) -> None:
        self._engine, self._old, self._new, self._cases = engine, old, new, cases
        self._open = is_open = reading == "open"
        self._stuck = 0
        self._openness = [None if is_open else openness(found, old) for found, _ in cases]
        self._plain = [is_plain(found, rule, old, is_open=is_open) for found, rule in cases]
        self._units = list(units(cases))
        self._rulings = [Ruling(Level.UNKNOWN)] * len(cases)

    def judgement(self) -> Judgement:
        """Returns the rulings on every difference."""
        if self._only_adds_names():
            return self._harmless(equal=False)
        question = self._engine.both_ways(self._old, self._new)
        whole = question.harmless()
        if whole.answer == "yes":
            return self._harmless(equal=question.equivalent())
        base = self._old
        if whole.answer == "no" and (places := self._open_places()):
            base = closed(self._old, places)
            whole = self._among_declared(base, whole)
            if whole.answer == "yes":
                return self._harmless(equal=False)
        return self._harmful(base, whole)

    def _only_adds_names(self) -> bool:
        told = [(case[0], plain) for case, plain in zip(self._cases, self._plain, strict=True)]
        return only_adds_names(told, self._old)

    def _rule(self, unit: Unit, ruling: Ruling) -> None:
        """Gives one ruling to the differences of a unit that have no say of their own."""
        for number in unit.numbers:
            if self._openness[number] is Level.DANGEROUS:
                self._rulings[number] = Ruling(Level.DANGEROUS, _UNDECLARED)
            elif self._plain[number]:
                self._rulings[number] = Ruling(Level.COMPATIBLE)
            else:
                self._rulings[number] = ruling

    # -- nobody is hurt ---------------------------------------------------------

    def _harmless(self, *, equal: bool) -> Judgement:
        for unit in self._units:
            if equal or self._rewrites(unit):
                self._rewritten(unit)
            else:
                self._rule(unit, Ruling(Level.COMPATIBLE, self._excuse(unit)))
        if not equal and not any(ruling.level.semantic for ruling in self._rulings):
            for unit in self._units:  # each alone changes nothing, all of them do
                self._rule(unit, Ruling(Level.COMPATIBLE, self._excuse(unit)))
        return Judgement(tuple(self._rulings))

    def _rewrites(self, unit: Unit) -> bool:
        """Tells whether a unit alone changes nothing about what is accepted."""
        if not 1 < len(self._units) <= _MOST or all(map(self._mild, unit.numbers)):
            return False
        made = replayed(self._old, self._new, unit.anchors)
        question = self._engine.both_ways(self._old, made)
        return question.harmless().answer == "yes" and question.equivalent()

    def _rewritten(self, unit: Unit) -> None:
        for number in unit.numbers:
            level = None if _idle(self._cases[number][0]) else self._openness[number]
            if level is None:
                self._rulings[number] = Ruling(Level.PRESENTATION, _EQUAL, rewritten=unit.place)
            else:  # what is said of undeclared names is never silent
                self._rulings[number] = Ruling(level, _UNDECLARED)

    def _excuse(self, unit: Unit) -> str:
        return "" if all(self._plain[number] for number in unit.numbers) else _MILD

    # -- only undeclared names are hurt -----------------------------------------

    def _open_places(self) -> list[tuple[str, ...]]:
        found = [
            object_place(case[0])
            for case, level in zip(self._cases, self._openness, strict=True)
            if level is Level.DANGEROUS
        ]
        return [place for place in found if place is not None]

    def _among_declared(self, base: Any, whole: Containment) -> Containment:
        """Answers for calls that pass declared names only."""
        found = self._engine.harmless(base, self._new)
        if found.answer == "unknown" and self._engine.accepts(base, whole.witness):
            return whole
        return found

    # -- somebody is, or may be -------------------------------------------------

    def _harmful(self, base: Any, whole: Containment) -> Judgement:
        gone = self._gone(base)
        suspects = [unit for unit in self._units if not self._settled(unit, gone)]
        if len(suspects) == 1 and not gone:
            self._part_by_part(base, whole, suspects[0], _as_whole(whole))
        else:
            for unit in suspects:
                few = len(suspects) <= _MOST
                ruling = self._alone(base, whole, unit) if few else _TOO_MANY
                self._part_by_part(base, whole, unit, ruling)
        return Judgement(tuple(self._rulings), self._rest(whole))

    def _part_by_part(self, base: Any, whole: Containment, unit: Unit, ruling: Ruling) -> None:
        """Rules on a unit, and finds which of its keywords are to blame where it breaks."""
        self._rule(unit, ruling)
        suspects = [part for part in parts(unit, self._cases) if not self._mild(part.numbers[0])]
        if ruling.level is not Level.BREAKING or not 1 < len(suspects) <= _MOST_PARTS:
            return
        rulings = [self._alone(base, whole, part) for part in suspects]
        if any(each.level is Level.BREAKING for each in rulings):
            for part, each in zip(suspects, rulings, strict=True):
                self._rule(part, each)

    def _settled(self, unit: Unit, gone: Mapping[int, Ruling]) -> bool:
        """Rules on a unit that needs no look by itself."""
        known = gone.get(unit.numbers[0])
        if known is None and not all(map(self._mild, unit.numbers)):
            return False
        self._rule(unit, known or Ruling(Level.COMPATIBLE))
        return True

    def _gone(self, base: Any) -> dict[int, Ruling]:
        """Rules on several arguments that went by one call that passes all of them."""
        names = {} if self._open else removals([case[0] for case in self._cases], base)
        if len(names) < 2:
            return {}
        witness = self._engine.sample(passing(base, [*names.values()]))
        if witness is ABSENT or not self._engine.proves(witness, self._new):
            return {}
        return dict.fromkeys(names, Ruling(Level.BREAKING, witness=witness))

    def _mild(self, number: int) -> bool:
        return self._plain[number] or self._openness[number] is Level.DANGEROUS

    def _alone(self, base: Any, whole: Containment, unit: Unit) -> Ruling:
        """Rules on one unit among several, by making it alone."""
        if self._stuck == _PATIENCE:
            return Ruling(Level.UNKNOWN, _TOO_HARD)
        made = replayed(base, self._new, unit.anchors)
        question = self._engine.both_ways(base, made)
        found = question.harmless()
        if found.answer == "yes":
            if question.equivalent():
                return Ruling(Level.PRESENTATION, _EQUAL, rewritten=unit.place)
            return Ruling(Level.COMPATIBLE, self._excuse(unit))
        if found.answer == "no" and self._engine.proves(found.witness, self._new):
            return Ruling(Level.BREAKING, witness=found.witness)
        if whole.answer == "no" and self._engine.proves(whole.witness, made):
            return Ruling(Level.BREAKING, witness=whole.witness)
        self._stuck += found.answer == "unknown"
        return Ruling(Level.UNKNOWN, found.reason or _TOGETHER)

    def _rest(self, whole: Containment) -> Ruling | None:
        """Returns what the differences come to together, where none of them says it."""
        if whole.answer == "unknown" and all(self._plain) and self._anything(self._old):
            return None  # what is plain needs no other proof
        levels = {ruling.level for ruling in self._rulings}
        if Level.BREAKING in levels or (whole.answer == "unknown" and Level.UNKNOWN in levels):
            return None
        return _as_whole(whole)

    def _anything(self, schema: Any) -> bool:
        """Tells whether a schema surely accepts something: else no proof means much."""
        return self._engine.sample(schema) is not ABSENT


def _as_whole(whole: Containment) -> Ruling:
    if whole.answer == "no":
        return Ruling(Level.BREAKING, witness=whole.witness)
    where = f" at {whole.path}" if whole.path else ""
    return Ruling(Level.UNKNOWN, f"{whole.reason}{where}")


def _idle(found: Difference) -> bool:
    """Tells whether undeclared names are treated as before where the place accepts the same."""
    return (extras(found.old), extras(found.new)) in _IDLE
