"""Finds what a `$ref` means inside one document; nothing is ever fetched.

Understands JSON Pointers, `$anchor`, `$dynamicAnchor`, plain-name `$id`s of the
older drafts, and resources embedded under their own `$id`. The walk that
collects names is iterative and runs only when a reference needs it: the usual
`#/$defs/…` costs a descent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urljoin

from toolsync.schema.dialect import LISTS, MAPS, SINGLES, Dialect, subschemas
from toolsync.schema.pointer import pointer, tokens_of
from toolsync.schema.shown import quoted, shown

MAX_PLACES: Final = 2_000_000
"""How many subschemas the search for names looks at; beyond, a name counts as not found."""

MAX_DEPTH: Final = 2_000
"""How many tokens deep it looks: text is shallower, but Python objects may be circular."""


class Unresolvable(Exception):  # noqa: N818 - an answer about a reference, caught by its caller
    """Says why a reference leads nowhere; `reason` reads "expected …, got …"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Resolved(NamedTuple):
    """What a reference leads to: the subschema, its tokens from the root, its base URI.

    Resolve further references found in `schema` against `base`. `overridable`
    tells that a `$dynamicRef` or `$recursiveRef` may mean another subschema,
    depending on the way by which validation came here.
    """

    schema: dict[str, Any] | bool
    tokens: tuple[str, ...]
    base: str
    overridable: bool = False


class _Place(NamedTuple):
    schema: dict[str, Any] | bool
    tokens: tuple[str, ...]
    base: str


class _Names(NamedTuple):
    """Every name given in the document; a list where one name is given several times."""

    resources: dict[str, list[_Place]]
    anchors: dict[tuple[str, str], list[_Place]]
    dynamic: dict[str, list[_Place]]


class Resolver:
    """Resolves the references of one document, read in one dialect.

    `base` is the URI of the resource in which a reference stands: `root_base`
    at the root, `enter(schema, base)` on the way down into a subschema.
    """

    __slots__ = ("_dialect", "_names", "_root", "root_base")

    def __init__(self, root: dict[str, Any] | bool, dialect: Dialect) -> None:
        self._root = root
        self._dialect = dialect
        self._names: _Names | None = None
        self.root_base = self.enter(root, "")

    def enter(self, schema: object, base: str) -> str:
        """Tells the base URI inside `schema`, which stands where `base` holds."""
        named = _resource_name(schema, self._dialect)
        return _joined(base, named) if named else base

    def base_at(self, tokens: tuple[str, ...]) -> str:
        """Tells the base URI at a place of the document, where a reference may stand."""
        here: Any = self._root
        base = self.root_base
        for token, is_schema in zip(tokens, _roles(tokens, self._dialect), strict=True):
            here = _step(here, token, ())
            if is_schema:
                base = self.enter(here, base)
        return base

    def resolve(self, ref: object, base: str | None = None) -> Resolved:
        """Follows one `$ref` (one step: the target may be a reference itself).

        Raises:
            Unresolvable: it leads nowhere, out of the document, or to no schema.
        """
        uri, fragment = self._absolute(ref, base)
        if fragment and not fragment.startswith("/"):
            return self._anchored(uri, fragment)
        resource = self._resource(uri)
        return self._descend(resource, fragment) if fragment else _resolved(resource)

    def resolve_dynamic(self, ref: object, base: str | None = None) -> Resolved:
        """Follows one `$dynamicRef` or `$recursiveRef` as if it were a `$ref`.

        `overridable` is set where another resource offers the same dynamic anchor.

        Raises:
            Unresolvable: as `resolve`.
        """
        found = self.resolve(ref, base)
        name = self._dynamic_name(found.schema, self._absolute(ref, base)[1])
        if name is None or len(self._all_names().dynamic.get(name, ())) < 2:
            return found
        return Resolved(found.schema, found.tokens, found.base, overridable=True)

    def _dynamic_name(self, target: object, fragment: str) -> str | None:
        """The dynamic anchor by which the target was met; None makes it a plain `$ref`."""
        if not isinstance(target, dict):
            return None
        if self._dialect is Dialect.DRAFT2019:
            return "" if target.get("$recursiveAnchor") is True else None
        if self._dialect is Dialect.DRAFT2020 and fragment:
            return fragment if target.get("$dynamicAnchor") == fragment else None
        return None

    def _absolute(self, ref: object, base: str | None) -> tuple[str, str]:
        if not isinstance(ref, str):
            raise Unresolvable("expected a reference as a string")
        uri, _, fragment = ref.partition("#")
        here = self.root_base if base is None else base
        if "%" in fragment:
            fragment = unquote(fragment)
        return (_joined(here, uri) if uri else here), fragment

    def _resource(self, uri: str) -> _Place:
        if uri == self.root_base:
            return _Place(self._root, (), uri)
        return _only(self._all_names().resources.get(uri, []), uri)

    def _anchored(self, uri: str, name: str) -> Resolved:
        self._resource(uri)
        found = self._all_names().anchors.get((uri, name), [])
        return _resolved(_only(found, f"{uri}#{name}"))

    def _descend(self, start: _Place, fragment: str) -> Resolved:
        here: Any = start.schema
        base = start.base
        tokens = tokens_of(fragment)
        roles = _roles(tokens, self._dialect)
        for index, token in enumerate(tokens):
            here = _step(here, token, start.tokens + tokens[:index])
            # A target outside the known keywords is a schema because it is referred to.
            if roles[index] or index + 1 == len(tokens):
                base = self.enter(here, base)
        if not isinstance(here, (dict, bool)):
            got = f"got {shown(here)} at {quoted(fragment)}"
            raise Unresolvable(f"expected a reference to a schema, {got}")
        return Resolved(here, start.tokens + tokens, base)

    def _all_names(self) -> _Names:
        if self._names is None:
            self._names = self._collect()
        return self._names

    def _collect(self) -> _Names:
        names = _Names({}, {}, {})
        pending: list[tuple[Any, tuple[str, ...], str]] = [(self._root, (), "")]
        budget = MAX_PLACES
        while pending and budget:
            budget -= 1
            schema, tokens, outer = pending.pop()
            base = self.enter(schema, outer)
            place = _Place(schema, tokens, base)
            if base != outer or not tokens:
                names.resources.setdefault(base, []).append(place)
            for name in _anchor_names(schema, self._dialect):
                names.anchors.setdefault((base, name), []).append(place)
            for name in _dynamic_names(schema, self._dialect):
                names.dynamic.setdefault(name, []).append(place)
            for steps, child in subschemas(schema, self._dialect):
                if child.__class__ is dict and len(tokens) < MAX_DEPTH:
                    pending.append((child, tokens + steps, base))
        return names


