"""A source named on the command line → the catalogue in it.

A source is a file, `-` for standard input, `git:REV:PATH`, or a live MCP server:
`stdio:COMMAND …`, `https://…`. Whatever a path leads to, opening it neither hangs nor
reads without end: only regular files are opened by name, sizes are asked before anything
is read, and git and servers are started without a shell.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from toolsync.catalog import LIMITS, Catalog, Limits, loads
from toolsync.errors import LimitError, SourceError, TextError, ToolsyncError
from toolsync.formats import InputFormat
from toolsync.safe import safe_text

if TYPE_CHECKING:
    from toolsync.bridge.mcp.target import Target

STDIN: Final = "-"
GIT_SECONDS: Final = 30.0
_GIT: Final = "git:"
_PIECE: Final = 1 << 20
_STDIO: Final = "stdio:"
_LIVE: Final = ("http://", "https://", _STDIO)
_KINDS: Final = (
    (stat.S_ISDIR, "is a directory: name a file in it"),
    (stat.S_ISFIFO, "is a named pipe, which may never end: give '-' and pipe it in"),
    (stat.S_ISCHR, "is a device, not a file"),
    (stat.S_ISBLK, "is a device, not a file"),
    (stat.S_ISSOCK, "is a socket, not a file"),
)


@dataclass(frozen=True, slots=True)
class Access:
    """How a live server is reached: headers for those over HTTP, and seconds for all of it."""

    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 30.0


ACCESS: Final = Access()


def read_catalog(
    source: str,
    *,
    input_format: InputFormat | None = None,
    limits: Limits = LIMITS,
    access: Access = ACCESS,
) -> Catalog:
    """Reads the catalogue that a source names.

    Raises a ToolsyncError that begins with the source and says where in it, and how to go on.
    """
    text = read_text(source, max_bytes=limits.max_bytes, access=access)
    name = shown_source(source)
    try:
        return loads(text, source=name, input_format=input_format, limits=limits)
    except TextError as error:
        raise TextError(f"{safe_text(name)}: {error}", error.offset) from error
    except ToolsyncError as error:
        raise type(error)(f"{safe_text(name)}: {error}") from error


def read_text(source: str, *, max_bytes: int, access: Access = ACCESS) -> bytes:
    """Reads the bytes that a source names, at most `max_bytes` of them.

    Of a live server that is a `tools/list` result with the tools of all its pages.
    """
    if not source:
        raise SourceError("expected the name of a file, got an empty one")
    if source == STDIN:
        return _read_stdin(max_bytes)
    if source.startswith(_LIVE):
        return _read_live(source, max_bytes, access)
    if source.startswith(_GIT):
        return _read_git(source, max_bytes)
    return _read_file(source, max_bytes)


def is_live(source: str) -> bool:
    """Tells whether a source is a server to be asked."""
    return source.startswith(_LIVE)


def shown_source(source: str) -> str:
    """Gives a source as it may be shown: of a server without what may hold a secret."""
    return label_of(target_of(source)) if is_live(source) else source


def target_of(source: str, headers: Mapping[str, str] = ACCESS.headers) -> Target:
    """Reads the name of a live server; raises SourceError for what names none."""
    from toolsync.bridge.mcp.target import Http, Stdio  # noqa: PLC0415  only for live servers

    if not source.startswith(_STDIO):
        if not re.match(r"https?://[^/?#]", source) or not source.isprintable() or " " in source:
            raise SourceError("expected an address such as https://example.com/mcp")
        return Http(source, headers)
    import shlex  # noqa: PLC0415  only for live servers

    try:
        command = tuple(shlex.split(source.removeprefix(_STDIO)))
    except ValueError as error:
        raise SourceError(f"stdio:…: {str(error).lower()}: quote as for a shell") from error
    if not command or not command[0]:
        raise SourceError("stdio: expected a command, as in 'stdio:python server.py'")
    return Stdio(command)


def label_of(target: Target) -> str:
    """Names a server without what may hold a password or a token: labels end up in logs."""
    command: tuple[str, ...] | None = getattr(target, "command", None)
    if command is not None:
        more = " …" if len(command) > 1 else ""
        return safe_text(f"{_STDIO}{Path(command[0]).name}{more}")
    scheme, _, rest = getattr(target, "url", "").partition("://")
    host = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    return safe_text(f"{scheme}://{host}/…")


def _read_live(source: str, max_bytes: int, access: Access) -> bytes:
    target = target_of(source, access.headers)
    try:
        from toolsync.bridge.mcp.listing import list_text  # noqa: PLC0415  of an extra
    except ImportError as error:
        raise SourceError(
            f"{label_of(target)}: {error.name or 'mcp'} is not installed, and live servers need"
            " it: pip install 'toolsync[mcp]'"
        ) from error
    return list_text(target, name=label_of(target), seconds=access.seconds, max_bytes=max_bytes)


def _too_large(source: str, size: int, max_bytes: int) -> LimitError:
    return LimitError(
        f"{safe_text(source)}: holds {size:,} bytes, the limit is {max_bytes:,}"
        " (--max-bytes raises it)"
    )


def _read_file(source: str, max_bytes: int) -> bytes:
    try:
        descriptor = _open_already(source)
        if descriptor is not None:
            with os.fdopen(os.dup(descriptor), "rb", buffering=0) as file:
                return _read_bounded(source, file, max_bytes)
        _refuse_special(source, Path(source).stat().st_mode)
        with os.fdopen(os.open(source, os.O_RDONLY | _NO_HANGING), "rb", buffering=0) as file:
            return _read_regular(source, file, max_bytes)
    except ValueError as error:  # a NUL in the name
        raise SourceError(f"{safe_text(source)}: not a file name: {error}") from error
    except OSError as error:
        raise SourceError(f"{safe_text(source)}: {_why(error)}") from error


def _open_already(source: str) -> int | None:
    """Returns the descriptor behind a name: a shell hands over <(command) as /dev/fd/63."""
    if source == "/dev/stdin":
        return 0
    for folder in ("/dev/fd/", "/proc/self/fd/"):
        number = source.removeprefix(folder)
        if number != source and number.isdecimal() and len(number) < 10:
            return int(number)
    return None


_NO_HANGING: Final = (
    getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def _refuse_special(source: str, mode: int) -> None:
    for matches, reason in _KINDS:
        if matches(mode):
            raise SourceError(f"{safe_text(source)}: {reason}")
    if not stat.S_ISREG(mode):
        raise SourceError(f"{safe_text(source)}: is not a regular file")


def _read_regular(source: str, file: IO[bytes], max_bytes: int) -> bytes:
    """Reads an open file, whose kind may have changed since it was looked at."""
    status = os.fstat(file.fileno())
    _refuse_special(source, status.st_mode)
    if status.st_size > max_bytes:
        raise _too_large(source, status.st_size, max_bytes)
    # In one piece, so that joining copies nothing; /proc has files of no size.
    return _read_bounded(source, file, max_bytes, max(status.st_size + 1, _PIECE))


def _read_bounded(source: str, file: IO[bytes], max_bytes: int, piece_size: int = _PIECE) -> bytes:
    pieces = []
    left = max_bytes + 1
    while left and (piece := _read_piece(file, min(left, piece_size))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise LimitError(
            f"{safe_text(source)}: holds more than {max_bytes:,} bytes"
            " (--max-bytes raises the limit)"
        )
    return b"".join(pieces)


def _read_piece(file: IO[bytes], size: int) -> bytes:
    """Reads some bytes; none of them means the end, even where reading does not block."""
    while True:
        piece: bytes | None = file.read(size)
        if piece is not None:  # as it is where others made the descriptor so
            return piece
        _wait(file)


def _wait(file: IO[bytes]) -> None:
    """Waits for data, or for the end."""
    import select  # noqa: PLC0415  hardly ever needed

    if hasattr(select, "poll"):  # select itself knows no descriptor past 1023
        poll = select.poll()
        poll.register(file.fileno(), select.POLLIN)
        poll.poll()
    else:
        select.select([file], [], [])


def _why(error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return "no such file"
    if error.errno == errno.EACCES:
        return "permission denied"
    if error.errno == errno.ELOOP:
        return "its symbolic links go round in a circle"
    if error.errno == errno.ENAMETOOLONG:
        return "no such file: the name is too long"
    return f"cannot be read: {error.strerror or error}"


def _read_stdin(max_bytes: int) -> bytes:
    if sys.stdin is None:
        raise SourceError("-: standard input is closed")
    try:
        return _read_bounded(STDIN, sys.stdin.buffer, max_bytes)
    except OSError as error:
        raise SourceError(f"-: standard input {_why(error)}") from error


def _read_git(source: str, max_bytes: int) -> bytes:
    name = source.removeprefix(_GIT)
    revision, colon, path = name.partition(":")
    if not colon or not path:
        raise SourceError(f"{safe_text(source)}: expected git:REV:PATH, as in git:HEAD:tools.json")
    if any(c in "\0\r\n" for c in name):
        raise SourceError(f"{safe_text(source)}: a revision or path with a line break")
    # The name goes in as data, so it cannot be an option; what comes back is a number.
    answer = _git(source, ["--batch-check"], os.fsencode(f"{revision}:{path}\n"))
    match = re.fullmatch(rb"([0-9a-f]{40,64}) ([a-z]+) ([0-9]+)\n", answer)
    if match is None:
        raise SourceError(f"{safe_text(source)}: {_not_in_git(revision, path)}")
    if match[2] != b"blob":
        raise SourceError(f"{safe_text(source)}: is a {match[2].decode()}, not a file")
    if int(match[3]) > max_bytes:
        raise _too_large(source, int(match[3]), max_bytes)
    return _git(source, ["blob", match[1].decode()])


def _not_in_git(revision: str, path: str) -> str:
    where = f"revision {safe_text(revision)}" if revision else "the index"
    if path.startswith("./"):
        return f"no such file in {where}"
    return f"no such file in {where}; paths begin at the repository's root, or with ./ here"


def _git(source: str, arguments: list[str], question: bytes = b"") -> bytes:
    """Asks `git cat-file`, which runs no hook, filter or pager; nothing is fetched."""
    quiet = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(  # noqa: S603  no shell, and no argument of anyone's
            ["git", "cat-file", *arguments],  # noqa: S607  the user's own git
            input=question,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
            env={**os.environ, **quiet, "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise SourceError(f"{safe_text(source)}: git is not installed, or not on PATH") from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(
            f"{safe_text(source)}: git gave no answer in {GIT_SECONDS:g} s"
        ) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise SourceError(f"{safe_text(source)}: git: {safe_text(said[:200])}")
    return done.stdout
