"""Options that several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from toolsync.catalog import LIMITS, Catalog, Limits
from toolsync.formats import InputFormat
from toolsync.overrides import MAX_GLOB
from toolsync.sources import ACCESS, Access, read_catalog

from . import output
from .output import Color

_FOUR_GIB: Final = (4 << 30) - 1  # places in a text are kept in 32 bits
SOURCE_HELP = (
    "a file, - for standard input, git:REV:PATH, or a server: stdio:COMMAND or https://…"
)


class Format(StrEnum):
    """What is printed."""

    TEXT = "text"
    JSON = "json"


class ReportFormat(StrEnum):
    """What a comparison is printed or written as."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    PATCH = "patch"


SourceArgument = Annotated[
    str, typer.Argument(metavar="SOURCE", help=f"The catalogue: {SOURCE_HELP}.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="What to print.")]
ReportFormatOption = Annotated[ReportFormat, typer.Option("--format", help="What to print.")]
ReportOption = Annotated[
    list[str] | None,
    typer.Option(
        "--report", metavar="FORMAT=FILE", help="Write a report to a file besides. Repeatable."
    ),
]
InputFormatOption = Annotated[
    InputFormat | None,
    typer.Option("--input-format", help="How the tools are written; recognised if not given."),
]
ColorOption = Annotated[
    Color, typer.Option("--color", help="Colour; auto heeds the terminal and NO_COLOR.")
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="GLOB", help="Report these tools or rules. Repeatable."),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="GLOB", help="Ignore these tools or rules. Repeatable."),
]
MaxBytesOption = Annotated[
    int,
    typer.Option(
        "--max-bytes", min=1, max=_FOUR_GIB, metavar="N", help="Largest source read, in bytes."
    ),
]
MaxDepthOption = Annotated[
    int, typer.Option("--max-depth", min=3, max=500, metavar="N", help="Deepest nesting read.")
]
MaxStringOption = Annotated[
    int,
    typer.Option(
        "--max-string", min=1, max=_FOUR_GIB, metavar="N", help="Longest string read, in bytes."
    ),
]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        metavar="'NAME: VALUE'",
        help="Sent to servers over HTTP; ${NAME} in it stands for a variable. Repeatable.",
    ),
]
TimeoutOption = Annotated[
    int,
    typer.Option(
        "--timeout", min=1, max=3600, metavar="SECONDS", help="How long a live server may take."
    ),
]
DEFAULTS = LIMITS
TIMEOUT: Final = 30


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How sources are read."""

    input_format: InputFormat | None
    limits: Limits
    quiet: bool = False
    access: Access = ACCESS

    def without_warnings(self) -> ReadOptions:
        """Returns the same, for a source whose oddities were told."""
        return replace(self, quiet=True)


def read(source: str, how: ReadOptions) -> Catalog:
    """Reads a catalogue and says what was odd about it."""
    catalog = read_catalog(
        source, input_format=how.input_format, limits=how.limits, access=how.access
    )
    if not how.quiet:
        for warning in catalog.warnings:
            output.warn(f"{catalog.source or source}: {warning}")
    return catalog


def access(header: Sequence[str] | None, timeout: int) -> Access:
    """Says how live servers are reached."""
    return Access(headers(header), float(timeout))


def headers(given: Sequence[str] | None) -> dict[str, str]:
    """Reads headers, each `Name: value`; raises BadParameter for what is none.

    `${NAME}` stands for a variable of the environment, so that no secret has to stand on
    a command line, which other users of the machine can read. None is ever shown.
    """
    found = {}
    for each in given or ():
        name, colon, value = each.partition(":")
        if not colon or not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name.strip()):
            raise typer.BadParameter("--header: expected 'NAME: VALUE'")
        found[name.strip()] = _expanded(name.strip(), value.strip())
    return found


def _expanded(name: str, value: str) -> str:
    def variable(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise typer.BadParameter(f"--header {name}: there is no variable {match[1]}")
        return os.environ[match[1]]

    full = re.sub(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}", variable, value)
    if not full.isascii() or not full.isprintable():
        raise typer.BadParameter(f"--header {name}: expected printable ASCII characters")
    return full


def globs(given: Sequence[str] | None) -> tuple[str, ...]:
    """Returns what was given; raises BadParameter where a glob is too long to be matched."""
    for glob in given or ():
        if len(glob) > MAX_GLOB:
            raise typer.BadParameter(
                f"expected globs of at most {MAX_GLOB:,} characters, got one of {len(glob):,}"
            )
    return tuple(given or ())


def warn_of_globs(
    only: Sequence[str],
    ignore: Sequence[str],
    names: Collection[str],
    rules: Mapping[str, Any] | None = None,
) -> None:
    """Warns of globs that fit no tool and no rule: most likely they are mistyped."""
    from toolsync.changes.choice import unmatched  # noqa: PLC0415  only where globs are given

    for option, globs in (("--only", only), ("--ignore", ignore)):
        for glob in unmatched(globs, names) if rules is None else unmatched(globs, names, rules):
            output.warn(f"nothing matches {option} {glob}")
