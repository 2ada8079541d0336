"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from toolsync.catalog import LIMITS, Catalog, Limits
from toolsync.formats import InputFormat
from toolsync.overrides import MAX_GLOB
from toolsync.sources import read_catalog

from . import output
from .output import Color

_FOUR_GIB: Final = (4 << 30) - 1  # places in a text are kept in 32 bits
SOURCE_HELP = "a file, - for standard input, or git:REV:PATH"


class Format(StrEnum):
    """What is printed."""

    TEXT = "text"
    JSON = "json"


SourceArgument = Annotated[
    str, typer.Argument(metavar="SOURCE", help=f"The catalogue: {SOURCE_HELP}.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="What to print.")]
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
DEFAULTS = LIMITS


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How sources are read."""

    input_format: InputFormat | None
    limits: Limits
    quiet: bool = False

    def without_warnings(self) -> ReadOptions:
        """Returns the same, for a source whose oddities were told."""
        return replace(self, quiet=True)


def read(source: str, how: ReadOptions) -> Catalog:
    """Reads a catalogue and says what was odd about it."""
    catalog = read_catalog(source, input_format=how.input_format, limits=how.limits)
    if not how.quiet:
        for warning in catalog.warnings:
            output.warn(f"{source}: {warning}")
    return catalog


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
