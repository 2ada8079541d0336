"""How often a server is listed that announces without end."""

from __future__ import annotations

from typing import Final

from toolsync.live.quiet import Notices
from toolsync.live.timing import Clock, Sleep

_FIRST: Final = 0.25
_LONGEST: Final = 2.0


class Pace:
    """Doubles the pause between lists that brought nothing; a new burst is looked at promptly."""

    __slots__ = ("_clock", "_pause", "_sleep")

    def __init__(self, clock: Clock, sleep: Sleep) -> None:
        self._clock, self._sleep = clock, sleep
        self._pause = 0.0

    def note(self, outcome: str) -> None:
        """Takes into account what a refresh has brought."""
        if outcome == "unchanged":
            self._pause = min(self._pause * 2 or _FIRST, _LONGEST)
        else:
            self._pause = 0.0

    async def keep(self, notices: Notices) -> None:
        """Waits until the next list is due."""
        until = self._clock() + self._pause
        while not notices.fresh and (left := until - self._clock()) > 0:
            await self._sleep(min(left, _FIRST))
        if notices.fresh:
            self._pause = 0.0
