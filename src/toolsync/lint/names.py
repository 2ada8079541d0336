"""Names that are too near to each other: for a model, for a reader, or once they are cut."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from toolsync.lint.profiles import Names
from toolsync.lint.remark import Remark
from toolsync.safe import named

RULES: Final = {
    "name-case": "Two names differ only in case.",
    "name-near": "Two names look the same.",
}
"""What is doubtful about a set of names, with its reason."""

# Letters that pass for others, in most typefaces: ASCII first, then Cyrillic and Greek.
_LOOKS: Final = str.maketrans(
    "01IаеорсухіјѕһԁɡαορινАВЕКМНОРСТУХІЈЅΑΒΕΗΙΚΜΝΟΡΤΥΧΖ",
    "ollaeopcyxijshdgaopivABEKMHOPCTYXlJSABEHlKMNOPTYXZ",
)
_NOT_TAKEN: Final = re.compile(r"[^A-Za-z0-9_-]")


def name_remarks(names: Iterable[str]) -> Iterator[tuple[str, Remark]]:
    """Yields each name that can be taken for an earlier one, with what is to be said of it."""
    known = list(names)
    cased = dict(_pairs(known, str.casefold))
    for name, other in cased.items():
        reason = f"expected a name that differs in more than case, got one like {named(other)}"
        yield name, Remark("/name", "name-case", reason)
    for name, other in _pairs(known, _look):
        if name not in cased:
            reason = f"expected a name that looks its own, got one like {named(other)}"
            yield name, Remark("/name", "name-near", reason)


def colliding(names: Iterable[str], taken: Names) -> Iterator[tuple[str, str]]:
    """Yields each name that is another once it is cleaned and cut, and that other one."""
    return _pairs(names, lambda name: _NOT_TAKEN.sub("_", name)[: taken.longest])


def _pairs(names: Iterable[str], key: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(key(name), name)
        if other != name:
            yield name, other


def _look(name: str) -> str:
    # Once more after folding case: a capital I looks like an l, a small i does not.
    return unicodedata.normalize("NFKC", name).translate(_LOOKS).casefold().translate(_LOOKS)
