"""Notifications as numbers: how many came, how much of that is covered, whether it is quiet now."""

from __future__ import annotations

from typing import Final

from toolsync.live.timing import Clock, Sleep

BURST_GAP: Final = 1.0
"""After so many seconds without a notification or a fetch, the next one begins a new burst."""


class Notices:
    """Counts what a server announced and what has been looked at since; holds no messages."""

    __slots__ = (
        "_clock", "_fetching", "_last", "_quiet", "_quiet_max", "_rechecked", "_sleep", "covered",
        "generation",
    )  # fmt: skip

    def __init__(self, clock: Clock, sleep: Sleep, quiet: float, quiet_max: float) -> None:
        self._clock, self._sleep = clock, sleep
        self._quiet, self._quiet_max = quiet, quiet_max
        self._last: float | None = None
        self._fetching = self._rechecked = False
        # One ahead: what has never been fetched is stale without a notification.
        self.generation, self.covered = 1, 0

    def mark(self) -> None:
        """Notes one notification."""
        self.generation += 1
        now = self._clock()
        if self._begins_burst(now):
            self._rechecked = False
        self._last = now

    def _begins_burst(self, now: float) -> bool:
        # What a server announces because it was listed is an echo, and begins nothing:
        # otherwise one that announces on every list would be listed twice each time.
        if self._fetching:
            return False
        return self._last is None or now - self._last > BURST_GAP

    def fetch_began(self) -> None:
        """Notes that from now on notifications may be echoes of a fetch."""
        self._fetching = True

    def fetch_ended(self) -> None:
        """Notes the end of a fetch; for a moment longer, notifications may be its echoes."""
        self._fetching = False
        if self._last is not None:
            self._last = self._clock()

    def take_recheck(self) -> bool:
        """Tells whether this burst may still be looked at once more, and uses that up."""
        if self._last is None or self._rechecked:
            return False
        self._rechecked = True
        return True

    @property
    def fresh(self) -> bool:
        """Tells whether a burst has begun that nobody has looked at twice."""
        return self._last is not None and not self._rechecked

    async def settle(self) -> None:
        """Waits until notifications pause, or have been coming for too long to wait for that."""
        began = self._clock()
        while self._last is not None:
            now = self._clock()
            rest = self._last + self._quiet - now
            left = began + self._quiet_max - now
            if rest <= 0 or left <= 0:
                return
            await self._sleep(min(rest, left))
