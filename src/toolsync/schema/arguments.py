"""Does a tool's `inputSchema` take some arguments; where it refuses them, where and why.

The schemas come from strangers, so everything is bounded, and what cannot be decided
within the bounds counts as taken: the tool has the last word.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from toolsync.safe import safe_text
from toolsync.schema.pointer import pointer, tokens_of
from toolsync.schema.proof.contain import takes
from toolsync.schema.proof.sides import Schema, Sides
from toolsync.schema.shown import MAX_SHOWN, quoted, shown

Reading = Literal["open", "declared"]

_SAME_VALUE: Final = frozenset(("allOf", "anyOf", "oneOf"))
_CLOSING: Final = frozenset(("additionalProperties", "unevaluatedProperties"))
_MOST_NAMED: Final = 5
_MOST_HOPS: Final = 10


def refusal(schema: Schema, arguments: Any, reading: Reading = "open") -> str | None:
    """Says in one line where and why a schema refuses arguments; None where it takes them.

    Read as "declared", an object takes no names beside those that it declares. No
    arguments at all (None) are an empty object.
    """
    given = {} if arguments is None else arguments
    found = takes(schema, given, reading, Sides())
    return _told(schema, given, found.path) if found.answer == "no" else None


def _told(schema: Schema, arguments: Any, path: str) -> str:
    """Words a refusal: where in the arguments, what is expected there, by which keyword."""
    tokens = tokens_of(path)
    if not tokens:
        return "nothing is accepted (/inputSchema)"
    where, value, sure = _walked(arguments, tokens[:-1])
    stands, holder = _located(schema, tokens)
    place = f"at {_short(pointer(where))}: " if where else ""
    ruling = f"({_short(pointer(('inputSchema', *stands)))})"
    if not isinstance(holder, dict) or tokens[-1] not in holder:
        return f"{place}{_undeclared(holder, tokens[-1], value)} {ruling}"
    expected = _expected(holder, tokens[-1], value) if sure else None
    return f"{place}{expected or _wanted(holder, tokens[-1])} {ruling}"


def _walked(arguments: Any, tokens: tuple[str, ...]) -> tuple[list[str], Any, bool]:
    """Follows a path through a schema in the arguments, as far as it leads to one place."""
    where: list[str] = []
    here = arguments
    steps = iter(tokens)
    for step in steps:
        name = next(steps, None) if step == "properties" or step in _SAME_VALUE else None
        if name is None:
            return where, here, False
        if step == "properties":
            if not isinstance(here, dict) or name not in here:
                return where, here, False
            where.append(name)
            here = here[name]
    return where, here, True


def _undeclared(holder: Any, keyword: str, value: Any) -> str:
    """Words a refusal by a keyword that does not stand there: silence, read as closed."""
    if keyword not in _CLOSING:
        return "not accepted"
    known = holder.get("properties") if isinstance(holder, dict) else None
    if keyword == "additionalProperties" and isinstance(known, dict) and isinstance(value, dict):
        return f"{_names([each for each in value if each not in known])} is not declared"
    return "a name that is not declared"


def _expected(holder: dict[str, Any], keyword: str, value: Any) -> str:
    ruled = holder[keyword]
    if isinstance(value, dict):
        if keyword == "required" and isinstance(ruled, list):
            missing = [each for each in ruled if isinstance(each, str) and each not in value]
            return f"expected {_names(missing)}, which is required"
        if keyword == "additionalProperties" and ruled is False and not _patterned(holder):
            known = holder.get("properties", {})
            return f"{_names([each for each in value if each not in known])} is not accepted"
    return f"{_wanted(holder, keyword)}, got {shown(value)}"


def _wanted(holder: dict[str, Any], keyword: str) -> str:
    return f"expected {_short(keyword)} {_ruled(holder[keyword])}"


def _patterned(holder: dict[str, Any]) -> bool:
    return bool(holder.get("patternProperties"))


def _ruled(value: Any) -> str:
    """Shows what a keyword says: a list by its first members."""
    if not isinstance(value, list):
        return shown(value)
    more = ", …" if len(value) > _MOST_NAMED else ""
    return f"[{', '.join(map(shown, value[:_MOST_NAMED]))}{more}]"


def _names(names: list[str]) -> str:
    more = ", …" if len(names) > _MOST_NAMED else ""
    return ", ".join(map(quoted, names[:_MOST_NAMED])) + more


def _located(schema: Any, tokens: tuple[str, ...]) -> tuple[tuple[str, ...], Any]:
    """Finds where the last of a validator's steps stands, and what holds it.

    Its path leaves out the references that it followed.
    """
    here: Any = schema
    stands: tuple[str, ...] = ()
    for step in tokens[:-1]:
        here, stands = _led(schema, here, stands, step)
        here, stands = _under(here, step), (*stands, step)
    here, stands = _led(schema, here, stands, tokens[-1])
    return (*stands, tokens[-1]), here


def _led(schema: Any, here: Any, stands: tuple[str, ...], step: str) -> tuple[Any, tuple[str, ...]]:
    """Follows references until something holds the step."""
    for _ in range(_MOST_HOPS):
        ref = here.get("$ref") if isinstance(here, dict) and step not in here else None
        if not isinstance(ref, str) or not ref.startswith("#/"):
            break
        stands = tokens_of(ref[1:])
        here = schema
        for token in stands:
            here = _under(here, token)
    return here, stands


def _under(here: Any, step: str) -> Any:
    if isinstance(here, list):
        return here[int(step)] if step.isdigit() and int(step) < len(here) else None
    return here.get(step) if isinstance(here, dict) else None


def _short(text: str) -> str:
    return safe_text(text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…")
