"""Texts that came to hold what people cannot see, or letters that pass for others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolsync.compare import key
from toolsync.model import Finding
from toolsync.rules import RULES

_STEMS: Final = {
    "hidden-character": "hidden-characters-added",
    "look-alike": "look-alike-letters-added",
}
_SIDES: Final = {"inputSchema": "input-", "outputSchema": "output-"}


def hidden(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> Iterator[Finding]:
    """Yields what hides in a definition, where less of it hid before."""
    from toolsync.schema.doubt import doubts, may_hide  # noqa: PLC0415  rare

    if not may_hide(key(new)):
        return
    found = [one for one in doubts(new) if one.rule in _STEMS]
    before = doubts(old) if found and old is not None else ()
    known = {(one.path, one.rule): one.count for one in before}
    for one in found:
        if one.count > known.get((one.path, one.rule), 0):
            rule = RULES[_SIDES.get(one.path.split("/")[1], "") + _STEMS[one.rule]]
            message = f"{rule.fact} ({one.reason}): {rule.hurt}"
            yield Finding(rule.id, rule.level, one.path, message)


def is_foreign(text: bytes) -> bool:
    """Tells whether a JSON text may hold what people cannot see, or take for something else."""
    if b"\\u" in text or b"\x7f" in text or b"\\b" in text or b"\\f" in text:
        return True
    if text.isascii():
        return False
    from toolsync.schema.doubt import is_suspect  # noqa: PLC0415  rare

    return is_suspect(text)