def _resolved(place: _Place) -> Resolved:
    return Resolved(place.schema, place.tokens, place.base)


def _resource_name(schema: object, dialect: Dialect) -> str | None:
    """The `$id` that makes a schema a resource of its own, without its fragment."""
    if not isinstance(schema, dict):
        return None
    named = schema.get(dialect.id_keyword)
    if not isinstance(named, str):
        return None
    if dialect.legacy and "$ref" in schema:
        return None  # a sibling of `$ref`, ignored there
    return named.partition("#")[0] or None


def _anchor_names(schema: object, dialect: Dialect) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    if dialect.legacy:
        named = schema.get(dialect.id_keyword)
        if isinstance(named, str) and "$ref" not in schema and named.partition("#")[2]:
            yield named.partition("#")[2]
        return
    for keyword in ("$anchor", "$dynamicAnchor"):
        named = schema.get(keyword)
        if isinstance(named, str) and (keyword == "$anchor" or dialect is Dialect.DRAFT2020):
            yield named


def _dynamic_names(schema: object, dialect: Dialect) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    named = schema.get("$dynamicAnchor")
    if dialect is Dialect.DRAFT2020 and isinstance(named, str):
        yield named
    if dialect is Dialect.DRAFT2019 and schema.get("$recursiveAnchor") is True:
        yield ""


def _joined(base: str, uri: str) -> str:
    try:
        return urljoin(base, uri)
    except ValueError:  # `http://[` and the like name nothing that could stand here
        return uri


def stands_as_schema(tokens: tuple[str, ...], dialect: Dialect) -> bool:
    """Tells whether keywords that hold subschemas lead to the place, all the way from the root."""
    return not tokens or _roles(tokens, dialect)[-1]


def _roles(tokens: tuple[str, ...], dialect: Dialect) -> list[bool]:
    """Tells for each token whether the value behind it stands where a schema stands."""
    roles: list[bool] = []
    position = "schema"
    for index, token in enumerate(tokens):
        if position == "schema":
            position = _behind(token, tokens[index + 1 : index + 2], dialect)
        elif position == "members":
            position = "schema"
        roles.append(position == "schema")
    return roles


def _behind(keyword: str, following: tuple[str, ...], dialect: Dialect) -> str:
    if keyword in MAPS[dialect]:
        return "members"
    listed = keyword in LISTS[dialect]
    if listed and (keyword not in SINGLES[dialect] or (following and following[0].isdigit())):
        return "members"
    return "schema" if keyword in SINGLES[dialect] else "data"


def _step(here: Any, token: str, passed: tuple[str, ...]) -> Any:
    if isinstance(here, dict):
        if token in here:
            return here[token]
    elif isinstance(here, list) and _is_index(token) and int(token) < len(here):
        return here[int(token)]
    where = quoted(pointer(passed)) if passed else "the document"
    raise Unresolvable(
        f"expected a reference that leads somewhere, got no {quoted(token)} in {where}"
        f"{_hint(here, token)}"
    )


def _is_index(token: str) -> bool:
    # Ten digits outnumber any list, and longer numbers would be slow to read.
    return len(token) < 11 and token.isascii() and token.isdigit() and str(int(token)) == token


def _hint(here: Any, token: str) -> str:
    """Suggests the neighbour that was probably meant."""
    if not isinstance(here, dict):
        return ""
    for meant in ({"$defs": "definitions", "definitions": "$defs"}.get(token), token.lower()):
        if meant is not None and meant in here:
            return f" (did you mean {quoted(meant)}?)"
    return ""


def _only(found: list[_Place], name: str) -> _Place:
    if not found:
        raise Unresolvable(
            f"expected a reference within the document, got {quoted(name)}, which is not in it; "
            "put the schema under $defs and refer to it there (nothing is fetched)"
        )
    differing = next((each for each in found[1:] if not _same(found[0].schema, each.schema)), None)
    # Repeats are compared once: what is kept answers the next reference alike.
    found[1:] = [] if differing is None else [differing]
    if differing is not None:
        raise Unresolvable(
            f"expected one schema named {quoted(name)}, got some that differ; rename them"
        )
    return found[0]


def _same(left: object, right: object) -> bool:
    """Compares as JSON, where `1` is `1.0` but never `true`; iterative, since depth is hostile."""
    pending = [(left, right)]
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
            pending += [(value, b[name]) for name, value in a.items()]
        elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            pending += zip(a, b, strict=True)
        elif isinstance(a, (dict, list)) or not _same_scalar(a, b):
            return False
    return True


def _same_scalar(a: object, b: object) -> bool:
    return isinstance(a, bool) is isinstance(b, bool) and a == b
