"""Changes that only concern names which a schema does not declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolsync.classify.naming import extras
from toolsync.classify.pointers import Pointer, steps
from toolsync.compare import Difference, at
from toolsync.model import ABSENT, Level

_KEYWORDS: Final = frozenset(("additionalProperties", "unevaluatedProperties"))
_DECLARING: Final = (
    frozenset(
        ("properties", "required", "patternProperties", "$ref", "allOf", "anyOf", "oneOf", "if")
    )
    | _KEYWORDS
)
_BESIDE: Final = frozenset(
    ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies")
)
_LEVELS: Final[Mapping[tuple[str, str], Level]] = {
    ("silence", "no"): Level.DANGEROUS,
    ("silence", "more"): Level.DANGEROUS,
    ("yes", "silence"): Level.DANGEROUS,
    ("more", "silence"): Level.DANGEROUS,
    ("no", "silence"): Level.COMPATIBLE,
    ("silence", "yes"): Level.COMPATIBLE,
}


def openness(found: Difference, old: Any) -> Level | None:
    """Returns the level of a change that is about undeclared names, or None for any other.

    `old` is the schema as it was: a property that is declared where nothing was
    declared before hurts undeclared names only.
    """
    if any(step.keyword in _BESIDE for step in steps(found.path)):
        return None  # a branch is not what is closed: the value that it describes is
    if found.keyword in _KEYWORDS:
        level = _LEVELS.get((extras(found.old), extras(found.new)))
        return Level.COMPATIBLE if level is not None and found.side == "output" else level
    if found.side == "input" and found.keyword == "properties" and found.old is ABSENT:
        return Level.DANGEROUS if _free(found, old) else None
    return None


def _free(found: Difference, old: Any) -> bool:
    if found.anchor != found.path or len(found.path) <= 3:  # the root is closed by being asked for
        return False
    node = at(old, found.path[1:-2])
    return isinstance(node, Mapping) and _DECLARING.isdisjoint(node)


def object_place(found: Difference) -> Pointer | None:
    """Returns the object that a change of openness is about, below the schema's root."""
    if found.anchor != found.path:
        return None
    return found.path[1:-2] if found.keyword == "properties" else found.path[1:-1]
