"""Reads a schema of any dialect as a self-contained 2020-12 schema that says what is meant.

Only keywords that accept or refuse are kept, references lead to generated
`$defs`, and what cannot be read stands as `x-undecidable`. The *open* reading
is JSON Schema's own. The *declared* reading closes objects to names that they
do not declare, as a caller who was shown the schema understands them. *Closed* goes
further: where others are let in expressly, it lets in markers. *Express* closes all
that is open by silence. *Marked* is as declared, with markers where silence closes.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, Final, Literal

from toolsync.schema.dialect import Dialect, dialect_of
from toolsync.schema.pointer import pointer
from toolsync.schema.proof.values import MAX_DEPTH, Undecidable, key
from toolsync.schema.readings.as_read import Reading
from toolsync.schema.readings.copies import Known, independent_text
from toolsync.schema.readings.declaring import (
    NO_DOUBLES,
    NOTHING,
    STRICT,
    Described,
    Doubles,
    described_alone,
    doubles_of,
    settle,
    shut,
)
from toolsync.schema.readings.keywords import ASSERTING, IN_PLACE, KEPT, TRANSLATED
from toolsync.schema.readings.translate import Hands, translate
from toolsync.schema.reference import Resolved, Resolver, Unresolvable

Mode = Literal["declared", "open", "closed", "express", "marked"]
Path = tuple[str, ...]

MAX_COPIES: Final = 20_000
"""How many subschemas a reading may have before it counts as too large to decide."""


_Copy = Callable[[Any, str, int], Any]

Copies = dict[tuple[Dialect, Mode], Known]
"""What was read before, for each way to read."""


def read(
    schema: dict[str, Any] | bool,
    mode: Mode,
    dialect: Dialect | None = None,
    at: Path = (),
    copies: Copies | None = None,
) -> Reading:
    """Reads a schema, or the subschema at a path of reference tokens.

    Raises:
        Undecidable: it names no understood dialect, or is larger or deeper than is looked at.
    """
    dialect = dialect or dialect_of(schema)
    if dialect is None:
        return Reading(_foreign(schema), Dialect.DRAFT2020)
    if not isinstance(schema, dict):
        return Reading(schema, dialect)
    known = None if copies is None else copies.setdefault((dialect, mode), {})
    return _Reader(schema, dialect, mode, known).read(schema, at)


def _foreign(schema: Any) -> dict[str, Any]:
    """Stands for a schema in an unknown dialect, which is still equal to itself."""
    reason = "$schema: a dialect that is not understood"
    return {"x-undecidable": {"reason": reason, "identity": key(schema), "where": "/$schema"}}


class _Reader:
    """Copies one document; definitions are made once per use that differs."""

    __slots__ = (
        "_before", "_copies", "_defs", "_described", "_dialect", "_id", "_kept", "_known",
        "_lax", "_legacy", "_made", "_mode", "_names", "_odd", "_origins", "_pending", "_root",
    )  # fmt: skip

    def __init__(
        self,
        root: dict[str, Any],
        dialect: Dialect,
        mode: Mode,
        before: Known | None = None,
    ) -> None:
        self._before = before
        self._mode = mode
        self._lax = mode not in STRICT
        self._dialect = dialect
        self._legacy = dialect.legacy
        self._id = dialect.id_keyword
        self._known = ASSERTING[dialect]
        self._kept = KEPT[dialect]
        self._root = root
        self._made: Resolver | None = None
        self._defs: dict[str, Any] = {}
        self._names: dict[object, str] = {}
        self._origins: dict[str, str] = {}
        self._described: dict[tuple[int, str], Described] = {}
        self._pending: list[tuple[str, Resolved, _Copy]] = []
        self._copies = 0
        self._odd = False

    def read(self, root: dict[str, Any], at: Path) -> Reading:
        """Reads the document from its root, or from a place in it."""
        schema, base = self._found(root, at)
        if self._mode == "open":
            top = self._plain(schema, base, 0)
        elif at or not isinstance(schema, dict):
            top = self._owner(schema, base, 0)
        else:
            top = self._closed(schema, base, 0, top=True)
        while self._pending:
            name, found, copy = self._pending.pop()
            self._defs[name] = copy(found.schema, found.base, 0)
        if isinstance(top, dict):
            top = {"$schema": Dialect.DRAFT2020.uri, **top}
            if self._defs:
                top["$defs"] = self._defs
        return Reading(top, self._dialect, self._origins, self._odd, self._copies)

    def _found(self, root: Any, at: Path) -> tuple[Any, str]:
        here, base = root, self._resolver.root_base if self._id in root else ""
        for token in at:
            try:
                here = here[int(token)] if isinstance(here, list) else here[token]
            except (KeyError, IndexError, ValueError, TypeError):
                raise Undecidable("nothing stands at this place", pointer(at)) from None
            base = self._entered(here, base)
        return here, base

    @property
    def _resolver(self) -> Resolver:
        """Follows references, and knows names; most schemas have neither."""
        if self._made is None:
            self._made = Resolver(self._root, self._dialect)
        return self._made

    def _count(self, depth: int, copies: int = 1) -> None:
        self._copies += copies
        if self._copies > MAX_COPIES:
            raise Undecidable("a schema too large to decide")
        if depth > MAX_DEPTH:
            raise Undecidable("a schema nested too deeply")

    def _entered(self, schema: Any, base: str) -> str:
        if isinstance(schema, dict) and self._id in schema:
            return self._resolver.enter(schema, base)
        return base

    def _plain(self, schema: Any, base: str, depth: int) -> Any:
        """Copies a schema as written."""
        if not isinstance(schema, dict):
            return schema
        self._count(depth)
        if TRANSLATED.isdisjoint(schema):
            return self._simple(schema)
        base = self._entered(schema, base)
        if self._legacy and "$ref" in schema:
            return self._reference(schema, "$ref", base, "p", self._plain)

        def plain(each: Any) -> Any:
            return self._plain(each, base, depth + 1)

        def members(each: Any) -> dict[str, Any]:
            return self._members(each, base, depth + 1, each)

        def refer(keyword: str) -> dict[str, Any]:
            return self._reference(schema, keyword, base, "p", self._plain)

        return translate(
            schema, self._dialect, self._known, Hands(members, plain, plain, plain, plain, refer)
        )

    def _simple(self, schema: dict[str, Any]) -> dict[str, Any]:
        kept = self._kept
        return {name: schema[name] for name in schema if name in kept}

    def _owner(self, schema: Any, base: str, depth: int) -> Any:
        """Copies a schema that describes a value, closed to undeclared names."""
        if not isinstance(schema, dict):
            return schema
        if self._lax and TRANSLATED.isdisjoint(schema) and "required" not in schema:
            self._count(depth)
            return self._simple(schema)
        return self._closed(schema, base, depth)

    def _closed(self, schema: dict[str, Any], base: str, depth: int, *, top: bool = False) -> Any:
        base = self._entered(schema, base)
        if not top and "$ref" in schema and self._is_alias(schema):
            return self._reference(schema, "$ref", base, "o", self._owner)
        alone = IN_PLACE.isdisjoint(schema) and "$ref" not in schema
        found = described_alone(schema) if alone else self._describe(schema, base, depth)
        doubles = NO_DOUBLES if alone else doubles_of(found)
        body = self._member(schema, base, depth, doubles)
        settle(body, found, self._mode, top=top)
        return body

    def _members(
        self, properties: Any, base: str, depth: int, written: Container[str]
    ) -> dict[str, Any]:
        """Copies members; those that are `written` twice stay as they are."""
        lax, kept, simple = self._lax, self._kept, 0
        made: dict[str, Any] = {}
        for name, each in properties.items():
            plain = each.__class__ is dict and TRANSLATED.isdisjoint(each)
            if plain and ((lax and "required" not in each) or name in written):  # as most are
                simple += 1
                made[name] = {word: each[word] for word in each if word in kept}
            else:
                made[name] = self._part(each, base, depth, as_written=name in written)
        if simple:
            self._count(depth, simple)
        return made

    def _part(self, schema: Any, base: str, depth: int, *, as_written: bool) -> Any:
        """Copies a member, unless one of the same text was read before."""
        copy = self._plain if as_written else self._owner
        before = self._before
        # What has no parts is copied more quickly than it is looked up.
        if before is None or schema.__class__ is not dict or TRANSLATED.isdisjoint(schema):
            return copy(schema, base, depth)
        text = independent_text(schema, legacy=self._legacy)
        if text is None:
            return copy(schema, base, depth)
        found = before.get((text, depth, as_written))
        if found is None:
            copies = self._copies
            made = copy(schema, base, depth)
            before[text, depth, as_written] = (made, self._copies - copies)
            return made
        self._count(depth, found[1])
        return found[0]

    def _is_alias(self, schema: dict[str, Any]) -> bool:
        """Tells whether a schema says nothing but its `$ref`."""
        return self._legacy or len(self._known.intersection(schema)) == 1

    def _member(self, schema: Any, base: str, depth: int, doubles: Doubles) -> Any:
        """Copies a schema that looks at an owner's value, alone or beside others."""
        if not isinstance(schema, dict):
            return schema
        self._count(depth)
        if TRANSLATED.isdisjoint(schema):
            return self._simple(schema)
        base = self._entered(schema, base)
        label = ("m", doubles)

        def again(each: Any, its_base: str, its_depth: int) -> Any:
            return self._member(each, its_base, its_depth, doubles)

        if self._legacy and "$ref" in schema:
            return self._reference(schema, "$ref", base, label, again)

        def owner(each: Any) -> Any:
            return self._owner(each, base, depth + 1)

        def plain(each: Any) -> Any:
            return self._plain(each, base, depth + 1)

        def beside(each: Any) -> Any:
            return self._member(each, base, depth + 1, doubles)

        def members(each: Any) -> dict[str, Any]:
            return self._members(each, base, depth + 1, doubles.members)

        def refer(keyword: str) -> dict[str, Any]:
            if keyword == "$ref":
                return self._reference(schema, keyword, base, label, again)
            return self._reference(schema, keyword, base, "p", self._plain)

        item = plain if doubles.items else owner
        hands = Hands(members, item, owner, beside, plain, refer)
        made = translate(schema, self._dialect, self._known, hands)
        return shut(made) if self._mode == "closed" else made

    def _describe(self, schema: Any, base: str, depth: int, path: int = 0) -> Described:
        if not isinstance(schema, dict):
            return NOTHING
        at = (id(schema), base)
        known = self._described.get(at)
        if known is not None:
            return known
        self._count(depth + path)
        self._described[at] = NOTHING  # a loop describes nothing more the second time
        found = self._described[at] = self._described_by(schema, base, depth, path + 1)
        return found

    def _described_by(self, schema: dict[str, Any], base: str, depth: int, path: int) -> Described:
        bare = self._legacy and "$ref" in schema
        members = {} if bare else dict.fromkeys(schema.get("properties", ()), 1)
        names = set(members) if bare else {*members, *schema.get("required", ())}
        lists = 0 if bare else int("items" in schema or "prefixItems" in schema)
        for each, its_base in self._beside(schema, base):
            found = self._describe(each, self._entered(each, its_base), depth, path)
            for name, count in found.members.items():
                members[name] = min(2, members.get(name, 0) + count)
            names |= found.names
            lists += found.lists
        return Described(members, frozenset(names), min(2, lists))

    def _beside(self, schema: dict[str, Any], base: str) -> list[tuple[Any, str]]:
        """Lists the subschemas that look at the same value, references followed."""
        found: list[tuple[Any, str]] = []
        if "$ref" in schema:
            target = self._target(schema, "$ref", base)
            if isinstance(target, Resolved):
                found.append((target.schema, target.base))
            if self._legacy:
                return found
        for keyword in IN_PLACE.intersection(schema):
            value = schema[keyword]
            if not self._counts(keyword):
                continue
            if keyword in {"then", "else"}:
                found.append((value, base))
            else:
                members = value if isinstance(value, list) else value.values()
                found += [(each, base) for each in members]
        return found

    def _counts(self, keyword: str) -> bool:
        """Tells whether a keyword may describe a value in this dialect."""
        if keyword == "dependencies":
            return self._legacy
        return keyword in self._known

    def _target(self, schema: dict[str, Any], keyword: str, base: str) -> Resolved | Undecidable:
        """Follows a reference, and the references that its target consists of."""
        try:
            passed: set[int] = set()
            while id(schema) not in passed:
                passed.add(id(schema))
                found = self._follow(schema[keyword], keyword, base)
                target = found.schema
                if not isinstance(target, dict) or "$ref" not in target:
                    return found
                if not self._is_alias(target):
                    return found
                schema, keyword, base = target, "$ref", found.base
        except Unresolvable as stop:
            return Undecidable(f"{keyword}: {stop.reason}")
        return Undecidable("$ref: a reference that leads back to itself")

    def _follow(self, reference: Any, keyword: str, base: str) -> Resolved:
        if keyword == "$ref":
            return self._resolver.resolve(reference, base)
        found = self._resolver.resolve_dynamic(reference, base)
        if found.overridable:
            raise Unresolvable("its target depends on how it is reached")
        return found

    def _reference(
        self, schema: dict[str, Any], keyword: str, base: str, label: object, copy: _Copy
    ) -> dict[str, Any]:
        found = self._target(schema, keyword, base)
        if isinstance(found, Undecidable):
            self._odd = True
            told = {"reason": found.reason, "identity": f"{base} {schema[keyword]!r}"}
            return {"x-undecidable": told}
        if not isinstance(found.schema, dict):
            return {} if found.schema else {"not": {}}
        return {"$ref": "#/$defs/" + self._define(found, label, copy)}

    def _define(self, found: Resolved, label: object, copy: _Copy) -> str:
        at = (id(found.schema), found.base, label)
        name = self._names.get(at)
        if name is None:
            name = self._names[at] = f"d{len(self._defs)}"
            self._origins[name] = pointer(found.tokens)
            self._defs[name] = {}
            self._pending.append((name, found, copy))
        return name
