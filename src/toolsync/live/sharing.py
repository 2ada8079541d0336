"""One run of a coroutine for all who ask while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")


class Shared(Generic[_T]):
    """Starts a run when the first one asks, ends it when the last one has given up."""

    __slots__ = ("_make", "_run")

    def __init__(self, make: Callable[[], Coroutine[Any, Any, _T]]) -> None:
        self._make = make
        self._run: _Run[_T] | None = None

    @property
    def running(self) -> bool:
        """Tells whether there is a run to join."""
        return self._run is not None

    async def result(self, otherwise: _T) -> _T:
        """Gives what the run under way comes to, or a new one; `otherwise` if it is stopped."""
        run = self._run
        if run is None:
            run = self._run = _Run(asyncio.get_running_loop().create_task(self._make()))
            run.task.add_done_callback(lambda _: self._leave(run))
        run.waiters += 1
        try:
            return await asyncio.shield(run.task)
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if not run.task.cancelled() or (current is not None and current.cancelling()):
                raise
            return otherwise  # it was the run that was stopped, and not who waits for it
        finally:
            run.waiters -= 1
            if not run.waiters and not run.task.done():
                run.task.cancel()
                self._leave(run)  # at once: nobody must join what is ending

    def _leave(self, run: _Run[_T]) -> None:
        if self._run is run:
            self._run = None

    def stop(self) -> list[asyncio.Task[_T]]:
        """Cancels the run, and gives it to be waited for."""
        if self._run is None:
            return []
        self._run.task.cancel()
        return [self._run.task]


class _Run(Generic[_T]):
    __slots__ = ("task", "waiters")

    def __init__(self, task: asyncio.Task[_T]) -> None:
        self.task = task
        self.waiters = 0
