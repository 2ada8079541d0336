"""Lines on a terminal: colour, and long lines wrapped under themselves.

The only module that imports rich, and imported only for a terminal or on request.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

from toolsync.safe import safe_line

from .line import Line

_LOOKS: Final = {
    "breaking": "bold red",
    "invalid": "bold red",
    "unknown": "bold magenta",
    "dangerous": "bold yellow",
    "compatible": "green",
    "documentation": "cyan",
    "presentation": "dim",
    "identical": "green",
    "name": "bold",
    "path": "blue",
    "old": "red",
    "gone": "red",
    "new": "green",
    "witness": "magenta",
    "dim": "dim",
}


def console_for(stream: TextIO, *, colour: bool) -> Console:
    """Returns a rich console that prints texts as they are: no markup, no emoji, no guesses."""
    return Console(
        file=stream,
        force_terminal=colour or None,
        color_system="auto" if colour else None,
        no_color=not colour,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False if colour else None,
    )


def print_lines(console: Console, lines: Iterable[Line], *, wrap: bool) -> None:
    """Prints lines; with `wrap` a long one goes on under its own indentation."""
    for each in lines:
        text = _styled(each)
        if not wrap or text.cell_len <= console.width:
            console.print(text, soft_wrap=True)
            continue
        hang = " " * min(each.hang, console.width // 3)
        first, *rest = text.wrap(console, console.width - len(hang))
        for part in (first, *(Text(hang) + part for part in rest)):
            console.print(_guarded(part), soft_wrap=True)


def _guarded(text: Text) -> Text:
    """Breaks a CI command that wrapping put at the start of a line."""
    safe = safe_line(text.plain)
    return text if safe == text.plain else Text(safe)


def _styled(each: Line) -> Text:
    text = Text()
    for span in each.spans:
        text.append(span.text, _LOOKS.get(span.look, ""))
    text.rstrip()
    return text if text.plain == each.text else Text(each.text)
