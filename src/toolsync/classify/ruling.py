"""What a judge says of one difference."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from toolsync.model import ABSENT, Level

Reading = Literal["declared", "open"]


class Ruling(NamedTuple):
    """The level of one difference in the whole of its schema, why, and the proof of a break.

    `rewritten` is the place that accepts what it accepted, however that is written now.
    """

    level: Level
    why: str = ""
    witness: Any = ABSENT
    rewritten: tuple[str, ...] | None = None


class Judgement(NamedTuple):
    """The rulings on the differences of one schema, in their order.

    `whole` is there where no single difference explains what all of them do.
    """

    rulings: tuple[Ruling, ...]
    whole: Ruling | None = None
