"""Holds tools against what providers refuse, rule by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolsync.lint import strict
from toolsync.lint.names import colliding
from toolsync.lint.places import Place, places
from toolsync.lint.profiles import (
    GEMINI_FORMATS,
    GEMINI_KEYWORDS,
    MOST_TOOLS,
    NAMES,
    PROFILES,
    Profile,
)
from toolsync.lint.remark import Remark
from toolsync.safe import named

MAX_REMARKS: Final = 100
"""How many remarks on one tool are made; who mends these sees the next."""

_ROOT: Final[Mapping[str, tuple[str, ...]]] = {
    "openai-root": ("oneOf", "anyOf", "allOf", "enum", "const", "not"),
    "anthropic-root": ("oneOf", "anyOf", "allOf"),
}
_ARGUMENT_NAME: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
)
_LONGEST_ARGUMENT: Final = 64


def refusals_of_tool(
    definition: Mapping[str, Any], profiles: Iterable[Profile]
) -> tuple[Remark, ...]:
    """Finds what some profiles refuse about one usable tool, by path; the first hundred."""
    rules = _rules(profiles)
    found: list[Remark] = []
    for remark in _remarks(definition, rules):
        found.append(remark)
        if len(found) == MAX_REMARKS:
            break
    return tuple(sorted(found, key=lambda each: (each.path, each.rule)))


def refusals_of_catalog(
    names: Iterable[str], profiles: Iterable[Profile]
) -> Iterator[tuple[str | None, Remark]]:
    """Yields what some profiles refuse about the set of tools, with the tool it is about."""
    rules = _rules(profiles)
    known = list(names)
    for rule, most in MOST_TOOLS.items():
        if rule in rules and len(known) > most:
            yield None, Remark("", rule, f"expected at most {most} tools, got {len(known)}")
    for taken in NAMES.values():
        if taken.collision in rules:
            for name, other in colliding(known, taken):
                reason = f"expected a name of its own, got the same as {named(other)} once cut"
                yield name, Remark("/name", taken.collision, reason)


def _rules(profiles: Iterable[Profile]) -> frozenset[str]:
    return frozenset(rule for profile in profiles for rule in PROFILES[profile])


def _remarks(definition: Mapping[str, Any], rules: frozenset[str]) -> Iterator[Remark]:
    yield from _name(definition["name"], rules)
    if definition.get("description") == "" and "bedrock-description-empty" in rules:
        reason = "expected a text or no description, got an empty one"
        yield Remark("/description", "bedrock-description-empty", reason)
    schema = definition["inputSchema"]
    checks = [check for rule, check in _CHECKS.items() if rule in rules]
    keywords: Counter[str] = Counter()
    for place in places(schema):
        for check in checks:
            yield from check(place)
        if "gemini-keyword" in rules:
            yield from _keyword(place, keywords)
    if "openai-strict-size" in rules:
        yield from strict.size(places(schema))


def _name(name: str, rules: frozenset[str]) -> Iterator[Remark]:
    for taken in NAMES.values():
        if taken.rule not in rules:
            continue
        if len(name) > taken.longest:
            reason = f"expected at most {taken.longest} characters, got {len(name)}"
            yield Remark("/name", taken.rule, reason)
        elif taken.pattern.fullmatch(name) is None:
            reason = f"expected {taken.pattern.pattern}, got {named(name)}"
            yield Remark("/name", taken.rule, reason)


def _keyword(place: Place, told: Counter[str]) -> Iterator[Remark]:
    """Tells of each keyword once: a schema that was not written for Gemini is full of them."""
    for keyword in place.keywords:
        told[keyword] += keyword not in GEMINI_KEYWORDS
        if told[keyword] == 1:
            reason = f"expected a keyword that is known there, got {named(keyword)}"
            yield Remark(place.at(keyword), "gemini-keyword", reason)


@dataclass(frozen=True, slots=True)
class _Root:
    """Looks for keywords that may not stand at the root."""

    rule: str

    def __call__(self, place: Place) -> Iterator[Remark]:
        for keyword in _ROOT[self.rule] if place.is_root else ():
            if keyword in place.keywords:
                reason = f"expected none of {', '.join(_ROOT[self.rule])} at the root"
                yield Remark(place.at(keyword), self.rule, reason)


@dataclass(frozen=True, slots=True)
class _Items:
    """Looks for arrays whose elements are not described."""

    rule: str

    def __call__(self, place: Place) -> Iterator[Remark]:
        if "array" in place.types and "items" not in place.keywords:
            yield Remark(place.at(), self.rule, "expected `items` beside the type array")


def _no_properties(place: Place) -> Iterator[Remark]:
    """Only the arguments as a whole need them; an empty object will do."""
    if place.is_root and "properties" not in place.keywords:
        yield Remark(place.at(), "openai-properties-missing", "expected `properties`")


def _older_draft(place: Place) -> Iterator[Remark]:
    # Whatever `$schema` says: the provider reads all schemas as 2020-12.
    found = place.keywords
    if isinstance(found.get("items"), list):
        reason = "expected one schema (`prefixItems` takes a list), got an array"
        yield Remark(place.at("items"), "anthropic-draft", reason)
    for keyword in ("exclusiveMinimum", "exclusiveMaximum"):
        if isinstance(found.get(keyword), bool):
            yield Remark(place.at(keyword), "anthropic-draft", "expected a number, got a boolean")


def _argument_names(place: Place) -> Iterator[Remark]:
    """Only the arguments themselves are looked at: so does the provider."""
    for name in place.keywords.get("properties", ()) if place.is_root else ():
        if not (0 < len(name) <= _LONGEST_ARGUMENT and _ARGUMENT_NAME.issuperset(name)):
            reason = f"expected 1 to 64 of A-Z a-z 0-9 _ . -, got {named(name)}"
            yield Remark(place.at("properties", name), "anthropic-property-name", reason)


def _type_list(place: Place) -> Iterator[Remark]:
    if isinstance(place.keywords.get("type"), list):
        reason = f"expected one type, got a list of {len(place.types)}"
        yield Remark(place.at("type"), "gemini-type-list", reason)


def _untyped(place: Place) -> Iterator[Remark]:
    # A reference is told of as an unknown keyword.
    if place.schema is place.keywords and not {"type", "anyOf", "$ref"} & place.keywords.keys():
        yield Remark(place.at(), "gemini-untyped", "expected a type")


def _boolean(place: Place) -> Iterator[Remark]:
    # As the value of additionalProperties it goes with a keyword that is not known at all.
    if isinstance(place.schema, bool) and place.tokens[-1] != "additionalProperties":
        got = "true" if place.schema else "false"
        yield Remark(place.at(), "gemini-boolean-schema", f"expected an object, got {got}")


def _enum(place: Place) -> Iterator[Remark]:
    values = place.keywords.get("enum", ())
    if values and place.types not in {(), ("string",)}:
        yield Remark(place.at("enum"), "gemini-enum", "expected the type string beside an enum")
    elif not all(isinstance(value, str) for value in values):
        yield Remark(place.at("enum"), "gemini-enum", "expected strings")


def _format(place: Place) -> Iterator[Remark]:
    told = place.keywords.get("format", "enum")
    if "string" in place.types and told not in GEMINI_FORMATS:
        reason = f"expected enum or date-time, got {named(told)}"
        yield Remark(place.at("format"), "gemini-format", reason)


def _empty_object(place: Place) -> Iterator[Remark]:
    if place.types == ("object",) and not place.keywords.get("properties"):
        yield Remark(place.at(), "gemini-object-empty", "expected properties")


def _undeclared(place: Place) -> Iterator[Remark]:
    declared = place.keywords.get("properties", {})
    for at, name in enumerate(place.keywords.get("required", ())):
        if name not in declared:
            reason = f"expected {named(name)} in `properties`, got nothing there"
            yield Remark(place.at("required", str(at)), "gemini-required-undeclared", reason)


_CHECKS: Final[Mapping[str, Callable[[Place], Iterator[Remark]]]] = {
    "openai-root": _Root("openai-root"),
    "anthropic-root": _Root("anthropic-root"),
    "openai-array-items": _Items("openai-array-items"),
    "vscode-array-items": _Items("vscode-array-items"),
    "gemini-array-items": _Items("gemini-array-items"),
    "openai-properties-missing": _no_properties,
    "anthropic-draft": _older_draft,
    "anthropic-property-name": _argument_names,
    "gemini-type-list": _type_list,
    "gemini-untyped": _untyped,
    "gemini-boolean-schema": _boolean,
    "gemini-enum": _enum,
    "gemini-format": _format,
    "gemini-object-empty": _empty_object,
    "gemini-required-undeclared": _undeclared,
    "openai-strict-open": strict.open_object,
    "openai-strict-optional": strict.optional,
    "openai-strict-keyword": strict.keyword,
    "openai-strict-format": strict.format_,
}
