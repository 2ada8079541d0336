"""Canonical form 1 in plain Python: slow, obvious, and written from its description alone.

Nothing here is shared with the compiled core, and nothing here is fast. `oracle_values`
makes exact values of text and objects; here they are projected, written and hashed. What
the core does in one pass stands as one small function a rule.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from oracle_values import (
    Fault,
    MalformedError,
    Number,
    Path,
    Tree,
    UnreadableError,
    double_text,
    parse,
    tree_from_object,
    tree_from_text,
)

__all__ = [
    "Fault", "MalformedError", "Number", "Path", "Tree", "UnreadableError",
    "double_text", "parse", "tree_from_object", "tree_from_text",
]  # fmt: skip

# --- writing ---------------------------------------------------------------------

_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def _quoted(text: str) -> str:
    def one(character: str) -> str:
        if character in _SHORT:
            return _SHORT[character]
        return f"\\u{ord(character):04x}" if character < " " else character

    return '"' + "".join(map(one, text)) + '"'


def utf16(key: str) -> bytes:
    """Orders keys by UTF-16 code units: big-endian bytes compare as their units do."""
    return key.encode("utf-16-be")


def write(tree: Tree) -> str:
    """The canonical text of a tree."""
    if tree is None:
        return "null"
    if isinstance(tree, bool):
        return "true" if tree else "false"
    if isinstance(tree, Number):
        return tree.text
    if isinstance(tree, str):
        return _quoted(tree)
    if isinstance(tree, list):
        return "[" + ",".join(map(write, tree)) + "]"
    members = (f"{_quoted(key)}:{write(tree[key])}" for key in sorted(tree, key=utf16))
    return "{" + ",".join(members) + "}"


def canonical(tree: Tree) -> bytes:
    """The canonical text of a tree, as the bytes that are hashed."""
    return write(tree).encode()


# --- projection ------------------------------------------------------------------

MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLES = (
    "additionalProperties", "unevaluatedProperties", "propertyNames", "items", "additionalItems",
    "unevaluatedItems", "contains", "not", "if", "then", "else", "contentSchema",
)  # fmt: skip
UNIONS = ("anyOf", "allOf", "oneOf")
HINTS = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}


def project(tool: Tree) -> Tree:
    """What the semantic digest of a well-formed tool is made of."""
    assert isinstance(tool, dict)
    parts = {
        "name": tool["name"],
        "description": prose(tool.get("description")),
        "inputSchema": _root_schema(tool["inputSchema"]),
        "outputSchema": _root_schema(tool.get("outputSchema")),
        "annotations": _annotations(tool.get("annotations")),
        "execution": _execution(tool.get("execution")),
    }
    return {key: value for key, value in parts.items() if value is not None}


def prose(text: Tree) -> Tree:
    """Text without the blanks that no reader sees; `None` where nothing is left."""
    if not isinstance(text, str):
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip(" \t") for line in lines).strip(" \t\n") or None


def _annotations(annotations: Tree) -> Tree:
    if not isinstance(annotations, dict):
        return None
    kept: dict[str, Tree] = {
        hint: annotations[hint]
        for hint, default in HINTS.items()
        if isinstance(annotations.get(hint), bool) and annotations[hint] is not default
    }
    return kept or None


def _execution(execution: Tree) -> Tree:
    support = execution.get("taskSupport") if isinstance(execution, dict) else None
    if not isinstance(support, str) or support == "forbidden":
        return None
    return {"taskSupport": support}


def _root_schema(schema: Tree) -> Tree:
    return _schema(schema, ordered=any(map(_steps_into_union, _references(schema))))


def _references(schema: Tree) -> Iterable[str]:
    if not isinstance(schema, dict):
        return
    reference = schema.get("$ref")
    if isinstance(reference, str):
        yield reference
    for child in _children(schema):
        yield from _references(child)


def _children(schema: dict[str, Tree]) -> Iterable[Tree]:
    for keyword, value in schema.items():
        if keyword in (*MAPS, "dependencies") and isinstance(value, dict):
            yield from value.values()
        elif isinstance(value, list) and keyword in (*LISTS, "items"):
            yield from value
        elif keyword in SINGLES:
            yield value


def _steps_into_union(reference: str) -> bool:
    _, _, fragment = reference.partition("#")
    # None of the words looked for holds a character that JSON Pointer escapes.
    tokens = unquote(fragment).split("/")[1:]
    return any(
        union in UNIONS and re.fullmatch(r"[0-9]+", position)
        for union, position in pairwise(tokens)
    )


def _schema(schema: Tree, *, ordered: bool) -> Tree:
    if not isinstance(schema, dict):
        return schema
    kept = ((key, value) for key, value in schema.items() if key not in ("$comment", "title"))
    projected = {key: _keyword(key, value, ordered=ordered) for key, value in kept}
    if projected.get("description", "") is None and schema["description"] is not None:
        del projected["description"]
    return projected


def _keyword(keyword: str, value: Tree, *, ordered: bool) -> Tree:
    if keyword == "description":
        return prose(value)
    if isinstance(value, list):
        return _list_keyword(keyword, value, ordered=ordered)
    if keyword in (*MAPS, "dependencies", "dependentRequired") and isinstance(value, dict):
        return {name: _member(keyword, item, ordered=ordered) for name, item in value.items()}
    return _schema(value, ordered=ordered) if keyword in SINGLES else value


def _member(keyword: str, value: Tree, *, ordered: bool) -> Tree:
    """One entry of a keyword that maps names: to schemas, to lists of names, or to either."""
    if isinstance(value, list) and keyword in ("dependentRequired", "dependencies"):
        return as_set(value)
    return value if keyword == "dependentRequired" else _schema(value, ordered=ordered)


def _list_keyword(keyword: str, value: list[Tree], *, ordered: bool) -> Tree:
    if keyword in ("required", "enum"):
        return as_set(value)
    if keyword == "type":
        names = as_set(value)
        return names[0] if len(names) == 1 and isinstance(names[0], str) else names
    if keyword not in (*LISTS, "items"):
        return value
    members = [_schema(member, ordered=ordered) for member in value]
    if ordered or keyword not in UNIONS:
        return members
    return sorted(members, key=canonical) if keyword == "oneOf" else as_set(members)


def as_set(members: list[Tree]) -> list[Tree]:
    """Sorted by the bytes of each member's canonical text, each of them once."""
    unique = {canonical(member): member for member in members}
    return [unique[text] for text in sorted(unique)]


