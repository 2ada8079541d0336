"""The table of rules: what a finding is called, how much it matters, and why.

A row describes one kind of change for both schemas. From the caller's side an
input schema that takes less breaks; from the reader's side an output schema
that allows more does. Ids never change once released.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, NamedTuple

from toolsync.model import Level, Side


class Effect(Enum):
    """What a change does to the values that a schema accepts."""

    NARROWS = "narrows"
    WIDENS = "widens"
    EITHER = "either"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding: its id, usual level, reason, and the wording of its message.

    `level` is final where `effect` is `NONE`; otherwise it is what the change
    comes to by itself, and the whole schema decides. `fact` and `hurt` are
    templates: what is, and who is hurt how.
    """

    id: str
    level: Level
    reason: str
    fact: str
    hurt: str = ""
    effect: Effect = Effect.NONE
    side: Side = "tool"


class _Row(NamedTuple):
    stem: str
    effect: Effect
    general: str
    fact: str
    hurt_input: str = ""
    hurt_output: str = ""


_N, _W, _E = Effect.NARROWS, Effect.WIDENS, Effect.EITHER
_SCHEMA_SIDES: Final[tuple[Literal["input", "output"], ...]] = ("input", "output")
HARMLESS: Final[Mapping[str, str]] = {
    "input": "calls that worked still work",
    "output": "results are still what readers of the old ones expect",
}
HURT: Final[Mapping[str, str]] = {
    "input": "some calls that worked are refused",
    "output": "results may be what readers of the old ones do not expect",
}

