"""Which keywords accept or refuse in which dialect; all others are annotations here.

`format` and the content keywords are annotations too: validators that assert
them disagree on what they accept.
"""

from __future__ import annotations

from typing import Final

from toolsync.schema.dialect import Dialect

_DRAFT4: Final = frozenset(
    [
        "type",
        "enum",
        "multipleOf",
        "maximum",
        "exclusiveMaximum",
        "minimum",
        "exclusiveMinimum",
        "maxLength",
        "minLength",
        "pattern",
        "items",
        "additionalItems",
        "maxItems",
        "minItems",
        "uniqueItems",
        "maxProperties",
        "minProperties",
        "required",
        "properties",
        "patternProperties",
        "additionalProperties",
        "dependencies",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "$ref",
    ]
)
_DRAFT6: Final = _DRAFT4 | {"const", "contains", "propertyNames"}
_DRAFT7: Final = _DRAFT6 | {"if", "then", "else"}
_NEWER: Final = _DRAFT7 | {
    "minContains",
    "maxContains",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
}

ASSERTING: Final = {
    Dialect.DRAFT4: _DRAFT4,
    Dialect.DRAFT6: _DRAFT6,
    Dialect.DRAFT7: _DRAFT7,
    Dialect.DRAFT2019: _NEWER | {"$recursiveRef"},
    Dialect.DRAFT2020: (_NEWER - {"additionalItems"}) | {"prefixItems", "$dynamicRef"},
}
"""The keywords that accept or refuse."""

KEPT: Final = {dialect: words | {"format"} for dialect, words in ASSERTING.items()}
"""Those, and one that refuses nothing, but makes for a better witness."""

REFERENCES: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})

IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas", "dependencies"}
)
"""Keywords whose subschemas look at the same value and may describe it."""

TRANSLATED: Final = REFERENCES | frozenset(
    [
        "items",
        "additionalItems",
        "prefixItems",
        "contains",
        "unevaluatedItems",
        "properties",
        "patternProperties",
        "additionalProperties",
        "unevaluatedProperties",
        "propertyNames",
        "dependencies",
        "dependentSchemas",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "exclusiveMinimum",
        "exclusiveMaximum",
    ]
)
"""Keywords that cannot be copied as they stand: they hold subschemas, or changed meaning."""
