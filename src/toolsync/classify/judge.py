"""Levels of differences from reasoning about the schemas they stand in.

The whole schema decides first; each unit of differences is then judged by
making it alone, and never against what the whole came to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolsync.classify.engine import Engine, Question
from toolsync.classify.guess import argument, call
from toolsync.classify.openness import Touch, touch
from toolsync.classify.plain import is_plain, needs_no_excuse, only_adds_names
from toolsync.classify.removals import removals
from toolsync.classify.replay import replayed
from toolsync.classify.ruling import Judgement, Reading, Ruling
from toolsync.classify.units import Case, Unit, parts, units
from toolsync.model import ABSENT, Level
from toolsync.rules import Effect, SchemaSide

if TYPE_CHECKING:
    from toolsync.allowance import Allowance
    from toolsync.schema import Containment

_MOST: Final = 32  # units that are judged one by one; the others go by the whole
_CROWD: Final = 256  # units that one call may be shown to hurt
_QUESTIONS: Final = 96  # groups of the others that are judged
_MOST_PARTS: Final = 8  # keywords of one place that are judged one by one
_UNDECLARED: Final = "only what nobody declared is affected"
_MILD: Final = "the rest of the schema leaves nothing that it could hurt"
_EQUAL: Final = "the same values are allowed"
_TOGETHER: Final = "other changes may make up for it"
_TOO_MANY: Final = Ruling(Level.UNKNOWN, "too many changes to judge each by itself")
_PATIENCE: Final = 2  # units that may turn out too hard before the rest are let be
_TOO_HARD: Final = "other parts of the schema were too hard to decide"
_HURTING: Final = (Level.DANGEROUS, Level.BREAKING)


def judged(  # noqa: PLR0913, PLR0917  two schemas, their differences, and how they are looked at
    side: SchemaSide,
    old: Any,
    new: Any,
    cases: Sequence[Case],
    reading: Reading,
    allowance: Allowance | None = None,
) -> Judgement:
    """Rules on the differences between two schemas that decide what they accept.

    An `allowance` is shared with other judgements; where it is used up, all is unknown.
    """
    return _Court(Engine(side, reading, allowance), old, new, cases, reading).judgement()


class _Court:
    """One pair of schemas before the judge."""

    __slots__ = (
        "_cases", "_engine", "_new", "_old", "_open", "_plain", "_rulings", "_stuck",
        "_touch", "_units",
    )  # fmt: skip

    def __init__(
        self, engine: Engine, old: Any, new: Any, cases: Sequence[Case], reading: Reading
    ) -> None:
        self._engine, self._old, self._new, self._cases = engine, old, new, cases
        self._open = is_open = reading == "open"
        self._stuck = 0
        self._touch: list[Touch] = ["" if is_open else touch(found, old) for found, _ in cases]
        self._plain = [is_plain(found, rule, old, is_open=is_open) for found, rule in cases]
        self._units = list(units(cases))
        self._rulings = [Ruling(Level.UNKNOWN)] * len(cases)

    def judgement(self) -> Judgement:
        """Returns the rulings on every difference."""
        if self._only_adds_names():
            return self._eased(Ruling(Level.COMPATIBLE))
        question = self._engine.both_ways(self._old, self._new)
        guessed = self._guessed()
        whole = guessed or question.harmless()
        if whole.answer == "yes":
            return self._eased(self._harmless(self._new, question, self._touch))
        if whole.answer == "no" and not guessed and "ask" in self._touch:
            beyond = self._beyond_silence(self._old, self._new, whole)
            if beyond.answer == "yes":
                return self._eased(Ruling(Level.DANGEROUS, _UNDECLARED))
            whole = beyond
        return self._harmful(whole)

    def _harmless(self, made: Any, question: Question, touches: Sequence[Touch]) -> Ruling:
        """Rules on a schema that takes all that old takes, as both are read."""
        equal = question.equivalent()
        how = self._engine.undeclared(self._old, made, touches)
        if how == "less":
            return Ruling(Level.DANGEROUS, _UNDECLARED)
        if equal and how == "same":
            return Ruling(Level.PRESENTATION, _EQUAL)
        return Ruling(Level.COMPATIBLE, _UNDECLARED if equal else "")

    def _beyond_silence(self, old: Any, new: Any, found: Containment) -> Containment:
        """Answers for calls that are not let in or kept out by silence alone."""
        if found.answer != "no":
            return found
        beyond = self._engine.beyond_silence(old, new, found.witness)
        return found if beyond.answer == "unknown" else beyond

    def _guessed(self) -> Containment | None:
        """Finds one call that all of what could hurt breaks, where that is easy to see.

        Where several units could each be to blame, what they come to together is
        left to the proof: its witness serves to tell them apart.
        """
        suspects = [unit for unit in self._units if not all(map(self._mild, unit.numbers))]
        found = [self._cases[number] for unit in suspects for number in unit.numbers]
        if not found or "less" in self._touch:
            return None
        names = [argument(one) for one, _ in found]
        if len(suspects) > 1 and not all(one.keyword == "properties" for one, _ in found):
            return None
        if None in names or any(rule.effect is Effect.WIDENS for _, rule in found):
            return None
        value = call(self._old, self._new, [name for name in names if name])
        return None if value is ABSENT else self._engine.guessed(self._old, self._new, value)

    def _only_adds_names(self) -> bool:
        told = [(case[0], plain) for case, plain in zip(self._cases, self._plain, strict=True)]
        return only_adds_names(told, self._old)

    def _rule(self, unit: Unit, ruling: Ruling) -> None:
        """Gives one ruling to the differences of a unit that have no say of their own."""
        for number in unit.numbers:
            if self._plain[number] and ruling.rewritten is None:
                self._rulings[number] = Ruling(Level.COMPATIBLE)
            else:
                self._rulings[number] = ruling

    def _touches(self, *units: Unit) -> list[Touch]:
        return [self._touch[number] for unit in units for number in unit.numbers]

    # -- nobody is hurt, or only who passes undeclared names --------------------

    def _eased(self, whole: Ruling) -> Judgement:
        """Rules on each unit where all of them together break nothing."""
        single = 1 < len(self._units) <= _MOST
        for unit in self._units:
            if whole.level is Level.PRESENTATION or not single:
                self._rule(unit, self._as_all(unit, whole))
            else:
                share = self._share(unit, whole)
                self._in_parts(unit, share, lambda part: self._share(part, whole))
        if all(ruling.level.rank < whole.level.rank for ruling in self._rulings):
            self._shared(whole)  # each alone changes nothing, all of them do
        return Judgement(tuple(self._rulings))

    def _as_all(self, unit: Unit, whole: Ruling) -> Ruling:
        """Gives a unit that is not looked at by itself what all come to."""
        if whole.level is Level.PRESENTATION:
            return whole._replace(rewritten=unit.place)
        if whole.level is Level.DANGEROUS and any(self._touches(unit)):
            return whole
        return Ruling(Level.COMPATIBLE, whole.why or self._excuse(unit))

    def _shared(self, whole: Ruling) -> None:
        for unit in self._units:
            if whole.level is Level.COMPATIBLE:
                self._rule(unit, self._as_all(unit, whole))
            elif any(self._touches(unit)):
                self._rulings = [
                    whole if number in unit.numbers else each
                    for number, each in enumerate(self._rulings)
                ]

    def _share(self, unit: Unit, whole: Ruling) -> Ruling:
        """Rules on one unit by making it alone; none is graver than all together."""
        mild = Ruling(Level.COMPATIBLE, self._excuse(unit))
        if all(map(self._mild, unit.numbers)):
            return mild
        if known := self._by_form(unit):
            return known
        made = replayed(self._old, self._new, unit.anchors)
        question = self._engine.both_ways(self._old, made)
        found, touches = question.harmless(), self._touches(unit)
        if found.answer == "yes":
            ruling = self._named(unit, self._harmless(made, question, touches))
        elif "ask" in touches and self._beyond_silence(self._old, made, found).answer == "yes":
            ruling = Ruling(Level.DANGEROUS, _UNDECLARED)
        else:
            ruling = mild
        return mild if ruling.level.rank > whole.level.rank else ruling

    def _by_form(self, unit: Unit) -> Ruling | None:
        """Rules on a unit that, as its form shows, concerns undeclared names and nothing else."""
        touches = self._touches(unit)
        if "ask" in touches or not all(touches):
            return None
        how = self._engine.undeclared(self._old, self._new, touches)
        return Ruling(Level.DANGEROUS if how == "less" else Level.COMPATIBLE, _UNDECLARED)

    def _named(self, unit: Unit, ruling: Ruling) -> Ruling:
        """Adds to what harms nobody where it stands, or what it owes that to."""
        if ruling.level is Level.PRESENTATION:
            return ruling._replace(rewritten=unit.place)
        return ruling if ruling.why else ruling._replace(why=self._excuse(unit))

    def _excuse(self, unit: Unit) -> str:
        cases = [self._cases[number] for number in unit.numbers if not self._plain[number]]
        return "" if all(needs_no_excuse(*case) for case in cases) else _MILD

    # -- somebody is, or may be -------------------------------------------------

    def _harmful(self, whole: Containment) -> Judgement:
        gone = self._gone(whole)
        suspects = [unit for unit in self._units if not self._settled(unit, gone)]
        if len(suspects) > _MOST:
            self._crowd(whole, suspects)
            return Judgement(tuple(self._rulings), self._rest(whole))
        for unit in suspects:
            alone = len(suspects) == 1 and not gone
            ruling = _as_whole(whole) if alone else self._alone(whole, unit)
            self._in_parts(unit, ruling, lambda part: self._alone(whole, part))
        if whole.answer == "no" and "ask" in self._touch:
            self._blame(suspects)
        return Judgement(tuple(self._rulings), self._rest(whole))

    def _crowd(self, whole: Containment, suspects: Sequence[Unit]) -> None:
        """Rules on more units than can be looked at one by one: by one proof, then in groups."""
        pending = [self._unproved(suspects)]
        for _ in range(_QUESTIONS):
            if not pending or self._stuck >= _PATIENCE:
                break
            group = pending.pop()
            if len(group) == 1:
                self._rule(group[0], self._alone(whole, group[0]))
            elif group and not self._harmless_group(group):
                pending += [group[: len(group) // 2], group[len(group) // 2 :]]
        for unit in (unit for group in pending for unit in group):
            self._rule(unit, _TOO_MANY)

    def _harmless_group(self, group: Sequence[Unit]) -> bool:
        """Rules on units that harm nobody together; tells whether they do not."""
        made = replayed(self._old, self._new, [each for unit in group for each in unit.anchors])
        question = self._engine.both_ways(self._old, made)
        found = question.perhaps()
        if found.answer != "yes":
            self._stuck += found.answer == "unknown"
            return False
        ruling = self._harmless(made, question, self._touches(*group))
        if ruling.level is Level.DANGEROUS:
            return False
        for unit in group:
            self._rule(unit, self._named(unit, ruling))
        return True

    def _unproved(self, suspects: Sequence[Unit]) -> list[Unit]:
        """Rules on what one call shows that is hurt by each of many; returns the rest."""
        found = [self._cases[number][0] for unit in suspects for number in unit.numbers]
        names = [name for name in map(argument, found) if name]
        value = call(self._old, self._new, names) if names else ABSENT
        if value is ABSENT or not self._engine.hurts(self._old, self._new, value):
            return [*suspects]
        rest = list(suspects[_CROWD:])
        for unit in suspects[:_CROWD]:
            if self._engine.proves(value, replayed(self._old, self._new, unit.anchors)):
                self._rule(unit, Ruling(Level.BREAKING, witness=value))
            else:
                rest.append(unit)
        return rest

    def _blame(self, suspects: Sequence[Unit]) -> None:
        """Finds who is to blame for a break that shows only where the rest is new already.

        So it is with an argument that went where silence took the place of `true`.
        """
        if any(ruling.level is Level.BREAKING for ruling in self._rulings):
            return
        for unit in suspects:
            ruling = self._undone(unit)
            if ruling is not None:
                self._rule(unit, ruling)

    def _in_parts(self, unit: Unit, ruling: Ruling, alone: Callable[[Unit], Ruling]) -> None:
        """Rules on a unit, and finds which of its keywords are to blame where it hurts."""
        self._rule(unit, ruling)
        if ruling.level not in _HURTING:
            return
        suspects = [part for part in parts(unit, self._cases) if not self._mild(part.numbers[0])]
        if not 1 < len(suspects) <= _MOST_PARTS:
            return
        rulings = [alone(part) for part in suspects]
        if any(each.level is ruling.level for each in rulings):
            for part, each in zip(suspects, rulings, strict=True):
                self._rule(part, each)

    def _settled(self, unit: Unit, gone: Mapping[int, Ruling]) -> bool:
        """Rules on a unit that needs no look by itself."""
        known = gone.get(unit.numbers[0])
        if known is None and not all(map(self._mild, unit.numbers)):
            return False
        self._rule(unit, known or Ruling(Level.COMPATIBLE))
        return True

    def _gone(self, whole: Containment) -> dict[int, Ruling]:
        """Rules on several arguments that went by one call that passes all of them."""
        names = {} if self._open else removals([case[0] for case in self._cases], self._old)
        if len(names) < 2:
            return {}
        witness = whole.witness
        if whole.answer != "no" or not isinstance(witness, dict) or names.values() - witness.keys():
            witness = self._engine.sample(self._old, [*names.values()])
            if witness is ABSENT or not self._engine.proves(witness, self._new):
                return {}
        return dict.fromkeys(names, Ruling(Level.BREAKING, witness=witness))

    def _mild(self, number: int) -> bool:
        return self._plain[number]

    def _alone(self, whole: Containment, unit: Unit) -> Ruling:
        """Rules on one unit among several, by making it alone."""
        if known := self._by_form(unit):
            return known
        if self._stuck >= _PATIENCE:
            return Ruling(Level.UNKNOWN, _TOO_HARD)
        made = replayed(self._old, self._new, unit.anchors)
        question = self._engine.both_ways(self._old, made)
        found, touches = question.perhaps(), self._touches(unit)
        if found.answer == "yes":
            return self._named(unit, self._harmless(made, question, touches))
        if found.answer == "no" and "ask" in touches:
            found = self._beyond_silence(self._old, made, found)
            if found.answer == "yes":
                return Ruling(Level.DANGEROUS, _UNDECLARED)
        if found.answer == "no" and self._engine.proves(found.witness, self._new):
            return Ruling(Level.BREAKING, witness=found.witness)
        if whole.answer == "no" and self._engine.proves(whole.witness, made):
            return Ruling(Level.BREAKING, witness=whole.witness)
        self._stuck += found.answer == "unknown"
        undone = self._undone(unit) if found.answer == whole.answer == "no" else None
        return undone or Ruling(Level.UNKNOWN, found.reason or _TOGETHER)

    def _undone(self, unit: Unit) -> Ruling | None:
        """Finds what new would not break if one unit had been left as it was."""
        made = replayed(self._new, self._old, unit.anchors)
        found = self._engine.both_ways(made, self._new).perhaps()
        if found.answer == "no" and "ask" in self._touch:
            found = self._beyond_silence(made, self._new, found)
        if found.answer == "no" and self._engine.hurts(self._old, self._new, found.witness):
            return Ruling(Level.BREAKING, witness=found.witness)
        return None

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
