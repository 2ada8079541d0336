"""The rules about keywords that decide which values a schema accepts, one row for both sides.

`fact` and the two `hurt` texts are templates: {it} names the place, {step} says
what was and is, {moved} what came and went, {came} and {gone} just these.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple


class Effect(Enum):
    """What a change does to the values that a schema accepts."""

    NARROWS = "narrows"
    WIDENS = "widens"
    EITHER = "either"
    NONE = "none"


class Row(NamedTuple):
    """One kind of change to a schema: the end of its rules' ids, and its wording."""

    stem: str
    effect: Effect
    general: str
    fact: str = "{step}"
    hurt_input: str = ""
    hurt_output: str = ""


_N, _W, _E = Effect.NARROWS, Effect.WIDENS, Effect.EITHER

ROWS: Final[tuple[Row, ...]] = (
    Row("property-added", _W, "A property was added", "{it} is new and {needed}"),
    Row(
        "property-became-required",
        _N,
        "A property became required",
        "{names} {are} now required",
        "calls that leave {them} out are refused",
    ),
    Row(
        "property-became-optional",
        _W,
        "A property is no longer required",
        "{names} {are} no longer required",
        hurt_output="results may leave {them} out, and readers rely on {them}",
    ),
    Row(
        "pattern-property-added",
        _E,
        "A pattern of property names was added",
        "{it} is described now, by {new}",
    ),
    Row(
        "pattern-property-removed",
        _E,
        "A pattern of property names is gone",
        "{it} is described no longer (it was by {old})",
    ),
    Row(
        "additional-properties-closed",
        _N,
        "Undeclared properties are no longer allowed",
        "{it} {extras} undeclared properties",
        "calls that pass one are refused",
    ),
    Row(
        "additional-properties-opened",
        _W,
        "Undeclared properties are no longer refused",
        "{it} {extras} undeclared properties",
        hurt_output="results may hold properties that were ruled out",
    ),
    Row(
        "additional-properties-changed",
        _E,
        "What undeclared properties may hold changed",
        "what undeclared properties of {it} may hold changed from {old} to {new}",
    ),
    Row(
        "unevaluated-properties-closed",
        _N,
        "Properties that no branch declares are no longer allowed",
        "{it} {extras} properties that no branch declares",
        "calls that pass one are refused",
    ),
    Row(
        "unevaluated-properties-opened",
        _W,
        "Properties that no branch declares are no longer refused",
        "{it} {extras} properties that no branch declares",
        hurt_output="results may hold properties that were ruled out",
    ),
    Row(
        "unevaluated-properties-changed",
        _E,
        "What properties that no branch declares may hold changed",
        "what properties of {it} that no branch declares may hold changed from {old} to {new}",
    ),
    Row("property-names-added", _N, "Property names became limited"),
    Row("property-names-removed", _W, "Property names are no longer limited"),
    Row(
        "dependency-added",
        _N,
        "A property now needs another one beside it",
        "{it} with `{trigger}` now needs {came}",
        "calls that pass `{trigger}` without are refused",
    ),
    Row(
        "dependency-removed",
        _W,
        "A property no longer needs another one beside it",
        "{it} with `{trigger}` no longer needs {gone}",
        hurt_output="results with `{trigger}` may leave it out",
    ),
    Row(
        "dependent-schema-added",
        _N,
        "A property now puts conditions on the whole object",
        "{it} with `{trigger}` must now meet {new}",
    ),
    Row(
        "dependent-schema-removed",
        _W,
        "A property no longer puts conditions on the whole object",
        "{it} with `{trigger}` need no longer meet {old}",
    ),
    Row(
        "type-narrowed",
        _N,
        "Fewer types are allowed",
        "{it} {moved}",
        "calls that pass {gone} are refused",
    ),
    Row(
        "type-widened",
        _W,
        "More types are allowed",
        "{it} {moved}",
        hurt_output="readers may not expect {came}",
    ),
    Row(
        "type-changed",
        _E,
        "Other types are allowed",
        "{it} {moved}",
        "calls that pass {gone} are refused",
        "readers may not expect {came}",
    ),
    Row(
        "enum-value-removed",
        _N,
        "A listed value is gone",
        "{it} {moved}",
        "calls that pass {gone} are refused",
    ),
    Row(
        "enum-value-added",
        _W,
        "A listed value was added",
        "{it} {moved}",
        hurt_output="readers may not know {came}",
    ),
    Row(
        "enum-added",
        _N,
        "The values became a fixed list",
        "{it} is now limited to {new}",
        "calls that pass anything else are refused",
    ),
    Row(
        "enum-removed",
        _W,
        "The values are no longer a fixed list",
        "{it} is no longer limited to {old}",
        hurt_output="readers may not know the other values",
    ),
    Row(
        "const-added",
        _N,
        "Only one value is left",
        "{it} is now always {new}",
        "calls that pass anything else are refused",
    ),
    Row(
        "const-removed",
        _W,
        "The value is no longer fixed",
        "{it} is no longer always {old}",
        hurt_output="readers may not know the other values",
    ),
    Row(
        "const-changed",
        _E,
        "The one value that is allowed changed",
        "{it} is now always {new} (was {old})",
        "calls that pass {old} are refused",
        "readers may not know {new}",
    ),
    Row("multiple-of-added", _N, "Numbers must now be multiples"),
    Row("multiple-of-removed", _W, "Numbers need no longer be multiples"),
    Row("multiple-of-changed", _E, "Numbers must be multiples of something else"),
    Row(
        "pattern-added",
        _N,
        "Text must now match a pattern",
        hurt_input="calls that pass other text are refused",
    ),
    Row("pattern-removed", _W, "Text need no longer match a pattern"),
    Row(
        "pattern-changed",
        _E,
        "Text must match another pattern",
        hurt_input="calls that pass some of the old text are refused",
    ),
    Row(
        "items-became-unique",
        _N,
        "Equal items are no longer allowed",
        "items of {it} must now differ",
        "calls that repeat an item are refused",
    ),
    Row(
        "items-no-longer-unique",
        _W,
        "Equal items are allowed",
        "items of {it} may now be equal",
        hurt_output="readers may not expect repeats",
    ),
    Row("items-added", _N, "Items became limited"),
    Row("items-removed", _W, "Items are no longer limited"),
    Row("additional-items-added", _N, "Items after the listed ones became limited"),
    Row("additional-items-removed", _W, "Items after the listed ones are no longer limited"),
    Row("unevaluated-items-added", _N, "Items that no branch describes became limited"),
    Row("unevaluated-items-removed", _W, "Items that no branch describes are no longer limited"),
    Row("contains-added", _N, "An array must now contain an item of a kind"),
    Row("contains-removed", _W, "An array need no longer contain an item of a kind"),
    Row(
        "tuple-item-added",
        _E,
        "A place in an array got its own description",
        "{it} describes {n} more of its items: {came}",
    ),
    Row(
        "tuple-item-removed",
        _E,
        "A place in an array lost its own description",
        "{it} describes {n} fewer of its items: {gone}",
    ),
    Row(
        "all-of-branch-added",
        _N,
        "A condition was added (`allOf`)",
        "{it} must now also meet {came}",
    ),
    Row(
        "all-of-branch-removed",
        _W,
        "A condition is gone (`allOf`)",
        "{it} need no longer meet {gone}",
    ),
    Row(
        "any-of-branch-added",
        _W,
        "A choice was added (`anyOf`)",
        "{it} {moved}",
        hurt_output="readers may not know it",
    ),
    Row(
        "any-of-branch-removed",
        _N,
        "A choice is gone (`anyOf`)",
        "{it} {moved}",
        "calls that use it are refused",
    ),
    Row(
        "one-of-branch-added",
        _E,
        "A choice was added (`oneOf`)",
        "{it} {moved}",
        "what meets another choice too is refused",
        "readers may not know it",
    ),
    Row(
        "one-of-branch-removed",
        _E,
        "A choice is gone (`oneOf`)",
        "{it} {moved}",
        "calls that use it are refused",
    ),
    Row(
        "any-of-added",
        _N,
        "One of several choices must now be met (`anyOf`)",
        "{it} must now meet one of {new}",
    ),
    Row(
        "any-of-removed",
        _W,
        "None of several choices need be met (`anyOf`)",
        "{it} need no longer meet one of {old}",
    ),
    Row(
        "one-of-added",
        _N,
        "Exactly one of several choices must now be met (`oneOf`)",
        "{it} must now meet exactly one of {new}",
    ),
    Row(
        "one-of-removed",
        _W,
        "Several choices are gone (`oneOf`)",
        "{it} need no longer meet exactly one of {old}",
    ),
    Row(
        "exclusion-added",
        _N,
        "Some values are now ruled out (`not`)",
        "{it} must no longer meet {new}",
    ),
    Row(
        "exclusion-removed",
        _W,
        "Some values are no longer ruled out (`not`)",
        "{it} may now meet {old}",
    ),
    Row("condition-added", _N, "A condition was added (`if`, `then`, `else`)"),
    Row("condition-removed", _W, "A condition is gone (`if`, `then`, `else`)"),
    Row(
        "forbidden",
        _N,
        "A value is no longer allowed at all",
        "{it} is no longer allowed",
        "calls that pass it are refused",
    ),
    Row("no-longer-forbidden", _W, "A value that was not allowed is", "{it} is now allowed"),
    Row(
        "schema-changed",
        _E,
        "A part of the schema was exchanged",
        "{it} changed from {old} to {new}",
    ),
    Row("reference-retargeted", _E, "A reference that is not followed here changed"),
    Row("dynamic-reference-changed", _E, "A dynamic reference or its anchor changed"),
    Row("identifier-changed", _E, "A name that references may use changed"),
    Row("dialect-changed", _E, "The schema names another dialect"),
    Row(
        "restructured",
        _E,
        "A part of the schema moved into or out of a branch",
        "{it} is written with other parts",
    ),
)

BOUNDS: Final[Mapping[str, tuple[str, str, str]]] = {  # keyword: stem, what is bounded, which end
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
