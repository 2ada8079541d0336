"""How loud a level is where a platform has three volumes of its own."""

from __future__ import annotations

from typing import Final, Literal

from toolsync.model import Level

Severity = Literal["error", "warning", "note"]

_SEVERITIES: Final[dict[Level, Severity]] = {
    Level.BREAKING: "error",
    Level.UNKNOWN: "warning",
    Level.DANGEROUS: "warning",
}


def severity(level: str) -> Severity:
    """Returns `error` for what breaks, `warning` for what may, `note` for the rest."""
    return _SEVERITIES.get(Level(level), "note")
