"""`toolsync lint SOURCE`."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.model import Invalid

from . import options, output
from .options import DEFAULTS, Format, ReadOptions
from .output import Color
from .progress import progress

if TYPE_CHECKING:
    from toolsync.changes.choice import Choice
    from toolsync.report.lint import LintReport, Remark

SHORT_HELP = "Invalid or doubtful tools of one catalogue."


class Bar(StrEnum):
    """The kind of remark from which on the catalogue fails."""

    NEVER = "never"
    INVALID = "invalid"
    DOUBTFUL = "doubtful"


BarOption = Annotated[Bar, typer.Option("--fail-on", help="Exit 1 from this on.")]


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    source: options.SourceArgument,
    format: options.FormatOption = Format.TEXT,  # noqa: A002  named as its option
    fail_on: BarOption = Bar.INVALID,
    only: options.OnlyOption = None,
    ignore: options.IgnoreOption = None,
    input_format: options.InputFormatOption = None,
    color: options.ColorOption = Color.AUTO,
    max_bytes: options.MaxBytesOption = DEFAULTS.max_bytes,
    max_depth: options.MaxDepthOption = DEFAULTS.max_depth,
    max_string: options.MaxStringOption = DEFAULTS.max_string,
) -> int:
    """Names the tools that no client can use, and those that some will misread.

    Exit code 1 where a tool is invalid, with --fail-on doubtful also where one is
    doubtful. `toolsync explain RULE` says more about a doubt.
    """
    from toolsync.changes.choice import chosen  # noqa: PLC0415  loads rules
    from toolsync.schema.doubt import RULES  # noqa: PLC0415  loads tables

    only, ignore = list(options.globs(only)), list(options.globs(ignore))
    with progress(f"reading {source}") as now:
        limits = Limits(max_bytes, max_depth, max_string)
        catalog = options.read(source, ReadOptions(input_format, limits))
        now(f"checking {len(catalog)} tools")
        report = _look(catalog, chosen(only, ignore, RULES))
    _write(report, format, color)
    if only or ignore:
        names = {*catalog.index, *(each.name or "" for each in catalog.invalid)}
        options.warn_of_globs(only, ignore, names, RULES)
    return _exit_code(report, fail_on)


def _exit_code(report: LintReport, fail_on: Bar) -> int:
    if fail_on is Bar.NEVER:
        return 0
    doubtful = fail_on is Bar.DOUBTFUL and bool(report["doubtful"])
    return int(doubtful or bool(report["invalid"]))


def _write(report: LintReport, format: Format, color: Color) -> None:  # noqa: A002  as above
    if format is Format.JSON:
        from toolsync.report.lint import bounded_lint  # noqa: PLC0415  not needed for text

        output.write_json(bounded_lint(report))
    else:
        from toolsync.report.lint import lint_lines  # noqa: PLC0415  not needed for JSON

        output.write_lines(lint_lines(report), color)


def _look(catalog: Catalog, choice: Choice) -> LintReport:
    """Checks every tool that counts, in the catalogue's order."""
    keep = choice.tool or (lambda _: True)
    malformed = [each for each in catalog.invalid if keep(each.name or "")]
    names = [tool.name for tool in catalog if keep(tool.name)]
    invalid = [_malformed(each) for each in malformed]
    doubtful: list[Remark] = []
    for name in names:
        faults = list(_faults(catalog, name))
        invalid += faults
        doubtful += [] if faults else _doubts(catalog, name, choice)
    # What is invalid falls under no rule: where only some rules are asked for, it is left out.
    asked = choice.rule is None or choice.rule("")
    return {
        "source": catalog.source,
        "tools": len(names) + len(malformed),
        "invalid": invalid if asked else [],
        "doubtful": doubtful,
        "warnings": list(catalog.warnings),
    }


def _faults(catalog: Catalog, name: str) -> Iterator[Remark]:
    from toolsync.schema.validity import tool_faults  # noqa: PLC0415  loads tables

    for fault in tool_faults(catalog[name].definition):
        yield {"name": name, "path": fault.path, "reason": fault.reason}


def _doubts(catalog: Catalog, name: str, choice: Choice) -> Iterator[Remark]:
    from toolsync.schema.doubt import doubts  # noqa: PLC0415  loads tables

    for doubt in doubts(catalog[name].definition):
        if choice.rule is None or choice.rule(doubt.rule):
            yield {"name": name, "path": doubt.path, "reason": doubt.reason, "rule": doubt.rule}


def _malformed(fault: Invalid) -> Remark:
    remark: Remark = {"name": fault.name, "path": fault.path, "reason": fault.reason}
    return {**remark, "index": fault.index} if fault.name is None else remark
