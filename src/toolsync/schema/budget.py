"""How much one comparison may cost, counted in steps so that the answer never depends on time."""

from __future__ import annotations

from toolsync.schema.values import Undecidable


class Budget:
    """Counts steps down; one step costs some microseconds."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Takes steps off.

        Raises:
            Undecidable: none are left.
        """
        self.left -= steps
        if self.left < 0:
            raise Undecidable("the comparison needs more steps than its budget")
