"""What `lock`, `check` and `review` have in common: the file, the catalogue in it, the source."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

import typer

from toolsync.catalog import Catalog, Limits
from toolsync.errors import LockError, SourceError
from toolsync.lockfile import (
    DEFAULT,
    Lockfile,
    Seen,
    Server,
    catalog_of,
    parse,
    save,
    seen,
    written,
)
from toolsync.safe import named, safe_text
from toolsync.sources import STDIN, read_text

from . import options

FILE: Final = "toolsync.lock"
_MISSING: Final = "no such file: 'toolsync lock SOURCE' makes it"

SourceArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="SOURCE",
        show_default=False,
        help=f"The catalogue as it is now: {options.SOURCE_HELP}; if not given, the one that"
        " the lockfile names.",
    ),
]
LockOption = Annotated[str, typer.Option("--lock", metavar="FILE", help="The lockfile.")]
NameOption = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Which catalogue of the lockfile is meant."),
]


@dataclass(frozen=True, slots=True)
class Opened:
    """A lockfile that was read once, to be written once; empty where there is none yet."""

    path: str
    since: Seen | None
    lockfile: Lockfile
    text: bytes

    def put(self, name: str, server: Server) -> bool:
        """Writes the file with this catalogue in it; tells whether that made a difference."""
        text = written(self.lockfile.with_server(name, server))
        if text == self.text:
            return False
        save(self.path, text, self.since)
        return True


@contextlib.contextmanager
def of_file(path: str) -> Iterator[None]:
    """Puts the name of the lockfile before what is wrong with it."""
    try:
        yield
    except LockError as error:
        raise LockError(f"{safe_text(path)}: {error}") from error


def read_lock(path: str, limits: Limits) -> tuple[Lockfile, bytes]:
    """Reads a lockfile; returns its text too."""
    if path == STDIN:
        raise LockError("expected the name of a lockfile, got '-'")
    if not path.startswith("git:") and not os.path.lexists(path):
        raise SourceError(f"{safe_text(path)}: {_MISSING}")
    text = read_text(path, max_bytes=limits.max_bytes)
    with of_file(path):
        return parse(text, limits=limits), text


def chosen(file: Opened, name: str | None) -> tuple[str, Server]:
    """Returns the catalogue that is meant, with its name."""
    if file.since is None:
        raise SourceError(f"{safe_text(file.path)}: {_MISSING}")
    with of_file(file.path):
        return file.lockfile.chosen(name)


def recorded(path: str, name: str, server: Server) -> str:
    """Returns the source that a catalogue was locked from, where it can be read again."""
    if server.source == STDIN:
        raise LockError(
            f"{safe_text(path)}: {named(name)} was locked from standard input: name its SOURCE"
        )
    return server.source


def as_locked(path: str, name: str, server: Server, now: Catalog, limits: Limits) -> Catalog:
    """Returns the catalogue that was locked, to be compared with how it is now."""
    label = path if name == DEFAULT else f"{path} ({name})"
    with of_file(path):
        return catalog_of(server, now, name=label, limits=limits)


def opened(path: str, limits: Limits) -> Opened:
    """Reads the lockfile that is to be written, if there is one."""
    if path == STDIN or path.startswith("git:") or not path:
        raise LockError(f"{safe_text(path)}: expected the name of a file to write")
    since = seen(path)
    lockfile, text = (Lockfile(), b"") if since is None else read_lock(path, limits)
    return Opened(path, since, lockfile, text)
