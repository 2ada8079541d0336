"""The normal form: conditions on one JSON value.

A `Shape` holds for every kind of value what its keywords ask, the other nodes
are the Boolean connectives. They are made by a `table.Table`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from toolsync.schema.proof.place import Place
from toolsync.schema.proof.values import (
    ANYTHING,
    ARRAY,
    BOOLEAN,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    Exact,
    Undecidable,
    kind_of,
)

if TYPE_CHECKING:
    from toolsync.schema.language.regular import Language


class Pattern:
    """One pattern; its language is made once a text is held against it."""

    __slots__ = ("_language", "reason", "text")

    def __init__(self, text: str) -> None:
        from toolsync.schema.language.recalled import irregularity  # noqa: PLC0415  patterns are rare

        self.text = text
        self.reason = irregularity(text)
        """Why automata cannot express it; empty where they can."""
        self._language: Language | None = None

    @property
    def language(self) -> Language | None:
        """The texts that it matches; None where automata cannot express it."""
        if self._language is None and not self.reason:
            from toolsync.schema.language.regular import Language  # noqa: PLC0415  patterns are rare

            self._language = Language(self.text)
        return self._language

    def matches(self, text: str) -> bool:
        """Tells whether the pattern is found in a text.

        Raises:
            Undecidable: only a backtracking engine could tell, and it might not end.
        """
        if self.language is None:
            raise Undecidable(f"pattern: {self.reason}")
        from toolsync.schema.language.regular import TooLarge  # noqa: PLC0415  patterns are rare

        try:
            return self.language.matches(text)
        except TooLarge as stop:
            raise Undecidable(str(stop)) from None


class Numbers(NamedTuple):
    """Bounds of a number, and what it is a multiple of."""

    low: Exact | None = None
    high: Exact | None = None
    low_open: bool = False
    high_open: bool = False
    multiples: tuple[Exact, ...] = ()


class Texts(NamedTuple):
    """Lengths of a text, and patterns found in it.

    `hint` is the `format`: it refuses nothing, but a witness had better keep it.
    """

    least: int = 0
    most: int | None = None
    patterns: tuple[Pattern, ...] = ()
    hint: str | None = None


class Rule(NamedTuple):
    """A condition on members whose name matches all of `inside` and is excluded by nothing."""

    inside: tuple[Pattern, ...]
    names: frozenset[str]
    outside: tuple[Pattern, ...]
    node: Node

    def applies(self, name: str) -> bool:
        """Tells whether members of this name must fulfil the condition."""
        if name in self.names:
            return False
        return all(each.matches(name) for each in self.inside) and not any(
            each.matches(name) for each in self.outside
        )


class Objects(NamedTuple):
    """Members by name, rules for other members, and how many there are."""

    members: tuple[tuple[str, Node], ...] = ()
    rules: tuple[Rule, ...] = ()
    required: tuple[str, ...] = ()
    least: int = 0
    most: int | None = None
    names: Node | None = None


class Contains(NamedTuple):
    """Between `least` and `most` items fulfil the condition."""

    node: Node
    least: int
    most: int | None


class Arrays(NamedTuple):
    """Items by position, the items behind them, and how many there are."""

    prefix: tuple[Node, ...] = ()
    rest: Node | None = None
    contains: tuple[Contains, ...] = ()
    least: int = 0
    most: int | None = None
    unique: bool = False


class Node:
    """A condition on a value.

    `may` holds the kinds of which some value may be accepted, `full` those of
    which every value is; both are safe guesses, wide and narrow. `number` counts
    the nodes of a table in the order of their making.
    """

    __slots__ = ("full", "may", "number", "where")

    may: int
    full: int
    number: int
    where: Place | None


class Shape(Node):
    """All of: one of some kinds, one of some values, each kind's keywords, further nodes."""

    __slots__ = ("arrays", "enum", "mask", "negations", "numbers", "objects", "parts", "texts")

    def __init__(  # noqa: PLR0913, PLR0917 - one argument for each kind of value
        self,
        mask: int = ANYTHING,
        enum: dict[str, Any] | None = None,
        numbers: Numbers | None = None,
        texts: Texts | None = None,
        arrays: Arrays | None = None,
        objects: Objects | None = None,
        parts: tuple[Node, ...] = (),
    ) -> None:
        self.mask = mask
        self.enum = enum
        self.numbers = numbers
        self.texts = texts
        self.arrays = arrays
        self.objects = objects
        self.parts = parts
        self.where = None
        self.negations: dict[int, list[Any]] = {}
        self.may, self.full = self._kinds()

    def _kinds(self) -> tuple[int, int]:
        may = full = self.mask
        for part in self.parts:
            may &= part.may
            full &= part.full
        if self.enum is not None:
            found = 0
            for value in self.enum.values():
                found |= kind_of(value)
            may &= found
            full &= (NULL if "N" in self.enum else 0) | (
                BOOLEAN if "T" in self.enum and "F" in self.enum else 0
            )
        for atom, kinds in self.atoms():
            if atom is not None:
                full &= ~kinds
        return may, full

    def atoms(self) -> tuple[tuple[Any, int], ...]:
        """Lists the keywords of each kind, with that kind."""
        return (
            (self.numbers, NUMBER),
            (self.texts, STRING),
            (self.arrays, ARRAY),
            (self.objects, OBJECT),
        )

    def atom(self, kind: int) -> Any:
        """Gives the keywords for values of one kind, None where they are free."""
        if kind & NUMBER:
            return self.numbers
        if kind == OBJECT:
            return self.objects
        if kind == STRING:
            return self.texts
        return self.arrays if kind == ARRAY else None


class AnyOf(Node):
    """At least one branch accepts."""

    __slots__ = ("branches",)

    def __init__(self, branches: tuple[Node, ...]) -> None:
        self.branches = branches
        self.where = None
        self.may = self.full = 0
        for each in branches:
            self.may |= each.may
            self.full |= each.full


class OneOf(Node):
    """Exactly one branch accepts."""

    __slots__ = ("branches",)

    def __init__(self, branches: tuple[Node, ...]) -> None:
        self.branches = branches
        self.where = None
        self.may = self.full = 0
        twice = 0
        for each in branches:
            twice |= self.may & each.may
            self.may |= each.may
            self.full |= each.full
        self.full &= ~twice


class Not(Node):
    """The inner node refuses."""

    __slots__ = ("inner",)

    def __init__(self, inner: Node) -> None:
        self.inner = inner
        self.where = inner.where
        self.may = ANYTHING & ~inner.full
        self.full = ANYTHING & ~inner.may


class If(Node):
    """`then` where `test` accepts, `other` where it does not."""

    __slots__ = ("other", "test", "then")

    def __init__(self, test: Node, then: Node, other: Node) -> None:
        self.test = test
        self.then = then
        self.other = other
        self.where = None
        self.may = (test.may & then.may) | (other.may & ~test.full)
        self.full = then.full & other.full


class Link(Node):
    """A step of a recursion; `target` is set once it is known."""

    __slots__ = ("target",)

    def __init__(self) -> None:
        self.target: Node | None = None
        self.where = None
        self.may = ANYTHING
        self.full = 0


class Opaque(Node):
    """A condition that is not understood; the same one is still equal to itself."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.where = None
        self.may = ANYTHING
        self.full = 0
