"""What a lockfile holds, as plain data."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from toolsync.errors import LockError
from toolsync.safe import named, safe_text

VERSION: Final = 1
"""The number of the layout of the file."""

FORM: Final = 1
"""The number of the canonical form that the digests are made from."""

DEFAULT: Final = "default"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@/-]{0,99}")


@dataclass(frozen=True, slots=True)
class LockedTool:
    """One tool: its canonical text, and both digests as they are written down."""

    name: str
    digest: str
    semantic: str
    text: bytes


@dataclass(frozen=True, slots=True)
class Unusable:
    """A malformed entry of a catalogue: it has no digest, so that of its very bytes stands in."""

    name: str | None
    digest: str
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Server:
    """One catalogue: where it came from, its tools by name, and what in it was no tool."""

    source: str
    tools: tuple[LockedTool, ...]
    unusable: tuple[Unusable, ...] = ()


@dataclass(frozen=True, slots=True)
class Lockfile:
    """Every catalogue of one file, each with a name, sorted by it."""

    servers: tuple[tuple[str, Server], ...] = ()

    def with_server(self, name: str, server: Server) -> Lockfile:
        """Returns the same with this catalogue in the place of its namesake."""
        return replace(self, servers=tuple(sorted((dict(self.servers) | {name: server}).items())))

    def get(self, name: str) -> Server | None:
        """Returns the catalogue of that name, or None."""
        return dict(self.servers).get(name)

    def chosen(self, name: str | None) -> tuple[str, Server]:
        """Returns the catalogue of that name; without one, the only one there is.

        Raises LockError where there is none, or several to choose from.
        """
        names = ", ".join(safe_text(each) for each, _ in self.servers[:_SHOWN])
        more = ", …" if len(self.servers) > _SHOWN else ""
        if name is None and len(self.servers) == 1:
            return self.servers[0]
        if name is None:
            count = len(self.servers)
            raise LockError(f"holds {count} catalogues: choose with --name one of {names}{more}")
        found = self.get(name)
        if found is None:
            raise LockError(f"holds no catalogue {named(name)}, but {names or 'none'}{more}")
        return name, found


_SHOWN: Final = 10


def is_name(text: str) -> bool:
    """Tells whether a catalogue may go by that name."""
    return _NAME.fullmatch(text) is not None


def checked_name(name: str) -> str:
    """Returns the name of a catalogue; raises LockError where it cannot be one."""
    if not is_name(name):
        raise LockError(
            f"--name {named(name[:100])}: expected up to 100 of A-Z a-z 0-9 _ . @ / -,"
            " beginning with a letter or a digit"
        )
    return name
