"""`toolsync watch SOURCE`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import anyio
import typer

from toolsync.bridge.logs import LogFormat, LogLevel, tell
from toolsync.errors import SourceError
from toolsync.sources import is_live, label_of, target_of

from . import options, output, serving
from .options import Format
from .output import Color

if TYPE_CHECKING:
    from toolsync.bridge.mcp.target import Target
    from toolsync.live.state import Published

SHORT_HELP = "Print every change of a live server as it happens."

ServerArgument = Annotated[
    str, typer.Argument(metavar="SOURCE", help="The server: stdio:COMMAND or https://….")
]


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    source: ServerArgument,
    format: options.FormatOption = Format.TEXT,  # noqa: A002  named as its option
    only: options.OnlyOption = None,
    ignore: options.IgnoreOption = None,
    header: options.HeaderOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT,
    color: options.ColorOption = Color.AUTO,
    log_format: serving.LogFormatOption = LogFormat.TEXT,
    log_level: serving.LogLevelOption = LogLevel.INFO,
) -> int:
    """Prints what changes in the catalogue of a server while it runs, each time as a diff.

    With --format json that is one report a line. Connects again where the connection is
    lost, and tells what changed meanwhile. An interrupt ends it, with exit code 0.
    """
    if not is_live(source):
        raise SourceError(
            f"{source}: expected a live server, stdio:COMMAND or https://…; files are compared"
            " with 'toolsync diff'"
        )
    serving.need_extra()
    target = target_of(source, options.headers(header))
    job = _Job(
        target, float(timeout), format, color, options.globs(only), options.globs(ignore)
    )
    return serving.run(partial(_watch, job), log_format, log_level)


@dataclass(frozen=True, slots=True)
class _Job:
    """What is watched, and how its changes are told."""

    target: Target
    timeout: float
    format: Format
    color: Color
    only: tuple[str, ...]
    ignore: tuple[str, ...]


async def _watch(job: _Job) -> None:
    from toolsync.bridge.mcp.client import connect  # noqa: PLC0415  of an extra
    from toolsync.bridge.proxy.proxying import Proxy  # noqa: PLC0415  of an extra

    name = label_of(job.target)
    opening = partial(
        connect, job.target, name=name, timeout=job.timeout, on_stderr=partial(_said, name)
    )
    async with anyio.create_task_group() as group:
        proxy = Proxy(opening, group, name=name)
        await proxy.start()
        proxy.subscribe(lambda published: _tell(job, published, group.cancel_scope))
        tell(LogLevel.INFO, "watching", f"{name}: watching; tools: {len(proxy.catalog)}",
             server=name, tools=len(proxy.catalog))  # fmt: skip
        await proxy.run()


def _said(name: str, line: str) -> None:
    tell(LogLevel.INFO, "server-said", f"{name}: {line}", server=name)


def _tell(job: _Job, published: Published, scope: anyio.CancelScope) -> None:
    from toolsync.changes import diff  # noqa: PLC0415  loaded by what published
    from toolsync.report.cut import bounded  # noqa: PLC0415  not before there is something to tell
    from toolsync.report.text import report_lines  # noqa: PLC0415  as above

    changes = diff(published.previous, published.catalog, only=job.only, ignore=job.ignore)
    if not changes.tools:
        return
    if output.abandoned():  # whoever read this has left
        scope.cancel()
        return
    report: Any = changes.to_dict()
    if job.format is Format.JSON:
        output.write_text(f"{_one_line(bounded(report))}\n")
    else:
        output.write_lines([*report_lines(report)], job.color)
    output.flush()


def _one_line(report: Any) -> str:
    from toolsync.safe import safe_json  # noqa: PLC0415  as above

    return safe_json(json.dumps(report))
