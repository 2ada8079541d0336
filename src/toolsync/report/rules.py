"""The table of rules, and one rule explained: as lines, and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolsync.model import Level
from toolsync.rules import Rule
from toolsync.rules.explanation import Explanation

from .line import Line, Span, line

_LEVEL_WIDTH: Final = max(map(len, Level))
_TERM_WIDTH: Final = 9


def rule_lines(rules: Sequence[Rule]) -> Iterator[Line]:
    """Gives every rule one line: its id, level and reason."""
    width = max((len(rule.id) for rule in rules), default=0)
    for rule in rules:
        name, level = rule.id.ljust(width), rule.level.ljust(_LEVEL_WIDTH)
        yield line(Span(name, "name"), "  ", Span(level, rule.level), "  ", rule.reason, hang=4)


def rule_entry(rule: Rule) -> dict[str, Any]:
    """Is one rule as plain data."""
    return {"id": rule.id, "level": rule.level.value, "side": rule.side, "reason": rule.reason}


def explanation_lines(told: Explanation) -> Iterator[Line]:
    """Tells of one rule what it means, who is hurt and what to do."""
    rule = told.rule
    where = "of the tool" if rule.side == "tool" else f"of the {rule.side} schema"
    yield line(Span(rule.id, "name"), "  ", Span(rule.level, rule.level), "  ", where)
    yield line(rule.reason)
    yield line()
    for term, text in (("means", told.means), ("hurts", told.hurts), ("to do", told.remedy)):
        yield line(Span(term.ljust(_TERM_WIDTH), "dim"), text, hang=_TERM_WIDTH)


def explanation_entry(told: Explanation) -> dict[str, Any]:
    """Is one rule, explained, as plain data."""
    entry = rule_entry(told.rule)
    return {**entry, "means": told.means, "hurts": told.hurts, "to_do": told.remedy}
