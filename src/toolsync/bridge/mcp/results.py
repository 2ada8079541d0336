"""What a tool gave, or raised, as the result of `tools/call`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from toolsync.safe import named, printable

MAX_ERROR: Final = 500
"""How many characters of an exception's message reach the client."""


def result_of(value: object, *, modern: bool) -> dict[str, Any]:
    """Makes the wire result of what a tool returned.

    A dict with a list under `content` is a result already and goes through as it is;
    a text becomes one text block, None no block at all, and any other JSON a text
    block and `structuredContent` (which the handshake era has for objects only).
    Raises TypeError or ValueError for what is not JSON.
    """
    made = _made(value, modern=modern)
    if modern:
        made.setdefault("resultType", "complete")
    return made


def _made(value: object, *, modern: bool) -> dict[str, Any]:
    dump = getattr(value, "model_dump", None)
    if callable(dump):  # a result of the SDK's own types
        value = dump(by_alias=True, mode="json", exclude_none=True)
    if isinstance(value, Mapping) and isinstance(value.get("content"), list):
        _written(value)
        return dict(value) if modern else _of_handshake(value)
    if value is None:
        return {"content": []}
    if isinstance(value, str):
        return {"content": [_text(value)]}
    made: dict[str, Any] = {"content": [_text(_written(value))]}
    if modern or isinstance(value, Mapping):
        made["structuredContent"] = value
    return made


def _of_handshake(result: Mapping[str, Any]) -> dict[str, Any]:
    """Leaves `structuredContent` away where it is no object: clients would refuse the result."""
    odd = not isinstance(result.get("structuredContent", {}), Mapping)
    return {key: each for key, each in result.items() if not (odd and key == "structuredContent")}


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def failure_of(tool: str, error: Exception, *, modern: bool) -> dict[str, Any]:
    """Makes the result that says a tool failed: one harmless line, never a traceback."""
    said = printable(str(error).strip())
    if len(said) > MAX_ERROR:
        said = said[:MAX_ERROR] + "…"
    text = f"{named(tool)} failed: {said or type(error).__name__}"
    made: dict[str, Any] = {"content": [_text(text)], "isError": True}
    if modern:
        made["resultType"] = "complete"
    return made
