"""A line of a text report, before anyone decides on colour."""

from __future__ import annotations

from typing import NamedTuple

from toolsync.safe import safe_line


class Span(NamedTuple):
    """A piece of text of one look; the look is a level or a part's name."""

    text: str
    look: str = ""


class Line(NamedTuple):
    """One line: its spans, and how far it is indented when a terminal wraps it."""

    spans: tuple[Span, ...] = ()
    hang: int = 0

    @property
    def text(self) -> str:
        """The line without looks, safe to print anywhere."""
        return safe_line("".join(span.text for span in self.spans).rstrip(" "))


def line(*parts: str | Span, hang: int = 0) -> Line:
    """Puts a line together from texts and spans."""
    return Line(tuple(p if isinstance(p, Span) else Span(p) for p in parts if p), hang)
