"""Schemas that allow `null` beside something else, however that is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from toolsync.compare.difference import Pointer
from toolsync.compare.references import LISTS

ABOUT: Final = frozenset(
    ("title", "description", "default", "examples", "$comment", "deprecated", "readOnly",
     "writeOnly", "x-mcp-header")
)  # fmt: skip
_NULLS: Final[tuple[Any, ...]] = ({"type": "null"}, {"const": None}, {"enum": [None]})


class Nullable(NamedTuple):
    """What a schema allows beside `null`, where that stands in it, and whether it allows `null`."""

    rest: Mapping[str, Any]
    below: Pointer
    null: bool


def wrapped(node: Mapping[str, Any]) -> Nullable | None:
    """Reads a choice between one schema and `null`; None where a node is anything else."""
    words = [word for word in ("anyOf", "oneOf") if word in node]
    branches = node[words[0]] if len(words) == 1 else None
    if not isinstance(branches, list) or len(branches) != 2:
        return None
    nulls = [index for index, branch in enumerate(branches) if branch in _NULLS]
    if len(nulls) != 1 or any(word not in ABOUT for word in node if word != words[0]):
        return None
    other = 1 - nulls[0]
    if not isinstance(branches[other], dict) or _takes_null(branches[other]):
        return None
    return Nullable(branches[other], (words[0], str(other)), null=True)


def _takes_null(branch: Mapping[str, Any]) -> bool:
    """Tells whether a branch may allow `null` itself, so that the choice is none."""
    if "$ref" in branch:
        return False
    listed = branch.get("enum", [branch["const"]] if "const" in branch else None)
    kinds = branch.get("type")
    if kinds is None:
        return not isinstance(listed, list) or None in listed
    return kinds == "null" or (isinstance(kinds, list) and "null" in kinds)


def flat(node: Mapping[str, Any]) -> Nullable | None:
    """Reads a schema that is no choice; None where one side of it may hide `null`."""
    if any(word in node for word in (*LISTS, "if", "not")):
        return None
    kinds = node.get("type")
    if not isinstance(kinds, list) or "null" not in kinds:
        return Nullable(node, (), null=False) if "type" in node or "$ref" in node else None
    values = node.get("enum")
    listed = isinstance(values, list) and None in values
    if "const" in node or not (values is None or isinstance(values, list)):
        return None
    rest = {**node, "type": [kind for kind in kinds if kind != "null"]}
    if len(rest["type"]) == 1:
        rest["type"] = rest["type"][0]
    if listed:
        rest["enum"] = [value for value in values or () if value is not None]
    return Nullable(rest, (), null=values is None or listed)
