"""What each provider is known to refuse: facts, and the page on which each is said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Profile(StrEnum):
    """A provider or host, and the way in which it is handed tools."""

    OPENAI = "openai"
    OPENAI_STRICT = "openai-strict"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    VSCODE = "vscode"
    BEDROCK = "bedrock"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One thing that a provider refuses: why, what to do instead, and where it is said."""

    rule: str
    reason: str
    remedy: str
    source: str


@dataclass(frozen=True, slots=True)
class Names:
    """Which names a provider takes: the characters, how many, and the rules that say so."""

    pattern: re.Pattern[str]
    longest: int
    rule: str
    collision: str


_FUNCTIONS: Final = "https://platform.openai.com/docs/api-reference/chat/create"
_STRICT: Final = "https://developers.openai.com/api/docs/guides/structured-outputs"
_GEMINI_SCHEMA: Final = "https://ai.google.dev/api/caching#Schema"
_BEDROCK: Final = (
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html"
)
_SHORTER: Final = "Choose a name within the limit, and keep the old one for those who use it."
_APART: Final = "Rename one of them, so that they differ in what is left."
_FEWER: Final = "Offer fewer tools at a time: select by task, or let tools be searched for."
_ITEMS: Final = "Say in `items` what the elements are; an empty schema stands for anything."

_ALL: Final = (
    Refusal("openai-name", "OpenAI takes names of 1 to 64 letters, digits, `_` and `-`.",
            _SHORTER, _FUNCTIONS),
    Refusal("openai-name-collision", "Two names are one once they are made to fit OpenAI.",
            _APART, _FUNCTIONS),
    Refusal("openai-root", "OpenAI takes no combinator, `enum` or `const` at the root.",
            "Describe the alternatives within a property, or check them when called.",
            "https://github.com/langchain-ai/langchainjs/issues/9804"),
    Refusal("openai-properties-missing", "OpenAI takes no arguments object without `properties`.",
            "Write empty `properties` where there are no arguments.",
            "https://github.com/openai/openai-agents-python/pull/454"),
    Refusal("openai-array-items", "OpenAI takes no array schema without `items`.",
            _ITEMS, "https://github.com/streamnative/streamnative-mcp-server/issues/26"),
    Refusal("openai-tool-count", "OpenAI takes at most 128 tools in a request.",
            _FEWER, "https://github.com/zed-industries/zed/issues/32946"),
    Refusal("openai-strict-open", "Strict mode wants `additionalProperties: false` everywhere.",
            "Close every object; what was a free map becomes a list of key and value.", _STRICT),
    Refusal("openai-strict-optional", "Strict mode wants every property in `required`.",
            'Require it and let it be null: `"type": ["string", "null"]`.', _STRICT),
    Refusal("openai-strict-keyword", "Strict mode knows `anyOf` and no other combinator.",
            "Use `anyOf`, or check the condition when called.", _STRICT),
    Refusal("openai-strict-format", "Strict mode knows nine formats.",
            "Leave the format out, and say in the description what is expected.", _STRICT),
    Refusal("openai-strict-size", "Strict mode limits properties, nesting, names and enums.",
            "Split the tool, or shorten its enums.", _STRICT),
    Refusal("anthropic-name", "Anthropic takes names of 1 to 128 letters, digits, `_` and `-`.",
            _SHORTER, "https://github.com/netclaw-dev/netclaw/issues/1133"),
    Refusal("anthropic-name-collision", "Two names are one once they are made to fit Anthropic.",
            _APART, "https://github.com/netclaw-dev/netclaw/issues/1133"),
    Refusal("anthropic-root", "Anthropic takes no `oneOf`, `anyOf` or `allOf` at the root.",
            "Describe the alternatives within a property, or check them when called.",
            "https://github.com/anthropics/claude-code/issues/40075"),
    Refusal("anthropic-draft",
            "Anthropic takes no array as `items` and no boolean as `exclusiveMinimum`: drafts"
            " before 2020-12 had them.",
            "Write a list of `items` as `prefixItems`, and the bound itself as"
            " `exclusiveMinimum` or `exclusiveMaximum`.",
            "https://github.com/AlexGladkov/claude-in-mobile/issues/57"),
    Refusal("anthropic-property-name",
            "Anthropic takes argument names of 1 to 64 letters, digits, `_`, `.` and `-`.",
            "Rename the argument; brackets can become dots.",
            "https://github.com/anthropics/claude-code/issues/79418"),
    Refusal("gemini-name",
            "Gemini takes names of 1 to 64 letters, digits, `_`, `.`, `:` and `-` that begin with"
            " a letter or `_`.",
            _SHORTER,
            "https://googleapis.github.io/java-genai/javadoc/google-genai/com.google.genai.types/"
            "-function-declaration/-builder/name.html"),
    Refusal("gemini-name-collision", "Two names are one once they are made to fit Gemini.",
            _APART, _GEMINI_SCHEMA),
    Refusal("gemini-keyword", "Gemini's `parameters` knows a part of OpenAPI 3.0 only.",
            "Send the schema as `parametersJsonSchema`, or leave the keyword out.",
            "https://googleapis.github.io/js-genai/release_docs/interfaces/types.Schema.html"),
    Refusal("gemini-type-list", "Gemini's `parameters` takes one type, not a list.",
            "Use `anyOf`, or `nullable` where the other type is null.",
            "https://github.com/zed-industries/zed/issues/53919"),
    Refusal("gemini-untyped", "Gemini's `parameters` wants a type where there is no `anyOf`.",
            "Say the type.", "https://github.com/danny-avila/LibreChat/issues/6971"),
    Refusal("gemini-boolean-schema", "Gemini's `parameters` takes no `true` or `false` as schema.",
            "Leave the property out, or describe it.", _GEMINI_SCHEMA),
    Refusal("gemini-enum", "Gemini's `parameters` takes enums of strings only.",
            "Write the values as strings, of type string.",
            "https://github.com/directus/directus/issues/27100"),
    Refusal("gemini-format", "Gemini's `parameters` knows two formats: `enum` and `date-time`.",
            "Leave the format out, and say in the description what is expected.",
            "https://github.com/google-gemini/gemini-cli/issues/5450"),
    Refusal("gemini-array-items", "Gemini's `parameters` takes no array schema without `items`.",
            _ITEMS, "https://github.com/kkrishnan90/gemini-desktop/pull/7"),
    Refusal("gemini-object-empty", "Gemini's `parameters` takes no object without properties.",
            "Leave `parameters` out of a function without arguments; describe other objects.",
            "https://github.com/pipecat-ai/pipecat-flows/issues/110"),
    Refusal("gemini-required-undeclared",
            "Gemini's `parameters` takes no name in `required` that `properties` beside it lacks.",
            "Declare the property in the same schema, or leave its name out of `required`.",
            "https://github.com/probelabs/probe/issues/569"),
    Refusal("vscode-array-items", "VS Code refuses a tool with an array schema without `items`.",
            _ITEMS, "https://github.com/microsoft/vscode/issues/248810"),
    Refusal("vscode-tool-count", "VS Code sends at most 128 tools with a request.",
            _FEWER, "https://github.com/microsoft/vscode/issues/337428"),
    Refusal("bedrock-name", "Bedrock takes names of 1 to 64 letters, digits, `_` and `-`.",
            _SHORTER, _BEDROCK),
    Refusal("bedrock-name-collision", "Two names are one once they are made to fit Bedrock.",
            _APART, _BEDROCK),
    Refusal("bedrock-description-empty", "Bedrock takes no empty description.",
            "Describe the tool, or leave the description out.", _BEDROCK),
)  # fmt: skip

