"""How much one comparison may cost, counted in steps so that the answer never depends on time."""

from __future__ import annotations

from typing import Final

from toolsync.allowance import Allowance
from toolsync.schema.proof.values import Undecidable

EXCEEDED: Final = "the comparison needs more steps than its budget"
USED_UP: Final = "the budget of the whole diff is used up"


class Budget:
    """Counts steps down; one step costs some microseconds."""

    __slots__ = ("_granted", "_noted", "_reason", "left")

    def __init__(self, steps: int) -> None:
        self.left = self._granted = steps
        self._reason = EXCEEDED
        self._noted = 0

    def spend(self, steps: int = 1) -> None:
        """Takes steps off.

        Raises:
            Undecidable: none are left.
        """
        self.left -= steps
        if self.left < 0:
            raise Undecidable(self._reason)

    def note(self, steps: int) -> None:
        """Counts steps that have a bound of their own, and so only weigh on an allowance."""
        self._noted += steps

    def refill(self, steps: int, allowance: Allowance | None) -> None:
        """Grants steps, of an allowance no more than are left."""
        short = allowance is not None and allowance.left < steps
        self._reason = USED_UP if short else EXCEEDED
        self.left = self._granted = allowance.left if allowance and short else steps

    def settle(self, allowance: Allowance) -> None:
        """Takes off an allowance what was used since the last time."""
        left = max(self.left, 0)
        allowance.charge(self._granted - left + self._noted)
        self._granted, self._noted = left, 0
