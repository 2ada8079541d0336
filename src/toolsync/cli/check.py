"""`toolsync check [SOURCE]`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.sources import shown_source

from . import diff, locking, options
from .diff import Asked, Now, Question
from .failing import FailOn
from .locking import FILE
from .options import DEFAULTS, ReadOptions, ReportFormat
from .output import Color

SHORT_HELP = "What changed since a catalogue was locked."

FailOnOption = Annotated[FailOn, typer.Option("--fail-on", help="Exit 1 from this level on.")]


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    source: locking.SourceArgument = None,
    lock: locking.LockOption = FILE,
    name: locking.NameOption = None,
    format: options.ReportFormatOption = ReportFormat.TEXT,  # noqa: A002  named as its option
    report: options.ReportOption = None,
    fail_on: FailOnOption = FailOn.BREAKING,
    only: options.OnlyOption = None,
    ignore: options.IgnoreOption = None,
    stat: diff.StatOption = False,
    name_only: diff.NameOnlyOption = False,
    full: diff.FullOption = False,
    quiet: diff.QuietOption = False,
    is_open: diff.OpenOption = False,
    config: diff.ConfigOption = None,
    no_config: diff.NoConfigOption = False,
    header: options.HeaderOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT,
    input_format: options.InputFormatOption = None,
    color: options.ColorOption = Color.AUTO,
    max_bytes: options.MaxBytesOption = DEFAULTS.max_bytes,
    max_depth: options.MaxDepthOption = DEFAULTS.max_depth,
    max_string: options.MaxStringOption = DEFAULTS.max_string,
) -> int:
    """Compares a catalogue with what the lockfile holds, and tells what `diff` tells.

    Exit code 0 where nothing reaches --fail-on, 1 where something does or a tool came or
    became unusable, 2 where they could not be compared: the lockfile is missing, in
    conflict or tampered with, or the source cannot be read.
    """
    shape = diff.shape_of(format, color, report, stat=stat, names=name_only, full=full)
    limits = Limits(max_bytes, max_depth, max_string)
    how = ReadOptions(input_format, limits, quiet, options.access(header, timeout))
    settings = diff.settings_of(config, no_config=no_config)
    what = Question(is_open, options.globs(only), options.globs(ignore), settings)

    wanted = _Wanted(lock, name, source, how)
    # A lockfile is sorted: what order the tools had is not known.
    asked = Asked(replace(shape, in_order=False), what, fail_on, quiet, lock)
    return diff.answer(asked, wanted.both)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which catalogue of which lockfile is compared with what."""

    lock: str
    name: str | None
    source: str | None
    how: ReadOptions

    def both(self, now: Now) -> tuple[Catalog, Catalog]:
        """Reads the catalogue as it was locked, and as it is."""
        lock, how = self.lock, self.how
        now(f"reading {lock}")
        lockfile, _ = locking.read_lock(lock, how.limits)
        with locking.of_file(lock):
            name, server = lockfile.chosen(self.name)
        origin = self.source or locking.recorded(lock, name, server)
        now(f"reading {shown_source(origin)}")
        after = options.read(origin, how)
        now("comparing")
        return locking.as_locked(lock, name, server, after, how.limits), after
