"""What a session must learn of is what the verdicts say, found with less work."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live_rig import tool
from toolsync import Catalog, diff
from toolsync.live import semantics

VARIANTS: list[dict[str, Any]] = [
    {},
    {"q": {"type": ["string", "null"]}},
    {"q": {"anyOf": [{"type": "null"}, {"type": "string"}]}},  # the same, spelled otherwise
    {"q": "integer"},
    {"q": {"type": ["string", "null"], "description": "Says."}},
    {"q": {"type": ["string", "null"], "title": "Q"}},  # presentation
]
catalogues = st.lists(
    st.tuples(st.sampled_from("abcdefghijkl"), st.integers(0, len(VARIANTS) - 1)),
    max_size=12,
    unique_by=lambda each: each[0],
)


def _catalogue(chosen: list[tuple[str, int]]) -> Catalog:
    return Catalog([tool(name, **VARIANTS[variant]) for name, variant in chosen])


@given(catalogues, catalogues)
def test_differs_is_notify_and_names_are_those_of_the_diff(old: Any, new: Any) -> None:
    changes = diff(_catalogue(old), _catalogue(new))
    fresh = diff(changes.old, changes.new)
    assert semantics.differs(changes) is fresh.notify
    expected = sorted(each.name for each in fresh.tools if each.notify and each.name)
    assert list(semantics.moved_names(changes)) == expected


def test_a_change_behind_many_that_are_only_spelled_otherwise_is_seen() -> None:
    names = "abcdefghijklm"
    old = _catalogue([(name, 1) for name in names])
    spelled = diff(old, _catalogue([(name, 2) for name in names]))
    assert spelled.old["a"].semantic_digest != spelled.new["a"].semantic_digest
    assert not semantics.differs(spelled)
    moved = diff(old, _catalogue([*((name, 2) for name in names[:-1]), ("m", 3)]))
    assert semantics.differs(moved)
    assert semantics.moved_names(moved) == ("m",)


def test_a_change_of_thousands_of_tools_is_told_without_judging_each() -> None:
    old = Catalog([tool(f"t{number}", q="string") for number in range(3000)])
    new = Catalog([tool(f"t{number}", q="integer") for number in range(3000)])
    changes = diff(old, new)
    assert semantics.differs(changes)
    assert len(semantics.moved_names(changes)) == 3000
    # The diff itself has not been asked yet.
    assert not hasattr(changes, "_level")


@pytest.mark.parametrize("number", range(len(VARIANTS)))
def test_alike_is_what_the_verdicts_call_no_news(number: int) -> None:
    one = _catalogue([("a", 1)])
    other = _catalogue([("a", number)])
    assert semantics.alike(one["a"], other["a"]) is (number in {1, 2, 5})


def test_values_that_cannot_be_compared_count_as_changed() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise ValueError(other)

        def __hash__(self) -> int:
            return 0

    odd = Odd()
    assert semantics.same_value(odd, odd)
    assert not semantics.same_value(odd, Odd())
    assert not semantics.same_value([True], [1])
