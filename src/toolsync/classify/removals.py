"""Arguments that went, proved to have been of use by one call that passes them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolsync.compare import Difference
from toolsync.model import ABSENT

# Beside these, a name that is declared no longer may be declared all the same.
_BESIDE: Final = frozenset(
    ("allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies", "$ref",
     "$dynamicRef", "$recursiveRef", "patternProperties", "unevaluatedProperties")
)  # fmt: skip


def removals(found: Sequence[Difference], old: Any) -> dict[int, str]:
    """Returns the numbers and names of arguments that are refused once they are gone.

    That is so where nothing but its own declaration lets the root of old take
    an argument: any call that passes it shows that its removal breaks.
    """
    if not isinstance(old, dict) or not _BESIDE.isdisjoint(old):
        return {}
    if old.get("additionalProperties", False) is not False:
        return {}
    return {
        number: one.path[2]
        for number, one in enumerate(found)
        if one.side == "input"
        and one.keyword == "properties"
        and one.new is ABSENT
        and one.anchor == one.path
        and len(one.path) == 3
    }
