"""`toolsync serve FILE`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import anyio
import typer

from toolsync.bridge.logs import LogFormat, LogLevel
from toolsync.catalog import LIMITS
from toolsync.errors import SourceError
from toolsync.safe import safe_text
from toolsync.sources import STDIN, is_live, read_text

from . import options, serving
from .serving import Where

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolsync.catalog import Tool
    from toolsync.live.plugin import Call

SHORT_HELP = "An MCP server whose catalogue follows a file."

_DRAIN: Final = 5.0

FileArgument = Annotated[
    str,
    typer.Argument(metavar="FILE", help="The catalogue, or a folder of *.json: one plugin a file."),
]
CallOption = Annotated[
    str | None,
    typer.Option(
        "--call",
        metavar="COMMAND",
        help='Runs each call: {"name", "arguments"} on its standard input, the result out.',
    ),
]
CallTimeoutOption = Annotated[
    int,
    typer.Option(
        "--call-timeout", min=1, max=86_400, metavar="SECONDS", help="How long a call may take."
    ),
]
SkipOption = Annotated[
    bool,
    typer.Option("--skip-invalid", help="Take a file's good tools even where others are not."),
]
DebounceOption = Annotated[
    int,
    typer.Option(
        "--debounce", min=0, max=60_000, metavar="MS", help="How long a change waits for the next."
    ),
]


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    file: FileArgument,
    http: serving.HttpOption = None,
    token: serving.TokenOption = None,
    allow_host: serving.AllowHostOption = None,
    allow_origin: serving.AllowOriginOption = None,
    call: CallOption = None,
    call_timeout: CallTimeoutOption = 60,
    only: serving.OnlyToolsOption = None,
    ignore: serving.IgnoreToolsOption = None,
    skip_invalid: SkipOption = False,
    debounce: DebounceOption = 100,
    log_format: serving.LogFormatOption = LogFormat.TEXT,
    log_level: serving.LogLevelOption = LogLevel.INFO,
) -> int:
    """Serves the tools of a file to MCP clients, and tells them when they change.

    A change that matters reaches every connected client once; one that does not, none.
    What cannot be used is told on standard error, and what was good before stays.
    """
    serving.need_extra()
    _refuse_unfollowed(file)
    select = serving.selection(options.globs(only), options.globs(ignore))
    command = None if call is None else serving.command_line("--call", call)
    place = serving.where(http, token, allow_host, allow_origin)
    job = _Job(file, place, select, _calls(command, call_timeout), skip_invalid, debounce / 1000)
    return serving.run(partial(_serve, job), log_format, log_level)


def _refuse_unfollowed(source: str) -> None:
    """Refuses sources that other commands read and nobody can follow."""
    if is_live(source):
        raise SourceError("expected a file or a folder, got a server: 'toolsync proxy' serves one")
    if source == STDIN or source.startswith("git:"):
        raise SourceError(f"{safe_text(source)}: expected a file or a folder, which can change")


@dataclass(frozen=True, slots=True)
class _Job:
    """What is served, where, to whom, and who runs the calls."""

    file: str
    where: Where
    select: Callable[[Tool], bool] | None
    call: Call
    skip: bool
    debounce: float


def _calls(command: tuple[str, ...] | None, seconds: int) -> Call:
    if command is None:
        return _no_calls
    from toolsync.bridge.files.command import Bounds, CommandCalls  # noqa: PLC0415  only where asked for

    return CommandCalls(command, Bounds(seconds=float(seconds)))


async def _no_calls(_name: str, _arguments: Any) -> dict[str, Any]:
    text = "This server lists tools and runs none: start it with --call COMMAND to run calls."
    return {"content": [{"type": "text", "text": text}], "isError": True}


async def _serve(job: _Job) -> None:
    import toolsync  # noqa: PLC0415  for its version
    from toolsync.bridge.files.follow import Follow, How, plugin_ids  # noqa: PLC0415  of an extra
    from toolsync.bridge.mcp.server import McpServer  # noqa: PLC0415  of an extra
    from toolsync.live.hub import Hub  # noqa: PLC0415  not before it is sure that it is needed
    from toolsync.live.registry import Registry  # noqa: PLC0415  as above

    registry = Registry(
        on_invalid="skip" if job.skip else "reject",
        debounce=job.debounce,
        drain=_DRAIN,
        order=plugin_ids(job.file),
    )
    read = partial(read_text, max_bytes=LIMITS.max_bytes)
    follow = Follow(job.file, registry, How(read, job.call, LIMITS, job.skip))
    async with serving.ending(registry.aclose):
        await follow.start()
        hub = Hub(registry)
        server = McpServer(hub, name="toolsync", version=toolsync.__version__, select=job.select)
        async with serving.ending(hub.aclose), anyio.create_task_group() as group:
            group.start_soon(follow.run)
            await serving.answer(server, job.where)
            group.cancel_scope.cancel()
