"""Texts that came to hold what people cannot see, or letters that pass for others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolsync.model import Finding
from toolsync.rules import RULES

_STEMS: Final = {
    "hidden-character": "hidden-characters-added",
    "look-alike": "look-alike-letters-added",
}
_SIDES: Final = {"inputSchema": "input-", "outputSchema": "output-"}


def hidden(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> Iterator[Finding]:
    """Yields what hides in a definition and did not hide there before."""
    from toolsync.schema.doubt import doubts  # noqa: PLC0415  rare

    known = {(one.path, one.rule) for one in doubts(old)} if old is not None else set()
    for one in doubts(new):
        stem = _STEMS.get(one.rule)
        if stem is not None and (one.path, one.rule) not in known:
            rule = RULES[_SIDES.get(one.path.split("/")[1], "") + stem]
            message = f"{rule.fact} ({one.reason}): {rule.hurt}"
            yield Finding(rule.id, rule.level, one.path, message)


def may_hide(text: bytes) -> bool:
    """Tells whether a JSON text holds anything but ASCII, also written as escapes."""
    return not text.isascii() or b"\\u" in text
