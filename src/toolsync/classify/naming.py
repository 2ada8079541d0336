"""Which rule a difference falls under."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolsync.compare import HINTS, Difference
from toolsync.model import ABSENT
from toolsync.rules import RULES, Effect, Rule
from toolsync.rules.contract import BOUNDS


def rule_of(found: Difference) -> Rule:
    """Returns the rule that names a difference."""
    if found.side == "tool":
        return RULES[_tool_rule(found)]
    if found.keyword == "withdrawn":  # whatever else the schema says: readers find nothing
        return _WITHDRAWN
    return RULES[f"{found.side}-{_stem(found)}"]


_WITHDRAWN: Final = RULES["output-property-removed"]._replace(effect=Effect.NONE)


def _stem(found: Difference) -> str:
    """Returns a rule's id without its side."""
    if found.keyword in _STEMS:
        return _STEMS[found.keyword](found)
    if found.keyword in _FIXED:
        return _FIXED[found.keyword]
    if found.keyword in BOUNDS:
        return _bound(found)
    return "keyword-changed"


def _came_or_went(stem: str, changed: str = "schema-changed") -> Callable[[Difference], str]:
    def name(found: Difference) -> str:
        if found.old is ABSENT:
            return f"{stem}-added"
        return f"{stem}-removed" if found.new is ABSENT else changed

    return name


def _bound(found: Difference) -> str:
    stem = BOUNDS[found.keyword][0]
    old, new = found.old, found.new
    if old is ABSENT or new is ABSENT:
        tight = old is ABSENT
    elif isinstance(old, bool) and isinstance(new, bool):  # draft-04 spells `exclusive…` so
        tight = new
    elif _number(old) and _number(new):
        tight = (new > old) == found.keyword.startswith(("min", "exclusiveMin"))
    else:
        return "schema-changed"
    return f"{stem}-tightened" if tight else f"{stem}-loosened"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _property(found: Difference) -> str:
    if found.old is ABSENT:
        needed = found.required and found.side == "input"
        return "required-property-added" if needed else "property-added"
    needed = found.required and found.side == "output"
    return "required-property-removed" if needed else "property-removed"


def _extras(stem: str) -> Callable[[Difference], str]:
    def name(found: Difference) -> str:
        was, now = extras(found.old), extras(found.new)
        if now == "no" or (was, now) == ("yes", "silence"):
            return f"{stem}-closed"
        return f"{stem}-opened" if was == "no" or now == "yes" else f"{stem}-changed"

    return name


def extras(schema: Any) -> str:
    """Returns what a schema says of undeclared properties: silence, yes, no or more."""
    if schema is ABSENT:
        return "silence"
    if schema is True or schema == {}:
        return "yes"
    return "no" if schema is False else "more"


def _type(found: Difference) -> str:
    if found.came and found.gone:
        return "type-changed"
    return "type-widened" if found.came else "type-narrowed"


def _enum(found: Difference) -> str:
    """Names a list that lost and gained values by what hurts on its side."""
    if not found.came and not found.gone:
        return _came_or_went("enum")(found)
    return f"enum-value-{_turn(found, losing=found.side == 'input')}"


def _turn(found: Difference, *, losing: bool) -> str:
    """Names a mixed change after the half that hurts: `losing` says which one that is."""
    if found.came and found.gone:
        return "removed" if losing else "added"
    return "removed" if found.gone else "added"


def _required(found: Difference) -> str:
    return "property-became-required" if found.came else "property-became-optional"


def _dependency(found: Difference) -> str:
    return "dependency-added" if found.came else "dependency-removed"


def _branches(stem: str) -> Callable[[Difference], str]:
    def name(found: Difference) -> str:
        if stem != "all-of" and ABSENT in (found.old, found.new):
            return _came_or_went(stem)(found)
        losing = (stem == "all-of") == (found.side == "output")
        return f"{stem}-branch-{_turn(found, losing=losing)}"

    return name


def _tuple(found: Difference) -> str:
    return "tuple-item-added" if len(found.came) >= len(found.gone) else "tuple-item-removed"


