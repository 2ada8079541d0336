"""`toolsync explain RULE`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from toolsync.rules import RULES
from toolsync.rules.explanation import Explanation, explained, likened

from . import options, output
from .options import Format
from .output import Color

if TYPE_CHECKING:
    from toolsync.report.advice import Advice

SHORT_HELP = "What one rule means, and what to do about it."

RuleArgument = Annotated[
    str, typer.Argument(metavar="RULE", help="A rule's id, as it stands in brackets in a report.")
]


def command(
    rule: RuleArgument,
    format: options.FormatOption = Format.TEXT,  # noqa: A002  named as its option
    color: options.ColorOption = Color.AUTO,
) -> int:
    """Tells of one rule what it means, who is hurt and what to do.

    Knows the rules of `toolsync diff` and those of `toolsync lint`.
    """
    from toolsync.report.rules import explanation_entry, explanation_lines  # noqa: PLC0415

    told = _told(rule.strip("[]"))  # reports print it in brackets
    if told is None:
        from toolsync.report.advice import RULES as ADVICE  # noqa: PLC0415  loads tables

        return output.fail(f"no rule is called '{rule}'{likened(rule, (*RULES, *ADVICE))}", 2)
    if format is Format.JSON:
        output.write_json(explanation_entry(told))
    else:
        output.write_lines(explanation_lines(told), color)
    return 0


def _told(rule: str) -> Explanation | Advice | None:
    if rule in RULES:
        return explained(RULES[rule])
    from toolsync.report import advice as lint  # noqa: PLC0415  loads tables

    return lint.advice(rule) if rule in lint.RULES else None
