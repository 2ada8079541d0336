"""Tools made in one line, and how they are judged."""

from typing import Any

from toolsync.classify import findings
from toolsync.model import Finding, Level

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def tool(schema: Any, **parts: Any) -> dict[str, Any]:
    return {"name": "lend", "inputSchema": schema, **parts}


def obj(**arguments: Any) -> dict[str, Any]:
    return {"type": "object", "properties": arguments}


def told(old: Any, new: Any, **how: Any) -> tuple[Finding, ...]:
    return findings(tool(old), tool(new), **how)


def level(old: Any, new: Any, **how: Any) -> Level:
    return max((one.level for one in told(old, new, **how)), key=lambda each: each.rank)


def result(old: Any, new: Any) -> Level:
    found = findings(tool(obj(), outputSchema=old), tool(obj(), outputSchema=new))
    return max((one.level for one in found), key=lambda each: each.rank)