# --- tools and catalogues --------------------------------------------------------


def sha256(text: bytes) -> str:
    """A digest as it is written."""
    return "sha256:" + hashlib.sha256(text).hexdigest()


def shape_faults(tool: Tree) -> list[Fault]:
    """What makes a readable tool malformed, leaving aside the other tools beside it."""
    if not isinstance(tool, dict):
        return [Fault((), "not an object")]
    name = tool.get("name")
    checks = {
        "name": isinstance(name, str) and name != "",
        "inputSchema": isinstance(tool.get("inputSchema"), dict),
        "outputSchema": isinstance(tool.get("outputSchema"), dict | None),
        "annotations": isinstance(tool.get("annotations"), dict | None),
        "description": isinstance(tool.get("description"), str | None),
    }
    return [Fault((key,), "wrong type") for key, fine in checks.items() if not fine]


@dataclass(frozen=True, slots=True)
class Digests:
    """A well-formed tool: its name, and what is hashed for its two digests."""

    name: str
    full: bytes
    projection: bytes

    @property
    def digest(self) -> str:
        """Of the tool as given."""
        return sha256(self.full)

    @property
    def semantic(self) -> str:
        """Of its projection."""
        return sha256(self.projection)


def tool_from_text(text: bytes) -> Digests:
    """One tool from its JSON text; raises one of the two errors where it has no digests."""
    return _tool(tree_from_text(text))


def tool_from_object(value: Any) -> Digests:
    """One tool from Python objects; `MalformedError` where it has no digests."""
    return _tool(tree_from_object(value))


def _tool(tree: Tree) -> Digests:
    faults = shape_faults(tree)
    if faults:
        raise MalformedError(faults)
    assert isinstance(tree, dict)
    name = tree["name"]
    assert isinstance(name, str)
    return Digests(name, canonical(tree), canonical(project(tree)))


def well_formed(tools: Iterable[Any], read: Callable[[Any], Digests]) -> dict[str, Digests]:
    """The tools that have digests: readable, and not two different ones under one name."""
    found: dict[str, list[Digests]] = {}
    for tool in tools:
        try:
            digests = read(tool)
        except MalformedError:
            continue
        found.setdefault(digests.name, []).append(digests)
    return {name: same[0] for name, same in found.items() if len({tool.full for tool in same}) == 1}


def catalogue_digest(by_name: Mapping[str, str]) -> str:
    """The digest of a catalogue from those of its tools."""
    return sha256(canonical(tree_from_object(dict(by_name))))
