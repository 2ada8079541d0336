"""`toolsync diff OLD NEW`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal, cast

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.errors import SourceError
from toolsync.report.line import Line
from toolsync.settings import Settings, nearest_settings, read_settings
from toolsync.sources import STDIN

from . import options, output
from .failing import FailOn, exit_code
from .options import DEFAULTS, Format, ReadOptions
from .output import Color
from .progress import progress

if TYPE_CHECKING:
    from toolsync.changes import Changes
    from toolsync.report.shape import Report

SHORT_HELP = "What changed between two catalogues."


OldArgument = Annotated[
    str, typer.Argument(metavar="OLD", help=f"The catalogue before: {options.SOURCE_HELP}.")
]
NewArgument = Annotated[str, typer.Argument(metavar="NEW", help="The catalogue after.")]
FailOnOption = Annotated[FailOn, typer.Option("--fail-on", help="Exit 1 from this level on.")]
StatOption = Annotated[bool, typer.Option("--stat", help="One line a tool, counts only.")]
NameOnlyOption = Annotated[
    bool, typer.Option("--name-only", help="Only the names of tools that differ.")
]
FullOption = Annotated[
    bool, typer.Option("--all", help="Unchanged tools too, nothing folded or shortened.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing, only exit.")]
OpenOption = Annotated[
    bool, typer.Option("--open", help="Compare as plain JSON Schema, not as tool calls.")
]
ConfigOption = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Overrides of levels; otherwise the nearest toolsync.toml, or pyproject.toml with"
        " [tool.toolsync], from here upwards.",
    ),
]
NoConfigOption = Annotated[bool, typer.Option("--no-config", help="Heed no such file.")]


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    old: OldArgument,
    new: NewArgument,
    format: options.FormatOption = Format.TEXT,  # noqa: A002  named as its option
    fail_on: FailOnOption = FailOn.SEMANTIC,
    only: options.OnlyOption = None,
    ignore: options.IgnoreOption = None,
    stat: StatOption = False,
    name_only: NameOnlyOption = False,
    full: FullOption = False,
    quiet: QuietOption = False,
    is_open: OpenOption = False,
    config: ConfigOption = None,
    no_config: NoConfigOption = False,
    input_format: options.InputFormatOption = None,
    color: options.ColorOption = Color.AUTO,
    max_bytes: options.MaxBytesOption = DEFAULTS.max_bytes,
    max_depth: options.MaxDepthOption = DEFAULTS.max_depth,
    max_string: options.MaxStringOption = DEFAULTS.max_string,
) -> int:
    """Says what changed between two catalogues, worst first.

    Exit code 0 where nothing reaches --fail-on, 1 where something does or a tool came or
    became unusable, 2 where the catalogues could not be compared. `toolsync lint` tells
    of tools that were unusable all along.
    """
    shape = _shape(format, color, stat=stat, names=name_only, full=full)
    how = ReadOptions(input_format, Limits(max_bytes, max_depth, max_string), quiet)
    settings = _settings(config, no_config=no_config)
    what = _Question(is_open, options.globs(only), options.globs(ignore), settings)
    with progress("comparing") as now:
        before, after = _both(old, new, how, now)
        changes = _compare(before, after, what)
        report = None if quiet or output.abandoned() else _report(changes, what, full=full)
    if report is not None:
        _write(report, shape)
        _warn_of_globs(changes, what)
    return exit_code(changes, fail_on)


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is printed, and how."""

    format: Format
    color: Color
    stat: bool
    names: bool
    full: bool


@dataclass(frozen=True, slots=True)
class _Question:
    """What the two catalogues are asked."""

    is_open: bool
    only: tuple[str, ...]
    ignore: tuple[str, ...]
    settings: Settings


def _shape(format: Format, color: Color, *, stat: bool, names: bool, full: bool) -> _Shape:  # noqa: A002
    if format is Format.JSON and (stat or names):
        raise typer.BadParameter("--stat and --name-only are forms of the text report")
    if stat and names:
        raise typer.BadParameter("--stat and --name-only exclude each other")
    return _Shape(format, color, stat, names, full)


def _settings(config: str | None, *, no_config: bool) -> Settings:
    if no_config:
        if config is not None:
            raise typer.BadParameter("--config and --no-config exclude each other")
        return Settings()
    return nearest_settings() if config is None else read_settings(config)


def _both(
    old: str, new: str, how: ReadOptions, now: Callable[[str], None]
) -> tuple[Catalog, Catalog]:
    if old == new == STDIN:
        raise SourceError("-: standard input can be read once, as OLD or as NEW")
    now(f"reading {old}")
    before = options.read(old, how)
    now(f"reading {new}")
    after = options.read(new, how if new != old else how.without_warnings())
    now("comparing")
    return before, after


_READINGS: Final[dict[bool, Literal["declared", "open"]]] = {False: "declared", True: "open"}


def _compare(old: Catalog, new: Catalog, what: _Question) -> Changes:
    from toolsync.changes import diff  # noqa: PLC0415  usage errors need no comparison

    return diff(
        old,
        new,
        reading=_READINGS[what.is_open],
        only=what.only,
        ignore=what.ignore,
        overrides=what.settings.overrides,
    )


def _report(changes: Changes, what: _Question, *, full: bool) -> Report:
    report = changes.to_dict(all=full)
    if what.settings.overrides:
        first = {key: report[key] for key in ("report", "toolsync")}
        report = {**first, "settings": what.settings.source, **report}
    return cast("Report", report)


def _warn_of_globs(changes: Changes, what: _Question) -> None:
    if not what.only and not what.ignore:
        return
    from toolsync.changes import names  # noqa: PLC0415  loaded by the comparison

    options.warn_of_globs(what.only, what.ignore, names(changes.old, changes.new))


def _write(report: Report, shape: _Shape) -> None:
    if shape.format is Format.JSON:
        from toolsync.report.cut import bounded  # noqa: PLC0415  not needed for text

        output.write_json(bounded(report))
    else:
        output.write_lines(_lines(report, shape), shape.color)


def _lines(report: Report, shape: _Shape) -> Iterator[Line]:
    if shape.stat or shape.names:
        from toolsync.report.stat import name_lines, stat_lines  # noqa: PLC0415  often not needed

        return name_lines(report) if shape.names else stat_lines(report)
    from toolsync.report.text import report_lines  # noqa: PLC0415  as above

    return report_lines(report, full=shape.full)
