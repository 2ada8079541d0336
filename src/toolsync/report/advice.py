"""The rules of `lint` in words: what a doubt means, who is hurt by it, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from toolsync.lint.names import RULES as NAMES
from toolsync.lint.profiles import REFUSALS
from toolsync.schema.doubt import RULES as DOUBTS

__all__ = ["RULES", "Advice", "advice"]

RULES: Final[Mapping[str, str]] = {
    **DOUBTS,
    **NAMES,
    **{rule: each.reason for rule, each in REFUSALS.items()},
}
"""Every rule of `lint` with its one-sentence reason; those of the profiles come last."""


class Advice(NamedTuple):
    """A rule of `lint` in words; `level` stands where a finding has its own."""

    rule: str
    reason: str
    means: str
    hurts: str
    remedy: str
    level: str = "doubtful"
    source: str = ""


_WORDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "dialect-assumed": (
        "Under 2020-12, which holds where nothing is said, the schema is no schema.",
        "Clients that go by the specification: they refuse the tool, or misread it.",
        "Name the dialect in `$schema`, or write the schema as 2020-12 has it.",
    ),
    "dialect-unknown": (
        "The schema was read as 2020-12, whatever its own dialect means by its words.",
        "Clients that do not know the dialect either, and each may read it another way.",
        "Use 2020-12, or another published dialect of JSON Schema.",
    ),
    "hidden-character": (
        "What a person reviews is not all that a model reads.",
        "Reviewers, who cannot see what may be an instruction.",
        "Remove the characters; where a script needs them, keep those and no others.",
    ),
    "look-alike": (
        "The word is another one than it seems to be.",
        "Reviewers, and everyone who types the word or searches for it.",
        "Write the word in one alphabet.",
    ),
    "name-case": (
        "One of the two names is easily written for the other.",
        "Models, and clients that fold case: they call the wrong tool, or find two of a name.",
        "Choose names that differ in their words.",
    ),
    "name-near": (
        "One of the two names passes for the other.",
        "Reviewers, who cannot tell which tool is called; it may be meant to deceive.",
        "Find out where the second one comes from, and rename it.",
    ),
    "name-long": (
        "MCP asks for names of at most 128 characters.",
        "Clients that hold to the limit: they refuse the tool, or cut its name.",
        "Choose a shorter name, and keep the old one for those who use it.",
    ),
    "name-unusual": (
        "MCP asks for letters and digits of ASCII, `_`, `-` and `.` in names.",
        "Clients and model providers that take no other characters.",
        "Choose a plainer name, and keep the old one for those who use it.",
    ),
    "reference-loop": (
        "Following the reference never arrives at anything, so it allows everything.",
        "Clients that follow references without looking where they have been.",
        "Let the reference lead to a schema that describes the value.",
    ),
    "required-undeclared": (
        "Callers are told to send a value, and not which.",
        "Models, which must guess, and clients that only show what is declared.",
        "Declare the property, or take its name out of `required`.",
    ),
}


def advice(rule: str) -> Advice:
    """Returns a rule of `lint` in words; KeyError where there is none of that name."""
    refusal = REFUSALS.get(rule)
    if refusal is None:
        return Advice(rule, RULES[rule], *_WORDS[rule])
    return Advice(
        rule, refusal.reason, *_REFUSED, refusal.remedy, level="refused", source=refusal.source
    )


_REFUSED: Final = (
    "Sent as it is, the tool is answered with an error, and mostly the whole request with it.",
    "Everyone who offers the tool there, whatever other tools they offer beside it.",
)
