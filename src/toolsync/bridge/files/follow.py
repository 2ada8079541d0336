"""A file, or a folder of files, kept in a registry: one plugin a file, its name the id.

Files change in many ways: replaced by a rename, emptied and written, moved away and
back, a link turned. So no event is believed: each only leads to another look. What
cannot be read at that moment is probably being written, and is complained of only if it
stays so; the last good state stays in any case.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from errno import ENOENT
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup

from toolsync.bridge.files.watching import folders_of, signature, wake_ups
from toolsync.bridge.logs import LogLevel, tell
from toolsync.catalog import LIMITS, Limits, loads
from toolsync.errors import SourceError, ToolsyncError
from toolsync.live import Plugin, RegistrationError, Registry
from toolsync.live.plugin import Call
from toolsync.safe import named, safe_text

GRACE: Final = 0.3
"""Seconds that a file may be gone or unreadable before that is told."""

MOST_FILES: Final = 10_000
"""How many files of a folder are followed."""

_SETTLED: Final = 100_000_000  # nanoseconds


@dataclass(frozen=True, slots=True)
class How:
    """How files are read and what runs a call."""

    read: Callable[[str], bytes]
    call: Call | None = None
    limits: Limits = LIMITS
    skip: bool = False


@dataclass(slots=True)
class _File:
    """What is known of one file: as what it was seen, which version was tried, which is held."""

    path: Path
    seen: tuple[int, ...] = ()
    tried: str = ""
    held: str = ""
    good: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    trouble: str = ""
    due: float | None = None  # when the trouble is told; None where it was
    gone: bool = False


def plugin_ids(source: str) -> list[str]:
    """Names the plugins of a source in their order: the one file, or those of the folder."""
    root = Path(source)
    if not root.is_dir():
        return [root.name]
    return sorted(entry.name for entry in root.iterdir() if _counts(entry))[:MOST_FILES]


class Follow:
    """Keeps a registry like a file or folder, from `start` on."""

    def __init__(self, source: str, registry: Registry, how: How) -> None:
        self._source, self._registry, self._how = source, registry, how
        self._root = Path(source)
        self._folder = self._root.is_dir()
        self._files: dict[str, _File] = {}
        self._lost = ""
        self._started = False

    async def start(self) -> None:
        """Takes in what is there now.

        Bad files of a folder are told, and the others serve. Raises SourceError where
        the one file cannot be used, or the folder cannot be read.
        """
        async with anyio.create_task_group() as group:
            self._look(group)
        if self._lost:
            raise SourceError(f"{safe_text(self._source)}: {self._lost}")
        self._started = True
        for file in self._files.values():
            if file.trouble and not self._folder:
                raise SourceError(file.trouble)
            if file.due is not None:
                self._complain(file)

    async def run(self) -> None:
        """Follows until cancelled."""
        stop, bell = anyio.Event(), _Bell()
        async with anyio.create_task_group() as group:
            group.start_soon(self._listen, stop, bell)
            try:
                while True:
                    self._look(group)
                    self._tell_due(group)
                    await bell.wait(self._next_due())
            finally:
                stop.set()

    async def _listen(self, stop: anyio.Event, bell: _Bell) -> None:
        async with aclosing(wake_ups(self._watched, stop)) as wakes:
            async for _ in wakes:
                bell.ring()

    def _watched(self) -> Iterable[Path]:
        if not self._folder:
            return folders_of(self._root)
        links = (file.path for file in self._files.values() if file.path.is_symlink())
        return folders_of(self._root / "any").union(*map(folders_of, links))

    def _look(self, group: TaskGroup) -> None:
        """Compares what is there with what was, and starts what follows from it."""
        found = self._scan()
        if found is None:
            return
        for name, path in found.items():
            file = self._files.setdefault(name, _File(path))
            text = self._changed(file)
            if text is not None:
                group.start_soon(self._apply, name, file, text)
        for name in self._files.keys() - found.keys():
            self._miss(self._files[name])

    def _scan(self) -> dict[str, Path] | None:
        """Lists the files that count, in order; None where the folder itself is gone."""
        try:
            if self._folder and not self._root.is_dir():
                raise FileNotFoundError(ENOENT, "the folder is gone")
            found = plugin_ids(self._source)
        except OSError as error:
            self._lose(error.strerror or str(error))
            return None
        self._lost = ""
        return {name: self._root / name if self._folder else self._root for name in found}

    def _lose(self, reason: str) -> None:
        if not self._lost and self._files:
            tell(
                LogLevel.ERROR,
                "source-lost",
                f"{self._source}: {reason}; serving what was last there",
                file=self._source,
                reason=reason,
            )
        self._lost = reason

    def _changed(self, file: _File) -> bytes | None:
        """Reads a file that may have changed; None where it has not, or cannot be read."""
        seen = signature(file.path)
        if seen and seen == file.seen:
            return None
        try:
            text = self._how.read(str(file.path))
        except ToolsyncError as error:
            file.seen = ()
            file.gone = not file.path.exists()
            _blame(file, str(error))
            return None
        # What changes twice within a tick of the file system's clock looks the same after
        # it: a file is known only once that time is past.
        file.seen = seen if seen and time.time_ns() - seen[-1] > _SETTLED else ()
        file.gone = False
        version = hashlib.sha256(text).hexdigest()[:16]
        if version == file.tried:
            if version == file.held:
                _forgive(file)
            return None
        file.tried = version
        return text

    async def _apply(self, name: str, file: _File, text: bytes) -> None:
        """Hands a version of a file to the registry; a bad one changes nothing."""
        version = file.tried
        try:
            tools = self._tools(name, file, text)
            commit = await self._registry.apply(name, version, _built(tools, self._how.call))
        except RegistrationError as error:
            if file.tried == version:  # a newer one is on its way otherwise
                self._refuse(file, error)
        except ToolsyncError as error:
            if file.tried == version:
                _blame(file, f"{safe_text(str(file.path))}: {error}")
        else:
            for each in commit.rejected:
                _tell_rejected(file, each.tool, each.path, each.reason)
            if file.tried == version:
                self._accept(file, tools)

    def _tools(self, name: str, file: _File, text: bytes) -> list[dict[str, Any]]:
        """Reads the tools of a file; of those that are malformed, the last good definition."""
        catalog = loads(text, limits=self._how.limits)
        tools = [tool.definition for tool in catalog]
        for fault in catalog.invalid:
            if not self._how.skip:
                raise RegistrationError(name, fault.name, fault.path, fault.reason)
            _tell_rejected(file, fault.name, fault.path, fault.reason)
            kept = file.good.get(fault.name or "")
            if kept is not None:
                tools.insert(fault.index, kept)
        return tools

    def _accept(self, file: _File, tools: list[dict[str, Any]]) -> None:
        file.held = file.tried
        file.good = {tool["name"]: tool for tool in tools} if self._how.skip else {}
        _forgive(file)

    def _refuse(self, file: _File, error: RegistrationError) -> None:
        """Tells at once what is wrong with a file that is whole."""
        file.trouble, file.due = _sentence(file, error.tool, error.path, error.reason), None
        if self._started or self._folder:  # else it is why nothing starts
            _tell_rejected(file, error.tool, error.path, error.reason)

    def _miss(self, file: _File) -> None:
        file.seen, file.gone = (), True
        _blame(file, f"{safe_text(str(file.path))}: is gone")

    def _next_due(self) -> float | None:
        due = [file.due for file in self._files.values() if file.due is not None]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _tell_due(self, group: TaskGroup) -> None:
        now = time.monotonic()
        for name, file in list(self._files.items()):
            if file.due is None or file.due > now:
                continue
            if file.gone and self._folder:
                del self._files[name]
                group.start_soon(self._remove, name, file)
            else:
                self._complain(file)

    def _complain(self, file: _File) -> None:
        file.due = None
        kept = "; serving what it last held" if file.held else ""
        tell(
            LogLevel.ERROR,
            "unreadable",
            f"{file.trouble}{kept}",
            file=str(file.path),
            reason=file.trouble,
        )

    async def _remove(self, name: str, file: _File) -> None:
        if file.held:
            await self._registry.remove(name)
            said = f"{file.path}: is gone; its tools too"
            tell(LogLevel.INFO, "removed", said, file=str(file.path))


class _Bell:
    """Wakes one waiter; ringing it twice before it is heard is ringing it once."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def ring(self) -> None:
        self._event.set()

    async def wait(self, seconds: float | None) -> None:
        """Waits until it rings, at most that long."""
        with anyio.move_on_after(seconds):
            await self._event.wait()
        self._event = anyio.Event()


