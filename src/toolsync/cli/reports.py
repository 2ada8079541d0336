"""Every format that a comparison is told in; each renderer is loaded when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import typer

from toolsync.model import ABSENT, Level

from . import output
from .failing import FailOn, fails
from .options import ReportFormat

if TYPE_CHECKING:
    from toolsync.changes import Changes
    from toolsync.lockfile.saving import Seen
    from toolsync.report.html.details import Definitions
    from toolsync.report.shape import Report, ToolEntry


class MakeReport(Protocol):
    """Makes the plain report; `full` tells unchanged tools too."""

    def __call__(self, *, full: bool) -> Report:
        """Returns it."""
        ...


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a comparison, whatever the format."""

    changes: Changes
    report: MakeReport
    fail_on: FailOn
    full: bool


class Target(NamedTuple):
    """A report to write, and the file it goes to."""

    format: ReportFormat
    path: str


def targets(given: Sequence[str] | None) -> tuple[Target, ...]:
    """Reads `FORMAT=FILE`; raises BadParameter where that is not what stands there."""
    found = tuple(map(_target, given or ()))
    places: set[str] = set()
    for target in found:
        place = os.path.realpath(target.path)
        if place in places:
            raise typer.BadParameter(f"--report: two reports for one file, {target.path}")
        places.add(place)
    return found


def refuse_inputs(wanted: Sequence[Target], read: Iterable[str | None]) -> None:
    """Raises BadParameter where a report would take the place of what it tells of."""
    if not wanted:
        return
    places = {os.path.realpath(each) for each in read if each}
    for target in wanted:
        if os.path.realpath(target.path) in places:
            raise typer.BadParameter(f"--report: {target.path} is compared: name another file")


def _target(given: str) -> Target:
    name, _, path = given.partition("=")
    known = [each.value for each in ReportFormat]
    if name not in known:
        raise typer.BadParameter(
            f"--report: expected FORMAT=FILE, with {', '.join(known[:-1])} or {known[-1]}"
            f" as the format, got '{given}'"
        )
    if not path or path == "-":
        raise typer.BadParameter(
            f"--report: expected {name}=FILE, got '{given}' (--format {name} prints it)"
        )
    return Target(ReportFormat(name), path)


def looked_at(wanted: Sequence[Target]) -> tuple[Seen | None, ...]:
    """Looks where reports will be written, before any work is done for them.

    Raises LockError for what is no place for a file.
    """
    if not wanted:
        return ()
    from toolsync.lockfile.saving import seen  # noqa: PLC0415  often not needed

    return tuple(seen(target.path) for target in wanted)


def write_files(
    wanted: Sequence[Target],
    before: Sequence[Seen | None],
    told: Told,
    now: Callable[[str], None],
) -> None:
    """Writes reports to their files, each whole or not at all.

    Raises LockError where a file cannot be written, or is not as it was `before`.
    """
    if not wanted:
        return
    from toolsync.lockfile.saving import save  # noqa: PLC0415  often not needed

    for target, was in zip(wanted, before, strict=True):
        now(f"writing {target.path}")
        text = "".join(rendered(target.format, told))
        save(target.path, text.encode("utf-8", "backslashreplace"), was)


def rendered(format: ReportFormat, told: Told) -> Iterable[str]:  # noqa: A002  named as its option
    """Returns a report in one format, in pieces."""
    return _RENDERERS[format](told)


def _text(told: Told) -> Iterator[str]:
    from toolsync.report.text import report_lines  # noqa: PLC0415  one format is asked for

    return (f"{line.text}\n" for line in report_lines(told.report(full=told.full), full=told.full))


def _json(told: Told) -> Iterator[str]:
    from toolsync.report.cut import bounded  # noqa: PLC0415  as above
    from toolsync.report.json import pieces  # noqa: PLC0415  as above

    return pieces(bounded(told.report(full=told.full)))


def _markdown(told: Told) -> Iterator[str]:
    from toolsync.report.markdown import markdown  # noqa: PLC0415  as above

    return markdown(told.report(full=told.full), full=told.full)


def _html(told: Told) -> Iterator[str]:
    from toolsync.report.html import html  # noqa: PLC0415  as above
    from toolsync.report.html.details import Definitions  # noqa: PLC0415  as above

    old, new = told.changes.old, told.changes.new

    def definitions(name: str) -> Definitions:
        return Definitions(
            old[name].parsed if name in old else ABSENT, new[name].parsed if name in new else ABSENT
        )

    return html(told.report(full=told.full), definitions)


def _sarif(told: Told) -> Iterator[str]:
    from toolsync.report.sarif import sarif  # noqa: PLC0415  as above

    from .origins import origins_of  # noqa: PLC0415  as above

    return sarif(told.report(full=False), origins_of(told.changes))


def _github(told: Told) -> Iterator[str]:
    from toolsync.report.github import github  # noqa: PLC0415  as above

    from .origins import origins_of  # noqa: PLC0415  as above

    return github(told.report(full=False), origins_of(told.changes))


def _junit(told: Told) -> Iterator[str]:
    from toolsync.report.junit import junit  # noqa: PLC0415  as above

    def failed(tool: ToolEntry) -> bool:
        level = Level(tool["level"])
        unusable = tool["status"] == "invalid" and level is not Level.IDENTICAL
        return fails(level, told.fail_on) or (unusable and told.fail_on is not FailOn.NEVER)

    return junit(told.report(full=True), failed)


def _patch(told: Told) -> Iterator[str]:
    from toolsync.report.patch import patch  # noqa: PLC0415  as above

    for catalog in (told.changes.old, told.changes.new):
        if catalog.invalid:
            many = len(catalog.invalid)
            output.warn(
                f"{catalog.source}: {many} malformed tool{'' if many == 1 else 's'} left out of"
                " the patch"
            )
    return patch(told.changes.old, told.changes.new)


_RENDERERS: dict[ReportFormat, Callable[[Told], Iterable[str]]] = {
    ReportFormat.TEXT: _text,
    ReportFormat.JSON: _json,
    ReportFormat.MARKDOWN: _markdown,
    ReportFormat.HTML: _html,
    ReportFormat.SARIF: _sarif,
    ReportFormat.JUNIT: _junit,
    ReportFormat.GITHUB: _github,
    ReportFormat.PATCH: _patch,
}
