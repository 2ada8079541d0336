"""`toolsync rules`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Annotated

import typer

from toolsync.rules import RULES
from toolsync.rules.explanation import likened

from . import options, output
from .options import Format
from .output import Color

SHORT_HELP = "Every kind of finding, with its level and reason."

GlobArgument = Annotated[
    str, typer.Argument(metavar="GLOB", help="Only the rules whose ids fit, such as 'hint-*'.")
]


def command(
    glob: GlobArgument = "*",
    format: options.FormatOption = Format.TEXT,  # noqa: A002  named as its option
    color: options.ColorOption = Color.AUTO,
) -> int:
    """Lists the rules: what a finding can be called, how much it matters and why.

    The rules of `toolsync lint` come last; they are called doubtful.
    """
    from toolsync.report import advice as lint  # noqa: PLC0415  usage errors first
    from toolsync.report.rules import advice_entry, rule_entry, rule_lines  # noqa: PLC0415

    options.globs([glob])
    rules = [rule for rule in RULES.values() if fnmatchcase(rule.id, glob)]
    advice = [lint.advice(name) for name in lint.RULES if fnmatchcase(name, glob)]
    if not rules and not advice:
        known = (*RULES, *lint.RULES)
        return output.fail(f"no rule is called '{glob}'{likened(glob, known)}", 2)
    if format is Format.JSON:
        entries = [*map(rule_entry, rules), *map(advice_entry, advice)]
        output.write_json({"rules": entries})
    else:
        output.write_lines(rule_lines(rules, advice), color)
    return 0
