"""Runs code that is not ours: at most so long, and whatever it raises stays in its place."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

import anyio

from toolsync.live.errors import told
from toolsync.live.timing import Running, Tasks, log

E = TypeVar("E")

OUTSIDE: Final = (Exception, asyncio.CancelledError)
"""What a listener or adapter may raise without the one who called it being meant."""


class Stopped(Exception):  # noqa: N818  an answer, caught by its caller
    """Says that foreign code ended itself, was cancelled, or took too long."""


async def settled(value: Any) -> Any:
    """Gives what an async function returns, and what a plain one returned."""
    return await value if inspect.isawaitable(value) else value


class Errand:
    """Foreign code in a task of its own, so that nobody waits longer for it than they want to."""

    __slots__ = ("_done", "_fault", "_function", "_late", "_left", "_result")

    def __init__(
        self, function: Callable[[], Any], late: Callable[[Any], None] | None = None
    ) -> None:
        self._function = function
        self._late = late
        self._left = False
        self._done = anyio.Event()
        self._result: Any = None
        self._fault: BaseException | None = None

    async def run(self, tasks: Tasks, seconds: float) -> Any:
        """Gives what the code returns; what it returns when it is too late goes to `late`.

        Raises Stopped where it took too long or ended itself, or else what it raised.
        """
        running = tasks.start(self._work)
        in_time = False
        try:
            in_time = await tasks.happens(self._done, seconds)
        finally:
            if not in_time:
                self._leave(running)
        if not in_time:
            raise Stopped(f"took longer than {seconds:g} seconds")
        if isinstance(self._fault, Exception):
            raise self._fault
        if self._fault is not None:
            raise Stopped(f"ended itself with {told(self._fault)}") from self._fault
        return self._result

    def _leave(self, running: Running) -> None:
        self._left = True
        running.cancel()
        if self._done.is_set() and self._fault is None:  # done, just when nobody waits any more
            self._spare()

    def _spare(self) -> None:
        if self._late is not None:
            self._late(self._result)

    async def _work(self) -> None:
        try:
            self._result = await settled(self._function())
        except KeyboardInterrupt:  # the person at the keyboard, not the plugin
            raise
        except BaseException as error:  # noqa: BLE001  a plugin that calls sys.exit() has failed
            self._fault = error
        else:
            if self._left:
                self._spare()
        finally:
            self._done.set()


def tell_all(listeners: tuple[Callable[[Any], None], ...], event: object) -> None:
    """Tells every listener; one that raises is logged, and the others hear of it all the same."""
    for listener in listeners:
        try:
            listener(event)
        except OUTSIDE as error:
            log.error("a listener raised %s", told(error), exc_info=error)


class Listeners(Generic[E]):
    """Whoever wants to hear of something, in the order in which they came."""

    __slots__ = ("_added", "_known")

    def __init__(self) -> None:
        self._known: dict[int, Callable[[E], None]] = {}
        self._added = 0

    def add(self, listener: Callable[[E], None]) -> Callable[[], None]:
        """Takes one in; the returned function lets it go, once."""
        self._added += 1
        number = self._added
        self._known[number] = listener

        def end() -> None:
            self._known.pop(number, None)

        return end

    def tell(self, event: E) -> None:
        """Tells all that are here now."""
        tell_all(tuple(self._known.values()), event)
