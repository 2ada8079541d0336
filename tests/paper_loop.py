"""An event loop whose time stands still while anything runs, and then jumps to the next timer."""

from __future__ import annotations

import asyncio
import heapq
from typing import Any


class Stuck(RuntimeError):  # noqa: N818  says what it is
    """Says that everything waits and nothing will ever happen."""


class PaperLoop(asyncio.SelectorEventLoop):
    """Runs real code on paper time: hours pass at once, and always in the same order."""

    _ready: Any
    _scheduled: list[Any]
    _stopping: bool
    _timer_cancelled_count: int

    def __init__(self) -> None:
        super().__init__()
        self._now = 1000.0

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        while self._scheduled and self._scheduled[0]._cancelled:
            self._timer_cancelled_count -= 1
            heapq.heappop(self._scheduled)._scheduled = False
        if not self._ready and not self._stopping:
            if not self._scheduled:
                raise Stuck("everything waits, and nothing will ever happen")
            self._now = max(self._now, self._scheduled[0]._when)
        super()._run_once()  # type: ignore[misc]  # private, and the one place to stand
