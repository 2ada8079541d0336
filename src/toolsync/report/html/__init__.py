"""The report as one page that needs nothing else: no network, no mouse, no second file.

The page holds a row a tool, written out; what a row unfolds to stands in it as JSON, one
line a tool, and becomes elements only when the row is opened: a page of thousands of tools
opens in no time. Everything a catalogue says enters the page as text, here by a library
that escapes it (`tree`), there by `textContent`; the page's own policy lets no script run
but the one that it names by its hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from toolsync.model import ABSENT
from toolsync.report.cut import bounded
from toolsync.report.shape import Report

from .details import Definitions
from .page import page
from .tree import written

__all__ = ["html"]


def _unknown(_: str) -> Definitions:
    return Definitions(ABSENT, ABSENT)


def html(report: Report, definitions: Callable[[str], Definitions] = _unknown) -> Iterator[str]:
    """Yields the page; `definitions` gives both sides of a tool by its name.

    A side may be `ABSENT`; where both are, no schemas stand side by side.
    """
    yield "<!doctype html>\n"
    yield written(page(bounded(report), definitions))
    yield "\n"
