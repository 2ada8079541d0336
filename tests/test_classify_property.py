"""Random pairs of schemas: levels and proofs are what containment says."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator as Validator

from judging import STRING, obj, told, tool
from schema_pairs import related
from tool_pairs import pairs
from toolsync.classify import Reading
from toolsync.model import ABSENT, Finding, Level
from toolsync.schema import contained
from toolsync.schema.readings.reading import read
from toolsync.schema.validity import tool_fault


def worst(found: tuple[Finding, ...]) -> Level:
    return max((one.level for one in found), key=lambda each: each.rank, default=Level.IDENTICAL)


def check(old: Any, new: Any, reading: Reading) -> None:
    """Checks that levels and proofs are what containment says of the whole."""
    if tool_fault(tool(old)) is not None or tool_fault(tool(new)) is not None:
        return
    found = told(old, new, reading=reading)
    answer = contained(old, new, reading=reading).answer
    if answer == "no":
        assert worst(found) in (Level.BREAKING, Level.DANGEROUS)
    if answer == "yes":
        assert worst(found) not in (Level.BREAKING, Level.UNKNOWN)
        if contained(new, old, reading=reading).answer == "no":
            assert worst(found).rank >= Level.COMPATIBLE.rank
    for one in found:
        assert (one.witness is not ABSENT) == (one.level is Level.BREAKING)
        if one.level is Level.BREAKING:
            Validator(read(old, reading).schema).validate(one.witness)
            assert not Validator(read(new, reading).schema).is_valid(one.witness)


@given(related(), st.sampled_from(["declared", "open"]))
def test_the_level_of_a_tool_is_what_containment_says(
    pair: tuple[str, Any, Any], reading: Reading
) -> None:
    check(obj(v=pair[1], w=STRING), obj(v=pair[2], w=STRING), reading)


@given(pairs(), st.sampled_from(["declared", "open"]))
def test_that_holds_for_whole_schemas_too(pair: tuple[Any, Any], reading: Reading) -> None:
    check(*pair, reading)
