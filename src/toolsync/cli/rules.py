"""`toolsync rules`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Annotated

import typer

from toolsync.rules import RULES
from toolsync.rules.explanation import likened

from . import output
from .options import ColorOption, Format, FormatOption
from .output import Color

SHORT_HELP = "Every kind of finding, with its level and reason."

GlobArgument = Annotated[
    str, typer.Argument(metavar="GLOB", help="Only the rules whose ids fit, such as 'hint-*'.")
]


def command(
    glob: GlobArgument = "*",
    format: FormatOption = Format.TEXT,  # noqa: A002  named as its option
    color: ColorOption = Color.AUTO,
) -> int:
    """Lists the rules: what a finding can be called, how much it matters and why."""
    from toolsync.report.rules import rule_entry, rule_lines  # noqa: PLC0415  usage errors first

    rules = [rule for rule in RULES.values() if fnmatchcase(rule.id, glob)]
    if not rules:
        return output.fail(f"no rule is called '{glob}'{likened(glob)}", 2)
    if format is Format.JSON:
        from toolsync.report.json import encode  # noqa: PLC0415  orjson costs milliseconds

        output.write_text(encode({"rules": [rule_entry(rule) for rule in rules]}))
    else:
        output.write_lines(rule_lines(rules), color)
    return 0
