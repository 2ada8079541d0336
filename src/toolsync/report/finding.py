"""One finding as lines: what happened where, old → new, and the proof."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolsync.safe import printable, safe_text, safe_words

from .cut import KEPT, KEPT_IN_FULL, MOST_OF_ONE, clipped
from .evidence import OVERRIDDEN, ROOM, Words, decided, evidence, verdict
from .line import Line, Span, line
from .shape import FindingEntry, OverriddenEntry
from .values import json_text

LEVEL_WIDTH: Final = 13  # of "documentation"
_WIDE: Final = 120
_ARROW: Final = Span(" → ", "dim")


def finding_lines(
    finding: FindingEntry, indent: int, *, full: bool = False, of: str = "", under: str = ""
) -> Iterator[Line]:
    """Tells one finding: a line of its own, with its values where they fit, else below.

    `of` names the tool that the witness is about, where several share the finding;
    `under` is the level that the heading says for it.
    """
    spans = [" " * indent, *_head(finding, under, KEPT_IN_FULL if full else KEPT)]
    details = _values(finding, full=full)
    rule = Span(f"  [{safe_text(finding['rule'])}]", "dim")
    inner = indent + 4
    if _width([*spans, *details, rule]) <= _WIDE:
        yield line(*spans, *(["  ", *details] if details else []), rule, hang=inner)
    else:
        yield line(*spans, rule, hang=inner)
        if details:
            yield line(" " * inner, *details, hang=inner)
    if "witness" in finding:
        yield line(" " * inner, *_witness(finding, of, full=full), hang=inner)
    if "overridden" in finding:
        yield line(" " * inner, *_overridden(finding["overridden"]), hang=inner)


def plain_lines(finding: FindingEntry, of: str) -> Iterator[str]:
    """Tells the message, the values and the proof of one finding, each on a safe line."""
    yield safe_words(clipped(finding["message"], 2 * KEPT))
    details = _values(finding, full=False)
    if details:
        yield line(*details).text
    if "witness" in finding:
        yield line(*_witness(finding, of, full=False)).text
    if "overridden" in finding:
        yield line(*_overridden(finding["overridden"])).text


def _width(parts: list[str | Span]) -> int:
    return sum(len(part.text if isinstance(part, Span) else part) for part in parts)


def _head(finding: FindingEntry, under: str, most: int) -> Iterator[str | Span]:
    level = finding["level"]
    if level != under:
        yield Span(level.ljust(LEVEL_WIDTH), level)
        yield "  "
    if finding["path"]:
        yield Span(safe_text(clipped(finding["path"], most)), "path")
        yield "  "
    yield safe_words(clipped(finding["message"], 2 * most))


def _values(finding: FindingEntry, *, full: bool) -> list[str | Span]:
    shown = evidence(finding, full=full)
    if isinstance(shown, Words):
        cut = [Span(" …", "dim")] if shown.cut else []
        return [*(_marked(kind, printable(text)) for kind, text in shown.pieces), *cut]
    if shown is None:
        return []
    if shown.old is None:
        return [Span("+ ", "new"), Span(shown.new or "", "new")]
    if shown.new is None:
        return [Span("- ", "gone"), Span(shown.old, "gone")]
    return [Span(shown.old, "gone"), _ARROW, Span(shown.new, "new")]


def _marked(kind: str, text: str) -> str | Span:
    # The marks stay where there is colour: nobody should need to see red and green.
    if kind == "gone":
        return Span(f"[-{text}-]", "gone")
    if kind == "new":
        return Span(f"{{+{text}+}}", "new")
    return text


def _overridden(was: OverriddenEntry) -> Iterator[str | Span]:
    yield Span(OVERRIDDEN, "dim")
    yield Span(was["level"], was["level"])
    yield f": {decided(was)}"


def _witness(finding: FindingEntry, of: str, *, full: bool) -> Iterator[str | Span]:
    text = json_text(finding["witness"], MOST_OF_ONE if full else 2 * ROOM)
    yield Span(f"{verdict(finding)}: ", "dim")
    yield f"{of} " if of else ""
    yield Span(text, "witness")
