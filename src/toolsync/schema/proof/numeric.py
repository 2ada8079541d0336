"""Numbers: bounds, multiples and exceptions, in exact rationals."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, gcd, lcm
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolsync.schema.proof.nodes import Numbers
from toolsync.schema.proof.search import Found, Outcome, Search, Stuck
from toolsync.schema.proof.values import INTEGER, Exact, Undecidable, key, plain

if TYPE_CHECKING:
    from typing import Self

MAX_TRIES: Final = 4_000
MAX_BITS: Final = 20_000


class NotMultiple(NamedTuple):
    """Not a multiple of `step`."""

    step: Exact


def refusals(atom: Numbers) -> list[Any]:
    """Lists the conditions of which one holds where a number breaks its keywords."""
    ways: list[Any] = []
    if atom.low is not None:
        ways.append(Numbers(high=atom.low, high_open=not atom.low_open))
    if atom.high is not None:
        ways.append(Numbers(low=atom.high, low_open=not atom.high_open))
    return ways + [NotMultiple(step) for step in atom.multiples]


class State:
    """The conditions on one number that is whole, or on one that is not."""

    __slots__ = (
        "_excluded",
        "_high",
        "_high_open",
        "_low",
        "_low_open",
        "_not",
        "_steps",
        "_whole",
    )

    def __init__(self, search: Search, kind: int) -> None:
        self._whole = kind == INTEGER
        limit = search.limit
        self._low: Exact | None = None if limit is None else -limit
        self._high: Exact | None = limit
        self._low_open = self._high_open = False
        self._steps: tuple[Exact, ...] = (1,) if self._whole else ()
        self._not: tuple[Exact, ...] = () if self._whole else (1,)
        self._excluded: tuple[dict[str, Any], ...] = ()

    def copy(self) -> Self:
        """Gives an independent copy."""
        made = object.__new__(type(self))
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        return made

    def add(self, condition: Any) -> bool:
        """Takes one more condition; False where it clashes at once."""
        if isinstance(condition, NotMultiple):
            self._not += (condition.step,)
        elif isinstance(condition, Numbers):
            self._tighten(condition)
            self._steps += condition.multiples
        else:
            self._excluded += (condition.values,)
        return not self._crossed()

    def _tighten(self, bounds: Numbers) -> None:
        low, high = bounds.low, bounds.high
        if low is not None and (self._low is None or low > self._low):
            self._low, self._low_open = low, bounds.low_open
        elif low is not None and low == self._low:
            self._low_open = self._low_open or bounds.low_open
        if high is not None and (self._high is None or high < self._high):
            self._high, self._high_open = high, bounds.high_open
        elif high is not None and high == self._high:
            self._high_open = self._high_open or bounds.high_open

    def _crossed(self) -> bool:
        if self._low is None or self._high is None:
            return False
        touching = self._low == self._high and (self._low_open or self._high_open)
        return self._low > self._high or touching

    def judge(self, condition: Any) -> int:
        """Tells whether a condition leaves nothing (0) or is open (1)."""
        trial = self.copy()
        return 1 if trial.add(condition) and trial.solve() is not None else 0

    def solve(self) -> Outcome:
        """Finds a number, or proves that there is none."""
        if self._steps:
            return self._on_grid(_common(self._steps))
        return self._between()

    def _allowed(self, number: Exact) -> Any:
        """Gives the JSON number, or None where a condition or JSON itself rules it out."""
        if any(number % each == 0 for each in self._not):
            return None
        value = plain(number)
        if value is None or any(key(value) in each for each in self._excluded):
            return None
        return value

    def _on_grid(self, step: Exact) -> Outcome:
        if any(step % each == 0 for each in self._not):
            return None
        low, high = self._range(step)
        for tried, index in enumerate(_outward(low, high)):
            value = self._allowed(index * step)
            if value is not None:
                return Found(value)
            if tried > MAX_TRIES:
                return Stuck("multipleOf: too many multiples to look through")
        return None if self._whole else self._unspelt(low, high)

    def _unspelt(self, low: int | None, high: int | None) -> Outcome:
        """Separates "there is no multiple" from "none that a double can hold"."""
        empty = low is not None and high is not None and low > high
        return None if empty else Stuck("multipleOf: no multiple that JSON can hold was found")

    def _range(self, step: Exact) -> tuple[int | None, int | None]:
        low = high = None
        if self._low is not None:
            low = ceil(Fraction(self._low) / step)
            low += self._low_open and low * step == self._low
        if self._high is not None:
            high = floor(Fraction(self._high) / step)
            high -= self._high_open and high * step == self._high
        return low, high

    def _between(self) -> Outcome:
        """Finds a number with a fraction where no grid binds it: short decimals first."""
        if self._low is not None and self._low == self._high:
            value = self._allowed(self._low)
            if value is not None:
                return Found(value)
            return None if plain(self._low) is not None else Stuck("a number that no double holds")
        for digits in range(1, 20):
            step = Fraction(1, 10**digits)
            low, high = self._range(step)
            for tried, index in enumerate(_outward(low, high)):
                value = self._allowed(index * step)
                if value is not None:
                    return Found(value)
                if tried > 60:
                    break
        return Stuck("no decimal was found between two bounds")


def _outward(low: int | None, high: int | None) -> Iterator[int]:
    """Walks a range from zero if that is in it, else from the bound next to zero."""
    if (low is None or low <= 0) and (high is None or high >= 0):
        yield 0
        distance = 1
        while True:
            up, down = high is None or distance <= high, low is None or -distance >= low
            if up:
                yield distance
            if down:
                yield -distance
            if not up and not down:
                return
            distance += 1
    step = 1 if low is not None and low > 0 else -1
    start, end = (low, high) if step > 0 else (high, low)
    assert start is not None  # noqa: S101 - the bound on zero's side
    while end is None or start * step <= end * step:
        yield start
        start += step


def _common(steps: tuple[Exact, ...]) -> Exact:
    """Gives the step of the numbers that are multiples of all steps."""
    top, bottom = 1, 0
    for step in steps:
        top = lcm(top, step.numerator)
        bottom = gcd(bottom, step.denominator)
        if top.bit_length() > MAX_BITS:
            raise Undecidable("multipleOf: steps with too many digits to combine")
    return top if bottom == 1 else Fraction(top, bottom)
