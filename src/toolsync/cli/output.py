"""Standard output and standard error: bytes that are the same everywhere, one line of trouble."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import islice
from typing import Any, Final

from toolsync.report.line import Line
from toolsync.safe import safe_line, safe_text

_LONGEST: Final = 600


class Color(StrEnum):
    """When to use colour."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class OutputError(Exception):
    """Says why the report could not be written."""


def prepare() -> None:
    """Makes the streams print anything: UTF-8 into a pipe, escapes where a terminal lacks it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="backslashreplace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def write_text(text: str) -> None:
    """Writes text that is safe already."""
    stream = sys.stdout
    if stream is None:
        raise OutputError("standard output is closed")
    with _told():
        stream.write(text)


def write_json(data: Mapping[str, Any]) -> None:
    """Writes plain data as JSON text."""
    from toolsync.report.json import pieces  # noqa: PLC0415  orjson costs milliseconds

    for piece in pieces(data):
        write_text(piece)


def write_lines(lines: Iterable[Line], color: Color = Color.AUTO) -> None:
    """Writes lines plain, or with colour and wrapped where a person reads them."""
    stream = sys.stdout
    if stream is None:
        raise OutputError("standard output is closed")
    terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
    coloured = color is Color.ALWAYS or (
        color is Color.AUTO and terminal and not os.environ.get("NO_COLOR")
    )
    with _told():
        if coloured or terminal:
            from toolsync.report.terminal import console_for, print_lines  # noqa: PLC0415  rich

            print_lines(console_for(stream, colour=coloured), lines, wrap=terminal)
        else:
            for batch in _batched(lines):
                stream.write("".join(f"{each.text}\n" for each in batch))


def _batched(lines: Iterable[Line], size: int = 200) -> Iterator[list[Line]]:
    """Gathers lines, so that an unbuffered stream is not written to for each."""
    source = iter(lines)
    while batch := list(islice(source, size)):
        yield batch


def warn(message: str) -> None:
    """Says something on standard error that stops nothing."""
    say(f"toolsync: warning: {message}")


def fail(message: str, code: int) -> int:
    """Says in exactly one line why nothing was done, and hands the exit code on."""
    with contextlib.suppress(OutputError):
        flush()
    say(f"toolsync: {message}")
    return code


def say(message: str) -> None:
    """Writes one safe line to standard error, if there is one."""
    text = safe_line(safe_text(message))
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 200] + " … " + text[-197:]
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def abandoned() -> bool:
    """Tells whether standard output is a pipe whose reader left: a report is work for nobody."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # no poll, or no descriptor
        import select  # noqa: PLC0415  loaded by what runs git

        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return any(event & select.POLLERR for _, event in poll.poll(0))
    return False


def flush() -> None:
    """Brings out what was written, while trouble can still be told."""
    if sys.stdout is not None:
        with _told():
            sys.stdout.flush()


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Tells trouble with standard output; a reader that left is none."""
    try:
        yield
    except BrokenPipeError:
        _discard()
    except OSError as error:
        _discard()
        raise OutputError(
            f"standard output cannot be written: {error.strerror or error}"
        ) from error


def _discard() -> None:
    """Sends what is still buffered nowhere, or Python would complain at its own end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
