"""What a row of the page unfolds to, as JSON: findings, and both definitions side by side.

Every text in it is safe to show; `page.js` makes elements of it and knows its form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import orjson

from toolsync.model import ABSENT
from toolsync.report.alignment import Fold, Row, folded, rows
from toolsync.report.blocks import Block
from toolsync.report.cut import KEPT_IN_FULL, clipped
from toolsync.report.evidence import OVERRIDDEN, Words, decided, evidence, verdict
from toolsync.report.heading import tool_name
from toolsync.report.inline import parts
from toolsync.report.shape import FindingEntry
from toolsync.report.values import json_text
from toolsync.report.words import Piece
from toolsync.safe import printable, safe_json, safe_text, safe_words

_VALUE: Final = 4000
_MOST_ROWS: Final = 4000
_MOST_LOOKED_AT: Final = 100_000
_MOST_NAMES: Final = 20_000
_ALL_ROWS: Final = 400_000
# Of each kind of line: what stands first in its JSON.
_SAME, _GONE, _NEW, _EDIT, _WORDS, _FOLD = range(6)
_KINDS: Final = {"same": _SAME, "gone": _GONE, "new": _NEW, "edit": _EDIT}
_PIECES: Final = {"same": 0, "gone": 1, "new": 2}

Json = dict[str, Any]


class Definitions(NamedTuple):
    """A tool on both sides; `ABSENT` where it is not there."""

    old: object
    new: object


def details(told: Sequence[Block], definitions: Callable[[str], Definitions]) -> Iterator[str]:
    """Yields what each block unfolds to, in their order, one line of JSON each.

    The page has room for so many lines of definitions; the worst tools have all of theirs,
    later ones those near a change.
    """
    left = _ALL_ROWS
    for block in told:
        entry: Json = {"findings": [_finding(block, each) for each in block.findings]}
        if len(block.tools) > 1:
            entry["names"] = [tool_name(tool) for tool in block.tools[:_MOST_NAMES]]
        else:
            lines, counted = _definition(block, definitions, whole=left > _ALL_ROWS // 2)
            fits = counted <= min(left, _MOST_ROWS)
            entry |= {"rows": lines} if fits else {"cut": True}
            left -= counted if fits else 0
        yield _json(entry)


def _json(entry: Json) -> str:
    """Returns JSON on one line, in which nothing can be taken for markup."""
    text = orjson.dumps(entry).decode()
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return safe_json(text)


def _finding(block: Block, finding: FindingEntry) -> Json:
    lone = len(block.findings) == 1 and finding["level"] == block.level
    entry: Json = {
        **({} if lone else {"level": finding["level"]}),  # the row says it
        "path": safe_text(clipped(finding["path"], KEPT_IN_FULL)),
        "message": [tuple(part) for part in parts(_message(finding))],
        "rule": safe_text(finding["rule"]),
    }
    shown = evidence(finding, room=_VALUE)
    if isinstance(shown, Words):
        entry |= {"words": [_piece(each) for each in shown.pieces], "more": shown.cut}
    elif shown is not None:
        entry |= {"old": shown.old, "new": shown.new}
    if "witness" in finding:
        call = f"{tool_name(block.tools[0])} {json_text(finding['witness'], _VALUE)}"
        entry |= {"verdict": verdict(finding), "witness": call}
    if "overridden" in finding:
        was = finding["overridden"]
        entry |= {"was": f"{OVERRIDDEN}{was['level']}: {decided(was)}"}
    return entry


def _message(finding: FindingEntry) -> str:
    return safe_words(clipped(finding["message"], KEPT_IN_FULL))


def _piece(piece: Piece) -> tuple[int, str]:
    """Makes the lines of a text safe; they stay lines."""
    return _PIECES[piece.kind], "\n".join(map(printable, piece.text.split("\n")))


def _definition(
    block: Block, definitions: Callable[[str], Definitions], *, whole: bool
) -> tuple[list[Any], int]:
    """Returns the lines of both definitions and their number; folds are counts if not `whole`."""
    tool = block.tools[0]
    old, new = definitions(tool["name"] or "")
    if tool["status"] == "unchanged" or (old is ABSENT and new is ABSENT):
        return [], 0
    lines = list(islice(rows(old, new), _MOST_LOOKED_AT))
    if len(lines) == _MOST_LOOKED_AT:
        return [], len(lines)
    whole = whole and len(lines) <= _MOST_ROWS
    shown = [_row(each, whole=whole) for each in folded(lines)]
    return shown, len(lines) if whole else len(shown)


def _row(row: Row | Fold, *, whole: bool) -> list[Any]:
    if isinstance(row, Fold):
        return [_FOLD, [_row(each, whole=True) for each in row.rows] if whole else len(row.rows)]
    if row.words:
        pieces = [[_PIECES[kind], json_text(text)[1:-1]] for kind, text in row.words]
        return [_WORDS, row.depth, row.old, pieces]
    sides = [row.old, row.new] if row.kind == "edit" else [row.old]
    return [_KINDS[row.kind], row.depth, *sides]
