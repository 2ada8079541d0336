"""Remembers members that were read: most of what a judge looks at is the same again."""

from __future__ import annotations

from typing import Any

import orjson

Known = dict[tuple[bytes, int, bool], tuple[Any, int]]
"""Copies by the text of what was read, its depth and its sort, with how many copies it took."""


def independent_text(schema: dict[str, Any], *, legacy: bool) -> bytes | None:
    """Returns a schema's text where that is all it depends on; None where it may not be.

    What refers to other parts, or can be referred to, means another schema in
    another document; the older dialects name a part by a bare `id`.
    """
    try:
        text = orjson.dumps(schema)
    except TypeError:  # an integer too long, or nested too deeply
        return None
    return None if b'"$' in text or (legacy and b'"id"' in text) else text
