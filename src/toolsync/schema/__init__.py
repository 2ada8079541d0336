"""Reasoning about JSON Schema: dialects, references, validity, and containment with proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolsync.schema.proof.contain import Comparison, Containment, contained

__all__ = ["Comparison", "Containment", "contained"]


def __getattr__(name: str) -> object:
    """Loads the reasoning about containment when first asked for it: validity needs none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from toolsync.schema.proof import contain  # noqa: PLC0415

    return getattr(contain, name)
