"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from toolsync.catalog import LIMITS, Catalog, Limits
from toolsync.formats import InputFormat
from toolsync.sources import read_catalog

from . import output
from .output import Color

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
MaxBytesOption = Annotated[
    int, typer.Option("--max-bytes", min=1, metavar="N", help="Largest source read, in bytes.")
]
MaxDepthOption = Annotated[
    int, typer.Option("--max-depth", min=3, max=500, metavar="N", help="Deepest nesting read.")
]
MaxStringOption = Annotated[
    int, typer.Option("--max-string", min=1, metavar="N", help="Longest string read, in bytes.")
]
DEFAULTS = LIMITS


@dataclass(frozen=True, slots=True)
class Reading:
    """Is how sources are read."""

    input_format: InputFormat | None
    limits: Limits
    quiet: bool = False


def read(source: str, how: Reading) -> Catalog:
    """Reads a catalogue and says what was odd about it."""
    catalog = read_catalog(source, input_format=how.input_format, limits=how.limits)
    if not how.quiet:
        for warning in catalog.warnings:
            output.warn(f"{source}: {warning}")
    return catalog
