"""One remark on a tool."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """Says where in a tool (a JSON Pointer), by which rule, and why: "expected …, got …"."""

    path: str
    rule: str
    reason: str
