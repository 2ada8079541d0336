"""`toolsync diff OLD NEW`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal, cast

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.errors import SourceError
from toolsync.report.line import Line
from toolsync.settings import Settings, nearest_settings, read_settings
from toolsync.sources import STDIN, shown_source

from . import options, output
from .failing import FailOn, exit_code
from .options import DEFAULTS, Format, ReadOptions, ReportFormat
from .output import Color
from .progress import progress
from .reports import Target, Told, looked_at, refuse_inputs, rendered, targets, write_files

if TYPE_CHECKING:
    from toolsync.changes import Changes
    from toolsync.report.shape import Report

SHORT_HELP = "What changed between two catalogues."


OldArgument = Annotated[
    str, typer.Argument(metavar="OLD", help=f"The catalogue before: {options.SOURCE_HELP}.")
]
NewArgument = Annotated[str, typer.Argument(metavar="NEW", help="The catalogue after.")]
FailOnOption = Annotated[FailOn, typer.Option("--fail-on", help="Exit 1 from this level on.")]
StatOption = Annotated[
    bool, typer.Option("--stat", help="One line a tool: counts, and size as a model sees it.")
]
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
    format: options.ReportFormatOption = ReportFormat.TEXT,  # noqa: A002  named as its option
    report: options.ReportOption = None,
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
    header: options.HeaderOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT,
) -> int:
    """Says what changed between two catalogues, worst first.

    Exit code 0 where nothing reaches --fail-on, 1 where something does or a tool came or
    became unusable, 2 where the catalogues could not be compared. `toolsync lint` tells
    of tools that were unusable all along.
    """
    shape = shape_of(format, color, report, stat=stat, names=name_only, full=full)
    limits = Limits(max_bytes, max_depth, max_string)
    how = ReadOptions(input_format, limits, quiet, options.access(header, timeout))
    settings = settings_of(config, no_config=no_config)
    what = Question(is_open, options.globs(only), options.globs(ignore), settings)
    return answer(Asked(shape, what, fail_on, quiet), lambda now: _both(old, new, how, now))


@dataclass(frozen=True, slots=True)
class Shape:
    """What is printed and how, and which reports are written to files besides."""

    format: ReportFormat
    color: Color
    stat: bool
    names: bool
    full: bool
    targets: tuple[Target, ...] = ()
    in_order: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """What the two catalogues are asked."""

    is_open: bool
    only: tuple[str, ...]
    ignore: tuple[str, ...]
    settings: Settings


@dataclass(frozen=True, slots=True)
class Asked:
    """All that is asked about two catalogues: what to compare, what to print, when to fail."""

    shape: Shape
    what: Question
    fail_on: FailOn
    quiet: bool
    lock: str | None = None


Now = Callable[[str], None]
"""Says which step has begun."""


def answer(asked: Asked, both: Callable[[Now], tuple[Catalog, Catalog]]) -> int:
    """Compares two catalogues, tells what there is to tell, and returns the exit code."""
    shape, what = asked.shape, asked.what
    _refuse_a_part(shape, what)
    seen = looked_at(shape.targets)
    with progress("comparing") as now:
        before, after = both(now)
        refuse_inputs(shape.targets, (asked.lock, before.source, after.source))
        changes = _compare(before, after, what)
        told = Told(changes, partial(_report, changes, what), asked.fail_on, full=shape.full)
        write_files(shape.targets, seen, told, now)
        unheard = asked.quiet or output.abandoned()
        report = None if unheard else _report(changes, what, full=shape.full)
    if report is not None:
        _write(report, shape, told)
        _warn_of_globs(changes, what)
    return exit_code(changes, asked.fail_on)


def shape_of(  # noqa: PLR0913  one parameter an option
    format: Format | ReportFormat,  # noqa: A002  named as its option
    color: Color,
    report: Sequence[str] | None = None,
    *,
    stat: bool,
    names: bool,
    full: bool,
) -> Shape:
    """Says what to print; raises BadParameter where two options exclude each other."""
    if format.value != Format.TEXT.value and (stat or names):
        raise typer.BadParameter("--stat and --name-only are forms of the text report")
    if stat and names:
        raise typer.BadParameter("--stat and --name-only exclude each other")
    return Shape(ReportFormat(format.value), color, stat, names, full, targets(report))


def _refuse_a_part(shape: Shape, what: Question) -> None:
    formats = {shape.format, *(target.format for target in shape.targets)}
    if ReportFormat.PATCH in formats and (what.only or what.ignore):
        raise typer.BadParameter("a patch tells all: it takes neither --only nor --ignore")


def settings_of(config: str | None, *, no_config: bool) -> Settings:
    """Returns the overrides to heed: of the file that was named, or the nearest."""
    if no_config:
        if config is not None:
            raise typer.BadParameter("--config and --no-config exclude each other")
        return Settings()
    return nearest_settings() if config is None else read_settings(config)


def _both(old: str, new: str, how: ReadOptions, now: Now) -> tuple[Catalog, Catalog]:
    if old == new == STDIN:
        raise SourceError("-: standard input can be read once, as OLD or as NEW")
    now(f"reading {shown_source(old)}")
    before = options.read(old, how)
    now(f"reading {shown_source(new)}")
    after = options.read(new, how if new != old else how.without_warnings())
    now("comparing")
    return before, after


_READINGS: Final[dict[bool, Literal["declared", "open"]]] = {False: "declared", True: "open"}


def _compare(old: Catalog, new: Catalog, what: Question) -> Changes:
    from toolsync.changes import diff  # noqa: PLC0415  usage errors need no comparison

    return diff(
        old,
        new,
        reading=_READINGS[what.is_open],
        only=what.only,
        ignore=what.ignore,
        overrides=what.settings.overrides,
    )


def report_of(before: Catalog, after: Catalog, what: Question) -> Report:
    """Compares two catalogues and returns what there is to tell."""
    return _report(_compare(before, after, what), what, full=False)


def _report(changes: Changes, what: Question, *, full: bool) -> Report:
    report = changes.to_dict(all=full)
    if what.settings.overrides:
        first = {key: report[key] for key in ("report", "toolsync")}
        report = {**first, "settings": what.settings.source, **report}
    return cast("Report", report)


def _warn_of_globs(changes: Changes, what: Question) -> None:
    if not what.only and not what.ignore:
        return
    from toolsync.changes import names  # noqa: PLC0415  loaded by the comparison

    options.warn_of_globs(what.only, what.ignore, names(changes.old, changes.new))


def _write(report: Report, shape: Shape, told: Told) -> None:
    if shape.format is ReportFormat.TEXT:
        output.write_lines(_lines(report, shape, told.changes), shape.color)
    else:
        for piece in rendered(shape.format, told):
            output.write_text(piece)


def _lines(report: Report, shape: Shape, changes: Changes) -> Iterator[Line]:
    if shape.names:
        from toolsync.report.stat import name_lines  # noqa: PLC0415  often not needed

        return name_lines(report)
    if shape.stat:
        from toolsync.report.cost import costs  # noqa: PLC0415  as above
        from toolsync.report.stat import stat_lines  # noqa: PLC0415  as above

        return stat_lines(report, costs(changes.old, changes.new, in_order=shape.in_order))
    from toolsync.report.text import report_lines  # noqa: PLC0415  as above

    return report_lines(report, full=shape.full)
