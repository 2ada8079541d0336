"""`toolsync proxy -- COMMAND…`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import anyio
import typer

from toolsync.bridge.logs import LogFormat, LogLevel, tell
from toolsync.errors import SourceError

from . import options, serving
from .serving import Where

if TYPE_CHECKING:
    from toolsync.bridge.mcp.target import Target
    from toolsync.bridge.proxy.proxying import Proxy
    from toolsync.catalog import Tool

SHORT_HELP = "Any MCP server, made quiet, current and safe."

CommandArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="-- COMMAND…", help="The server behind it, started as it stands here."),
]
UrlOption = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="A server behind it that is reached over HTTP."),
]
WatchOption = Annotated[
    list[str] | None,
    typer.Option(
        "--watch", metavar="PATH", help="Start COMMAND anew when this file or folder changes."
        " Repeatable.",
    ),
]  # fmt: skip
DebounceOption = Annotated[
    int,
    typer.Option(
        "--debounce", min=0, max=60_000, metavar="MS",
        help="How long a watched change waits for the next.",
    ),
]  # fmt: skip


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    server: CommandArgument = None,
    url: UrlOption = None,
    header: options.HeaderOption = None,
    watch: WatchOption = None,
    debounce: DebounceOption = 200,
    http: serving.HttpOption = None,
    token: serving.TokenOption = None,
    allow_host: serving.AllowHostOption = None,
    allow_origin: serving.AllowOriginOption = None,
    only: serving.OnlyToolsOption = None,
    ignore: serving.IgnoreToolsOption = None,
    timeout: options.TimeoutOption = 30,
    log_format: serving.LogFormatOption = LogFormat.TEXT,
    log_level: serving.LogLevelOption = LogLevel.INFO,
) -> int:
    """Puts a proxy in front of an MCP server, over standard input and output or HTTP.

    Clients hear of a change once, and only if it matters to them. The server behind it may
    be restarted, crash or send nonsense: the last good catalogue stays, a call in flight
    ends or is told why not.
    """
    serving.need_extra()
    target = _target(tuple(server or ()), url, header)
    select = serving.selection(options.globs(only), options.globs(ignore))
    place = serving.where(http, token, allow_host, allow_origin)
    paths = _paths(watch, url)
    job = _Job(target, place, select, paths, debounce / 1000, float(timeout))
    return serving.run(partial(_proxy, job), log_format, log_level)


@dataclass(frozen=True, slots=True)
class _Job:
    """What stands behind the proxy, where it answers, and what restarts it."""

    target: Target
    where: Where
    select: Callable[[Tool], bool] | None
    watch: tuple[Path, ...]
    debounce: float
    timeout: float


def _target(command: tuple[str, ...], url: str | None, headers: list[str] | None) -> Target:
    from toolsync.bridge.mcp.target import Stdio  # noqa: PLC0415  of an extra
    from toolsync.sources import target_of  # noqa: PLC0415  as above

    if bool(command) == (url is not None):
        raise typer.BadParameter("expected a server: either -- COMMAND… or --url URL")
    if url is not None:
        if not url.startswith(("http://", "https://")):
            raise typer.BadParameter("--url: expected http://… or https://…")
        return target_of(url, options.headers(headers))
    if headers:
        raise typer.BadParameter("--header goes with --url")
    return Stdio(command)


def _paths(watch: list[str] | None, url: str | None) -> tuple[Path, ...]:
    if watch and url is not None:
        raise typer.BadParameter("--watch goes with -- COMMAND…: a URL cannot be started anew")
    paths = tuple(map(Path, watch or ()))
    for path in paths:
        if not path.exists():
            raise SourceError(f"--watch {path}: no such file or folder")
    return paths


async def _proxy(job: _Job) -> None:
    from toolsync.bridge.mcp.client import connect  # noqa: PLC0415  of an extra
    from toolsync.bridge.mcp.server import McpServer  # noqa: PLC0415  of an extra
    from toolsync.bridge.proxy.proxying import Proxy  # noqa: PLC0415  of an extra
    from toolsync.live.hub import Hub  # noqa: PLC0415  not before it is sure that it is needed
    from toolsync.sources import label_of  # noqa: PLC0415  as above

    name = label_of(job.target)
    opening = partial(
        connect, job.target, name=name, timeout=job.timeout, on_stderr=partial(_said, name)
    )
    async with anyio.create_task_group() as group:
        proxy = Proxy(opening, group, name=name)
        await proxy.start()
        hub = Hub(proxy)
        server = McpServer(
            hub,
            name=proxy.server_name,
            instructions=proxy.instructions,
            select=job.select,
            features=proxy,
        )
        async with serving.ending(hub.aclose):
            group.start_soon(proxy.run)
            if job.watch:
                group.start_soon(_restart_on_changes, proxy, job)
            await serving.answer(server, job.where)
            group.cancel_scope.cancel()


def _said(name: str, line: str) -> None:
    tell(LogLevel.INFO, "server-said", f"{name}: {line}", server=name)


async def _restart_on_changes(proxy: Proxy, job: _Job) -> None:
    from toolsync.bridge.files.watching import changes_of  # noqa: PLC0415  of an extra

    burst = _Burst(job.debounce)
    async with anyio.create_task_group() as group:
        group.start_soon(changes_of, job.watch, burst.note)
        while True:
            await burst.over()
            proxy.restart()


class _Burst:
    """Makes one of many changes that come close together."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._noted = anyio.Event()

    def note(self) -> None:
        self._noted.set()

    async def over(self) -> None:
        """Waits for a change, and then until none has followed for a while."""
        quiet = False
        await self._noted.wait()
        while not quiet:
            self._noted = anyio.Event()
            with anyio.move_on_after(self._seconds) as pause:
                await self._noted.wait()
            quiet = pause.cancelled_caught
