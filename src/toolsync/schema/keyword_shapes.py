"""What each keyword's value must look like in each dialect: the meta-schemas, as tables.

Only keywords without subschemas stand here; where subschemas stand is told by
dialect.py and walked by survey.py. A shape is a class (the value's class, as
JSON has it) or a function that finds what is wrong. Uniqueness is judged by
JSON equality with keys that cannot collide (`distinct.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from toolsync.schema.dialect import Dialect
from toolsync.schema.distinct import first_repeat
from toolsync.schema.shown import shown

Misfit = tuple[tuple[str, ...], str]
"""Where inside the keyword's value, and "expected …, got …"."""

Shape = type | Callable[[object], Misfit | None]

SIMPLE_TYPES: Final = frozenset(
    {"array", "boolean", "integer", "null", "number", "object", "string"}
)
_TYPE_NAMES: Final = "one of array, boolean, integer, null, number, object, string"
_RESOURCE_ID: Final = re.compile(r"[^#]*#?")
_ANCHOR_2019: Final = re.compile(r"[A-Za-z][-A-Za-z0-9.:_]*")
_ANCHOR_2020: Final = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*")
_CLASSES: Final = {
    str: "a string",
    bool: "true or false",
    list: "an array",
    dict: "an object",
}


def misfit(value: object, shape: Shape) -> Misfit | None:
    """Finds what keeps a value from fitting a shape."""
    if not isinstance(shape, type):
        return shape(value)
    return None if isinstance(value, shape) else unlike(_CLASSES[shape], value)


def unlike(expected: str, value: object, *where: str) -> Misfit:
    """Words a misfit of the whole value, or of the member at `where`."""
    return where, f"expected {expected}, got {shown(value)}"


def _number(value: object) -> Misfit | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return None
    return unlike("a number", value)


def _positive(value: object) -> Misfit | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
        return None
    return unlike("a number above 0", value)


def _count(value: object) -> Misfit | None:
    # 1.0 is 1 in every dialect here: equal digests must have equal verdicts.
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return unlike("a whole number, 0 or more", value)
    if value < 0 or (isinstance(value, float) and not value.is_integer()):
        return unlike("a whole number, 0 or more", value)
    return None


def _types(value: object) -> Misfit | None:
    if isinstance(value, str):
        return None if value in SIMPLE_TYPES else unlike(_TYPE_NAMES, value)
    if not isinstance(value, list):
        return unlike("a type name or an array of type names", value)
    if not value:
        return (), "expected at least one type name, got an empty array"
    for index, name in enumerate(value):
        if not isinstance(name, str) or name not in SIMPLE_TYPES:
            return unlike(_TYPE_NAMES, name, str(index))
    return _repeated(value)


def _names(value: object) -> Misfit | None:
    if not isinstance(value, list):
        return unlike("an array of property names", value)
    for index, name in enumerate(value):
        if not isinstance(name, str):
            return unlike("a property name", name, str(index))
    return _repeated(value)


def _some_names(value: object) -> Misfit | None:
    if value == []:
        return (), "expected at least one property name, got an empty array"
    return _names(value)


def _names_by_name(value: object) -> Misfit | None:
    if not isinstance(value, dict):
        return unlike("an object that maps names to arrays of property names", value)
    for name, names in value.items():
        found = _names(names)
        if found is not None:
            return (name, *found[0]), found[1]
    return None


def _some_distinct(value: object) -> Misfit | None:
    if not isinstance(value, list) or not value:
        return unlike("an array of at least one value", value)
    return _repeated(value)


def _repeated(value: list[object]) -> Misfit | None:
    index = first_repeat(value)
    if index is None:
        return None
    return (str(index),), f"expected distinct values, got {shown(value[index])} twice"


def _vocabularies(value: object) -> Misfit | None:
    if not isinstance(value, dict):
        return unlike("an object", value)
    for name, used in value.items():
        if not isinstance(used, bool):
            return unlike("true or false", used, name)
    return None


def _matching(pattern: re.Pattern[str], expected: str) -> Callable[[object], Misfit | None]:
    def check(value: object) -> Misfit | None:
        if isinstance(value, str) and pattern.fullmatch(value):
            return None
        return unlike(expected, value)

    return check


_SINCE_4: Final[Mapping[str, Shape]] = {
    "$schema": str,
    "title": str,
    "description": str,
    "multipleOf": _positive,
    "maximum": _number,
    "minimum": _number,
    "maxLength": _count,
    "minLength": _count,
    "maxItems": _count,
    "minItems": _count,
    "uniqueItems": bool,
    "maxProperties": _count,
    "minProperties": _count,
    "type": _types,
    "format": str,
}
_DRAFT4: Final[Mapping[str, Shape]] = {
    **_SINCE_4,
    "exclusiveMaximum": bool,
    "exclusiveMinimum": bool,
    "required": _some_names,
    "enum": _some_distinct,
}
_DRAFT6: Final[Mapping[str, Shape]] = {
    **_SINCE_4,
    "examples": list,
    "exclusiveMaximum": _number,
    "exclusiveMinimum": _number,
    "required": _names,
    "enum": list,
}
_DRAFT7: Final[Mapping[str, Shape]] = {
    **_DRAFT6,
    "$comment": str,
    "readOnly": bool,
    "contentMediaType": str,
    "contentEncoding": str,
}
_SINCE_2019: Final[Mapping[str, Shape]] = {
    **_DRAFT7,
    "$vocabulary": _vocabularies,
    "deprecated": bool,
    "writeOnly": bool,
    "maxContains": _count,
    "minContains": _count,
    "dependentRequired": _names_by_name,
}
_anchor_2020: Final = _matching(_ANCHOR_2020, "a name that starts with a letter or `_`")

LEAVES: Final[Mapping[Dialect, Mapping[str, Shape]]] = {
    Dialect.DRAFT4: _DRAFT4,
    Dialect.DRAFT6: _DRAFT6,
    Dialect.DRAFT7: _DRAFT7,
    Dialect.DRAFT2019: {
        **_SINCE_2019,
        "$anchor": _matching(_ANCHOR_2019, "a name that starts with a letter"),
        "$recursiveAnchor": bool,
    },
    Dialect.DRAFT2020: {
        **_SINCE_2019,
        "$anchor": _anchor_2020,
        "$dynamicAnchor": _anchor_2020,
        # Both are of 2019-09; its successor's meta-schema still types them, thus.
        "$recursiveAnchor": _anchor_2020,
        "$recursiveRef": str,
    },
}
"""For each dialect, the shapes of keywords without subschema, pattern, name or reference."""


_resource_id: Final = _matching(_RESOURCE_ID, "a URI without a fragment")


def identifier_misfit(value: object, dialect: Dialect) -> Misfit | None:
    """Finds what is wrong with an `$id` (`id` in draft-04)."""
    return misfit(value, str if dialect.legacy else _resource_id)


def name_list_misfit(value: object, dialect: Dialect) -> Misfit | None:
    """Finds what is wrong with one array of names in `dependencies`."""
    return _some_names(value) if dialect is Dialect.DRAFT4 else _names(value)
