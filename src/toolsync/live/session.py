"""Session: one live connection that a hub keeps current."""

from __future__ import annotations

from typing import Any

from toolsync.catalog import Catalog
from toolsync.live.adapter import Publisher
from toolsync.live.delivery import Delivery
from toolsync.live.errors import UnknownTool
from toolsync.live.outcome import Outcome


class Session:
    """What a hub knows of one attached session; `Hub.attach` makes it."""

    __slots__ = ("_delivery", "_publisher")

    def __init__(self, delivery: Delivery, publisher: Publisher) -> None:
        self._delivery = delivery
        self._publisher = publisher

    def __repr__(self) -> str:
        return f"<Session {self.id!r}: {len(self.catalog)} tools, revision {self.revision}>"

    @property
    def id(self) -> str:
        """The name under which it was attached."""
        return self._delivery.id

    @property
    def catalog(self) -> Catalog:
        """The newest set, of the tools that this session sees, whether it has been told or not."""
        return self._delivery.view.catalog

    @property
    def revision(self) -> int:
        """The revision of the newest set."""
        return self._delivery.revision

    @property
    def told(self) -> Catalog:
        """The set that the session was last told of, or given."""
        return self._delivery.told

    @property
    def held(self) -> Catalog:
        """The set that the session was last given: by a list, or by an adapter that applied it."""
        return self._delivery.held

    @property
    def outcome(self) -> Outcome | None:
        """What became of the newest set; None before the first change."""
        return self._delivery.outcome

    def served(self, catalog: Catalog) -> None:
        """Notes that the session has just been given a set by a list; nothing older is pending."""
        self._delivery.served(catalog)

    async def flush(self) -> Outcome:
        """Delivers what was deferred, in one notification or none: the push channel has opened.

        A session that was left alone, since it could not be told, is asked once more.
        """
        self._delivery.ask_again()
        return await self._delivery.deliver()

    async def call(self, name: str, arguments: Any) -> Any:
        """Runs a tool that the session sees.

        Raises:
            UnknownTool: it sees none of that name.
            ToolChanged: the tool has changed since it was given, and refuses these arguments.
        """
        if name not in self.catalog:
            raise UnknownTool(name)
        held = self.held
        advertised = held[name] if name in held else None  # noqa: SIM401  a Catalog has no get
        return await self._publisher.call(name, arguments, advertised=advertised)
