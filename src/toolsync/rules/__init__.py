"""The table of rules: what a finding is called, how much it matters, and why.

Ids read as sentences, carry the side and never change once released. From the
caller's side an input schema that takes less breaks; from the reader's side an
output schema that allows more does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

from toolsync.model import Level, Side
from toolsync.rules.contract import BOUNDS, ROWS, Effect, Row

__all__ = ["RULES", "Effect", "Rule", "SchemaSide"]

SchemaSide = Literal["input", "output"]


class Rule(NamedTuple):
    """One kind of finding: its id, level, one-sentence reason, and wording.

    `level` is final where `effect` is `NONE`; otherwise it is what the change
    comes to by itself, and the whole schema decides, but never below `floor`. `fact` and `hurt` are
    templates of the message: what is, and who is hurt how.
    """

    id: str
    level: Level
    reason: str
    fact: str
    hurt: str = ""
    effect: Effect = Effect.NONE
    side: Side = "tool"
    floor: Level = Level.IDENTICAL


HARMLESS: Final[Mapping[SchemaSide, str]] = {
    "input": "calls that worked still work",
    "output": "results are still what readers of the old ones expect",
}
HURT: Final[Mapping[SchemaSide, str]] = {
    "input": "some calls that worked are refused",
    "output": "results may be what readers of the old ones do not expect",
}
_LEVELS: Final[Mapping[tuple[SchemaSide, Effect], Level]] = {
    ("input", Effect.NARROWS): Level.BREAKING,
    ("input", Effect.WIDENS): Level.COMPATIBLE,
    ("input", Effect.EITHER): Level.UNKNOWN,
    ("output", Effect.NARROWS): Level.COMPATIBLE,
    ("output", Effect.WIDENS): Level.BREAKING,
    ("output", Effect.EITHER): Level.UNKNOWN,
}
_REASONS: Final[Mapping[Level, str]] = {
    Level.BREAKING: "{general}: {hurt}.",
    Level.COMPATIBLE: "{general}: {harmless}.",
    Level.UNKNOWN: "{general}: the rest of the schema decides who is hurt.",
}


def _contract(row: Row, side: SchemaSide) -> Rule:
    level = _LEVELS[side, row.effect]
    hurt = (row.hurt_input if side == "input" else row.hurt_output) or HURT[side]
    reason = _REASONS[level].format(
        general=row.general, hurt=_plainly(hurt), harmless=HARMLESS[side]
    )
    return Rule(f"{side}-{row.stem}", level, reason, row.fact, hurt, row.effect, side)


def _plainly(hurt: str) -> str:
    """Fills a message's blanks for a reader who has no case at hand."""
    return hurt.format(
        it="it", them="it", gone="it", came="the new one", trigger="the property",
        old="the old one", new="the new one",
    )  # fmt: skip


def _bounds() -> Iterator[Row]:
    for keyword, (stem, refused, what) in BOUNDS.items():
        hurt = f"calls that pass {refused} are refused"
        more = f"readers may not expect {refused}"
        tight, loose = f"{stem}-tightened", f"{stem}-loosened"
        yield Row(tight, Effect.NARROWS, f"The {what} (`{keyword}`) is tighter", hurt_input=hurt)
        yield Row(loose, Effect.WIDENS, f"The {what} (`{keyword}`) is looser", hurt_output=more)


