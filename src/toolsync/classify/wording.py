"""Sentences about one difference: where it stands, what was and what is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from toolsync.classify.naming import extras
from toolsync.classify.pointers import POOLS, Pointer, steps, value_place
from toolsync.compare import Difference, spelled
from toolsync.model import ABSENT

_LONGEST: Final = 60  # characters of one value
_MOST: Final = 6  # values in one list
_NULLS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("type", "null"), "null"),
    "anyOf": {"type": "null"},
    "oneOf": {"type": "null"},
}
_WHOLE: Final = {"inputSchema": "the input", "outputSchema": "the result"}
_SIGNS: Final = {
    "items": "[]",
    "contains": "[]",
    "additionalItems": "[]",
    "unevaluatedItems": "[]",
    "additionalProperties": ".*",
    "unevaluatedProperties": ".*",
}


def place(found: Difference) -> str:
    """Returns the place of a difference as people say it: `` `filter.state` ``."""
    path = found.path
    if found.keyword in ("properties", "patternProperties", "withdrawn"):
        return label(path)
    if found.keyword == "rewritten" and path[-2:-1] == ("properties",):
        return label(path)
    if found.keyword in ("dependentRequired", "dependentSchemas"):
        return label(path[:-2])
    if found.keyword == "schema":
        return label(path)
    return label(path[:-1])


def label(path: Pointer) -> str:
    """Returns the name of the subschema at `path`, with the keywords that lead aside."""
    name = ""
    aside: list[str] = []
    for keyword, inner, _ in steps(path):
        if keyword in POOLS and inner is not None:
            name, aside = inner, []
        elif (sign := _sign(keyword, inner)) is not None:
            name += sign if name or sign[0] != "." else sign[1:]
        else:
            aside.append(keyword if inner is None else f"{keyword} {inner}")
    told = f"`{name}`" if name else _WHOLE[path[0]]
    return f"{told} ({', '.join(aside)})" if aside else told


def _sign(keyword: str, inner: str | None) -> str | None:
    if keyword == "properties":
        return None if inner is None else f".{inner}"
    if keyword == "patternProperties":
        return None if inner is None else f"./{inner}/"
    if keyword in ("items", "prefixItems") and inner is not None:
        return f"[{inner}]"
    return _SIGNS.get(keyword)


def value(thing: Any) -> str:
    """Returns a value as JSON, cut where it is long."""
    text = spelled(thing)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def values(things: Iterable[Any]) -> str:
    """Returns some values in a row: `"a", "b" and 3 more`."""
    every = list(things)
    shown = [value(thing) for thing in every[:_MOST]]
    if len(every) > _MOST:
        return f"{', '.join(shown)} and {len(every) - _MOST} more"
    return joined(shown)


def joined(words: list[str]) -> str:
    """Returns words as a list in a sentence."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def step(found: Difference) -> str:
    """Returns what stood at a keyword and what stands there."""
    word = f"`{found.path[-1]}`"
    where = "" if found.side == "tool" else f"{place(found)}: "
    if found.old is ABSENT:
        return f"{where}{word} {value(found.new)} is new"
    if found.new is ABSENT:
        return f"{where}{word} {value(found.old)} is gone"
    return f"{where}{word} is now {value(found.new)} (was {value(found.old)})"


def moved(found: Difference) -> str:
    """Returns what is taken, or told, no longer, and what is now."""
    lost, won = ("no longer takes", "now takes")
    if found.side == "output":
        lost, won = ("is no longer", "may now be")
    if found.keyword == "type" and found.old is ABSENT:
        return f"{lost} anything but {value(found.new)}"
    if found.keyword == "type" and found.new is ABSENT:
        return f"{won} anything"
    if _is_turned(found):
        lost, won = ("no longer names", "now names")
    parts = [f"{lost} {kinds(found, found.gone)}"] if found.gone else []
    if found.came:
        parts.append(f"{won} {kinds(found, found.came)}")
    return " and ".join(parts)