REFUSALS: Final[Mapping[str, Refusal]] = MappingProxyType({each.rule: each for each in _ALL})
"""Every refusal by its rule."""


def _rules(profile: Profile) -> tuple[str, ...]:
    openai = [rule for rule in REFUSALS if rule.startswith("openai-")]
    if profile is Profile.OPENAI_STRICT:
        return tuple(openai)
    if profile is Profile.OPENAI:
        return tuple(rule for rule in openai if not rule.startswith("openai-strict-"))
    return tuple(rule for rule in REFUSALS if rule.startswith(f"{profile}-"))


PROFILES: Final[Mapping[Profile, tuple[str, ...]]] = MappingProxyType(
    {profile: _rules(profile) for profile in Profile}
)
"""The rules of each profile; strict mode has those of OpenAI too."""

_USUAL: Final = re.compile(r"[A-Za-z0-9_-]+")
NAMES: Final[Mapping[str, Names]] = MappingProxyType(
    {
        "openai": Names(_USUAL, 64, "openai-name", "openai-name-collision"),
        "anthropic": Names(_USUAL, 128, "anthropic-name", "anthropic-name-collision"),
        "gemini": Names(
            re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*"), 64, "gemini-name", "gemini-name-collision"
        ),
        "bedrock": Names(_USUAL, 64, "bedrock-name", "bedrock-name-collision"),
    }
)
"""Which names are taken, by the first word of the rules."""

MOST_TOOLS: Final[Mapping[str, int]] = MappingProxyType(
    {"openai-tool-count": 128, "vscode-tool-count": 128}
)
"""How many tools go into one request."""

STRICT_FORMATS: Final = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)
STRICT_UNKNOWN: Final = (
    "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas",
)  # fmt: skip
STRICT_LIMITS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "properties": 5_000,
        "nested levels": 10,
        "enum values": 1_000,
        "characters of names and enum values": 120_000,
    }
)
"""What a schema may hold in strict mode, all in all."""

GEMINI_FORMATS: Final = frozenset(("enum", "date-time"))
GEMINI_KEYWORDS: Final = frozenset(
    (
        "type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems",
        "properties", "required", "minProperties", "maxProperties", "minLength", "maxLength",
        "pattern", "example", "anyOf", "propertyOrdering", "default", "items", "minimum",
        "maximum",
    )
)  # fmt: skip
