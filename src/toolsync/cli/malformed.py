"""What is told of malformed tools, one line each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolsync.model import Invalid

from . import output

_NAMELESS: Final = 100


def tell_malformed(source: str, entries: Iterable[Invalid]) -> None:
    """Says on standard error which entries are no tools, and why; nameless ones up to a limit."""
    nameless = 0
    for each in entries:
        nameless += each.name is None
        if each.name is None and nameless > _NAMELESS:
            continue
        name = f"tools[{each.index}]" if each.name is None else f"tools[{each.index}] {each.name}"
        place = f" at {each.path}" if each.path else ""
        output.say(f"toolsync: {source}: {name} is invalid{place}: {each.reason}")
    if nameless > _NAMELESS:
        more = nameless - _NAMELESS
        output.say(f"toolsync: {source}: … and {more} more without a name are invalid")
