"""`toolsync digest SOURCE`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.report.line import Line, Span, line
from toolsync.safe import safe_text
from toolsync.sources import shown_source

from . import options, output
from .malformed import tell_malformed
from .options import DEFAULTS, Format, ReadOptions
from .output import Color
from .progress import progress

SHORT_HELP = "Full and semantic digest per tool, and of the catalogue."


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    source: options.SourceArgument,
    format: options.FormatOption = Format.TEXT,  # noqa: A002  named as its option
    catalogue: Annotated[
        bool, typer.Option("--catalogue", help="Only the two digests of the whole catalogue.")
    ] = False,
    input_format: options.InputFormatOption = None,
    color: options.ColorOption = Color.AUTO,
    max_bytes: options.MaxBytesOption = DEFAULTS.max_bytes,
    max_depth: options.MaxDepthOption = DEFAULTS.max_depth,
    max_string: options.MaxStringOption = DEFAULTS.max_string,
    header: options.HeaderOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT,
) -> int:
    """Prints a line a tool: its name, its full digest, its semantic digest.

    Equal full digests: nothing changed. Equal semantic digests: nothing that a model
    reads or a call depends on changed. Exit code 1 where a tool is malformed.
    """
    with progress(f"reading {shown_source(source)}"):
        limits = Limits(max_bytes, max_depth, max_string)
        access = options.access(header, timeout)
        catalog = options.read(source, ReadOptions(input_format, limits, access=access))
    if format is Format.JSON:
        output.write_json({**_whole(catalog), **({} if catalogue else _each(catalog))})
    elif catalogue:
        output.write_lines([line(catalog.digest, "  ", catalog.semantic_digest)], color)
    else:
        output.write_lines(_lines(catalog), color)
    if format is not Format.JSON or catalogue:
        # On standard error: what reads the digests expects a tool in every line.
        tell_malformed(catalog.source or source, catalog.invalid)
    return int(bool(catalog.invalid))


def _whole(catalog: Catalog) -> dict[str, Any]:
    return {"digest": catalog.digest, "semantic": catalog.semantic_digest}


def _each(catalog: Catalog) -> dict[str, Any]:
    return {
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
