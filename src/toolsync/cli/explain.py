"""`toolsync explain RULE`."""

from __future__ import annotations

from typing import Annotated

import typer

from toolsync.rules import RULES
from toolsync.rules.explanation import explained, likened

from . import output
from .options import ColorOption, Format, FormatOption
from .output import Color

SHORT_HELP = "What one rule means, and what to do about it."

RuleArgument = Annotated[
    str, typer.Argument(metavar="RULE", help="The id of a rule, as findings carry it.")
]


def command(
    rule: RuleArgument,
    format: FormatOption = Format.TEXT,  # noqa: A002  named as its option
    color: ColorOption = Color.AUTO,
) -> int:
    """Tells of one rule what it means, who is hurt and what to do."""
    from toolsync.report.rules import explanation_entry, explanation_lines  # noqa: PLC0415

    found = RULES.get(rule.strip("[]"))  # reports print it in brackets
    if found is None:
        return output.fail(f"no rule is called '{rule}'{likened(rule)}", 2)
    told = explained(found)
    if format is Format.JSON:
        from toolsync.report.json import encode  # noqa: PLC0415  orjson costs milliseconds

        output.write_text(encode(explanation_entry(told)))
    else:
        output.write_lines(explanation_lines(told), color)
    return 0
