"""Names that people, and models, take for one another: the letters differ, the look does not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

# In most fonts; case and accents are seen, and so is `-` for `_`.
_ASCII: Final = str.maketrans("01I|", "Olll")
_OTHER: Final = str.maketrans(
    "аеорсухкіјѕһԁԛԝӏӀАВЕЅІЈКМНОРСТХУҮԚԜ"  # Cyrillic
    "οαινρυκγϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"  # Greek
    "օսհոցզյ"  # Armenian
    "ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ"  # Cherokee
    "ıɑɡ‐‑‒–—−",
    "aeopcyxkijshdqwllABESlJKMHOPCTXYYQW"
    "oaivpukycjABEZHlKMNOPTYX"
    "ouhngqj"
    "ABCDEGHJKLMPRSTVWZ"
    "iag------",
)
_UNSEEN: Final = frozenset(("Cc", "Cf", "Mn", "Zl", "Zp"))


class Likeness:
    """Some names, by what they look like."""

    __slots__ = ("_looks",)

    def __init__(self, names: Iterable[str]) -> None:
        every = list(dict.fromkeys(names))
        looks: dict[str, list[str]] = {}
        for look, name in zip(_looks(every), every, strict=True):
            looks.setdefault(look, []).append(name)
        self._looks = looks

    def twin(self, name: str) -> str | None:
        """Returns the first of the other names that looks like this one."""
        alike = self._looks.get(_look(name), ())
        return next((other for other in alike if other != name), None)


def _looks(names: list[str]) -> list[str]:
    joined = "\n".join(names)
    if joined.isascii() and joined.count("\n") == len(names) - 1:
        return _plain(joined).split("\n")  # thousands of names at once
    return [_look(name) for name in names]


def _look(name: str) -> str:
    return _plain(name if name.isascii() else _latin(name))


def _plain(text: str) -> str:
    return text.translate(_ASCII).replace("rn", "m").replace("vv", "w")


def _latin(name: str) -> str:
    composed = unicodedata.normalize("NFKC", name)
    seen = "".join(char for char in composed if unicodedata.category(char) not in _UNSEEN)
    return seen.translate(_OTHER)