_MISREAD: Final = "what was written for the old one may be misread"
_DANGEROUS: Final = (
    ("default-changed", "A default changed", "calls that leave it out may do something else"),
    ("format-changed", "The format of text changed", _MISREAD),
    ("content-encoding-changed", "The encoding of text changed", _MISREAD),
    ("content-media-type-changed", "The media type of text changed", _MISREAD),
    ("content-schema-changed", "What encoded text holds changed", _MISREAD),
    ("header-changed", "The header that carries a value changed", "the value may go elsewhere"),
)
_DOCUMENTATION: Final = (
    ("description-changed", "A description inside the schema changed", "{it}: the text changed"),
    ("examples-changed", "The examples changed", "{it}: the examples changed"),
    ("deprecated-changed", "A part became deprecated or no longer is", "{step}"),
    ("read-only-changed", "A part became read-only or no longer is", "{step}"),
    ("write-only-changed", "A part became write-only or no longer is", "{step}"),
    ("keyword-changed", "A keyword changed that JSON Schema does not know", "{step}"),
)
_PRESENTATION: Final = (
    ("schema-rewritten", "A part is written another way", "{it} is written another way"),
    ("title-changed", "A title inside the schema changed", "{it}: the title changed"),
    ("comment-changed", "A comment changed", "{it}: a comment changed"),
    ("description-respaced", "A text changed in outer blanks only", "{it}: only blanks changed"),
    ("order-changed", "A list whose order says nothing was reordered", "{it}: `{word}` reordered"),
    ("spelling-changed", "A default was written or left out", "{spelling}"),
    ("reference-changed", "A reference leads to the same elsewhere", "{it}: another reference"),
    ("definitions-changed", "Definitions came, went or moved", "{definitions}"),
)


_HIDDEN: Final = (
    (
        "hidden-characters-added",
        "a text holds characters that people cannot see",
        "the model reads more than a reviewer does",
    ),
    (
        "look-alike-letters-added",
        "a word mixes alphabets whose letters look the same",
        "it is not the word that it seems to be",
    ),
)


def _hidden() -> Iterator[Rule]:
    sides: tuple[Side, ...] = ("tool", "input", "output")
    for side in sides:
        for stem, fact, hurt in _HIDDEN:
            reason = f"{fact[0].upper()}{fact[1:]}: {hurt}."
            name = stem if side == "tool" else f"{side}-{stem}"
            yield Rule(name, Level.DOCUMENTATION, reason, fact, hurt, side=side)


def _sided(side: SchemaSide) -> Iterator[Rule]:
    for row in (*ROWS, *_bounds()):
        yield _contract(row, side)
    for stem, general, told in _DANGEROUS:
        hurt = (
            told
            if side == "input"
            else told.replace("calls that leave it out may do", "what leaves it out may mean")
        )
        reason = f"{general}: {hurt}."
        yield Rule(f"{side}-{stem}", Level.DANGEROUS, reason, "{step}", hurt, side=side)
    for stem, general, fact in _DOCUMENTATION:
        reason = f"{general}: the model reads it."
        hurt = "the model reads it"
        yield Rule(f"{side}-{stem}", Level.DOCUMENTATION, reason, fact, hurt, side=side)
    for stem, general, fact in _PRESENTATION:
        reason = f"{general}: the same values are accepted, and no instruction changed."
        yield Rule(f"{side}-{stem}", Level.PRESENTATION, reason, fact, side=side)


_ONE_SIDED: Final[tuple[tuple[SchemaSide, Row], ...]] = (
    (
        "input",
        Row(
            "required-property-added",
            Effect.NARROWS,
            "A required property was added",
            "{it} is new and required",
            "calls that leave it out are refused",
        ),
    ),
    (
        "input",
        Row(
            "property-removed",
            Effect.NARROWS,
            "A property is gone",
            "{it} is gone",
            "calls that pass it are refused, or it is ignored",
        ),
    ),
    (
        "input",
        Row(
            "schema-narrowed",
            Effect.NARROWS,
            "The changes together refuse calls, though none does by itself",
            "the changes together refuse calls that worked",
        ),
    ),
    (
        "output",
        Row(
            "required-property-removed",
            Effect.WIDENS,
            "A property that was always there is gone",
            "{it} is gone, and was always there",
            hurt_output="readers that rely on it find nothing",
        ),
    ),
    (
        "output",
        Row(
            "schema-widened",
            Effect.WIDENS,
            "The changes together allow results that were ruled out",
            "the changes together allow results that were ruled out",
        ),
    ),
)