_CONTRACT: Final = (
    _Row("property-added", _W, "An optional property was added", "{it} is new and optional"),
    _Row(
        "property-became-required",
        _N,
        "A property became required",
        "{names} {are} now required",
        "calls that leave {them} out are refused",
    ),
    _Row(
        "property-became-optional",
        _W,
        "A property is no longer required",
        "{names} {are} no longer required",
        hurt_output="results may leave {them} out, and readers rely on {them}",
    ),
    _Row("pattern-property-added", _E, "A pattern of property names was added", "{step}"),
    _Row("pattern-property-removed", _E, "A pattern of property names is gone", "{step}"),
    _Row(
        "additional-properties-closed",
        _N,
        "Undeclared properties are no longer allowed",
        "{it} no longer allows undeclared properties",
        "calls that pass one are refused",
    ),
    _Row(
        "additional-properties-opened",
        _W,
        "Undeclared properties are no longer refused",
        "{it} no longer refuses undeclared properties",
        hurt_output="results may hold properties that were ruled out",
    ),
    _Row(
        "additional-properties-changed",
        _E,
        "What undeclared properties may hold changed",
        "what undeclared properties of {it} may hold changed from {old} to {new}",
    ),
    _Row(
        "unevaluated-properties-closed",
        _N,
        "Properties that no branch declares are no longer allowed",
        "{it} no longer allows properties that no branch declares",
        "calls that pass one are refused",
    ),
    _Row(
        "unevaluated-properties-opened",
        _W,
        "Properties that no branch declares are no longer refused",
        "{it} no longer refuses properties that no branch declares",
        hurt_output="results may hold properties that were ruled out",
    ),
    _Row(
        "unevaluated-properties-changed",
        _E,
        "What properties that no branch declares may hold changed",
        "what properties of {it} that no branch declares may hold changed from {old} to {new}",
    ),
    _Row("property-names-added", _N, "Property names became limited", "{step}"),
    _Row("property-names-removed", _W, "Property names are no longer limited", "{step}"),
    _Row(
        "dependency-added",
        _N,
        "A property now needs another one beside it",
        "{it} with `{trigger}` now needs {came}",
        "calls that pass `{trigger}` without are refused",
    ),
    _Row(
        "dependency-removed",
        _W,
        "A property no longer needs another one beside it",
        "{it} with `{trigger}` no longer needs {gone}",
        hurt_output="results with `{trigger}` may leave it out",
    ),
    _Row(
        "dependent-schema-added",
        _N,
        "A property now puts conditions on the whole object",
        "{it} with `{trigger}` must now meet {new}",
    ),
    _Row(
        "dependent-schema-removed",
        _W,
        "A property no longer puts conditions on the whole object",
        "{it} with `{trigger}` need no longer meet {old}",
    ),
    _Row("type-narrowed", _N, "Fewer types are allowed", "{it} {moved}", "calls that pass {gone} are refused"),
    _Row("type-widened", _W, "More types are allowed", "{it} {moved}", hurt_output="readers may not expect {came}"),
    _Row("type-changed", _E, "Other types are allowed", "{it} {moved}", "calls that pass {gone} are refused", "readers may not expect {came}"),
    _Row("enum-value-removed", _N, "A listed value is gone", "{it} {moved}", "calls that pass {gone} are refused"),
    _Row("enum-value-added", _W, "A listed value was added", "{it} {moved}", hurt_output="readers may not know {came}"),
    _Row("enum-added", _N, "The values became a fixed list", "{it} is now limited to {new}", "calls that pass anything else are refused"),
    _Row("enum-removed", _W, "The values are no longer a fixed list", "{it} is no longer limited to {old}", hurt_output="readers may not know the other values"),
    _Row("const-added", _N, "Only one value is left", "{it} is now always {new}", "calls that pass anything else are refused"),
    _Row("const-removed", _W, "The value is no longer fixed", "{it} is no longer always {old}", hurt_output="readers may not know the other values"),
    _Row("const-changed", _E, "The one value that is allowed changed", "{it} is now always {new} (was {old})", "calls that pass {old} are refused", "readers may not know {new}"),
    _Row("multiple-of-added", _N, "Numbers must now be multiples", "{step}"),
    _Row("multiple-of-removed", _W, "Numbers need no longer be multiples", "{step}"),
    _Row("multiple-of-changed", _E, "Numbers must be multiples of something else", "{step}"),
    _Row("pattern-added", _N, "Text must now match a pattern", "{step}", "calls that pass other text are refused"),
    _Row("pattern-removed", _W, "Text need no longer match a pattern", "{step}"),
    _Row("pattern-changed", _E, "Text must match another pattern", "{step}", "calls that pass some of the old text are refused"),
    _Row("items-became-unique", _N, "Equal items are no longer allowed", "items of {it} must now differ", "calls that repeat an item are refused"),
    _Row("items-no-longer-unique", _W, "Equal items are allowed", "items of {it} may now be equal", hurt_output="readers may not expect repeats"),
    _Row("items-added", _N, "Items became limited", "{step}"),
    _Row("items-removed", _W, "Items are no longer limited", "{step}"),
    _Row("additional-items-added", _N, "Items after the listed ones became limited", "{step}"),
    _Row("additional-items-removed", _W, "Items after the listed ones are no longer limited", "{step}"),
    _Row("unevaluated-items-added", _N, "Items that no branch describes became limited", "{step}"),
    _Row("unevaluated-items-removed", _W, "Items that no branch describes are no longer limited", "{step}"),
    _Row("contains-added", _N, "An array must now contain an item of a kind", "{step}"),
    _Row("contains-removed", _W, "An array need no longer contain an item of a kind", "{step}"),
    _Row("tuple-item-added", _E, "A place in an array got its own description", "{it} describes {n} more of its items: {came}"),
    _Row("tuple-item-removed", _E, "A place in an array lost its own description", "{it} describes {n} fewer of its items: {gone}"),
    _Row("all-of-branch-added", _N, "A condition was added (`allOf`)", "{it} must now also meet {came}"),
    _Row("all-of-branch-removed", _W, "A condition is gone (`allOf`)", "{it} need no longer meet {gone}"),
    _Row("any-of-branch-added", _W, "A choice was added (`anyOf`)", "{it} {moved}", hurt_output="readers may not know it"),
    _Row("any-of-branch-removed", _N, "A choice is gone (`anyOf`)", "{it} {moved}", "calls that use it are refused"),
    _Row("one-of-branch-added", _E, "A choice was added (`oneOf`)", "{it} {moved}", "what meets another choice too is refused", "readers may not know it"),
    _Row("one-of-branch-removed", _E, "A choice is gone (`oneOf`)", "{it} {moved}", "calls that use it are refused"),
    _Row("any-of-added", _N, "One of several choices must now be met (`anyOf`)", "{it} must now meet one of {new}"),
    _Row("any-of-removed", _W, "None of several choices need be met (`anyOf`)", "{it} need no longer meet one of {old}"),
    _Row("one-of-added", _N, "Exactly one of several choices must now be met (`oneOf`)", "{it} must now meet exactly one of {new}"),
    _Row("one-of-removed", _W, "Several choices are gone (`oneOf`)", "{it} need no longer meet exactly one of {old}"),
    _Row("exclusion-added", _N, "Some values are now ruled out (`not`)", "{it} must no longer meet {new}"),
    _Row("exclusion-removed", _W, "Some values are no longer ruled out (`not`)", "{it} may now meet {old}"),
    _Row("condition-added", _N, "A condition was added (`if`, `then`, `else`)", "{step}"),
    _Row("condition-removed", _W, "A condition is gone (`if`, `then`, `else`)", "{step}"),
    _Row("forbidden", _N, "A value is no longer allowed at all", "{it} is no longer allowed", "calls that pass it are refused"),
    _Row("no-longer-forbidden", _W, "A value that was not allowed is", "{it} is now allowed"),
    _Row("schema-changed", _E, "A part of the schema was exchanged", "{it} changed from {old} to {new}"),
    _Row("reference-retargeted", _E, "A reference that is not followed here changed", "{step}"),
    _Row("dynamic-reference-changed", _E, "A dynamic reference or its anchor changed", "{step}"),
    _Row("identifier-changed", _E, "A name that references may use changed", "{step}"),
    _Row("dialect-changed", _E, "The schema names another dialect", "{step}"),
    _Row("restructured", _E, "A part of the schema moved into or out of an `allOf`", "{it} is written with other parts"),
)  # fmt: skip

