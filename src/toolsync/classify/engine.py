"""What the judge asks of the reasoning about schemas, loaded only when asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolsync.classify.ruling import Reading
from toolsync.model import ABSENT
from toolsync.rules import SchemaSide

if TYPE_CHECKING:  # what it names is loaded where schemas differ, and not before
    from toolsync.schema import Comparison, Containment


class Question:
    """Two schemas read once. A caller is not hurt where all old calls are taken by new.

    A reader is not hurt where all results that new declares are what old describes,
    as it is written: that is the `promise`.
    """

    __slots__ = ("_alike", "_promise")

    def __init__(self, alike: Comparison, promise: Comparison | None) -> None:
        self._alike = alike
        self._promise = promise

    def harmless(self) -> Containment:
        """Answers whether nobody who relied on old is hurt by new."""
        return (self._promise or self._alike).contained()

    def equivalent(self) -> bool:
        """Tells, where it is harmless, whether both describe the same, read alike."""
        if self._promise is not None and self._alike.contained().answer != "yes":
            return False
        return self._alike.reverse().answer == "yes"


class Engine:
    """Containment as one side of a tool needs it."""

    __slots__ = ("_reading", "_side")

    def __init__(self, side: SchemaSide, reading: Reading) -> None:
        self._side = side
        self._reading = reading

    def both_ways(self, old: Any, new: Any) -> Question:
        """Asks about two schemas, to be answered in both directions."""
        from toolsync.schema import Comparison  # noqa: PLC0415  only where schemas differ

        alike = Comparison(old, new, self._reading)
        return Question(alike, None if self._side == "input" else self._promised(old, new))

    def harmless(self, old: Any, new: Any) -> Containment:
        """Answers whether nobody who relied on old is hurt by new."""
        return self.both_ways(old, new).harmless()

    def _promised(self, old: Any, new: Any) -> Comparison:
        from toolsync.schema import Comparison  # noqa: PLC0415

        return Comparison(new, old, self._reading, new_reading="open")

    def proves(self, witness: Any, new: Any) -> bool:
        """Tells whether a witness, found against something milder, is one against new too."""
        return self.accepts(new, witness) is (self._side == "output")

    def sample(self, schema: Any) -> Any:
        """Returns a value that a schema accepts, as it is read here, or ABSENT."""
        from toolsync.schema import contained  # noqa: PLC0415

        found = contained(schema, False, reading=self._reading)  # noqa: FBT003  a schema
        return found.witness if found.answer == "no" else ABSENT

    def accepts(self, schema: Any, value: Any) -> bool | None:
        """Tells whether a schema, as it is read here, accepts a value; None where unknown."""
        from toolsync.schema import Comparison  # noqa: PLC0415

        alone = Comparison({"const": value}, schema, "open", new_reading=self._reading)
        found = alone.contained()
        return {"yes": True, "no": False}.get(found.answer)
