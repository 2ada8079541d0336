"""What `serve` and `proxy` share: where they answer, how they log, and a clean end."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import anyio
import typer

from toolsync.bridge.logs import LogFormat, LogLevel, configure, tell
from toolsync.errors import SourceError, ToolsyncError

if TYPE_CHECKING:
    from toolsync.bridge.mcp.server import McpServer
    from toolsync.catalog import Tool

LOOPBACK: Final = "127.0.0.1"
_TOKEN: Final = "TOOLSYNC_TOKEN"  # noqa: S105  the name of a variable
_LOCAL: Final = frozenset({LOOPBACK, "localhost", "::1"})

HttpOption = Annotated[
    str | None,
    typer.Option(
        "--http",
        metavar="HOST:PORT",
        help="Answer over HTTP at /mcp, not on standard input and output; port 0 takes a free one.",
    ),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token",
        metavar="TOKEN",
        envvar=_TOKEN,
        show_envvar=False,
        help="Over HTTP, the bearer token to ask for; better put in TOOLSYNC_TOKEN.",
    ),
]
AllowHostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host", metavar="HOST", help="Another name this host may be called. Repeatable."
    ),
]
AllowOriginOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-origin", metavar="ORIGIN", help="A web page's origin to let in. Repeatable."
    ),
]
OnlyToolsOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="GLOB", help="Offer these tools alone. Repeatable."),
]
IgnoreToolsOption = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="GLOB", help="Do not offer these tools. Repeatable."),
]
LogFormatOption = Annotated[
    LogFormat, typer.Option("--log-format", help="How events are written to standard error.")
]
LogLevelOption = Annotated[
    LogLevel, typer.Option("--log-level", help="The least important event to write.")
]


@dataclass(frozen=True, slots=True)
class Where:
    """Where to answer: on standard input and output, or over HTTP and to whom."""

    address: tuple[str, int] | None
    token: str | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


def where(
    http: str | None, token: str | None, hosts: list[str] | None, origins: list[str] | None
) -> Where:
    """Reads the options that say where to answer; raises BadParameter for what cannot be meant."""
    os.environ.pop(_TOKEN, None)  # what is started from here on has no business with it
    if http is None:
        if hosts or origins:
            raise typer.BadParameter("--allow-host and --allow-origin go with --http")
        return Where(None)
    if token is not None and (not token.strip() or not token.isascii() or not token.isprintable()):
        raise typer.BadParameter("--token: expected printable ASCII characters")
    return Where(address_of(http), token, tuple(hosts or ()), tuple(origins or ()))


def address_of(text: str) -> tuple[str, int]:
    """Reads HOST:PORT, :PORT or PORT; without a host that is this machine alone."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if colon else ""
    if not (port.isascii() and port.isdecimal() and len(port) < 6 and int(port) < 1 << 16):
        raise typer.BadParameter(f"--http: expected HOST:PORT, got '{text}'")
    return host or LOOPBACK, int(port)


def command_line(option: str, text: str) -> tuple[str, ...]:
    """Splits a command as a shell would; none runs it."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise typer.BadParameter(f"{option}: {str(error).lower()}") from error
    if not words:
        raise typer.BadParameter(f"{option}: expected a command, got an empty one")
    return words


def selection(only: tuple[str, ...], ignore: tuple[str, ...]) -> Callable[[Tool], bool] | None:
    """Makes of globs what decides which tools are offered; None where all are."""
    if not only and not ignore:
        return None
    from toolsync.changes.choice import chosen  # noqa: PLC0415  only where globs are given

    keep = chosen(only, ignore, ()).tool
    return None if keep is None else lambda tool: keep(tool.name)


def run(main: Callable[[], Awaitable[None]], log_format: LogFormat, level: LogLevel) -> int:
    """Runs a server until it ends or is told to; an interrupt is how one ends it."""
    configure(log_format, level)
    try:
        anyio.run(_until_told, main)
    except KeyboardInterrupt:  # before signals were heard, or on a system that has none
        return 0
    except BaseExceptionGroup as group:
        raise _first(group) from group
    return 0


async def _until_told(main: Callable[[], Awaitable[None]]) -> None:
    async with anyio.create_task_group() as group:
        await group.start(_end_at_signal, group.cancel_scope)
        await main()
        group.cancel_scope.cancel()


async def _end_at_signal(
    scope: anyio.CancelScope, *, task_status: anyio.abc.TaskStatus[None]
) -> None:
    try:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for _ in signals:
                scope.cancel()
                return
    except NotImplementedError:  # no such thing on Windows: KeyboardInterrupt it is
        task_status.started()


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    """Finds what went wrong first, what was raised on purpose before the rest."""
    meant, rest = group.split(ToolsyncError)
    found: BaseException = meant or rest or group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found


@asynccontextmanager
async def ending(close: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Closes something at the end of what runs inside, however that ends."""
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await close()


async def answer(server: McpServer, where: Where) -> None:
    """Serves clients until standard input ends or, over HTTP, until cancelled."""
    if where.address is None:
        try:
            await server.serve_stdio()
        except* anyio.BrokenResourceError:  # the client no longer reads: it has left
            tell(LogLevel.DEBUG, "left", "the client closed standard output")
        return
    from toolsync.bridge.mcp.http import serve_http  # noqa: PLC0415  of an extra

    host, port = where.address
    if host not in _LOCAL and where.token is None:
        tell(LogLevel.WARNING, "open", f"{host} can be reached from other machines; --token asks"
             " for a token")  # fmt: skip
    app = server.app(token=where.token, hosts=where.hosts, origins=where.origins)
    async with ending(server.aclose):
        await serve_http(app, host, port, on_ready=_listening)


def _listening(url: str) -> None:
    tell(LogLevel.INFO, "listening", f"answering at {url}", url=url)


def need_extra() -> None:
    """Raises SourceError with the way to go on where the extra is not installed."""
    try:
        import mcp  # noqa: F401, PLC0415  of an extra
        import watchfiles  # noqa: F401, PLC0415  of an extra
    except ImportError as error:
        raise SourceError(
            f"{error.name or 'mcp'} is not installed: pip install 'toolsync[mcp]'"
        ) from error
