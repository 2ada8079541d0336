"""`toolsync diff OLD NEW`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.errors import SourceError
from toolsync.report.line import Line
from toolsync.settings import nearest_settings, read_settings
from toolsync.sources import STDIN

from . import output
from .failing import FailOn, exit_code
from .options import (
    DEFAULTS,
    SOURCE_HELP,
    ColorOption,
    ConfigOption,
    Format,
    FormatOption,
    InputFormatOption,
    MaxBytesOption,
    MaxDepthOption,
    MaxStringOption,
    NoConfigOption,
    Reading,
    read,
)
from .output import Color
from .progress import progress

if TYPE_CHECKING:
    from toolsync.changes import Changes
    from toolsync.overrides import Override
    from toolsync.report.shape import Report

SHORT_HELP = "What changed between two catalogues."


OldArgument = Annotated[
    str, typer.Argument(metavar="OLD", help=f"The catalogue before: {SOURCE_HELP}.")
]
NewArgument = Annotated[str, typer.Argument(metavar="NEW", help="The catalogue after.")]
FailOnOption = Annotated[FailOn, typer.Option("--fail-on", help="Exit 1 from this level on.")]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="GLOB", help="Report these tools or rules. Repeatable."),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="GLOB", help="Ignore these tools or rules. Repeatable."),
]
StatOption = Annotated[bool, typer.Option("--stat", help="One line a tool, counts only.")]
NameOnlyOption = Annotated[
    bool, typer.Option("--name-only", help="Only the names of tools that differ.")
]
AllOption = Annotated[
    bool, typer.Option("--all", help="Unchanged tools too, nothing folded or shortened.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing, only exit.")]
OpenOption = Annotated[
    bool, typer.Option("--open", help="Compare as plain JSON Schema, not as tool calls.")
]


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    old: OldArgument,
    new: NewArgument,
    format: FormatOption = Format.TEXT,  # noqa: A002  named as its option
    fail_on: FailOnOption = FailOn.SEMANTIC,
    only: OnlyOption = None,
    ignore: IgnoreOption = None,
    stat: StatOption = False,
    name_only: NameOnlyOption = False,
    everything: AllOption = False,
    quiet: QuietOption = False,
    is_open: OpenOption = False,
    config: ConfigOption = None,
    no_config: NoConfigOption = False,
    input_format: InputFormatOption = None,
    color: ColorOption = Color.AUTO,
    max_bytes: MaxBytesOption = DEFAULTS.max_bytes,
    max_depth: MaxDepthOption = DEFAULTS.max_depth,
    max_string: MaxStringOption = DEFAULTS.max_string,
) -> int:
    """Says what changed between two catalogues, worst first.

    Exit code 0 where nothing reaches --fail-on, 1 where something does or a tool is
    unusable, 2 where the catalogues could not be compared.
    """
    if format is Format.JSON and (stat or name_only):
        raise typer.BadParameter("--stat and --name-only are forms of the text report")
    shape = _Shape(format, color, stat, name_only, everything)
    how = Reading(input_format, Limits(max_bytes, max_depth, max_string), quiet)
    what = _Question(is_open, tuple(only or ()), tuple(ignore or ()), _overrides(config, no_config))
    with progress("comparing") as now:
        before, after = _both(old, new, how, now)
        changes = _compare(before, after, what)
        report = None if quiet else changes.to_dict(all=everything)
    if report is not None:
        _write(cast("Report", report), shape)
        if only and report["summary"]["unchanged"] == len(report["tools"]) == 0:
            output.warn(f"nothing matches --only {' '.join(only)}")
    return exit_code(changes, fail_on)


@dataclass(frozen=True, slots=True)
class _Shape:
    """Is what is printed, and how."""

    format: Format
    color: Color
    stat: bool
    names: bool
    full: bool


@dataclass(frozen=True, slots=True)
class _Question:
    """Is what the two catalogues are asked."""

    is_open: bool
    only: tuple[str, ...]
    ignore: tuple[str, ...]
    overrides: tuple[Override, ...]


def _overrides(config: str | None, no_config: bool) -> tuple[Override, ...]:
    if no_config:
        if config is not None:
            raise typer.BadParameter("--config and --no-config exclude each other")
        return ()
    settings = nearest_settings() if config is None else read_settings(config)
    return settings.overrides


def _both(old: str, new: str, how: Reading, now: Callable[[str], None]) -> tuple[Catalog, Catalog]:
    if old == new == STDIN:
        raise SourceError("-: standard input can be read once, as OLD or as NEW")
    now(f"reading {old}")
    before = read(old, how)
    now(f"reading {new}")
    after = read(new, how)
    now("comparing")
    return before, after


def _compare(old: Catalog, new: Catalog, what: _Question) -> Changes:
    from toolsync.changes import diff  # noqa: PLC0415  usage errors need no comparison

    reading: Literal["open", "declared"] = "open" if what.is_open else "declared"
    return diff(
        old, new, reading=reading, only=what.only, ignore=what.ignore, overrides=what.overrides
    )


def _write(report: Report, shape: _Shape) -> None:
    if shape.format is Format.JSON:
        from toolsync.report.json import encode  # noqa: PLC0415  orjson costs milliseconds

        output.write_text(encode(report))
    else:
        output.write_lines(_lines(report, shape), shape.color)


def _lines(report: Report, shape: _Shape) -> Iterator[Line]:
    if shape.stat or shape.names:
        from toolsync.report.stat import name_lines, stat_lines  # noqa: PLC0415  as above

        return name_lines(report) if shape.names else stat_lines(report)
    from toolsync.report.text import report_lines  # noqa: PLC0415  as above

    return report_lines(report, full=shape.full)