def _is_turned(found: Difference) -> bool:
    """Tells whether what a schema names there is what is not to be, or a condition."""
    path = found.path
    if "not" not in path and "if" not in path:
        return False
    return any(keyword in ("not", "if") for keyword, _, _ in steps(path))


def kinds(found: Difference, things: Iterable[Any]) -> str:
    """Returns values, types or choices in a row, `null` as the value that it is."""
    every = list(things)
    plain = _NULLS.get(found.keyword)
    words = ["null" if each == plain else value(each) for each in every[:_MOST]]
    if found.keyword == "type" and "number" in every and "integer" not in every:
        words[every.index("number")] = "numbers with a fraction"
    return joined(words) if len(every) <= _MOST else values(every)


def definitions(found: Difference) -> str:
    """Returns which definitions came and went."""
    word = "changed, but not in use" if found.keyword == "unused" else "new"
    parts = [f"{values(found.came)} {word}"] if found.came else []
    if found.gone:
        parts.append(f"{values(found.gone)} gone")
    return f"`{found.path[-1]}`: {' and '.join(parts) or 'an empty list came or went'}"


def undeclared(found: Difference) -> str:
    """Returns what is now said of properties that are not declared."""
    now = extras(found.new)
    if now == "silence":
        was_refused = extras(found.old) == "no"
        return "no longer refuses" if was_refused else "no longer says that it allows"
    return "now allows" if now == "yes" else "no longer allows" if now == "no" else "now limits"


def respelled(found: Difference) -> str:
    """Returns what is written otherwise and says the same."""
    if found.side != "tool" and value_place(found.path) == found.path:
        return f"{label(found.path)} says the same"
    return f"{place(found)}: `{found.path[-1]}` says the same"


class Blanks(dict[str, str]):
    """What a rule's templates may name, worked out only where one does."""

    def __init__(self, found: Difference) -> None:
        self._found = found

    def __missing__(self, name: str) -> str:
        return _BLANKS[name](self._found)


def _names(found: Difference) -> str:
    inner = (*found.path[:-1], "properties")
    names = [label((*inner, name)) for name in found.came or found.gone]
    return joined(names) if len(names) <= _MOST else f"{len(names)} properties"


def _won(found: Difference) -> str:
    if _any_type(found.new, found):
        return "other types"
    return kinds(found, found.gone if _is_turned(found) else found.came)


def _lost(found: Difference) -> str:
    if _any_type(found.old, found):
        return "anything else"
    return kinds(found, found.came if _is_turned(found) else found.gone)


def _any_type(side: Any, found: Difference) -> bool:
    return found.keyword == "type" and side is ABSENT


def _several(found: Difference) -> bool:
    return len(found.came or found.gone) > 1


_BLANKS: Final[Mapping[str, Callable[[Difference], str]]] = {
    "it": place,
    "step": step,
    "moved": moved,
    "came": _won,
    "gone": _lost,
    "old": lambda found: "nothing" if found.old is ABSENT else value(found.old),
    "new": lambda found: "nothing" if found.new is ABSENT else value(found.new),
    "n": lambda found: str(len(found.came or found.gone)),
    "names": _names,
    "are": lambda found: "are" if _several(found) else "is",
    "them": lambda found: "them" if _several(found) else "it",
    "needed": lambda found: "always there" if found.required else "optional",
    "trigger": lambda found: found.path[-1],
    "word": lambda found: found.path[-1],
    "definitions": definitions,
    "extras": undeclared,
    "spelling": respelled,
}


def used_by(found: Difference) -> str:
    """Returns which arguments reach the place through a definition."""
    if not found.users:
        return ""
    told = found.path[2:3] if found.path[1:2] == ("properties",) else ()
    users = [f"`{name}`" for name in found.users if name not in told]
    return f" (used by {joined(users)})" if users else ""
