"""What OpenAI's strict mode wants of a schema besides what OpenAI always wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from toolsync.lint.places import Place
from toolsync.lint.profiles import STRICT_FORMATS, STRICT_LIMITS, STRICT_UNKNOWN
from toolsync.lint.remark import Remark
from toolsync.safe import named

_MANY: Final = 250
_LONG: Final = 15_000
_NAMING: Final = ("properties", "$defs", "definitions")
_SIZE: Final = "openai-strict-size"


def open_object(place: Place) -> Iterator[Remark]:
    """Looks for objects that take properties nobody named."""
    is_object = "object" in place.types or "properties" in place.keywords
    if is_object and place.keywords.get("additionalProperties") is not False:
        yield Remark(place.at(), "openai-strict-open", "expected `additionalProperties: false`")


def optional(place: Place) -> Iterator[Remark]:
    """Looks for properties that may be left out."""
    required = set(place.keywords.get("required", ()))
    for name in place.keywords.get("properties", ()):
        if name not in required:
            reason = f"expected {named(name)} in `required`"
            yield Remark(place.at("properties", name), "openai-strict-optional", reason)


def keyword(place: Place) -> Iterator[Remark]:
    """Looks for combinators other than `anyOf`."""
    for each in STRICT_UNKNOWN:
        if each in place.keywords:
            yield Remark(place.at(each), "openai-strict-keyword", f"expected no `{each}`")


def format_(place: Place) -> Iterator[Remark]:
    """Looks for formats that strict mode does not know."""
    told = place.keywords.get("format", "date")
    if told not in STRICT_FORMATS:
        reason = f"expected one of {', '.join(sorted(STRICT_FORMATS))}, got {named(told)}"
        yield Remark(place.at("format"), "openai-strict-format", reason)


def size(all_places: Iterable[Place]) -> Iterator[Remark]:
    """Holds a whole schema against the limits."""
    counted: Counter[str] = Counter()
    for place in all_places:
        yield from _count(place, counted)
    for what, most in STRICT_LIMITS.items():
        if counted[what] > most:
            reason = f"expected at most {most:,} {what}, got {counted[what]:,}"
            yield Remark("/inputSchema", _SIZE, reason)


def _count(place: Place, counted: Counter[str]) -> Iterator[Remark]:
    schema = place.keywords
    values, const = schema.get("enum", ()), schema.get("const")
    texts = [each for each in values if isinstance(each, str)]
    names = chain.from_iterable(schema.get(each, ()) for each in _NAMING)
    length = sum(map(len, texts))
    counted["properties"] += len(schema.get("properties", ()))
    counted["enum values"] += len(values)
    counted["characters of names and enum values"] += (
        length + sum(map(len, names)) + (len(const) if isinstance(const, str) else 0)
    )
    deepest = place.level + ("object" in place.types)
    counted["nested levels"] = max(counted["nested levels"], deepest)
    if len(texts) > _MANY and length > _LONG:
        reason = f"expected at most {_LONG:,} characters in an enum of over {_MANY}, got {length:,}"
        yield Remark(place.at("enum"), _SIZE, reason)
