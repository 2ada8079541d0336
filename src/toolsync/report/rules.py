"""The table of rules, and one rule explained: as lines, and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from toolsync.model import Level
from toolsync.rules import Rule
from toolsync.rules.explanation import Explanation

from .advice import Advice
from .line import Line, Span, line

_LEVEL_WIDTH: Final = max(map(len, Level))
_TERM_WIDTH: Final = 9
_LOOKS: Final = {"doubtful": "dangerous", "refused": "breaking"}


def rule_lines(rules: Sequence[Rule], advice: Sequence[Advice] = ()) -> Iterator[Line]:
    """Gives every rule one line: its id, level and reason; those of `lint` come last."""
    told = [(rule.id, str(rule.level), str(rule.level), rule.reason) for rule in rules]
    told += [(one.rule, one.level, _LOOKS[one.level], one.reason) for one in advice]
    width = max((len(name) for name, *_ in told), default=0)
    for name, level, look, reason in told:
        padded = Span(level.ljust(_LEVEL_WIDTH), look)
        yield line(Span(name.ljust(width), "name"), "  ", padded, "  ", reason, hang=4)


def rule_entry(rule: Rule) -> dict[str, Any]:
    """Returns one rule as plain data."""
    return {"id": rule.id, "level": rule.level.value, "side": rule.side, "reason": rule.reason}


def advice_entry(one: Advice) -> dict[str, Any]:
    """Returns one rule of `lint` as plain data."""
    return {"id": one.rule, "level": one.level, "side": "tool", "reason": one.reason}


def explanation_lines(told: Explanation | Advice) -> Iterator[Line]:
    """Tells of one rule what it means, who is hurt and what to do."""
    yield line(*_title(told))
    yield line(told.reason if isinstance(told, Advice) else told.rule.reason)
    yield line()
    yield from _terms((("means", told.means), ("hurts", told.hurts), ("to do", told.remedy)))
    if isinstance(told, Advice) and told.source:
        yield from _terms([("said at", told.source)])


def _title(told: Explanation | Advice) -> tuple[str | Span, ...]:
    if isinstance(told, Advice):
        return Span(told.rule, "name"), "  ", Span(told.level, _LOOKS[told.level]), "  told by lint"
    rule = told.rule
    where = "of the tool" if rule.side == "tool" else f"of the {rule.side} schema"
    return Span(rule.id, "name"), "  ", Span(rule.level, rule.level), "  ", where


def _terms(terms: Iterable[tuple[str, str]]) -> Iterator[Line]:
    for term, text in terms:
        yield line(Span(term.ljust(_TERM_WIDTH), "dim"), text, hang=_TERM_WIDTH)


def explanation_entry(told: Explanation | Advice) -> dict[str, Any]:
    """Returns one rule, explained, as plain data."""
    entry = advice_entry(told) if isinstance(told, Advice) else rule_entry(told.rule)
    entry |= {"means": told.means, "hurts": told.hurts, "to_do": told.remedy}
    return entry | ({"source": told.source} if isinstance(told, Advice) and told.source else {})
