"""JSON Pointers (RFC 6901): reference tokens to text, and a fragment back to tokens."""

from __future__ import annotations

from collections.abc import Iterable


def pointer(tokens: Iterable[str]) -> str:
    """Spells reference tokens as a JSON Pointer; no tokens are the whole document, `""`."""
    return "".join("/" + escaped(token) for token in tokens)


def escaped(token: str) -> str:
    """Spells one reference token, without the slash before it."""
    if "~" not in token and "/" not in token:
        return token
    return token.replace("~", "~0").replace("/", "~1")


def tokens_of(text: str) -> tuple[str, ...]:
    """Reads the reference tokens of a JSON Pointer (`""` or `/…`), percent signs untouched."""
    if not text:
        return ()
    parts = text[1:].split("/")
    if "~" not in text:
        return tuple(parts)
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)
