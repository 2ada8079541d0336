"""`toolsync lock SOURCE`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, Final

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.errors import LockError
from toolsync.lockfile import DEFAULT, Server, accepted, checked_name, locked, pending
from toolsync.safe import named, safe_text
from toolsync.sources import shown_source

from . import locking, options, output
from .locking import FILE, Opened
from .malformed import tell_malformed
from .options import DEFAULTS, ReadOptions
from .progress import progress
from .quick import QuickCommand

SHORT_HELP = "Keeps a catalogue in a lockfile, or takes changes into it."
_MOST_NAMED: Final = 10


class CLASS(QuickCommand):
    """Reads `--accept a b c` as `--accept a --accept b --accept c`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the arguments, once each accepted tool has an option of its own."""
        return super().parse_args(ctx, _spread(args))


def _spread(arguments: Iterable[str]) -> list[str]:
    spread: list[str] = []
    accepting = first = False
    for each in arguments:
        if accepting and not first and not each.startswith("-"):
            spread.append("--accept")
        elif each.startswith("-") and not first:
            accepting = each == "--accept"
        spread.append(each)
        first = each == "--accept" and not first
    return spread


AcceptOption = Annotated[
    list[str] | None,
    typer.Option(
        "--accept",
        metavar="TOOL...",
        help="Take in only what became of these tools; all else stays as it was locked.",
    ),
]
OutputOption = Annotated[
    str, typer.Option("--output", "-o", "--lock", metavar="FILE", help="The lockfile.")
]
NameOption = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="NAME",
        help="What the catalogue is called in the lockfile, which may hold several;"
        f" '{DEFAULT}' if not given.",
    ),
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing unless something is wrong.")
]


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    source: locking.SourceArgument = None,
    accept: AcceptOption = None,
    lock: OutputOption = FILE,
    name: NameOption = None,
    quiet: QuietOption = False,
    header: options.HeaderOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT,
    input_format: options.InputFormatOption = None,
    max_bytes: options.MaxBytesOption = DEFAULTS.max_bytes,
    max_depth: options.MaxDepthOption = DEFAULTS.max_depth,
    max_string: options.MaxStringOption = DEFAULTS.max_string,
) -> int:
    """Writes every tool of a catalogue into a lockfile, to be committed.

    With --accept, only those tools are taken over as they are now. Exit code 0 where
    that is done, 1 where it is done and a tool is malformed (it is told, and noted in
    the file), 2 where nothing was written.
    """
    limits = Limits(max_bytes, max_depth, max_string)
    how = ReadOptions(input_format, limits, quiet, options.access(header, timeout))
    with progress("reading the lockfile") as now:
        file = locking.opened(lock, limits)
        called, origin = _target(file, source, name, accepting=bool(accept))
        now(f"reading {shown_source(origin)}")
        catalog = options.read(origin, how)
        now("writing the lockfile")
        if accept:
            told = _accept(file, called, catalog, tuple(dict.fromkeys(accept)))
        else:
            told = _lock(file, called, catalog, origin)
    if not quiet:
        output.say(f"{lock}: {told}")
    faults = [each for each in catalog.invalid if not accept or each.name in accept]
    tell_malformed(shown_source(origin), faults)
    return int(bool(faults))


def _target(
    file: Opened, source: str | None, name: str | None, *, accepting: bool
) -> tuple[str, str]:
    """Returns the name of the catalogue that is meant, and the source to read it from."""
    if source is not None and not accepting:
        with locking.of_file(file.path):
            return checked_name(DEFAULT if name is None else name), source
    called, server = locking.chosen(file, name)
    return called, source or locking.recorded(file.path, called, server)


def _lock(file: Opened, name: str, catalog: Catalog, origin: str) -> str:
    server = locked(catalog, _recordable(origin))
    changed = file.put(name, server)
    count = len(server.tools)
    tools = f"{count} tool{'' if count == 1 else 's'} of {shown_source(origin)}"
    done = f"locked {tools} as '{name}'" if changed else f"unchanged, {tools} as '{name}'"
    return f"{done}, {catalog.digest}"


def _recordable(origin: str) -> str:
    """Returns what may stand of a source in a file that is committed."""
    try:
        origin.encode()
    except UnicodeEncodeError as error:
        raise LockError(f"{safe_text(origin)}: a name that is not UTF-8 cannot be kept") from error
    match = re.fullmatch(r"(https?://)[^/?#]*@(.*)", origin, re.DOTALL)
    if match is None:
        return origin
    output.warn("the source is kept without its user name and password: give them by --header")
    return f"{match[1]}{match[2]}"


def _accept(file: Opened, name: str, catalog: Catalog, tools: tuple[str, ...]) -> str:
    before = file.lockfile.get(name) or Server("", ())
    differing = pending(before, catalog)
    _refuse_unchanged(file.path, [tool for tool in tools if tool not in differing], differing)
    file.put(name, accepted(before, catalog, tools))
    left = len(differing) - len(tools)
    return f"accepted {_listed(tools)}; {left or 'no'} other tool{'' if left == 1 else 's'} changed"


def _refuse_unchanged(path: str, tools: list[str], differing: list[str]) -> None:
    if tools:
        raise LockError(
            f"{safe_text(path)}: nothing to accept of {named(tools[0])}:"
            f" what changed is {_listed(differing) or 'nothing'}"
        )


def _listed(names: Iterable[str]) -> str:
    (*some,) = names
    more = f" and {len(some) - _MOST_NAMED} more" if len(some) > _MOST_NAMED else ""
    return ", ".join(safe_text(each) for each in some[:_MOST_NAMED]) + more
