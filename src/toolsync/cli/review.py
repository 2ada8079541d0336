"""`toolsync review [SOURCE]`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from toolsync.catalog import Catalog, Limits
from toolsync.errors import SourceError
from toolsync.lockfile import Server, accepted
from toolsync.report.line import Line, Span, line
from toolsync.sources import STDIN

from . import diff, locking, options, output
from .diff import Question
from .locking import FILE, Opened
from .options import DEFAULTS, ReadOptions
from .output import Color
from .progress import progress

if TYPE_CHECKING:
    from toolsync.report.shape import FindingEntry, Report, ToolEntry

SHORT_HELP = "Walks through the changes on a terminal, to accept or skip each."


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    source: locking.SourceArgument = None,
    lock: locking.LockOption = FILE,
    name: locking.NameOption = None,
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
    """Shows each tool that is not as it was locked, worst first, and asks what to do.

    What was accepted is written once, at the end; Ctrl-C leaves the lockfile as it was.
    Exit code 0 where nothing is left to review, 1 where something is, 2 where it could
    not begin.
    """
    _refuse_pipes(source)
    limits = Limits(max_bytes, max_depth, max_string)
    how = ReadOptions(input_format, limits, access=options.access(header, timeout))
    what = Question(is_open, (), (), diff.settings_of(config, no_config=no_config))
    with progress("reading the lockfile") as now:
        file = locking.opened(lock, how.limits)
        begun = _begun(file, source, name, how)
        now("comparing")
        report = diff.report_of(begun.before, begun.after, what)
    taken, left = _walk(report, color)
    if taken:
        file.put(begun.name, accepted(begun.server, begun.after, taken))
    output.say(f"{lock}: accepted {len(taken)}, left {left}")
    return int(left > 0)


def _refuse_pipes(source: str | None) -> None:
    if source == STDIN:
        raise SourceError("-: review reads answers from standard input: name another SOURCE")
    for stream in (sys.stdin, sys.stdout):
        if stream is None or not stream.isatty():
            raise SourceError(
                "review asks its questions on a terminal, and there is none: see what changed"
                " with 'toolsync check', take it in with 'toolsync lock --accept TOOL'"
            )


class _Begun(NamedTuple):
    """What is under review."""

    name: str
    server: Server
    before: Catalog
    after: Catalog


def _begun(file: Opened, source: str | None, name: str | None, how: ReadOptions) -> _Begun:
    called, server = locking.chosen(file, name)
    origin = source or locking.recorded(file.path, called, server)
    after = options.read(origin, how)
    before = locking.as_locked(file.path, called, server, after, how.limits)
    return _Begun(called, server, before, after)


class _Answer(Enum):
    ACCEPT = auto()
    SKIP = auto()
    WITNESS = auto()
    QUIT = auto()
    HELP = auto()


_KEYS: Final = {
    "a": _Answer.ACCEPT, "accept": _Answer.ACCEPT, "y": _Answer.ACCEPT,
    "s": _Answer.SKIP, "skip": _Answer.SKIP, "n": _Answer.SKIP,
    "w": _Answer.WITNESS, "witness": _Answer.WITNESS,
    "q": _Answer.QUIT, "quit": _Answer.QUIT,
}  # fmt: skip
_HELP: Final = (
    "a  accept: the lockfile takes this tool over as it is now",
    "s  skip: the lockfile keeps this tool as it was",
    "w  witness: show every value and proof in full",
    "q  quit: what was accepted is written, the rest stays as it was",
    "Ctrl-C  give up: nothing is written",
)


def _walk(report: Report, color: Color) -> tuple[list[str], int]:
    """Asks about each tool; returns the names of the accepted ones, and how many are left."""
    from toolsync.report.summary import rank, summary_line, title_line  # noqa: PLC0415  as diff

    tools = sorted(report["tools"], key=lambda tool: -rank(tool["level"]))
    output.write_lines([title_line(report), summary_line(report)], color)
    taken: list[str] = []
    for place, tool in enumerate(tools, 1):
        output.write_lines(_shown(tool), color)
        answer = _decision(tool, f"[{place}/{len(tools)}]", color)
        if answer is _Answer.QUIT:
            break
        if answer is _Answer.ACCEPT:
            taken.append(cast("str", tool["name"]))
    return taken, len(tools) - len(taken)


def _decision(tool: ToolEntry, place: str, color: Color) -> _Answer:
    if tool["name"] is None:
        output.write_lines([line("  it has no name to accept it by: skipped")], color)
        return _Answer.SKIP
    while True:
        answer = _asked(f"{place} accept, skip, witness, quit [a,s,w,q,?] ")
        if answer is _Answer.WITNESS:
            output.write_lines(_proved(tool), color)
        elif answer is _Answer.HELP:
            output.write_lines((line("  ", each) for each in _HELP), color)
        else:
            return answer


def _asked(question: str) -> _Answer:
    output.write_text(question)
    output.flush()
    said = _said()
    if not said:  # Ctrl-D
        output.write_text("\n")
        return _Answer.QUIT
    return _KEYS.get(said.strip().lower(), _Answer.HELP)


def _said() -> str:
    try:
        return sys.stdin.readline()
    except UnicodeDecodeError:
        return "?\n"


def _shown(tool: ToolEntry) -> Iterator[Line]:
    from toolsync.report.finding import finding_lines  # noqa: PLC0415  as diff
    from toolsync.report.heading import heading  # noqa: PLC0415  as diff

    yield line()
    yield heading(tool)
    for finding in _worst_first(tool):
        bare = {key: value for key, value in finding.items() if key != "witness"}
        yield from finding_lines(cast("FindingEntry", bare), 2, under=tool["level"])
        if "witness" in finding:
            yield line("      ", Span("proved by a witness (w shows it)", "dim"))


def _proved(tool: ToolEntry) -> Iterator[Line]:
    from toolsync.report.finding import finding_lines  # noqa: PLC0415  as diff

    for finding in _worst_first(tool):
        yield from finding_lines(finding, 2, full=True, under=tool["level"])


def _worst_first(tool: ToolEntry) -> Sequence[FindingEntry]:
    from toolsync.report.summary import rank  # noqa: PLC0415  as diff

    return sorted(tool["findings"], key=lambda finding: -rank(finding["level"]))