def _unique(found: Difference) -> str:
    return "items-became-unique" if found.new is True else "items-no-longer-unique"


def _replaced(found: Difference) -> str:
    if found.new is False:
        return "forbidden"
    return "no-longer-forbidden" if found.old is False else "schema-changed"


def _condition(found: Difference) -> str:
    return "condition-added" if found.old is ABSENT else "condition-removed"


_STEMS: Final[Mapping[str, Callable[[Difference], str]]] = {
    "properties": _property,
    "patternProperties": _came_or_went("pattern-property"),
    "required": _required,
    "additionalProperties": _extras("additional-properties"),
    "unevaluatedProperties": _extras("unevaluated-properties"),
    "propertyNames": _came_or_went("property-names"),
    "dependentRequired": _dependency,
    "dependentSchemas": _came_or_went("dependent-schema"),
    "type": _type,
    "null": _type,
    "enum": _enum,
    "const": _came_or_went("const", "const-changed"),
    "multipleOf": _came_or_went("multiple-of", "multiple-of-changed"),
    "pattern": _came_or_went("pattern", "pattern-changed"),
    "uniqueItems": _unique,
    "items": _came_or_went("items"),
    "additionalItems": _came_or_went("additional-items"),
    "unevaluatedItems": _came_or_went("unevaluated-items"),
    "contains": _came_or_went("contains"),
    "prefixItems": _tuple,
    "allOf": _branches("all-of"),
    "anyOf": _branches("any-of"),
    "oneOf": _branches("one-of"),
    "not": _came_or_went("exclusion"),
    **dict.fromkeys(("if", "then", "else"), _condition),
    "schema": _replaced,
}
_FIXED: Final[Mapping[str, str]] = {
    "reference": "reference-retargeted",
    **dict.fromkeys(
        ("$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"),
        "dynamic-reference-changed",
    ),
    **dict.fromkeys(("$id", "id", "$anchor"), "identifier-changed"),
    **dict.fromkeys(("$schema", "$vocabulary"), "dialect-changed"),
    "rewritten": "restructured",
    "default": "default-changed",
    "format": "format-changed",
    "contentEncoding": "content-encoding-changed",
    "contentMediaType": "content-media-type-changed",
    "contentSchema": "content-schema-changed",
    "x-mcp-header": "header-changed",
    "description": "description-changed",
    "examples": "examples-changed",
    "deprecated": "deprecated-changed",
    "readOnly": "read-only-changed",
    "writeOnly": "write-only-changed",
    "title": "title-changed",
    "$comment": "comment-changed",
    "respaced": "description-respaced",
    "order": "order-changed",
    "spelling": "spelling-changed",
    "$ref": "reference-changed",
    "definitions": "definitions-changed",
    "unused": "definitions-changed",
}


def _tool_rule(found: Difference) -> str:
    if found.keyword in _TOOL:
        return _TOOL[found.keyword]
    if found.keyword == "hint":
        return "hint-strengthened" if _promises(found) else "hint-weakened"
    if found.keyword == "taskSupport":
        return _task_support(found)
    return "output-schema-added" if found.old is ABSENT else "output-schema-removed"


def _promises(found: Difference) -> bool:
    """Tells whether the new value is the safe one; the MCP default of every hint is not."""
    default = HINTS[found.path[-1]]
    return isinstance(found.new, bool) and found.new is not default


def _task_support(found: Difference) -> str:
    order = ("forbidden", "optional", "required")
    old, new = (
        value if isinstance(value, str) else "forbidden" for value in (found.old, found.new)
    )
    if old not in order or new not in order:
        return "task-support-changed"
    if new == "required":
        return "task-support-became-required"
    return "task-support-withdrawn" if new == "forbidden" else "task-support-offered"


_TOOL: Final[Mapping[str, str]] = {
    "description": "description-changed",
    "respaced": "description-respaced",
    "title": "title-changed",
    "icons": "icons-changed",
    "_meta": "meta-changed",
    "annotation": "annotation-changed",
    "field": "field-changed",
    "spelling": "spelling-changed",
}
