"""The five understood dialects of JSON Schema, and where subschemas stand in each.

`$schema` chooses; without it 2020-12 is meant, as MCP says. (A schema without
`$schema` that only draft-07 accepts is read as draft-07: `validity.reading_dialect`.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

import orjson


class Dialect(Enum):
    """One dialect of JSON Schema; the value is its `$schema` without scheme and fragment."""

    DRAFT4 = "json-schema.org/draft-04/schema"
    DRAFT6 = "json-schema.org/draft-06/schema"
    DRAFT7 = "json-schema.org/draft-07/schema"
    DRAFT2019 = "json-schema.org/draft/2019-09/schema"
    DRAFT2020 = "json-schema.org/draft/2020-12/schema"

    label: str
    """What people call it: `draft-07`, `2020-12`."""
    legacy: bool
    """Tells the drafts 04 to 07, in which the siblings of a `$ref` are ignored."""
    uri: str
    """The `$schema` that names this dialect, as its specification spells it."""
    id_keyword: str
    """The keyword that names a resource: `id` in draft-04, `$id` since."""

    def __init__(self, name: str) -> None:
        self.label = name.split("/")[-2]
        self.legacy = self.label.startswith("draft-0")
        self.uri = f"http://{name}#" if self.legacy else f"https://{name}"
        self.id_keyword = "id" if self.label == "draft-04" else "$id"


# Keywords of 2020-12 that draft-07 does not know, and what it knows otherwise.
_TELLING: Final = re.compile(
    rb'"(?:dependent|unevaluated|items":\[|\$(?:dynamic|recursive|(?:defs|anchor|vocabulary|id)":)|'
    rb'(?:prefixItems|minContains|maxContains|contentSchema|deprecated|writeOnly)":)'
)

_BY_NAME: Final[Mapping[str, Dialect]] = {each.value: each for each in Dialect}


def dialect_of(schema: object) -> Dialect | None:
    """Tells the dialect that `$schema` names; 2020-12 without one, None for one not understood.

    `http` and `https`, with and without the empty fragment, name the same
    dialect: catalogues mix the spellings up and mean no difference.
    """
    if not isinstance(schema, dict) or "$schema" not in schema:
        return Dialect.DRAFT2020
    named = schema["$schema"]
    if not isinstance(named, str):
        return None
    scheme, _, rest = named.partition("://")
    return _BY_NAME.get(rest.removesuffix("#")) if scheme in {"http", "https"} else None


def may_be_older(schema: object) -> bool:
    """Tells, at a glance, whether 2020-12 may refuse what draft-07 accepts.

    That takes a keyword on which they do not agree; where there is none, 2020-12 it is.
    """
    try:
        text = orjson.dumps(schema)
    except TypeError:  # an integer too long, or nested too deeply
        return True
    return _TELLING.search(text) is not None


# Where subschemas stand: the keyword's value is a map, a list or a schema.
_MAPS: Final = frozenset({"properties", "patternProperties", "definitions", "dependencies"})
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "items"})
_SINGLES: Final = frozenset({"additionalProperties", "additionalItems", "items", "not"})
_MAPS_2019: Final = _MAPS | {"$defs", "dependentSchemas"}
_SINGLES_6: Final = _SINGLES | {"contains", "propertyNames"}
_SINGLES_7: Final = _SINGLES_6 | {"if", "then", "else"}
_SINGLES_2019: Final = _SINGLES_7 | {"unevaluatedProperties", "unevaluatedItems", "contentSchema"}

Keywords = Mapping[Dialect, frozenset[str]]

MAPS: Final[Keywords] = MappingProxyType(
    {
        Dialect.DRAFT4: _MAPS,
        Dialect.DRAFT6: _MAPS,
        Dialect.DRAFT7: _MAPS,
        # The old `definitions` and `dependencies` stay in the newer meta-schemas.
        Dialect.DRAFT2019: _MAPS_2019,
        Dialect.DRAFT2020: _MAPS_2019,
    }
)
"""Keywords whose value maps names to subschemas (a list in `dependencies` is none)."""

LISTS: Final[Keywords] = MappingProxyType(
    {
        Dialect.DRAFT4: _LISTS,
        Dialect.DRAFT6: _LISTS,
        Dialect.DRAFT7: _LISTS,
        Dialect.DRAFT2019: _LISTS,
        Dialect.DRAFT2020: (_LISTS - {"items"}) | {"prefixItems"},
    }
)
"""Keywords whose value, where it is a list, lists subschemas."""

SINGLES: Final[Keywords] = MappingProxyType(
    {
        Dialect.DRAFT4: _SINGLES,
        Dialect.DRAFT6: _SINGLES_6,
        Dialect.DRAFT7: _SINGLES_7,
        Dialect.DRAFT2019: _SINGLES_2019,
        Dialect.DRAFT2020: _SINGLES_2019 - {"additionalItems"},
    }
)
"""Keywords whose value, where it is an object or a boolean, is a subschema."""

REFERENCES: Final[Keywords] = MappingProxyType(
    {
        Dialect.DRAFT4: frozenset({"$ref"}),
        Dialect.DRAFT6: frozenset({"$ref"}),
        Dialect.DRAFT7: frozenset({"$ref"}),
        Dialect.DRAFT2019: frozenset({"$ref", "$recursiveRef"}),
        Dialect.DRAFT2020: frozenset({"$ref", "$dynamicRef"}),
    }
)
"""Keywords whose value refers to a schema that stands elsewhere."""

_HOLDERS: Final = {each: MAPS[each] | LISTS[each] | SINGLES[each] for each in Dialect}

Child = tuple[tuple[str, ...], dict[str, Any] | bool]


def subschemas(schema: object, dialect: Dialect) -> Iterator[Child]:
    """Yields the direct subschemas of a schema, each with the pointer tokens that lead to it.

    Whatever is neither an object nor a boolean is passed over, and so are
    keywords that the dialect does not know. Siblings of a `$ref` are included,
    also where the dialect ignores them: references may still point into them.
    """
    if not isinstance(schema, dict):
        return
    holders = _HOLDERS[dialect]
    for keyword, value in schema.items():
        if keyword in holders:
            yield from _children(keyword, value, dialect)


def _children(keyword: str, value: object, dialect: Dialect) -> Iterator[Child]:
    if isinstance(value, list):
        if keyword in LISTS[dialect]:
            for index, member in enumerate(value):
                if isinstance(member, (dict, bool)):
                    yield (keyword, str(index)), member
    elif keyword in SINGLES[dialect]:
        if isinstance(value, (dict, bool)):
            yield (keyword,), value
    elif isinstance(value, dict):
        for name, member in value.items():
            if isinstance(member, (dict, bool)):
                yield (keyword, name), member
