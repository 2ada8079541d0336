"""Texts: lengths, patterns and exceptions."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolsync.schema.proof.nodes import Pattern, Texts
from toolsync.schema.proof.search import Found, Outcome, Search, Stuck
from toolsync.schema.proof.values import Undecidable, key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from toolsync.schema.language.recalled import Searched
    from toolsync.schema.language.regular import Language

MAX_LENGTH: Final = 20_000
MAX_EXCEPTIONS: Final = 24
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
# What patterns that automata cannot express are tried on.
_SAMPLES: Final = ("", "a", "aa", "ab", "A", "0", "1", "12", "a1", "A1", "aA1", "-", "_", " ", "é")


# One text of each format: it asserts nothing, but a witness that breaks it would mislead.
_FORMATS: Final = {
    "date": ("2000-01-01",),
    "date-time": ("2000-01-01T00:00:00Z",),
    "duration": ("P1D",),
    "email": ("a@example.com", "a@b.co"),
    "hostname": ("example.com", "a"),
    "idn-email": ("a@example.com", "a@b.co"),
    "idn-hostname": ("example.com", "a"),
    "ipv4": ("192.0.2.1",),
    "ipv6": ("2001:db8::1", "::"),
    "iri": ("https://example.com/", "a:b"),
    "iri-reference": ("https://example.com/", "a:b", "a"),
    "json-pointer": ("/a", ""),
    "regex": ("a", ""),
    "relative-json-pointer": ("0",),
    "time": ("00:00:00Z",),
    "uri": ("https://example.com/", "a:b"),
    "uri-reference": ("https://example.com/", "a:b", "a"),
    "uri-template": ("/{a}", "a"),
    "uuid": ("00000000-0000-4000-8000-000000000000",),
}


class NotFound(NamedTuple):
    """The pattern is not found in the text."""

    pattern: Pattern


def refusals(atom: Texts) -> list[Any]:
    """Lists the conditions of which one holds where a text breaks its keywords."""
    ways: list[Any] = []
    if atom.least:
        ways.append(Texts(most=atom.least - 1))
    if atom.most is not None:
        ways.append(Texts(least=atom.most + 1))
    return ways + [NotFound(each) for each in atom.patterns]


class State:
    """The conditions on one text."""

    __slots__ = ("_excluded", "_hints", "_least", "_most", "_patterns", "_search")

    def __init__(self, search: Search, kind: int) -> None:
        del kind
        self._search = search
        self._least = 0
        self._most: int | None = None
        self._patterns: dict[Pattern, bool] = {}
        self._excluded: dict[str, Any] = {}
        self._hints: dict[str, None] = {}

    def copy(self) -> Self:
        """Gives an independent copy."""
        made = object.__new__(type(self))
        made._search = self._search
        made._least, made._most = self._least, self._most
        made._patterns = self._patterns.copy()
        made._excluded = self._excluded.copy()
        made._hints = self._hints.copy()
        return made

    def add(self, condition: Any) -> bool:
        """Takes one more condition; False where it clashes at once."""
        if isinstance(condition, NotFound):
            return self._patterns.setdefault(condition.pattern, False) is False
        if not isinstance(condition, Texts):
            self._excluded.update(
                (each, value) for each, value in condition.values.items() if isinstance(value, str)
            )
            return True
        self._least = max(self._least, condition.least)
        if condition.hint is not None:
            self._hints[condition.hint] = None
        if condition.most is not None:
            self._most = min(
                condition.most, self._most if self._most is not None else condition.most
            )
        clash = [self._patterns.setdefault(each, True) is False for each in condition.patterns]
        return not any(clash) and (self._most is None or self._least <= self._most)

    def judge(self, condition: Any) -> int:
        """Tells whether a condition leaves nothing (0) or is open (1)."""
        trial = self.copy()
        return 1 if trial.add(condition) and trial.solve() is not None else 0

    def solve(self) -> Outcome:
        """Finds a text, or proves that there is none."""
        if self._least > MAX_LENGTH:
            return Stuck("minLength: a text longer than is built")
        hinted = self._hinted()
        if hinted is not None:
            return hinted
        unclear = [each for each in self._patterns if each.reason]
        if unclear:
            return self._guess(unclear[0])
        if self._patterns:
            return self._by_automata()
        for text in _plain_texts(self._least, self._most):
            if not self._excluded or key(text) not in self._excluded:
                return Found(text)
        return None

    def _hinted(self) -> Outcome:
        """Finds a text of the wanted format, if a plain one will do."""
        known = [_FORMATS[each] for each in self._hints if each in _FORMATS]
        for text in known[0] if known else ():
            if all(text in each for each in known) and self._fits(text):
                return Found(text)
        return Stuck("format: no text is known for these together") if len(known) > 1 else None

    def _known(self) -> list[tuple[Language, bool]]:
        return [(each.language, on) for each, on in self._patterns.items() if each.language]

    def _by_automata(self) -> Outcome:
        from toolsync.schema.language.recalled import recalled  # noqa: PLC0415  rare
        from toolsync.schema.language.regular import Language, TooLarge  # noqa: PLC0415  rare

        self._search.budget.spend(10)
        if not self._excluded:
            asked = tuple((each.text, on) for each, on in self._patterns.items())
            return self._settled(recalled(asked, self._least, self._most))
        wanted = self._known()
        try:
            texts = [text for text in self._excluded.values() if _meets(wanted, text)]
            if len(texts) > MAX_EXCEPTIONS:
                return Stuck("pattern: beside too many excluded texts")
            wanted += [(Language.exactly(text), False) for text in texts]
            found = self._find(wanted)
        except TooLarge as stop:
            return Stuck(f"pattern: {stop}")
        return None if found is None else Found(found)

    def _settled(self, met: Searched) -> Outcome:
        """Takes what was found, perhaps for another schema, as dearly as if it were found anew."""
        self._search.budget.note(met.work // 4)
        self._search.budget.spend(met.steps)
        if met.stop:
            return Stuck(f"pattern: {met.stop}")
        return None if met.text is None else Found(met.text)

    def _find(self, wanted: list[tuple[Language, bool]]) -> str | None:
        from toolsync.schema.language.regular import find  # noqa: PLC0415  rare

        budget = self._search.budget
        before = sum(each.work for each, _ in wanted)
        try:
            return find(wanted, self._least, self._most, budget.spend)
        finally:
            budget.note((sum(each.work for each, _ in wanted) - before) // 4)

    def _guess(self, unclear: Pattern) -> Outcome:
        """Tries some texts where a pattern is beyond automata; finding none proves nothing."""
        from toolsync.schema.language.regular import TooLarge  # noqa: PLC0415  rare

        try:
            if self._known() and self._find(self._known()) is None:
                return None
        except TooLarge:
            pass
        for text in self._candidates(unclear):
            if self._fits(text):
                return Found(text)
        return Stuck(f"pattern: {unclear.reason}")

    def _candidates(self, unclear: Pattern) -> Iterator[str]:
        yield from _SAMPLES
        letters = [each for each in unclear.text if each.isalnum()][:6]
        for length in (1, 2, 3):
            for chars in product([*letters, "a", "1", "-"], repeat=length):
                yield "".join(chars)
        yield unclear.text
        for length in (self._least, self._most or 0):
            if 0 < length <= 64:
                yield from ("a" * length, "1" * length)

    def _fits(self, text: str) -> bool:
        self._search.budget.spend()
        if len(text) < self._least or (self._most is not None and len(text) > self._most):
            return False
        if key(text) in self._excluded:
            return False
        try:
            return all(each.matches(text) == on for each, on in self._patterns.items())
        except Undecidable:
            return False


def _meets(wanted: list[tuple[Language, bool]], text: str) -> bool:
    return all(language.matches(text) == on for language, on in wanted)


def _plain_texts(least: int, most: int | None) -> Iterator[str]:
    """Lists distinct texts within two lengths; far more than any list of exceptions holds."""
    if least == 0:
        yield ""
    if most == 0:
        return
    base = "a" * (max(least, 1) - 1)
    for letter in _LETTERS:
        yield base + letter
    for point in range(0x100, 0x110000):
        if not 0xD800 <= point <= 0xDFFF:
            yield base + chr(point)
