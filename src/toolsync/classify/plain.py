"""Changes that only add to what is taken, wherever they stand: shown by their form alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolsync.classify.pointers import POOLS, Pointer, steps
from toolsync.compare import Difference, at
from toolsync.model import Level
from toolsync.rules import Effect, Rule

# Under these a part that takes more can make the whole take less; so may what uses a definition.
_TURNING: Final = frozenset(("not", "if", "oneOf", "contains"))
# What these declare counts for the object around them, and would be missed.
_DECLARING: Final = frozenset(
    ("allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "rewritten", "schema",
     "additionalProperties", "unevaluatedProperties", "patternProperties", "items",
     "additionalItems", "unevaluatedItems", "prefixItems", "contains")
)  # fmt: skip
_BESIDE: Final = frozenset(
    ("allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies", "$ref", "$dynamicRef",
     "$recursiveRef", "patternProperties")
)  # fmt: skip

# An object that is closed by being read so may accept nothing at all beside these.
_DEMANDING: Final = frozenset(
    ("minProperties", "dependentRequired", "dependencies", "dependentSchemas", "propertyNames",
     "allOf", "anyOf", "oneOf", "not", "if", "$ref")
)  # fmt: skip


def is_plain(found: Difference, rule: Rule, old: Any, *, is_open: bool) -> bool:
    """Tells whether a change is harmless by its form: it only adds to what is taken."""
    harmless = Effect.WIDENS if found.side == "input" else Effect.NARROWS
    if rule.effect is not harmless or _stands(found, _TURNING | POOLS):
        return False
    if found.keyword == "properties":
        return found.side == "input" and not is_open and _adds_a_name(found, old)
    if found.keyword == "required":
        return _stays_declared(found, old)
    if found.keyword == "anyOf":
        return rule.id.endswith("branch-added") and not found.gone
    return found.keyword not in _DECLARING or rule.id == "input-no-longer-forbidden"


def needs_no_excuse(found: Difference, rule: Rule) -> bool:
    """Tells whether nobody expects harm of a change, so that none need be explained away."""
    return rule.level is Level.COMPATIBLE and not _stands(found, _TURNING)


def _stands(found: Difference, below: frozenset[str]) -> bool:
    """Tells whether a change stands below one of some keywords."""
    # A choice between `null` and one schema that lacks it is none that turns anything.
    path = found.path[:-1] if found.keyword == "null" else found.path
    if below.isdisjoint(path):
        return False
    return any(keyword in below for keyword, _, _ in steps(path))


def only_adds_names(cases: Sequence[tuple[Difference, bool]], old: Any) -> bool:
    """Tells whether a schema surely takes more: every change is plain, and one adds an argument."""
    if not isinstance(old, dict) or not _DEMANDING.isdisjoint(old):
        return False
    return all(plain for _, plain in cases) and any(
        found.keyword == "properties" and len(found.path) == 3 and found.new is not False
        for found, _ in cases
    )


def _adds_a_name(found: Difference, old: Any) -> bool:
    """Tells whether the object was closed to the name that is declared now."""
    if found.anchor != found.path or _is_beside(found.path):
        return False
    node = at(old, found.path[1:-2])
    if not isinstance(node, dict) or not _BESIDE.isdisjoint(node):
        return False
    if node.get("additionalProperties") is False:
        return True
    silent = "additionalProperties" not in node and "unevaluatedProperties" not in node
    return silent and bool(node.get("properties") or len(found.path) == 3)


def _is_beside(path: Pointer) -> bool:
    if _ASIDE.isdisjoint(path):
        return False
    return any(keyword in _ASIDE for keyword, _, _ in steps(path))


_ASIDE: Final = _DECLARING - {"items", "prefixItems", "additionalProperties", "patternProperties"}


def _stays_declared(found: Difference, old: Any) -> bool:
    """Tells whether names that are required no longer are declared all the same."""
    if found.anchor != found.path:
        return False
    declared = at(old, (*found.path[1:-1], "properties"))
    return isinstance(declared, dict) and all(name in declared for name in found.gone)
