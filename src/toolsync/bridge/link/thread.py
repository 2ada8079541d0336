"""One session of a peer's, as the hub's adapter: what it holds, and how it is told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolsync.bridge.link.rpc import Answer, LinkClosedError, Rpc
from toolsync.bridge.link.toolset import Toolset, full, told
from toolsync.bridge.link.wire import INVALID_PARAMS, NO_BASE, NO_METHOD, RpcError
from toolsync.catalog import Catalog
from toolsync.changes import Changes
from toolsync.errors import ToolsyncError
from toolsync.live.outcome import STATUSES
from toolsync.live.session import Session
from toolsync.safe import safe_text

log = logging.getLogger("toolsync.bridge.link.host_link")

UPDATE: Final = "thread/tools/update"
_ANYTHING: Final = ({"name": "unknown", "inputSchema": {"type": "object"}},)


class UpdateError(ToolsyncError):
    """Says what a peer found wrong with an update."""


@dataclass(slots=True)
class Far:
    """A peer that has introduced itself: the way to it, and what it can do."""

    rpc: Rpc
    updates: bool
    deltas: bool


class Thread:
    """Sends a session's changes to the peer that runs it: whole, or as deltas."""

    announces = False

    def __init__(self, name: str, far: Callable[[], Far | None]) -> None:
        self.name = name
        self.session: Session | None = None
        self._far = far
        self._held: Toolset | None = None
        self._last: Toolset | None = None
        self._handing_over = 0

    @property
    def live(self) -> bool:
        """Tells whether the peer takes updates, and is not just being given its tools."""
        far = self._far()
        return far is not None and far.updates and not self._handing_over

    async def apply(self, catalog: Catalog, changes: Changes) -> str:
        """Sends the newest set and returns the outcome that the peer answers with."""
        far, session = self._far(), self.session
        if far is None or session is None:
            return "deferred"
        now = Toolset(session.revision, catalog)
        base = self._base(changes.old)
        self._held = None  # what it holds is open until it has answered
        try:
            return self._outcome(await self._sent(far, base, now), now)
        except LinkClosedError:
            return "deferred"  # the next connection begins with the newest set
        except RpcError as error:
            if error.code != NO_METHOD:
                raise
            log.debug("the peer does not know %s: it is left alone", UPDATE)
            far.updates = False
            return "unsupported"

    def _base(self, holds: Catalog) -> Toolset | None:
        """Gives the set that a delta can lead on from, unless the session says it holds another."""
        held = self._held
        if held is None or held.catalog is holds:
            return held
        return held if held.catalog.semantic_digest == holds.semantic_digest else None

    async def close(self) -> None:
        """Has nothing to let go of: the connection belongs to the link."""

    def forget(self) -> None:
        """Takes note of a new connection: what the peer holds is open."""
        self._held = None
        self._handing_over = 0

    def recalled(self, digest: str | None) -> tuple[Mapping[str, Any], ...] | None:
        """Compares what the peer says it holds with what is known.

        Returns None where it is known, so that a delta can follow; else tools that the
        newest set differs from, which makes the hub send it.
        """
        session = self.session
        if session is None:
            return None
        newest = Toolset(session.revision, session.catalog)
        if digest is not None and digest == newest.catalog.digest:
            self._held = self._last = newest
            session.served(newest.catalog)
            return None
        if digest is not None and self._last is not None and digest == self._last.catalog.digest:
            self._held = self._last
            return None
        return () if len(newest.catalog) else _ANYTHING

    def handed_over(self, session: Session, base: Any = None) -> Answer:
        """Answers with the newest set; what changes meanwhile is sent after the answer."""
        now = Toolset(session.revision, session.catalog)
        held = self._held
        known = held if held is not None and base == held.revision else None
        session.served(now.catalog)
        self._handing_over += 1

        async def then() -> None:
            self._handing_over = max(0, self._handing_over - 1)
            self._held = self._last = now
            await session.flush()

        return Answer({"threadId": self.name, **told(known, now)}, then)

    async def _sent(self, far: Far, base: Toolset | None, now: Toolset) -> Any:
        update = told(base if far.deltas else None, now)
        try:
            return await far.rpc.request(UPDATE, {"threadId": self.name, **update})
        except RpcError as error:
            # A peer that knows no deltas misses `tools`; one that was restarted, the base.
            if "base" not in update or error.code not in (NO_BASE, INVALID_PARAMS):
                raise
        return await far.rpc.request(UPDATE, {"threadId": self.name, **full(now)})

    def _outcome(self, answer: Any, now: Toolset) -> str:
        status = answer.get("outcome") if isinstance(answer, Mapping) else None
        if not isinstance(status, str) or status not in STATUSES:
            raise UpdateError(f"{UPDATE}: answered with no outcome")
        if status == "failed":
            raise UpdateError(safe_text(str(answer.get("error", "the peer gave no reason")))[:500])
        if status in ("applied", "unchanged"):
            self._held = self._last = now
        return status
