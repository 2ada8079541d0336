"""What all comparisons of one diff may cost together, counted in the steps of their budgets."""

from __future__ import annotations

from typing import Final

BASE: Final = 400_000
EACH: Final = 3_000
LATER: Final = 1_000
"""The steps that a whole diff may take, and those that each pair of tools adds to them.

Real catalogues need some hundreds a pair; beyond `MANY` pairs, hard ones are not the rule.
"""

MANY: Final = 1_000


class Allowance:
    """The steps that all questions of one diff share: no catalogue can ask for minutes.

    Common tools use a small part of what they add to it.
    """

    __slots__ = ("left",)

    def __init__(self, pairs: int) -> None:
        self.left = BASE + EACH * min(pairs, MANY) + LATER * max(pairs - MANY, 0)

    @property
    def used_up(self) -> bool:
        """Tells that no question can be answered any more."""
        return self.left <= 0

    def charge(self, steps: int) -> None:
        """Takes steps off."""
        self.left -= steps
