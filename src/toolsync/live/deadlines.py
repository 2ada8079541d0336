"""One timer for any number of things that have to end in time."""

from __future__ import annotations

from collections.abc import Callable

from toolsync.live.timing import Clock, Running, Sleep, Tasks


class Deadlines:
    """Calls back for what is not done after `seconds`; all have the same time."""

    __slots__ = ("_added", "_clock", "_due", "_seconds", "_sleep", "_tasks", "_timer")

    def __init__(self, tasks: Tasks, clock: Clock, sleep: Sleep, seconds: float) -> None:
        self._tasks = tasks
        self._clock = clock
        self._sleep = sleep
        self._seconds = seconds
        self._added = 0
        self._timer: Running | None = None
        self._due: dict[int, tuple[float, Callable[[], None]]] = {}

    def add(self, late: Callable[[], None]) -> int:
        """Starts the time of something; gives its number."""
        self._added += 1
        self._due[self._added] = (self._clock() + self._seconds, late)
        if self._timer is None:
            self._timer = self._tasks.start(self._run)
        return self._added

    def drop(self, number: int) -> None:
        """Says that something is done."""
        self._due.pop(number, None)
        if not self._due and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _run(self) -> None:
        while self._due:
            # The same time for all: the first added is the first due.
            due, _ = next(iter(self._due.values()))
            await self._sleep(max(due - self._clock(), 0))
            self._call(due)

    def _call(self, reached: float) -> None:
        passed = [number for number, (due, _) in self._due.items() if due <= reached]
        for number in passed:
            late = self._due[number][1]
            self.drop(number)
            late()