def _counts(entry: Path) -> bool:
    """Tells whether a file of a folder is a plugin, and not an editor's or a mount's own."""
    name = entry.name
    return name.endswith(".json") and not name.startswith(".") and not entry.is_dir()


def _built(tools: list[dict[str, Any]], call: Call | None) -> Callable[[], Awaitable[Plugin]]:
    async def build() -> Plugin:
        return Plugin(tools=tools, call=call)

    return build


def _blame(file: _File, reason: str) -> None:
    """Notes trouble that may pass; it is told once it has lasted."""
    if file.trouble != reason:
        file.trouble, file.due = reason, time.monotonic() + GRACE


def _forgive(file: _File) -> None:
    if file.trouble and file.due is None:
        tell(LogLevel.INFO, "recovered", f"{file.path}: is good again", file=str(file.path))
    file.trouble, file.due = "", None


def _sentence(file: _File, tool: str | None, path: str, reason: str) -> str:
    which = f" tool {named(tool)}" if tool is not None else ""
    where = f" at {safe_text(path)}" if path else ""
    return f"{safe_text(str(file.path))}:{which}{where}: {reason}".replace(":: ", ": ")


def _tell_rejected(file: _File, tool: str | None, path: str, reason: str) -> None:
    kept = "; serving what it last held" if file.held else ""
    tell(
        LogLevel.ERROR,
        "rejected",
        f"{_sentence(file, tool, path, reason)}{kept}",
        file=str(file.path),
        tool=tool,
        path=path,
        reason=reason,
    )
