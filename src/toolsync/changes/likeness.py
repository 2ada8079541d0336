"""Names that people, and models, take for one another: the letters differ, the look does not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
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


def twins(names: Sequence[str], among: Iterable[str]) -> dict[str, str]:
    """Returns, for each of the names that looks like another one, the first such other name."""
    if not names:
        return {}
    looks = dict(zip(names, _looks(names), strict=True))
    alike: dict[str, list[str]] = {look: [] for look in looks.values()}
    every = [*among]
    for look, other in zip(_looks(every), every, strict=True):
        if look in alike:
            alike[look].append(other)
    found = {name: _first_other(alike[look], name) for name, look in looks.items()}
    return {name: twin for name, twin in found.items() if twin is not None}


def _first_other(names: Iterable[str], name: str) -> str | None:
    return next((each for each in names if each != name), None)


def _looks(names: Sequence[str]) -> list[str]:
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
