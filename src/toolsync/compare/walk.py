"""The walk through two schemas side by side: what is still to be looked at, and what was found.

It keeps its own stack, so no nesting can exhaust Python's, and visits a pair of
referenced schemas once, so no web of references can keep it busy.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from toolsync.compare import nullable, references
from toolsync.compare.difference import Difference, Place, Pointer
from toolsync.compare.equality import same
from toolsync.compare.usage import Usage, Uses
from toolsync.model import ABSENT, Side

Node = Mapping[str, Any]
_BUDGET: Final = 100_000  # nodes looked at below references that changed


class Walk:
    """One comparison of two schemas: what is still to be looked at, and what was found."""

    __slots__ = (
        "_compare", "_left", "_new", "_old", "_other", "_root", "_side", "_uses", "found",
        "shuffled", "stack", "usage",
    )  # fmt: skip

    def __init__(
        self, side: Side, old: Any, new: Any, compare: Mapping[str, Compare], other: Compare
    ) -> None:
        self._side, self._old, self._new = side, old, new
        self._compare, self._other = compare, other
        self._root: Pointer = (f"{side}Schema",)
        self._left = _BUDGET
        self.shuffled = False
        self.found: list[Difference] = []
        self.stack: list[tuple[Any, Any, Place]] = [(old, new, Place(self._root))]
        self.usage = Usage()
        self._uses: tuple[Uses, Uses] | None = None

    def run(self) -> None:
        """Compares everything that the stack holds and leads to, definitions last."""
        while self.stack:
            while self.stack:
                self._step(*self.stack.pop())
            for (keyword, before, after, place), names in self.usage.unmet():
                self._definitions(keyword, before, after, place, names)
            if self.shuffled:
                self._by_number()

    def _step(self, old: Any, new: Any, place: Place) -> None:
        if place.forked and not self._affordable(old, new, place):
            return
        if isinstance(old, dict) and isinstance(new, dict):
            self._node(old, new, place)
        elif not same(old, new):
            self._whole(old, new, place)

    def _definitions(
        self, keyword: str, before: Node, after: Node, place: Place, names: list[str]
    ) -> None:
        """Compares definitions that differ and are used by parts that do not."""
        uses = self._used()
        idle = []
        for name in names:
            origin = (*place.path, keyword, name)
            if place.origin is None and not all(origin in used for used in uses):
                idle.append(name)
            elif self.usage.meet(before[name], after[name], origin, Place(())):
                self.stack.append((before[name], after[name], Place(origin, origin=origin)))
        if idle:
            self.note(place, "unused", before, after, keyword, came=tuple(idle))

    def _by_number(self) -> None:
        """Compares what references take by its number in a list whose order changed."""
        self.shuffled = False
        for pointer in self._used()[1].numbered():
            old, new = (references.at(root, pointer[1:]) for root in (self._old, self._new))
            if not same(old, new) and self.usage.meet(old, new, pointer, Place(())):
                self.stack.append((old, new, Place(pointer, origin=pointer)))

    def _used(self) -> tuple[Uses, Uses]:
        if self._uses is None:
            self._uses = Uses(self._old, self._root), Uses(self._new, self._root)
        return self._uses

    def finished(self) -> list[Difference]:
        """Returns what was found, references only where nothing else says it."""
        telling = [found for found in self.found if found.keyword != "$ref"]
        uses = self._uses[1] if self._uses else None
        return self.usage.named(telling or self.found[:1], uses)

    def note(
        self, place: Place, keyword: str, old: Any, new: Any, *below: str, **more: Any
    ) -> None:
        """Records one difference at `keyword` (or `below` it) of a place, where it stands."""
        stands = place.path if new is not ABSENT else place.stood()
        path = (*stands, *(below or (keyword,)))
        anchor = path if place.anchor is None else place.anchor
        name = more.pop("prop", place.property)
        self.found.append(
            Difference(self._side, keyword, path, old, new, name, anchor=anchor, **more)
        )
        if place.origin is not None:
            self.usage.places[path] = place.origin

    def _affordable(self, old: Any, new: Any, place: Place) -> bool:
        self._left -= 1
        if self._left == 0:
            self._replaced("schema", old, new, place)
        return self._left > 0

    def _whole(self, old: Any, new: Any, place: Place) -> None:
        if isinstance(old, dict | bool) and isinstance(new, dict | bool):
            plain = [{} if schema is True else schema for schema in (old, new)]
            if plain[0] == {} and plain[1] == {}:
                self._replaced("spelling", old, new, place)
                return
            if isinstance(plain[0], dict) and isinstance(plain[1], dict):
                self._node(plain[0], plain[1], place)
                return
        self._replaced("schema", old, new, place)

    def _replaced(self, keyword: str, old: Any, new: Any, place: Place) -> None:
        self.note(place._replace(path=place.path[:-1]), keyword, old, new, place.path[-1])

    def _node(self, old: Node, new: Node, place: Place) -> None:
        if _chooses(old) or _chooses(new):
            old, new, place = self._without_null(old, new, place)
        if "$ref" in old or "$ref" in new:
            followed = self._through(old, new, place)
            if followed is None:
                return
            old, new, place = followed
            if _chooses(old) != _chooses(new):  # a definition may be such a choice
                old, new, place = self._without_null(old, new, place)
        if ("allOf" in old) != ("allOf" in new):
            old, new, place = self._unwrapped(old, new, place)
        self._each({**old, **new}, old, new, place)

    def _each(self, keywords: Iterable[str], old: Node, new: Node, place: Place) -> None:
        for keyword in keywords:
            before, after = old.get(keyword, ABSENT), new.get(keyword, ABSENT)
            if not same(before, after):
                self._compare.get(keyword, self._other)(self, keyword, old, new, place)

    def _through(self, old: Node, new: Node, place: Place) -> tuple[Node, Node, Place] | None:
        """Follows the references of a pair; None where everything is left to a later pair."""
        before, after = old.get("$ref"), new.get("$ref")
        left, right = references.target(self._old, before), references.target(self._new, after)
        if left is not None and right is not None:
            self._both(left, right, before == after, place)
            if before != after:
                self.note(place, "$ref", before, after)
            bare = [{word: node[word] for word in node if word != "$ref"} for node in (old, new)]
            return bare[0], bare[1], place
        if before is not None and after is not None:
            return old, new, place
        return self._one_sided(old, new, place)

    def _both(
        self, left: tuple[Pointer, Any], right: tuple[Pointer, Any], equal: bool, place: Place
    ) -> None:
        origin = self._root + left[0] if equal else place.path
        if not self.usage.meet(left[1], right[1], origin, place) or (
            equal and self._in_tree(left[0])
        ):
            return
        if equal:
            self.stack.append((left[1], right[1], Place(origin, origin=origin)))
        else:
            anchor = place.anchor or place.path
            forked = place._replace(anchor=anchor, origin=place.path, forked=True)
            self.stack.append((left[1], right[1], forked))

    def _one_sided(self, old: Node, new: Node, place: Place) -> tuple[Node, Node, Place] | None:
        if not self.usage.meet(old, new, place.path, place, inlined=True):
            return None
        left, right = references.inlined(self._old, old), references.inlined(self._new, new)
        if left is None or right is None:
            return old, new, place
        # Beside a reference some dialects ignore what others heed.
        alone = not references.limits(old if "$ref" in old else new)
        word = "$ref" if alone else "rewritten"
        self.note(place, word, old.get("$ref", ABSENT), new.get("$ref", ABSENT), "$ref")
        anchor = place.anchor or place.path
        return left, right, place._replace(anchor=anchor, forked=True)

    def _without_null(self, old: Node, new: Node, place: Place) -> tuple[Node, Node, Place]:
        """Sees through a choice with `null` that only one side writes so."""
        left, right = nullable.wrapped(old), nullable.wrapped(new)
        if left is not None and right is not None and left.below[0] == right.below[0]:
            return old, new, place
        left, right = left or nullable.flat(old), right or nullable.flat(new)
        if left is None or right is None:
            return old, new, place
        base = place._replace(anchor=place.anchor or place.path, forked=True)
        self._note_null(old, new, (left, right), base)
        outer = [word for word in nullable.ABOUT if _stands_outside(word, old, new)]
        self._each(outer, old, new, base)
        inner = base._replace(path=place.path + right.below, was=place.stood() + left.below)
        return _without(left.rest, outer), _without(right.rest, outer), inner

    def _note_null(
        self, old: Node, new: Node, both: tuple[nullable.Nullable, nullable.Nullable], place: Place
    ) -> None:
        left, right = both
        came = ("null",) if right.null and not left.null else ()
        gone = ("null",) if left.null and not right.null else ()
        stands = (right.below or left.below)[0]
        word = "null" if came or gone else "rewritten"
        was, now = old.get(stands, ABSENT), new.get(stands, ABSENT)
        self.note(place, word, was, now, stands, came=came, gone=gone)

    def _unwrapped(self, old: Node, new: Node, place: Place) -> tuple[Node, Node, Place]:
        """Sees through an `allOf` of one that only one side writes."""
        wrapped, root = (old, self._old) if "allOf" in old else (new, self._new)
        plain = references.unwrapped(wrapped, root)
        if plain is None:
            return old, new, place
        pair = (plain, new) if "allOf" in old else (old, plain)
        inner = place._replace(anchor=place.anchor or place.path, forked=True)
        self.note(inner, "rewritten", old.get("allOf", ABSENT), new.get("allOf", ABSENT), "allOf")
        return (*pair, inner)

    def _in_tree(self, tokens: Pointer) -> bool:
        """Tells whether the walk comes by there anyway."""
        return not any(word in references.DEFINITIONS for word in tokens) and (
            not tokens or tokens[0] in self._compare
        )


def _stands_outside(word: str, old: Node, new: Node) -> bool:
    """Tells whether a word stands beside a choice, and not in one of its branches."""
    return any(word in node and _chooses(node) for node in (old, new))


def _without(node: Node, words: Collection[str]) -> Node:
    return {word: thing for word, thing in node.items() if word not in words} if words else node


def _chooses(node: Node) -> bool:
    return "anyOf" in node or "oneOf" in node


Compare = Callable[[Walk, str, Node, Node, Place], None]
"""What compares one keyword of a pair of schemas, told the walk, the keyword and the place."""
