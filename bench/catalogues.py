"""Makes catalogues of any size for the benchmarks: schema-rich, the same every time, 2 kB a tool.

Run as `python bench/catalogues.py DIRECTORY COUNT` it writes one file per variant.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import orjson

Schema = dict[str, Any]
Tool = dict[str, Any]

VERBS = ("create", "fetch", "list", "search", "update", "archive", "move", "copy", "merge", "watch")
NOUNS = (
    "account", "album", "alert", "booking", "branch", "budget", "calendar", "campaign", "card",
    "contract", "customer", "dataset", "deployment", "document", "folder", "incident", "invoice",
    "job", "label", "message", "metric", "milestone", "order", "pipeline", "playlist", "policy",
    "project", "record", "release", "report", "route", "schedule", "sensor", "snapshot", "ticket",
)  # fmt: skip
CLAUSES = (
    "that belongs to the calling user",
    "as it stood at the given moment",
    "and everything filed below it",
    "without touching its history",
    "in the time zone of the workspace",
    "unless a newer one exists already",
    "exactly as the last caller left it",
    "including those shared by other teams – read only",
    "and answers with the stored copy",
    "up to the limit of the current plan",
    "whose name contains the given text (“smart” case)",
    "and every item that refers to it",
    "after the pending changes were written",
)
TAILS = ("id", "name", "state", "filter", "since", "until", "size", "tags", "owner", "note", "mode")


def tools(count: int, seed: int = 1) -> list[Tool]:
    """Returns that many tools; the same count and seed give the same tools."""
    random = Random(seed)  # noqa: S311 - test data, and it must repeat
    return [_tool(random, index) for index in range(count)]


def text(catalogue: list[Tool]) -> bytes:
    """Returns the catalogue as the compact JSON text of a `tools/list` result."""
    return orjson.dumps({"tools": catalogue})


def changed(catalogue: list[Tool], every: int) -> list[Tool]:
    """Returns a copy in which each tool at a multiple of `every` has one real change."""
    return [
        tool if at % every else _edit(tool, at // every % 4) for at, tool in enumerate(catalogue)
    ]


def shuffled(catalogue: list[Tool], seed: int = 2) -> list[Tool]:
    """Returns the same tools in another order, with keys, `required` and `enum` shuffled."""
    random = Random(seed)  # noqa: S311 - as above
    return [_shuffle(random, tool) for tool in random.sample(catalogue, len(catalogue))]


def _sentence(random: Random, clauses: int) -> str:
    opening = f"{random.choice(VERBS).title()}s the {random.choice(NOUNS)}"
    return f"{opening} {', '.join(random.sample(CLAUSES, clauses))}."


def _string(random: Random) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": random.choice((80, 200, 4000))}


def _choice(random: Random) -> Schema:
    values = random.sample(NOUNS, random.randint(3, 6))
    return {"type": "string", "enum": values, "default": values[0]}


def _moment(random: Random) -> Schema:
    return {"type": "string", "format": random.choice(("date-time", "date", "uuid", "uri"))}


def _key(random: Random) -> Schema:
    return {"type": "string", "pattern": f"^{random.choice(NOUNS)}-[0-9a-f]{{8}}$"}


def _count(random: Random) -> Schema:
    top = random.choice((10, 50, 250, 1000))
    return {"type": "integer", "minimum": 0, "maximum": top, "default": top // 10}


def _share(random: Random) -> Schema:
    return {"type": "number", "exclusiveMinimum": 0, "maximum": random.choice((1, 99.5, 2.5e3))}


def _flag(random: Random) -> Schema:
    return {"type": "boolean", "default": random.random() < 0.5}


def _optional(random: Random) -> Schema:
    return {"anyOf": [_string(random), {"type": "null"}], "default": None}


def _list(random: Random) -> Schema:
    return {"type": "array", "items": random.choice(LEAVES)(random), "maxItems": 64}


def _nested(random: Random) -> Schema:
    return _object(random, random.randint(2, 4), LEAVES)


def _shared(_: Random) -> Schema:
    return {"$ref": "#/$defs/Range"}


LEAVES: tuple[Callable[[Random], Schema], ...] = (
    _string, _choice, _moment, _key, _count, _share, _flag, _optional,
)  # fmt: skip
SHAPES = (*LEAVES, *LEAVES, _list, _list, _nested, _shared)


def _argument(random: Random, shapes: tuple[Callable[[Random], Schema], ...]) -> Schema:
    schema = random.choice(shapes)(random)
    if "$ref" in schema:
        return schema
    return schema | {"title": random.choice(NOUNS).title(), "description": _sentence(random, 1)}


def _object(random: Random, count: int, shapes: tuple[Callable[[Random], Schema], ...]) -> Schema:
    names = [f"{random.choice(NOUNS)}_{tail}" for tail in random.sample(TAILS, count)]
    schema: Schema = {
        "type": "object",
        "properties": {name: _argument(random, shapes) for name in names},
        "required": random.sample(names, count // 2),
    }
    return schema | {"additionalProperties": False} if random.random() < 0.5 else schema


def _input(random: Random) -> Schema:
    schema = _object(random, random.randint(6, 10), SHAPES)
    if b'"#/$defs/Range"' in orjson.dumps(schema):
        schema["$defs"] = {"Range": _object(random, 2, LEAVES)}
    return schema


def _tool(random: Random, index: int) -> Tool:
    verb, noun = random.choice(VERBS), random.choice(NOUNS)
    tool: Tool = {
        "name": f"{verb}_{noun}_{index}",
        "title": f"{verb.title()} {noun}",
        "description": _sentence(random, random.randint(2, 5)),
        "inputSchema": _input(random),
        "annotations": {"readOnlyHint": verb in {"fetch", "list"}, "openWorldHint": True},
    }
    if index % 4 == 0:
        tool["outputSchema"] = _object(random, 3, LEAVES)
    return tool


def _edit(tool: Tool, kind: int) -> Tool:
    new = copy.deepcopy(tool)
    properties = new["inputSchema"]["properties"]
    match kind:
        case 0:
            new["description"] += " Slower since the last release."
        case 1:
            properties["dry_run"] = {"type": "boolean", "default": False}
        case 2:
            new["inputSchema"]["required"] = list(properties)
        case _:
            properties[next(iter(properties))] = {"type": "integer", "minimum": 7}
    return new


def _shuffle(random: Random, value: Any) -> Any:
    if isinstance(value, list):
        return [_shuffle(random, member) for member in value]
    if not isinstance(value, dict):
        return value
    keys = random.sample(list(value), len(value))
    return {
        key: random.sample(value[key], len(value[key]))
        if key in {"required", "enum"} and isinstance(value[key], list)
        else _shuffle(random, value[key])
        for key in keys
    }


def main(directory: str, count: str) -> None:
    """Writes `COUNT_old.json` and its variants into the directory."""
    catalogue = tools(int(count))
    variants = {
        "old": catalogue,
        "same": catalogue,
        "chg1": changed(catalogue, 100),
        "chgall": changed(catalogue, 1),
        "shuf": shuffled(catalogue),
    }
    for tag, variant in variants.items():
        Path(directory, f"{count}_{tag}.json").write_bytes(text(variant))


if __name__ == "__main__":
    main(*sys.argv[1:])
