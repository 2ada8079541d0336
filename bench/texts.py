"""The same tools as text: as they were, and after each kind of change."""

from __future__ import annotations

from dataclasses import dataclass

import catalogues


@dataclass(frozen=True, slots=True)
class Texts:
    """One catalogue's text and its variants."""

    old: bytes
    same: bytes
    one_percent: bytes
    shuffled: bytes
    all_changed: bytes


def make(tools: list[catalogues.Tool]) -> Texts:
    """Returns every variant of these tools."""
    return Texts(
        old=catalogues.text(tools),
        same=catalogues.text(tools),
        one_percent=catalogues.text(catalogues.changed(tools, 100)),
        shuffled=catalogues.text(catalogues.shuffled(tools)),
        all_changed=catalogues.text(catalogues.changed(tools, 1)),
    )
