"""`toolsync digest SOURCE`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.report.line import Line, Span, line
from toolsync.report.safe import safe_text

from . import output
from .options import (
    DEFAULTS,
    ColorOption,
    Format,
    FormatOption,
    InputFormatOption,
    MaxBytesOption,
    MaxDepthOption,
    MaxStringOption,
    Reading,
    SourceArgument,
    read,
)
from .output import Color
from .progress import progress

SHORT_HELP = "Full and semantic digest per tool, and of the catalogue."


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    source: SourceArgument,
    format: FormatOption = Format.TEXT,  # noqa: A002  named as its option
    catalogue: Annotated[
        bool, typer.Option("--catalogue", help="Only the two digests of the whole catalogue.")
    ] = False,
    input_format: InputFormatOption = None,
    color: ColorOption = Color.AUTO,
    max_bytes: MaxBytesOption = DEFAULTS.max_bytes,
    max_depth: MaxDepthOption = DEFAULTS.max_depth,
    max_string: MaxStringOption = DEFAULTS.max_string,
) -> int:
    """Prints a line a tool: its name, its full digest, its semantic digest.

    Equal full digests: nothing changed. Equal semantic digests: nothing that a model
    reads or a call depends on changed. Exit code 1 where a tool is malformed.
    """
    with progress(f"reading {source}"):
        limits = Limits(max_bytes, max_depth, max_string)
        catalog = read(source, Reading(input_format, limits))
    if format is Format.JSON:
        from toolsync.report.json import encode  # noqa: PLC0415  orjson costs milliseconds

        output.write_text(encode(_as_data(catalog)))
    elif catalogue:
        output.write_lines([line(catalog.digest, "  ", catalog.semantic_digest)], color)
    else:
        output.write_lines(_lines(catalog), color)
    _tell_invalid(source, catalog, quiet=format is Format.JSON)
    return int(bool(catalog.invalid))


def _as_data(catalog: Catalog) -> dict[str, Any]:
    return {
        "digest": catalog.digest,
        "semantic": catalog.semantic_digest,
        "tools": [
            {"name": tool.name, "digest": tool.digest, "semantic": tool.semantic_digest}
            for tool in catalog
        ],
        "invalid": [
            {
                "name": each.name,
                **({"index": each.index} if each.name is None else {}),
                "path": each.path,
                "reason": each.reason,
            }
            for each in catalog.invalid
        ],
    }


def _lines(catalog: Catalog) -> Iterator[Line]:
    for tool in catalog:
        yield line(
            Span(safe_text(tool.name), "name"), "  ", tool.digest, "  ", tool.semantic_digest
        )


def _tell_invalid(source: str, catalog: Catalog, *, quiet: bool) -> None:
    # On standard error: what reads the digests expects a tool in every line.
    for each in () if quiet else catalog.invalid:
        name = f"tools[{each.index}]" if each.name is None else f"tools[{each.index}] {each.name}"
        place = f" at {each.path}" if each.path else ""
        output.say(f"toolsync: {source}: {name} is invalid{place}: {each.reason}")