_BOUNDS: Final[Mapping[str, tuple[str, str, str]]] = {  # keyword: stem, what is bounded, which end
    "minimum": ("minimum", "numbers below it", "lowest number"),
    "maximum": ("maximum", "numbers above it", "highest number"),
    "exclusiveMinimum": ("exclusive-minimum", "numbers down to it", "number to stay above"),
    "exclusiveMaximum": ("exclusive-maximum", "numbers up from it", "number to stay below"),
    "minLength": ("min-length", "shorter text", "shortest text"),
    "maxLength": ("max-length", "longer text", "longest text"),
    "minItems": ("min-items", "fewer items", "fewest items"),
    "maxItems": ("max-items", "more items", "most items"),
    "minProperties": ("min-properties", "fewer properties", "fewest properties"),
    "maxProperties": ("max-properties", "more properties", "most properties"),
    "minContains": ("min-contains", "fewer items of the kind", "fewest items of a kind"),
    "maxContains": ("max-contains", "more items of the kind", "most items of a kind"),
}


def bound_stem(keyword: str) -> str | None:
    """Returns how rules call a bound, or None where the keyword is none."""
    return _BOUNDS[keyword][0] if keyword in _BOUNDS else None


_DANGER: Final = (
    ("default", "A default value changed", "calls that leave it out may do something else"),
    ("format", "The format that text should have changed", "text of the old format may be misread"),
    ("content-encoding", "The encoding of text changed", "text in the old encoding may be misread"),
    ("content-media-type", "The media type of text changed", "text of the old type may be misread"),
    ("content-schema", "What encoded text should hold changed", "the old text may be misread"),
    ("header", "The header that carries an argument changed", "the value may go elsewhere"),
)
_DOCUMENTATION: Final = (
    ("description", "The text that says what an argument or result is changed"),
    ("examples", "The examples changed"),
    ("deprecated", "A part became deprecated, or no longer is"),
    ("read-only", "A part became read-only, or no longer is"),
    ("write-only", "A part became write-only, or no longer is"),
    ("keyword", "A keyword changed that JSON Schema does not know"),
)
_PRESENTATION: Final = (
    ("schema-rewritten", "A part of the schema is written another way and accepts the same"),
    ("title-changed", "A title changed"),
    ("comment-changed", "A comment changed"),
    ("description-respaced", "A description changed in line ends or outer blanks only"),
    ("order-changed", "A list whose order has no meaning was reordered, or repeats came or went"),
    ("spelling-changed", "A keyword is written out, or left out, that says nothing here"),
    ("reference-changed", "A reference leads to an equal definition elsewhere"),
    ("definitions-changed", "Definitions came, went or changed, and what uses them did not"),
)
