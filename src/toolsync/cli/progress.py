"""A sign of life on a terminal, when work takes more than a second."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from toolsync.safe import safe_text

_PATIENCE: Final = 1.0
_PACE: Final = 0.2
_WIDE: Final = 60
_ERASE: Final = "\r\x1b[K"


@contextlib.contextmanager
def progress(step: str) -> Iterator[Callable[[str], None]]:
    """Shows on standard error what is being done; silent in a pipe and for short work.

    Gives a function that names the next step.
    """
    steps = [step]
    if sys.stderr is None or not sys.stderr.isatty():
        yield steps.append
        return
    done = threading.Event()
    teller = threading.Thread(target=_tell, args=(steps, done), daemon=True)
    teller.start()
    try:
        yield steps.append
    finally:
        done.set()
        teller.join()


def _tell(steps: list[str], done: threading.Event) -> None:
    begun = time.monotonic()
    if done.wait(_PATIENCE):
        return
    with contextlib.suppress(OSError, ValueError):
        while not done.wait(_PACE):
            step = safe_text(steps[-1])[:_WIDE]
            sys.stderr.write(f"{_ERASE}{step} … {time.monotonic() - begun:.0f} s")
            sys.stderr.flush()
        sys.stderr.write(_ERASE)
        sys.stderr.flush()
