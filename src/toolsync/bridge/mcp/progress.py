"""Progress of a call, from whoever runs the tool to the client that asked for it.

The registry between them knows nothing of progress, so it travels beside the call, in
its context.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Report(Protocol):
    """Takes how far a call is, of how much (if known), and a word about it."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        """Passes it on."""


_REPORT: ContextVar[Report | None] = ContextVar("toolsync_progress", default=None)


def reporting() -> Report | None:
    """Gives where the progress of the running call goes; None where nobody asked."""
    return _REPORT.get()


async def report(progress: float, total: float | None = None, message: str | None = None) -> None:
    """Tells the client of the running call how far it is; does nothing where nobody asked."""
    sink = _REPORT.get()
    if sink is not None:
        await sink(progress, total, message)


@contextmanager
def reports_to(sink: Report | None) -> Iterator[None]:
    """Sends the progress of what runs inside to `sink`."""
    token = _REPORT.set(sink)
    try:
        yield
    finally:
        _REPORT.reset(token)
