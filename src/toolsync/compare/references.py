"""Local references, as far as comparing needs them: never fetched, never followed twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from toolsync.compare.difference import Pointer
from toolsync.compare.equality import same
from toolsync.model import ABSENT

DEFINITIONS = ("$defs", "definitions")
LISTS = ("allOf", "anyOf", "oneOf")
_HOPS = 32


def target(root: Any, ref: object) -> tuple[Pointer, Any] | None:
    """Returns where a local pointer reference leads, or None where it is another kind."""
    if not isinstance(ref, str) or not (ref == "#" or ref.startswith("#/")):
        return None
    tokens = tuple(_decoded(token) for token in ref.split("/")[1:])
    found = at(root, tokens)
    return None if found is ABSENT else (tokens, found)


def at(thing: Any, tokens: Iterable[str]) -> Any:
    """Returns what stands at a pointer, or ABSENT."""
    for token in tokens:
        if isinstance(thing, dict) and token in thing:
            thing = thing[token]
        elif isinstance(thing, list) and token.isdecimal() and int(token[:9]) < len(thing):
            thing = thing[int(token[:9])]
        else:
            return ABSENT
    return thing


def _decoded(token: str) -> str:
    if "%" in token:
        token = unquote(token)
    return token.replace("~1", "/").replace("~0", "~")


def inlined(root: Any, node: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns a node with its reference written out, or None where that cannot be said.

    A text beside the reference wins over that of the definition: it is about the
    place. Where both limit the value by one keyword, they are not one node.
    """
    for _ in range(_HOPS):
        if "$ref" not in node:
            return node
        found = target(root, node["$ref"])
        if found is None or not isinstance(found[1], dict):
            return None
        beside = {word: node[word] for word in node if word != "$ref"}
        if any(
            word in found[1] and not same(found[1][word], beside[word]) for word in limits(node)
        ):
            return None
        node = {**found[1], **beside}
    return None


def limits(node: Mapping[str, Any]) -> list[str]:
    """Returns the keywords of a node, beside its reference, that are more than texts."""
    return [word for word in node if word != "$ref" and word not in _ABOUT]


def unwrapped(node: Mapping[str, Any], root: Any) -> Mapping[str, Any] | None:
    """Returns a node with its only `allOf` member written into it, where nothing collides."""
    branch = node["allOf"]
    if not isinstance(branch, list) or len(branch) != 1 or not isinstance(branch[0], dict):
        return None
    inner = inlined(root, branch[0])
    if inner is None or any(word in node for word in inner if word not in _ABOUT):
        return None
    return {**inner, **{word: node[word] for word in node if word != "allOf"}}


_ABOUT = frozenset(("title", "description", "default", "examples", "$comment"))
