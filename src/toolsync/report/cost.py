"""What a catalogue costs as a part of a prompt: bytes, about how many tokens, what stays cached.

Sizes are facts, tokens are an estimate: which text a host makes of a tool, and which vocabulary
cuts it, only the provider knows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson

from toolsync.catalog import Catalog, Tool

from .values import json_text

_SENT: Final = ("name", "description", "inputSchema")
"""What hosts hand on of a tool; titles, hints, results and `_meta` stay with them."""

BYTES_A_TOKEN: Final = 4.6
"""Measured over the tools of real servers (bench/token_estimate.py)."""


Sent = Sequence[tuple[str, bytes]]


class Change(NamedTuple):
    """How many bytes there were, and are."""

    old: int
    new: int


@dataclass(frozen=True, slots=True)
class Costs:
    """The size of each tool and of the whole, and from where on the new prompt differs.

    `first` is the place of the first tool that differs; None where none does. `behind` holds the
    bytes from there on, `name` what stands there. Without `in_order` none of this is known.
    """

    tools: dict[str, Change]
    whole: Change
    count: int
    first: int | None = None
    name: str | None = None
    behind: int = 0
    in_order: bool = True


def tokens(size: int) -> int:
    """Returns about how many tokens so many bytes are."""
    return round(size / BYTES_A_TOKEN)


def sent(tool: Tool) -> bytes:
    """Returns the JSON text that a model is shown of a tool, its keys in their own order."""
    parsed = tool.parsed
    shown = {key: parsed[key] for key in _SENT if parsed.get(key) is not None}
    try:
        return orjson.dumps(shown)
    except TypeError:  # an integer past 64 bits, or more than 254 levels
        return _plainly(shown)


def _plainly(shown: dict[str, Any]) -> bytes:
    try:
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()
    except ValueError:  # an integer of more digits than Python prints
        return json_text(shown).encode()


def costs(old: Catalog, new: Catalog, *, in_order: bool = True) -> Costs:
    """Measures both catalogues; without `in_order` the old one's order says nothing."""
    before = [(tool.name, sent(tool)) for tool in old]
    after = [(tool.name, sent(tool)) for tool in new]
    each, whole = _each(before, after), Change(_size(before), _size(after))
    first = _first_differing(before, after) if in_order else None
    if first is None:
        return Costs(each, whole, len(after), in_order=in_order)
    behind = after[first:]
    return Costs(each, whole, len(after), first, behind[0][0] if behind else None, _size(behind))


def _size(sent_tools: Iterable[tuple[str, bytes]]) -> int:
    return sum(len(text) for _, text in sent_tools)


def _each(before: Sent, after: Sent) -> dict[str, Change]:
    sizes = {name: len(text) for name, text in before}, {name: len(text) for name, text in after}
    names = sizes[0].keys() | sizes[1].keys()
    return {name: Change(sizes[0].get(name, 0), sizes[1].get(name, 0)) for name in names}


def _first_differing(before: Sent, after: Sent) -> int | None:
    """Returns the first place at which the new list does not go on as the old one did."""
    for place, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return place
    return None if len(before) == len(after) else min(len(before), len(after))
