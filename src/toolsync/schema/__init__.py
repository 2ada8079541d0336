"""Reasoning about JSON Schema: dialects, references, validity, and containment with proof."""

from toolsync.schema.contain import Comparison, Containment, contained

__all__ = ["Comparison", "Containment", "contained"]
