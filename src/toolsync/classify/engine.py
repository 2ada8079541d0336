"""What the judge asks of the reasoning about schemas, loaded only when asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from toolsync.classify.openness import Touch, relaxed
from toolsync.classify.ruling import Reading
from toolsync.model import ABSENT
from toolsync.rules import SchemaSide

if TYPE_CHECKING:  # what it names is loaded where schemas differ, and not before
    from toolsync.allowance import Allowance
    from toolsync.schema import Comparison, Containment
    from toolsync.schema.readings.reading import Mode


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

    def perhaps(self) -> Containment:
        """Answers as `harmless` does, but a "no" is not confirmed for new: who uses it does so."""
        return self._promise.contained() if self._promise else self._alike.contained("left")

    def equivalent(self) -> bool:
        """Tells, where it is harmless, whether both describe the same, read alike."""
        if self._promise is not None and self._alike.contained("neither").answer != "yes":
            return False
        return self._alike.reverse("neither").answer == "yes"  # nobody is told of a witness


class Engine:
    """Containment as one side of a tool needs it; what it read for one question, it knows."""

    __slots__ = ("_alike", "_promises", "_reading", "_side")

    def __init__(
        self, side: SchemaSide, reading: Reading, allowance: Allowance | None = None
    ) -> None:
        from toolsync.schema.proof.sides import Sides  # noqa: PLC0415  only where schemas differ

        self._side = side
        self._reading = reading
        self._alike = Sides(allowance)
        self._promises = Sides(allowance) if side == "output" else self._alike

    def both_ways(self, old: Any, new: Any) -> Question:
        """Asks about two schemas, to be answered in both directions."""
        from toolsync.schema import Comparison  # noqa: PLC0415

        alike = Comparison(old, new, self._reading, among=self._alike)
        return Question(alike, None if self._side == "input" else self._promised(old, new))

    def harmless(self, old: Any, new: Any) -> Containment:
        """Answers whether nobody who relied on old is hurt by new."""
        return self.both_ways(old, new).harmless()

    def _promised(self, old: Any, new: Any) -> Comparison:
        from toolsync.schema import Comparison  # noqa: PLC0415

        return Comparison(new, old, self._reading, new_reading="open", among=self._promises)

    def undeclared(
        self, old: Any, new: Any, touches: Sequence[Touch]
    ) -> Literal["less", "more", "same"]:
        """Tells how new treats undeclared names where all that old declares is taken.

        `touches` says what the changes are known for. A reader ignores such names: for one,
        they are never less.
        """
        how = self._marked(old, new) if "ask" in touches else _known(touches)
        return "more" if how == "less" and self._side == "output" else how

    def _marked(self, old: Any, new: Any) -> Literal["less", "more", "same"]:
        from toolsync.schema import Comparison  # noqa: PLC0415

        found = Comparison(old, new, "marked", among=self._alike)
        if found.contained("neither").answer == "no":
            return "less"
        return "same" if found.reverse("neither").answer == "yes" else "more"

    def beyond_silence(self, old: Any, new: Any, known: Any) -> Containment:
        """Looks for a call that is hurt though silence of neither side let it in, or keeps it out.

        `known` is one that is hurt somehow. A "no" is confirmed for the schemas as they are
        read here. A reader has no such silence.
        """
        from toolsync.schema import Containment  # noqa: PLC0415
        from toolsync.schema.proof.contain import takes  # noqa: PLC0415

        if self._side == "output" or takes(old, known, "closed", self._alike).answer == "yes":
            return Containment("unknown", reason="what is known serves")
        found = self._between(old, "closed", new, "marked", new)
        if found.answer == "yes":
            found = self._between(old, "express", new, "open", new)
            if found.answer == "no":
                found = self._between(old, "express", new, "open", relaxed(new, old))
        return found

    def _between(
        self, old: Any, reading: Mode, new: Any, new_reading: Mode, read: Any
    ) -> Containment:
        """Compares old with what is to be read for new."""
        from toolsync.schema import Comparison, Containment  # noqa: PLC0415

        sides = Comparison(old, read, reading, new_reading=new_reading, among=self._alike)
        found = sides.contained("neither")
        if found.answer == "no" and not self.hurts(old, new, found.witness):
            return Containment("unknown", reason="a witness that does not hold")
        return found

    def hurts(self, old: Any, new: Any, value: Any) -> bool:
        """Tells whether a value proves that new hurts who relied on old."""
        if self._side == "input":
            return self.accepts(old, value) is True and self.accepts(new, value) is False
        from toolsync.schema.proof.contain import takes  # noqa: PLC0415

        promised = takes(old, value, "open", self._promises).answer == "no"
        return promised and self.accepts(new, value) is True

    def proves(self, witness: Any, new: Any) -> bool:
        """Tells whether a witness, found against something milder, is one against new too."""
        return self.accepts(new, witness) is (self._side == "output")

    def sample(self, schema: Any, names: Sequence[str] = ()) -> Any:
        """Returns a value that a schema accepts, as it is read here, or ABSENT.

        `names` are members that it declares and that the value is to have.
        """
        from toolsync.schema.proof.contain import sample  # noqa: PLC0415

        found = sample(schema, self._reading, self._promises, names)
        return found.witness if found.answer == "no" else ABSENT

    def accepts(self, schema: Any, value: Any) -> bool | None:
        """Tells whether a schema, as it is read here, accepts a value; None where unknown."""
        from toolsync.schema.proof.contain import takes  # noqa: PLC0415

        found = takes(schema, value, self._reading, self._promises)
        return {"yes": True, "no": False}.get(found.answer)

    def guessed(self, old: Any, new: Any, value: Any) -> Containment | None:
        """Returns the answer that new hurts who relied on old, if a guessed value proves it."""
        from toolsync.schema.proof.contain import breaks  # noqa: PLC0415

        found = breaks(old, new, value, self._reading, self._alike)
        return found if found.answer == "no" else None


def _known(touches: Sequence[Touch]) -> Literal["less", "more", "same"]:
    if "less" in touches:
        return "less"
    return "more" if "more" in touches else "same"


def matches(pattern: str, text: str) -> bool:
    """Tells whether a pattern surely matches a text."""
    from toolsync.schema.proof.contain import takes  # noqa: PLC0415  rare
    from toolsync.schema.proof.sides import Sides  # noqa: PLC0415

    schema = {"type": "string", "pattern": pattern}
    return takes(schema, text, "open", Sides()).answer == "yes"