def _one_sided() -> Iterator[Rule]:
    for side, row in _ONE_SIDED:
        yield _contract(row, side)
    reason = "An optional property of the result is gone: readers that use it find nothing."
    yield Rule(
        "output-property-removed",
        Level.DANGEROUS,
        reason,
        "{it} is gone",
        "readers that use it find nothing",
        Effect.EITHER,
        "output",
        Level.DANGEROUS,
    )


_D, _P, _C, _B = Level.DOCUMENTATION, Level.PRESENTATION, Level.COMPATIBLE, Level.BREAKING
_MIXED: Final = "calls meant for the one may go to the other"
_TOOL: Final = (
    ("tool-added", _C, "a tool is new", "nothing that worked depends on it"),
    ("tool-removed", _B, "the tool is gone", "calls to it are refused"),
    ("tool-name-looks-like-another", Level.DANGEROUS, "the name {mine} looks like {other}", _MIXED),
    ("tool-renamed", _P, "{renamed}", "the names differ, and the rest is alike"),
    ("tool-became-invalid", _B, "the tool became unusable ({why})", "calls to it cannot work"),
    ("tool-became-valid", _C, "the tool became usable", "nothing that worked depends on it"),
    ("tool-invalid", _P, "the tool is unusable ({why})", "it is left out, as it was before"),
    ("invalid-tool-removed", _P, "an unusable tool is gone", "nothing could rely on it"),
    ("description-changed", _D, "the description changed", "the model reads it"),
    ("description-respaced", _P, "blanks of the description changed", "the words are the same"),
    ("hint-strengthened", _D, "{step}", "it promises more than before"),
    ("hint-weakened", Level.DANGEROUS, "{step}", "what was promised about calls no longer holds"),
    ("title-changed", _P, "the title changed", "it is for display only"),
    ("icons-changed", _P, "the icons changed", "they are for display only"),
    ("meta-changed", _P, "`_meta` changed", "no call depends on it"),
    ("annotation-changed", _P, "{step}", "no call depends on it"),
    ("field-changed", _P, "{step}", "no call depends on it"),
    ("spelling-changed", _P, "{step}", "it says the same"),
    ("task-support-became-required", _B, "{step}", "plain calls are refused"),
    ("task-support-offered", _C, "{step}", "calls that worked still work"),
    ("task-support-withdrawn", Level.DANGEROUS, "{step}", "calls as tasks are no longer served"),
    ("task-support-changed", Level.UNKNOWN, "{step}", "the value is not known here"),
    ("output-schema-added", _C, "results are now described", "readers may rely on more"),
    ("output-schema-removed", _B, "results are no longer described", "readers rely on it"),
)
_GENERAL: Final[Mapping[str, str]] = {  # where the message says a value instead
    "tool-name-looks-like-another": "the name of a new tool looks like that of another",
    "tool-renamed": "a tool that went looks like one that came",
    "tool-became-invalid": "a tool became unusable",
    "tool-invalid": "a tool is unusable and was so before, or is new",
    "hint-strengthened": "a hint moved to the safe side",
    "hint-weakened": "a hint moved to the unsafe side",
    "annotation-changed": "an annotation that is no hint changed",
    "field-changed": "a field changed that MCP does not know",
    "spelling-changed": "a default or null was written out, or left out",
    "task-support-became-required": "the tool can only be called as a task",
    "task-support-offered": "calls as tasks became possible, or plain ones did",
    "task-support-withdrawn": "calls as tasks are no longer possible",
    "task-support-changed": "`taskSupport` changed from or to an unknown value",
}


def _tool() -> Iterator[Rule]:
    for name, level, fact, hurt in _TOOL:
        general = _GENERAL.get(name, fact)
        reason = f"{general[0].upper()}{general[1:]}: {hurt}."
        side: Side = "output" if name.startswith("output-") else "tool"
        yield Rule(name, level, reason, fact, hurt, side=side)


def _table() -> dict[str, Rule]:
    rules = [*_tool(), *_hidden(), *_sided("input"), *_sided("output"), *_one_sided()]
    return {rule.id: rule for rule in sorted(rules, key=lambda rule: rule.id)}


RULES: Final[Mapping[str, Rule]] = _table()
