"""A schema as it was read: what it means, and where its parts stood."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from toolsync.schema.dialect import Dialect
from toolsync.schema.pointer import escaped


class Reading(NamedTuple):
    """A schema as read; `origins` tells where the generated definitions stood.

    `odd` tells that a part means nothing in its dialect, `copies` how many parts there are.
    """

    schema: dict[str, Any] | bool
    dialect: Dialect
    origins: Mapping[str, str] = MappingProxyType({})
    odd: bool = False
    copies: int = 1

    def place_of(self, steps: list[str]) -> str:
        """Spells a path through the schema as read as a pointer into the given one.

        The path does not mention references; it goes on in what they lead to.
        """
        found = ""
        here: Any = self.schema
        for step, following in pairwise([*steps, ""]):
            name = _referred(here, step, following)
            if name in self.origins:
                found, here = self.origins[name], self._definition(name)
            found += "/" + escaped(step)
            here = _under(here, step)
        return found

    def _definition(self, name: str) -> Any:
        return self.schema["$defs"][name] if isinstance(self.schema, dict) else None


def _referred(here: Any, step: str, following: str) -> str:
    """Gives the definition in which a step is to be looked for; none where it is at hand.

    A list may stand beside the reference too: the one that is long enough is meant.
    """
    if not isinstance(here, dict):
        return ""
    listed = here.get(step)
    counted = isinstance(listed, list) and following.isdecimal()
    if step in here and not (counted and int(following) >= len(here[step])):
        return ""
    reference = here.get("$ref")
    return reference.removeprefix("#/$defs/") if isinstance(reference, str) else ""


def _under(here: Any, step: str) -> Any:
    if isinstance(here, list):
        return here[int(step)] if int(step) < len(here) else None
    return here.get(step) if isinstance(here, dict) else None
