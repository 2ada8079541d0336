"""Which definitions are used, and by which arguments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolsync.compare.difference import Difference, Place, Pointer
from toolsync.compare.equality import same
from toolsync.compare.references import DEFINITIONS, LISTS, target

Pool = tuple[str, Mapping[str, Any], Mapping[str, Any], Place]
_NAMED: Final = 4  # arguments named in one finding
_DATA: Final = frozenset(("enum", "const", "default", "examples"))
_OPAQUE: Final = frozenset(("$dynamicRef", "$recursiveRef"))


class Uses:
    """Every reference of one schema: who reaches which definition.

    `opaque` says that some reference is of a kind that is not followed here, so
    that any definition may be in use.
    """

    __slots__ = ("_parents", "_root", "opaque")

    def __init__(self, schema: Any, root: Pointer) -> None:
        self._root = root
        self._parents: defaultdict[Pointer, dict[Pointer | str, None]] = defaultdict(dict)
        self.opaque = False
        stack: list[tuple[Any, Pointer | str]] = []
        stack.extend(reversed([*self._starts(schema)]))
        seen: set[Pointer] = set()
        while stack:
            thing, owner = stack.pop()
            if isinstance(thing, list):
                stack.extend((item, owner) for item in thing)
            elif isinstance(thing, dict):
                stack.extend((thing[word], owner) for word in thing if word not in _DATA)
                stack.extend(self._followed(schema, thing, owner, seen))

    def _starts(self, schema: Any) -> Iterator[tuple[Any, str]]:
        if not isinstance(schema, dict):
            return
        for word, thing in schema.items():
            if word == "properties" and isinstance(thing, dict):
                yield from ((inner, name) for name, inner in thing.items())
            elif word not in DEFINITIONS:
                yield {word: thing}, ""

    def _followed(
        self, schema: Any, node: Mapping[str, Any], owner: Pointer | str, seen: set[Pointer]
    ) -> Iterator[tuple[Any, Pointer]]:
        self.opaque = self.opaque or not _OPAQUE.isdisjoint(node)
        ref = node.get("$ref")
        if not isinstance(ref, str):
            return
        found = target(schema, ref)
        if found is None:
            self.opaque = True
            return
        pointer = self._root + found[0]
        self._parents[pointer][owner] = None
        if pointer not in seen:
            seen.add(pointer)
            yield found[1], pointer

    def __contains__(self, pointer: Pointer) -> bool:
        return self.opaque or pointer in self._parents

    def numbered(self) -> Iterator[Pointer]:
        """Yields the pointers of references that go through a list of branches."""
        for pointer in self._parents:
            if any(word in LISTS for word in pointer):
                yield pointer

    def users(self, pointer: Pointer) -> tuple[str, ...]:
        """Returns some of the arguments that reach a definition, directly or not."""
        names: dict[str, None] = {}
        seen, stack = {pointer}, [pointer]
        while stack and len(names) < _NAMED:
            for parent in self._parents.get(stack.pop(), ()):
                if isinstance(parent, str):
                    names |= {parent: None} if parent else {}
                elif parent not in seen:
                    seen.add(parent)
                    stack.append(parent)
        return tuple(names)


class Usage:
    """What of the definitions of two schemas was compared already."""

    __slots__ = ("_alive", "_met", "_more", "places", "pools")

    def __init__(self) -> None:
        self._met: dict[tuple[int, int, bool], Pointer] = {}
        self._more: defaultdict[Pointer, dict[str, None]] = defaultdict(dict)
        self._alive: list[Any] = []
        self.places: dict[Pointer, Pointer] = {}
        self.pools: list[Pool] = []

    def meet(
        self, old: Any, new: Any, origin: Pointer, place: Place, *, inlined: bool = False
    ) -> bool:
        """Records that `place` uses a pair of schemas; tells whether the pair is new.

        `inlined` says that what is meant is the pair with its references written out.
        """
        pair = (id(old), id(new), inlined)
        first = pair not in self._met
        known = self._met.setdefault(pair, origin)
        self._alive += (old, new)  # an identity says something only of what is alive
        if (name := _argument(place.path)) is not None:
            self._more[known][name] = None
        return first

    def unmet(self) -> Iterator[tuple[Pool, list[str]]]:
        """Yields definitions that differ and were not compared, with what they stand in."""
        pools, self.pools = self.pools, []
        for pool in pools:
            _, before, after, _ = pool
            names = [
                name
                for name in before
                if name in after
                and (id(before[name]), id(after[name]), False) not in self._met
                and not same(before[name], after[name])
            ]
            if names:
                yield pool, names

    def named(self, found: list[Difference], uses: Uses | None) -> list[Difference]:
        """Adds the arguments that use the definition in which a difference stands."""
        return [self._named(one, uses) for one in found] if self.places else found

    def _named(self, one: Difference, uses: Uses | None) -> Difference:
        origin = self.places.get(one.path)
        if origin is None:
            return one
        names = dict.fromkeys(uses.users(origin)) if uses is not None else {}
        return one._replace(users=tuple({**names, **self._more.get(origin, {})})[:_NAMED])


def _argument(path: Pointer) -> str | None:
    """Returns the top-level argument that a path lies in."""
    return path[2] if len(path) > 2 and path[1] == "properties" else None
