"""`toolsync snapshot SOURCE`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.safe import safe_json
from toolsync.sources import shown_source

from . import options, output
from .malformed import tell_malformed
from .options import DEFAULTS, ReadOptions
from .progress import progress

SHORT_HELP = "The complete catalogue of a live server, as a file."

OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Where to write it; otherwise standard output."
    ),
]


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    source: options.SourceArgument,
    target: OutputOption = None,
    input_format: options.InputFormatOption = None,
    header: options.HeaderOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT,
    max_bytes: options.MaxBytesOption = DEFAULTS.max_bytes,
) -> int:
    """Saves the tools of a server, all pages of them, as one tools/list result.

    Each definition stands on a line of its own, as the server gave it. The file is
    written whole or not at all. Exit code 1 where a tool is malformed: it is saved, too.
    """
    limits = Limits(max_bytes, DEFAULTS.max_depth, DEFAULTS.max_string)
    how = ReadOptions(input_format, limits, access=options.access(header, timeout))
    with progress(f"reading {shown_source(source)}"):
        catalog = options.read(source, how)
    if target is None:
        for piece in _text(catalog):
            output.write_text(piece)
    else:
        _save(target, _text(catalog))
    tell_malformed(catalog.source or source, catalog.invalid)
    return int(bool(catalog.invalid))


def _text(catalog: Catalog) -> Iterator[str]:
    """Writes a `tools/list` result in which tools that did not change do not differ."""
    yield '{"tools": ['
    for number, text in enumerate(_definitions(catalog)):
        tool = text.decode("utf-8", "surrogatepass")
        yield f"{',' if number else ''}\n{safe_json(_one_line(tool))}"
    yield "\n]}\n"


def _definitions(catalog: Catalog) -> Iterable[bytes]:
    """Yields the text of every tool, malformed ones in their places."""
    broken = {each.index: each.text for each in catalog.invalid}
    sound = iter(catalog.tools)
    for place in range(len(catalog) + len(broken)):
        if place in broken:
            yield broken.pop(place)
        elif (tool := next(sound, None)) is not None:
            yield tool.text
    yield from chain(broken.values(), (tool.text for tool in sound))


def _one_line(text: str) -> str:
    # Outside of strings a line break is only layout, and inside there can be none.
    return "".join(part.strip() for part in text.splitlines()) if "\n" in text else text


def _save(target: str, text: Iterable[str]) -> None:
    from toolsync.lockfile.saving import save, seen  # noqa: PLC0415  only where a file is written

    before = seen(target)
    save(target, "".join(text).encode("utf-8", "surrogatepass"), before)
