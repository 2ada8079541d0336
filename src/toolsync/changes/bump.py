"""Which part of a semantic version a level asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from toolsync.model import Level

Bump = Literal["major", "minor", "patch", "none"]

BUMPS: Final[Mapping[Level, Bump]] = {
    Level.IDENTICAL: "none",
    Level.PRESENTATION: "patch",
    Level.DOCUMENTATION: "patch",
    Level.COMPATIBLE: "minor",
    Level.DANGEROUS: "minor",  # what was accepted still is; the report asks for a look at the rest
    Level.UNKNOWN: "major",  # a minor version is a promise, and nothing is promised without proof
    Level.BREAKING: "major",
}
"""The suggestion for the highest level of a report (docs/verdicts.md)."""
