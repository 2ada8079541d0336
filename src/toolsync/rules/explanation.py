"""What a rule means, who is hurt and what to do about it, put together from the table."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from toolsync.model import Level, Side
from toolsync.rules import RULES, Effect, Rule

_MEANING: Final[Mapping[Level, str]] = {
    Level.PRESENTATION: (
        "nothing that a model takes as instruction and nothing that a call depends on changed;"
        " a running session is not told"
    ),
    Level.DOCUMENTATION: "words that a model reads changed; calls are accepted as before",
    Level.COMPATIBLE: "every call that worked still works, and no reader of results is surprised",
    Level.DANGEROUS: (
        "calls are accepted as before, but may do something else, or less is promised of them"
    ),
    Level.UNKNOWN: "what the change comes to cannot be told from its form alone",
    Level.BREAKING: "something that worked no longer does",
}
_WHOLE: Final[Mapping[Level, str]] = {
    Level.BREAKING: (
        ". That is its level by itself: where the rest of the schema leaves nothing that it could"
        " hurt, the finding is milder and says why, and where it does hurt, a witness proves it"
    ),
    Level.COMPATIBLE: (
        ". That is its level by itself: where the rest of the schema turns it round (under `not`,"
        " `if` or `oneOf`), the finding is graver and shows a witness"
    ),
    Level.DANGEROUS: (
        ". That is its level by itself: where the rest of the schema makes it worse, the finding is"
        " breaking and shows a witness"
    ),
    Level.UNKNOWN: (
        ". So the whole schema is asked: the finding is compatible where that is proved, breaking"
        " where a witness is found, and unknown only where neither is"
    ),
}
_WHO: Final[Mapping[Side, str]] = {
    "tool": "those who call the tool or read about it",
    "input": "callers, who send the arguments that the old schema showed them",
    "output": "readers, who expect the results that the old schema described",
}
_NOBODY: Final = frozenset((Level.PRESENTATION, Level.COMPATIBLE))
_BREAK: Final = (
    " Otherwise it asks for a major version. Where nobody relies on it, an override with a reason"
    " says so."
)
_REMEDY: Final[Mapping[Level, str]] = {
    Level.PRESENTATION: "Nothing.",
    Level.DOCUMENTATION: "Read the new words as a model will, which follows them.",
    Level.COMPATIBLE: "Nothing; the next version is a minor one.",
    Level.DANGEROUS: (
        "Have a person look at it, and tell users what differs. Where it is as harmless as it"
        " looks, an override with a reason says so."
    ),
    Level.UNKNOWN: (
        "Read the finding: it names the keyword that stopped the proof. Write that part in a"
        " plainer way, or decide on it by an override with a reason."
    ),
}
_REMEDY_OF_A_BREAK: Final[Mapping[Side, str]] = {
    "tool": "Keep the tool as it was for those who use it, beside the new one if need be.",
    "input": "Go on taking what was taken: leave it optional, give it a default, keep the old way.",
    "output": "Go on returning what was described, and add to it instead.",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """A rule in words: what it means, who is hurt, what to do."""

    rule: Rule
    means: str
    hurts: str
    remedy: str


def explained(rule: Rule) -> Explanation:
    """Returns a rule in words."""
    level = rule.level
    means = _MEANING[level] + (_WHOLE.get(level, "") if rule.effect is not Effect.NONE else "")
    breaks = level is Level.BREAKING
    remedy = _REMEDY_OF_A_BREAK[rule.side] + _BREAK if breaks else _REMEDY[level]
    return Explanation(rule, f"{means[0].upper()}{means[1:]}.", _hurts(rule), remedy)


def _hurts(rule: Rule) -> str:
    if rule.level in _NOBODY:
        return "Nobody."
    who = _WHO[rule.side]
    return f"{who[0].upper()}{who[1:]}: {rule.reason.partition(': ')[2]}"


def likened(name: str, known: Collection[str] = RULES) -> str:
    """Returns a question for the rules whose ids are nearest to a name, or nothing."""
    from difflib import get_close_matches  # noqa: PLC0415  only where a name is wrong

    near = get_close_matches(name[:100], known, n=3, cutoff=0.6)
    return f": did you mean {' or '.join(near)}?" if near else " (toolsync rules lists them)"
