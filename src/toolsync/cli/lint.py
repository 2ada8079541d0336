"""`toolsync lint SOURCE`."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.lint.profiles import Profile
from toolsync.model import Invalid
from toolsync.sources import shown_source

from . import options, output
from .options import DEFAULTS, Format, ReadOptions
from .output import Color
from .progress import progress

if TYPE_CHECKING:
    from toolsync.changes.choice import Choice
    from toolsync.lint.remark import Remark as Said
    from toolsync.report.lint import LintReport, Remark

SHORT_HELP = "Invalid or doubtful tools of one catalogue."


class Bar(StrEnum):
    """The kind of remark from which on the catalogue fails."""

    NEVER = "never"
    INVALID = "invalid"
    REFUSED = "refused"
    DOUBTFUL = "doubtful"


BarOption = Annotated[Bar, typer.Option("--fail-on", help="Exit 1 from this on.")]
ProfileOption = Annotated[
    list[Profile] | None,
    typer.Option("--profile", help="Tell what this provider or host refuses, too. Repeatable."),
]


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    source: options.SourceArgument,
    format: options.FormatOption = Format.TEXT,  # noqa: A002  named as its option
    profile: ProfileOption = None,
    fail_on: BarOption = Bar.REFUSED,
    only: options.OnlyOption = None,
    ignore: options.IgnoreOption = None,
    input_format: options.InputFormatOption = None,
    color: options.ColorOption = Color.AUTO,
    max_bytes: options.MaxBytesOption = DEFAULTS.max_bytes,
    max_depth: options.MaxDepthOption = DEFAULTS.max_depth,
    max_string: options.MaxStringOption = DEFAULTS.max_string,
    header: options.HeaderOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT,
) -> int:
    """Names the tools that no client can use, and those that some will misread.

    Exit code 1 where a tool is invalid, or refused by a provider that was asked
    for; with --fail-on doubtful also where one is doubtful. `toolsync explain
    RULE` says more about a refusal or a doubt.
    """
    from toolsync.changes.choice import chosen  # noqa: PLC0415  loads rules
    from toolsync.report.advice import RULES  # noqa: PLC0415  loads tables

    only, ignore = list(options.globs(only)), list(options.globs(ignore))
    with progress(f"reading {shown_source(source)}") as now:
        limits = Limits(max_bytes, max_depth, max_string)
        access = options.access(header, timeout)
        catalog = options.read(source, ReadOptions(input_format, limits, access=access))
        now(f"checking {len(catalog)} tools")
        report = _look(catalog, chosen(only, ignore, RULES), tuple(profile or ()))
    _write(report, format, color)
    if only or ignore:
        names = {*catalog.index, *(each.name or "" for each in catalog.invalid)}
        options.warn_of_globs(only, ignore, names, RULES)
    return _exit_code(report, fail_on)


def _exit_code(report: LintReport, fail_on: Bar) -> int:
    kinds = (report["invalid"], report["refused"], report["doubtful"])
    bars = (Bar.INVALID, Bar.REFUSED, Bar.DOUBTFUL)
    heeded = 0 if fail_on is Bar.NEVER else bars.index(fail_on) + 1
    return int(any(kinds[:heeded]))


def _write(report: LintReport, format: Format, color: Color) -> None:  # noqa: A002  as above
    if format is Format.JSON:
        from toolsync.report.lint import bounded_lint  # noqa: PLC0415  not needed for text

        output.write_json(bounded_lint(report))
    else:
        from toolsync.report.lint import lint_lines  # noqa: PLC0415  not needed for JSON

        output.write_lines(lint_lines(report), color)


def _look(catalog: Catalog, choice: Choice, profiles: tuple[Profile, ...]) -> LintReport:
    """Checks every tool that counts, in the catalogue's order."""
    keep = choice.tool or (lambda _: True)
    malformed = [each for each in catalog.invalid if keep(each.name or "")]
    names = [tool.name for tool in catalog if keep(tool.name)]
    invalid = [_malformed(each) for each in malformed]
    refused = list(_refused_together(names, profiles, choice))
    doubtful: list[Remark] = []
    for name in names:
        faults = list(_faults(catalog, name))
        invalid += faults
        refused += [] if faults else _refused(catalog, name, profiles, choice)
        doubtful += [] if faults else _doubts(catalog, name, choice)
    doubtful += _near(names, choice)
    # What is invalid falls under no rule: where only some rules are asked for, it is left out.
    asked = choice.rule is None or choice.rule("")
    return {
        "source": catalog.source,
        "tools": len(names) + len(malformed),
        "invalid": invalid if asked else [],
        "refused": refused,
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


def _refused(
    catalog: Catalog, name: str, profiles: tuple[Profile, ...], choice: Choice
) -> Iterator[Remark]:
    if profiles:
        from toolsync.lint import refusals_of_tool  # noqa: PLC0415  only with a profile

        for remark in refusals_of_tool(catalog[name].definition, profiles):
            if choice.rule is None or choice.rule(remark.rule):
                yield _told(name, remark)


def _refused_together(
    names: list[str], profiles: tuple[Profile, ...], choice: Choice
) -> Iterator[Remark]:
    if profiles:
        from toolsync.lint import refusals_of_catalog  # noqa: PLC0415  only with a profile

        for name, remark in refusals_of_catalog(names, profiles):
            if choice.rule is None or choice.rule(remark.rule):
                yield _told(name, remark)


def _near(names: list[str], choice: Choice) -> Iterator[Remark]:
    from toolsync.lint.names import name_remarks  # noqa: PLC0415  loads tables

    for name, remark in name_remarks(names):
        if choice.rule is None or choice.rule(remark.rule):
            yield _told(name, remark)


def _told(name: str | None, remark: Said) -> Remark:
    return {"name": name, "path": remark.path, "reason": remark.reason, "rule": remark.rule}


def _malformed(fault: Invalid) -> Remark:
    remark: Remark = {"name": fault.name, "path": fault.path, "reason": fault.reason}
    return {**remark, "index": fault.index} if fault.name is None else remark
