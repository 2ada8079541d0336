"""Does a node of the normal form accept a value: yes, no, or None where that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolsync.schema.proof.budget import Budget
from toolsync.schema.proof.nodes import (
    AnyOf,
    Arrays,
    If,
    Link,
    Node,
    Not,
    Numbers,
    Objects,
    OneOf,
    Shape,
    Texts,
)
from toolsync.schema.proof.values import (
    ARRAY,
    NUMBER,
    OBJECT,
    STRING,
    Undecidable,
    exact,
    key,
    kind_of,
)

Verdict = bool | None


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """Joins verdicts by "and"; one False decides, also beside unknown ones."""
    known: Verdict = True
    for each in verdicts:
        if each is False:
            return False
        if each is None:
            known = None
    return known


def some(verdicts: Iterable[Verdict]) -> Verdict:
    """Joins verdicts by "or"; one True decides, also beside unknown ones."""
    known: Verdict = False
    for each in verdicts:
        if each is True:
            return True
        if each is None:
            known = None
    return known


def inverted(verdict: Verdict) -> Verdict:
    """Turns yes and no around."""
    return None if verdict is None else not verdict


def accepts(node: Node, value: Any, budget: Budget) -> Verdict:
    """Tells whether a node accepts a value."""
    budget.spend()
    if isinstance(node, Shape):
        return _shape(node, value, budget)
    if isinstance(node, AnyOf):
        return some(accepts(each, value, budget) for each in node.branches)
    if isinstance(node, OneOf):
        return _exactly_one([accepts(each, value, budget) for each in node.branches])
    if isinstance(node, Not):
        return inverted(accepts(node.inner, value, budget))
    if isinstance(node, If):
        return _conditional(node, value, budget)
    if isinstance(node, Link) and node.target is not None:
        return accepts(node.target, value, budget)
    return None


def _exactly_one(verdicts: list[Verdict]) -> Verdict:
    if verdicts.count(True) > 1:
        return False
    return None if None in verdicts else True in verdicts


def _conditional(node: If, value: Any, budget: Budget) -> Verdict:
    test = accepts(node.test, value, budget)
    if test is None:
        return (
            every((accepts(node.then, value, budget), accepts(node.other, value, budget))) or None
        )
    return accepts(node.then if test else node.other, value, budget)


def _shape(shape: Shape, value: Any, budget: Budget) -> Verdict:
    kind = kind_of(value)
    if not kind & shape.mask:
        return False
    if shape.enum is not None:
        told = key(value)
        budget.spend(len(told) // 128)
        if told not in shape.enum:
            return False
    own: Verdict = True
    atom = shape.atom(kind)
    if atom is not None:
        try:
            own = _atom(kind, atom, value, budget)
        except Undecidable:
            if budget.left < 0:
                raise
            own = None
    if own is False or not shape.parts:
        return own
    return every((own, every(accepts(part, value, budget) for part in shape.parts)))


def _atom(kind: int, atom: Any, value: Any, budget: Budget) -> Verdict:
    if kind & NUMBER:
        return within(atom, value)
    if kind == STRING:
        return fits(atom, value)
    if kind == ARRAY:
        return _array(atom, value, budget)
    assert kind == OBJECT  # noqa: S101 - null and booleans have no keywords
    return _object(atom, value, budget)


def within(numbers: Numbers, value: Any) -> bool:
    """Tells whether a number keeps its bounds and multiples."""
    number = exact(value)
    low, high = numbers.low, numbers.high
    if low is not None and (number < low or (number == low and numbers.low_open)):
        return False
    if high is not None and (number > high or (number == high and numbers.high_open)):
        return False
    return all(number % each == 0 for each in numbers.multiples)


def fits(texts: Texts, value: str) -> bool:
    """Tells whether a text keeps its lengths and patterns."""
    if len(value) < texts.least or (texts.most is not None and len(value) > texts.most):
        return False
    return all(each.matches(value) for each in texts.patterns)


def _array(arrays: Arrays, value: list[Any], budget: Budget) -> Verdict:
    if len(value) < arrays.least or (arrays.most is not None and len(value) > arrays.most):
        return False
    if arrays.unique and not distinct(value):
        return False
    return every(
        (
            every(
                accepts(node, item, budget)
                for node, item in zip(arrays.prefix, value, strict=False)
            ),
            _rest(arrays, value, budget),
            every(_contains(each, value, budget) for each in arrays.contains),
        )
    )


def _rest(arrays: Arrays, value: list[Any], budget: Budget) -> Verdict:
    if arrays.rest is None:
        return True
    rest = arrays.rest
    return every(accepts(rest, item, budget) for item in value[len(arrays.prefix) :])


def _contains(contains: Any, value: list[Any], budget: Budget) -> Verdict:
    verdicts = [accepts(contains.node, item, budget) for item in value]
    surely, perhaps = verdicts.count(True), verdicts.count(True) + verdicts.count(None)
    if perhaps < contains.least or (contains.most is not None and surely > contains.most):
        return False
    certain = surely >= contains.least and (contains.most is None or perhaps <= contains.most)
    return True if certain else None


def distinct(values: list[Any]) -> bool:
    """Tells whether no two values are the same JSON."""
    return len({key(each) for each in values}) == len(values)


def _object(objects: Objects, value: dict[str, Any], budget: Budget) -> Verdict:
    count = len(value)
    budget.spend(count * len(objects.rules) // 8)
    if count < objects.least or (objects.most is not None and count > objects.most):
        return False
    if not all(name in value for name in objects.required):
        return False
    return every(
        (
            every(
                accepts(node, value[name], budget)
                for name, node in objects.members
                if name in value
            ),
            every(
                accepts(rule.node, item, budget)
                for rule in objects.rules
                for name, item in value.items()
                if rule.applies(name)
            ),
            _names(objects, value, budget),
        )
    )


def _names(objects: Objects, value: dict[str, Any], budget: Budget) -> Verdict:
    names = objects.names
    return names is None or every(accepts(names, name, budget) for name in value)


__all__ = ["Verdict", "accepts", "distinct", "every", "fits", "inverted", "some", "within"]
