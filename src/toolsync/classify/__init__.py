"""Differences judged and put into words: findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from toolsync.classify.hidden import hidden, is_foreign
from toolsync.classify.judge import judged
from toolsync.classify.naming import rule_of
from toolsync.classify.pointers import Pointer
from toolsync.classify.renames import with_renames
from toolsync.classify.restated import restated
from toolsync.classify.ruling import Judgement, Reading, Ruling
from toolsync.classify.units import Case
from toolsync.classify.wording import Blanks, used_by
from toolsync.compare import Difference, at, differences
from toolsync.model import ABSENT, Finding, Level
from toolsync.rules import HARMLESS, RULES, Effect, Rule, SchemaSide

if TYPE_CHECKING:
    from toolsync.allowance import Allowance

__all__ = ["Reading", "findings", "hidden", "is_foreign", "pointer", "statement"]

Tool = Mapping[str, Any]
WitnessOf = Literal["arguments", "result"]
_SIDES: tuple[SchemaSide, ...] = ("input", "output")


def findings(
    old: Tool,
    new: Tool,
    *,
    reading: Reading = "declared",
    quiet: bool = False,
    allowance: Allowance | None = None,
) -> tuple[Finding, ...]:
    """Returns what changed between two valid definitions of one tool, sorted by place and rule.

    `quiet` says that their semantic digests are equal: nothing is above presentation then.
    An `allowance` bounds the reasoning about all tools of one diff together.
    """
    facts: Sequence[Difference] = differences(old, new)
    for side in _SIDES:
        facts = _restated(side, old, new, facts) if not quiet else facts
    cases = [_named(found) for found in facts]
    made: list[Finding] = []
    for side in _SIDES:
        contract = [case for case in cases if _contractual(case, side)]
        if contract and not quiet:
            judgement = _judged(side, (old, new), contract, reading, allowance)
            made += _contract(side, old, new, contract, judgement)
        else:
            made += [_quieted(*case) for case in contract]
    made += [_final(*case) for case in cases if case[1].effect is Effect.NONE]
    if quiet:
        made = [_capped(finding) for finding in made]
    return tuple(sorted(with_renames(made), key=_order))


def _named(found: Difference) -> Case:
    return found, rule_of(found)


def _judged(
    side: SchemaSide,
    tools: tuple[Tool, Tool],
    cases: Sequence[Case],
    reading: Reading,
    allowance: Allowance | None,
) -> Judgement:
    old, new = (tool[f"{side}Schema"] for tool in tools)
    return judged(side, old, new, cases, reading, allowance)


def _restated(
    side: SchemaSide, old: Tool, new: Tool, found: Sequence[Difference]
) -> Sequence[Difference]:
    """Looks again at texts and names where values are put together in another way."""
    if not any(one.side == side for one in found):
        return found
    field = f"{side}Schema"
    return restated(side, (old.get(field), new.get(field)), found)


def _contractual(case: Case, side: SchemaSide) -> bool:
    return case[0].side == side and case[1].effect is not Effect.NONE


def _order(finding: Finding) -> tuple[str, str]:
    return finding.path, finding.rule


def pointer(path: Sequence[str]) -> str:
    """Returns reference tokens as a JSON Pointer."""
    plain = "/".join(path)
    if "~" not in plain and plain.count("/") == len(path) - 1:  # as nearly always
        return f"/{plain}"
    return "".join(f"/{token.replace('~', '~0').replace('/', '~1')}" for token in path)


def statement(rule_id: str, **blanks: str) -> Finding:
    """Returns a finding about a tool as a whole."""
    rule = RULES[rule_id]
    message = f"{rule.fact.format(**blanks)}: {rule.hurt.format(**blanks)}"
    return Finding(rule.id, rule.level, blanks.get("path", ""), message)


def _final(found: Difference, rule: Rule) -> Finding:
    """Judges what needs no look at the rest of the schema."""
    blanks = Blanks(found)
    fact = rule.fact.format_map(blanks)
    hurt = f": {rule.hurt.format_map(blanks)}" if rule.hurt else ""
    return _finding(found, rule, rule.level, f"{fact}{used_by(found)}{hurt}")


def _finding(
    found: Difference, rule: Rule, level: Level, message: str, witness: Any = ABSENT
) -> Finding:
    of: WitnessOf | None = None
    if witness is not ABSENT:
        of = "arguments" if found.side == "input" else "result"
    old, new = found.old, found.new
    path = pointer(found.path)
    return Finding(rule.id, level, path, message, old, new, found.property, witness, of)


def _contract(
    side: SchemaSide, old: Tool, new: Tool, cases: Sequence[Case], judgement: Judgement
) -> list[Finding]:
    folded = _folded(cases, judgement)
    told = [
        _ruled(side, found, rule, _lifted(rule, ruling))
        for (found, rule), ruling in zip(cases, judgement.rulings, strict=True)
        if ruling.rewritten not in folded
    ]
    told += [_rewritten(side, old, new, place) for place in folded]
    if judgement.whole is not None:
        field = f"{side}Schema"
        whole = Difference(side, "schema", (field,), old[field], new[field])
        told.append(_ruled(side, whole, _rule_of_whole(side, judgement.whole), judgement.whole))
    return told


def _lifted(rule: Rule, ruling: Ruling) -> Ruling:
    return Ruling(rule.floor) if ruling.level.rank < rule.floor.rank else ruling


def _rule_of_whole(side: SchemaSide, ruling: Ruling) -> Rule:
    if ruling.level is Level.UNKNOWN:
        return RULES[f"{side}-schema-changed"]
    return RULES["input-schema-narrowed" if side == "input" else "output-schema-widened"]


def _folded(cases: Sequence[Case], judgement: Judgement) -> list[Pointer]:
    """Returns the places whose differences together are one rewriting; the root says too little."""
    if all(one.rewritten is None for one in judgement.rulings):
        return []
    places: Counter[Pointer] = Counter()
    for (found, _), one in zip(cases, judgement.rulings, strict=True):
        if one.rewritten is not None:
            alone = found.keyword == "rewritten" and found.path[-1] not in ("allOf", "$ref")
            places[one.rewritten] += 1 + alone
    return [place for place, count in places.items() if count > 1 and len(place) > 1]


def _ruled(side: SchemaSide, found: Difference, rule: Rule, ruling: Ruling) -> Finding:
    blanks = Blanks(found)
    fact = f"{rule.fact.format_map(blanks)}{used_by(found)}"
    message = f"{fact}: {_consequence(side, rule, ruling, blanks)}"
    return _finding(found, rule, ruling.level, message, ruling.witness)


def _consequence(side: SchemaSide, rule: Rule, ruling: Ruling, blanks: Blanks) -> str:
    because = f" ({ruling.why})" if ruling.why else ""
    if ruling.level is Level.BREAKING:
        hurt = rule.hurt
        return (hurt.format_map(blanks) if "{" in hurt else hurt) + because
    if ruling.level is Level.UNKNOWN:
        what = "calls that worked are refused" if side == "input" else "readers are hurt"
        return f"it is not known whether {what}{because}"
    if ruling.level is Level.DANGEROUS:
        return ruling.why or rule.hurt.format_map(blanks)
    if ruling.level is Level.PRESENTATION:
        return ruling.why
    return HARMLESS[side] + because


def _rewritten(side: SchemaSide, old: Tool, new: Tool, place: tuple[str, ...]) -> Finding:
    rule = RULES[f"{side}-schema-rewritten"]
    found = Difference(side, "schema", place, at(old, place), at(new, place))
    fact = rule.fact.format_map(Blanks(found))
    return _finding(found, rule, rule.level, f"{fact}: the same values are allowed")


def _quieted(found: Difference, rule: Rule) -> Finding:
    """Words a difference that equal semantic digests have already shown to be none."""
    return _finding(found, rule, Level.PRESENTATION, f"{rule.fact.format_map(Blanks(found))}")


def _capped(finding: Finding) -> Finding:
    return finding if not finding.level.semantic else replace(finding, level=Level.PRESENTATION)
