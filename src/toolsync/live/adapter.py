"""What a hub needs: of a session, something that takes catalogues; of a source, that it gives them.

A host writes an `Adapter`. A `Registry` is a `Publisher`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from toolsync.catalog import Catalog, Tool
from toolsync.changes import Changes


class Adapter(Protocol):
    """Applies a catalogue to one kind of session.

    `live` tells whether it can while the session runs. An adapter whose `apply` only
    announces has a further flag, `announces = True`: its session holds a set once it was
    served. An absent flag means no.
    """

    @property
    def live(self) -> bool:
        """Tells whether the session can be told now; where not, the outcome is `deferred`."""

    async def apply(self, catalog: Catalog, changes: Changes) -> str:
        """Brings the session up to date and returns an outcome's status; raising is `failed`."""

    async def close(self) -> None:
        """Lets go of the session."""


class Publisher(Protocol):
    """A source of catalogues: the newest one, its number, news of it, and a way to call."""

    @property
    def catalog(self) -> Catalog:
        """The newest complete catalogue."""

    @property
    def revision(self) -> int:
        """Its number, which never goes backwards."""

    def subscribe(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Calls a listener after every change; the returned function ends that."""

    async def call(self, name: str, arguments: Any, *, advertised: Tool | None = None) -> Any:
        """Runs a tool; see `Registry.call`."""
