"""Ratios measured in one run: two calls take turns, the fastest of each counts, collection is off.

The machine's mood touches both sides alike, so a ratio holds where a time does not.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

Call = Callable[[], object]


def ratio(subject: Call, reference: Call, rounds: int = 7) -> float:
    """Returns how many times the reference's processor time the subject takes."""
    ours, theirs = [], []
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            ours.append(_seconds(subject))
            theirs.append(_seconds(reference))
            gc.collect()
    finally:
        if enabled:
            gc.enable()
    return min(ours) / min(theirs)


def nanoseconds(call: Call, loops: int, rounds: int = 7) -> float:
    """Returns the fastest time of one call, by the wall clock, over `loops` calls in a row."""
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter_ns()
        for _ in range(loops):
            call()
        best = min(best, (time.perf_counter_ns() - started) / loops)
    return best


def _seconds(call: Call) -> float:
    started = time.thread_time()
    call()
    return time.thread_time() - started
