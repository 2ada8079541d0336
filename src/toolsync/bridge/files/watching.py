"""When something may have changed on disk: wake-ups, never verdicts.

Whoever is woken looks for itself, so lost, repeated and merged events are harmless; a
wake-up every now and then covers file systems that send no events at all.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from pathlib import Path
from typing import Final, NamedTuple

import anyio

from toolsync.bridge.logs import LogLevel, tell

STEP: Final = 10
"""Milliseconds without a further event after which a wake-up is due (twice at most)."""

_GROUP: Final = 50
_ANYWAY: Final = 1_000
_POLL: Final = 0.3
_LINKS: Final = 40


def folders_of(path: Path) -> frozenset[Path]:
    """Names every folder in which something can happen that changes what a path leads to.

    Those are the folder around it, and around each link on the way (a mounted
    configuration map is changed by turning one such link), and one level further up,
    for folders that are themselves replaced. A folder that is missing counts as the
    nearest one above it that is there.
    """
    folders: set[Path] = set()
    rest = list(reversed(Path(os.path.abspath(path)).parts))  # noqa: PTH100  resolves no link
    at, links = Path(rest.pop()), 0
    while rest:
        part = rest.pop()
        here = at.parent if part == ".." else at / part
        if here.is_symlink() and links < _LINKS:
            folders.add(at)
            links += 1
            target = here.readlink()
            rest += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            here = Path(target.anchor) if target.is_absolute() else at
        at = here
    folders |= {at.parent, at.parent.parent}
    return frozenset(map(_nearest, folders))


def _nearest(folder: Path) -> Path:
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return folder


class _Place(NamedTuple):
    """A folder, and which one it is: another may come to stand under its name."""

    path: Path
    device: int
    inode: int


def _places(folders: Iterable[Path]) -> frozenset[_Place]:
    found = set()
    for folder in folders:
        try:
            status = folder.stat()
        except OSError:
            continue
        found.add(_Place(folder, status.st_dev, status.st_ino))
    return frozenset(found)


async def wake_ups(
    folders: Callable[[], Iterable[Path]], stop: anyio.Event, *, step: int = STEP
) -> AsyncGenerator[None, None]:
    """Yields whenever something may have happened in one of the folders, not below them.

    Asks for the folders again each time, so that links may be turned and folders
    replaced. Ends when `stop` is set, and sees that within a second.
    """
    while not stop.is_set():
        watched = _places(folders())
        turned = False
        async with aclosing(_events(watched, stop, step)) as events:
            async for _ in events:
                yield
                turned = _places(folders()) != watched
                if turned:
                    break
        if turned:
            yield  # what happened before the new folders were watched


async def _events(
    places: frozenset[_Place], stop: anyio.Event, step: int
) -> AsyncGenerator[None, None]:
    from watchfiles import awatch  # noqa: PLC0415  of an extra

    paths = [str(place.path) for place in places]
    failed = False
    try:
        async for _ in awatch(
            *paths, watch_filter=None, debounce=_GROUP, step=step, stop_event=stop,
            rust_timeout=_ANYWAY, yield_on_timeout=True, recursive=False,
        ):  # fmt: skip
            yield
    # No watches left; a folder that went just now; a name that is no UTF-8. Some come as a group.
    except* (OSError, RuntimeError) as group:
        said = f"cannot watch {', '.join(paths)}: {group.exceptions[0]}; looking instead"
        tell(LogLevel.DEBUG, "polling", said)
        failed = True
    if failed:  # not above: what ends a task or a generator there would end as a group
        await anyio.sleep(_POLL)
        yield


async def changes_of(paths: Iterable[Path], changed: Callable[[], None]) -> None:
    """Calls `changed` whenever a file, or anything in or below a folder, changed.

    What editors, caches and version control keep beside the files does not count. Runs
    until cancelled.
    """
    stop = anyio.Event()
    async with anyio.create_task_group() as group:
        try:
            for path in paths:
                watching = _tree if path.is_dir() else _file
                group.start_soon(watching, path, stop, changed)
            await anyio.sleep_forever()
        finally:
            stop.set()


async def _file(path: Path, stop: anyio.Event, changed: Callable[[], None]) -> None:
    seen = signature(path)
    async with aclosing(wake_ups(lambda: folders_of(path), stop)) as wakes:
        async for _ in wakes:
            found = signature(path)
            if found and found != seen:  # a file that is gone is probably being replaced
                seen = found
                changed()


async def _tree(folder: Path, stop: anyio.Event, changed: Callable[[], None]) -> None:
    place = _places([folder])
    while not stop.is_set():
        async with aclosing(_below(folder, stop)) as events:
            async for is_event in events:
                there = _places([folder])
                if is_event and there:
                    changed()
                if there != place:
                    break
        there = _places([folder])
        if there and there != place:
            place = there
            changed()  # another folder stands in its place


async def _below(folder: Path, stop: anyio.Event) -> AsyncGenerator[bool, None]:
    """Yields whether something changed; every second at least."""
    from watchfiles import DefaultFilter, awatch  # noqa: PLC0415  of an extra

    is_event = failed = False
    try:
        async for changes in awatch(
            folder, watch_filter=DefaultFilter(), debounce=_GROUP, step=STEP, stop_event=stop,
            rust_timeout=_ANYWAY, yield_on_timeout=True,
        ):  # fmt: skip
            yield bool(changes)
            is_event = True  # from here on, what goes wrong comes of a change
    except* (OSError, RuntimeError) as group:
        tell(LogLevel.DEBUG, "unwatched", f"cannot watch {folder}: {group.exceptions[0]}")
        failed = True
    if failed:  # not above, as in `_events`
        await anyio.sleep(_POLL)
        yield is_event


def signature(path: Path) -> tuple[int, ...]:
    """Returns what differs where a file was changed; nothing where there is none."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
