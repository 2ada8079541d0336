"""The text of one tool, laid out so that a change of one argument is a change of one line.

Nothing but line breaks and tabs is added to the canonical text, and neither occurs inside of
it: without them it is again the very text that the digest is made from. Only characters that
nobody sees are spelled otherwise, as escapes.
"""

from __future__ import annotations

from typing import Final

from toolsync import _diff, _reading
from toolsync.safe import safe_json, safe_text

BLANKS: Final = b"\n\t\r"
"""The bytes that a layout adds; `\\r` comes where git turns line ends into Windows' own."""

_ROOM: Final = 100
_LEVELS: Final = 3  # the tool, a schema, its properties: below that one line each


def laid_out(text: bytes) -> bytes:
    """Returns a tool's canonical text in lines."""
    root, _ = _reading.outline(text, _diff.MAX_DEPTH, _reading.MAX_TEXT)
    lines = _lines(root, 1)
    return lines if is_visible(text) else b"\n".join(map(_visible_line, lines.split(b"\n")))


def _lines(value: _reading.Value, level: int) -> bytes:
    tabs = b"\n" + b"\t" * level
    if level < _LEVELS:
        members = [b"%b:%b" % (key.literal, _laid(each, level)) for key, each in value.members()]
    else:
        members = [b"%b:%b" % (key.literal, each.literal) for key, each in value.members()]
    return b"{%b%b%b}" % (tabs, (b"," + tabs).join(members), tabs[:-1])


def _laid(value: _reading.Value, level: int) -> bytes:
    text = value.literal
    return _lines(value, level + 1) if len(text) > _ROOM and text.startswith(b"{") else text


def visible(text: bytes) -> bytes:
    """Returns JSON text of one line in which what nobody sees is escaped."""
    return text if is_visible(text) else safe_json(text.decode()).encode()


def is_visible(text: bytes) -> bool:
    """Tells whether there is nothing to escape in JSON text of one line."""
    # Few characters of a long text are not ASCII: looking at the others too would take long.
    odd = text.translate(None, _PLAIN).decode()
    return safe_text(odd) == odd and b"##" not in text


_PLAIN: Final = bytes(range(0x20, 0x7F))


def _visible_line(line: bytes) -> bytes:
    bare = line.lstrip(b"\t")
    return line[: len(line) - len(bare)] + visible(bare)


def compact(text: bytes) -> bytes:
    """Returns a laid-out text without what the layout added."""
    return text.translate(None, BLANKS)
