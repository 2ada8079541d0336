"""Two tool definitions: the fields of the tool itself, then its schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolsync.compare.difference import Difference
from toolsync.compare.equality import said, same
from toolsync.compare.schemas import schemas
from toolsync.model import ABSENT

HINTS: Final[Mapping[str, bool]] = {  # the values that MCP gives to a hint left out
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
Tool = Mapping[str, Any]


def differences(old: Tool, new: Tool) -> tuple[Difference, ...]:
    """Returns every difference of two definitions of one tool, as facts without judgement."""
    found: list[Difference] = []
    for field in {**old, **new}:
        before, after = old.get(field, ABSENT), new.get(field, ABSENT)
        if not same(before, after):
            found += _FIELDS.get(field, _field)(field, before, after)
    return tuple(found)


def _fact(keyword: str, old: Any, new: Any, *path: str) -> Difference:
    return Difference("tool", keyword, path, old, new, anchor=path)


def _field(field: str, old: Any, new: Any) -> list[Difference]:
    return [_fact("field", old, new, field)]


def _named(field: str, old: Any, new: Any) -> list[Difference]:
    return [_fact(field, old, new, field)]


def _description(field: str, old: Any, new: Any) -> list[Difference]:
    word = "respaced" if same(said(old), said(new)) else field
    return [_fact(word, old, new, field)]


def _annotations(field: str, old: Any, new: Any) -> list[Difference]:
    before, after = _object(old), _object(new)
    found = []
    for name in {**before, **after}:
        was, now = before.get(name, ABSENT), after.get(name, ABSENT)
        if not same(was, now):
            found.append(_fact(_annotation(name, was, now), was, now, field, name))
    return found or [_fact("spelling", old, new, field)]


def _annotation(name: str, old: Any, new: Any) -> str:
    if name == "title":
        return "title"
    if name not in HINTS:
        return "annotation"
    default = HINTS[name]
    was, now = (default if value is ABSENT or value is None else value for value in (old, new))
    return "spelling" if same(was, now) else "hint"


def _execution(field: str, old: Any, new: Any) -> list[Difference]:
    before, after = _object(old), _object(new)
    found = []
    for name in {**before, **after}:
        was, now = before.get(name, ABSENT), after.get(name, ABSENT)
        if not same(was, now):
            found.append(_fact(_executed(name, was, now), was, now, field, name))
    return found or [_fact("spelling", old, new, field)]


def _executed(name: str, old: Any, new: Any) -> str:
    if name != "taskSupport":
        return "field"
    was, now = (value if isinstance(value, str) else "forbidden" for value in (old, new))
    return "spelling" if was == now else name


def _schema(field: str, old: Any, new: Any) -> list[Difference]:
    was, now = (ABSENT if value is None else value for value in (old, new))
    if was is ABSENT and now is ABSENT:
        return [_fact("spelling", old, new, field)]
    if was is ABSENT or now is ABSENT:
        return [_fact(field, old, new, field)]
    return schemas("input" if field == "inputSchema" else "output", was, now)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


_FIELDS: Final[Mapping[str, Callable[[str, Any, Any], list[Difference]]]] = {
    "description": _description,
    "annotations": _annotations,
    "execution": _execution,
    "inputSchema": _schema,
    "outputSchema": _schema,
    **dict.fromkeys(("title", "icons", "_meta"), _named),
}
