"""Levels that a team has decided otherwise, each with its reason, and what they do to findings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from typing import Final, NamedTuple

from toolsync.errors import SettingsError
from toolsync.model import Finding, Level, Overridden
from toolsync.rules import RULES
from toolsync.safe import named

__all__ = ["NONE", "Override", "Overrides"]

# `identical` is what equal digests prove and `unknown` what toolsync says of itself: nobody decides
# on either.
LEVELS: Final = (
    Level.PRESENTATION,
    Level.DOCUMENTATION,
    Level.COMPATIBLE,
    Level.DANGEROUS,
    Level.BREAKING,
)
"""The levels that a team can give."""

MAX_GLOB: Final = 1000
"""The most characters of a glob: making a pattern of one takes time that grows faster than it."""


@dataclass(frozen=True, slots=True)
class Override:
    """Gives the findings of some rules another level, on all tools or some, and says why.

    `rule` and `tool` are globs. A level above that of every rule named raises
    milder findings to it; any other level lowers graver findings to it. Raises
    SettingsError where no rule fits, the level is none to give, or the reason is empty.
    """

    rule: str
    level: Level
    reason: str
    tool: str = "*"

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", _level(self.level))
        _refuse_long("rule", self.rule)
        _refuse_long("tool", self.tool)
        if not self.rules:
            raise SettingsError(_unknown(self.rule))
        if not self.reason.strip():
            raise SettingsError("reason: expected why the level is another one, got an empty text")
        if not self.tool:
            raise SettingsError("tool: expected a name or a glob, got an empty text")

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the rules that it names."""
        return tuple(filter(_test(self.rule), RULES))

    @property
    def raises(self) -> bool:
        """Tells whether it makes findings graver rather than milder."""
        return all(self.level.rank > RULES[rule].level.rank for rule in self.rules)


def _refuse_long(key: str, glob: str) -> None:
    if len(glob) > MAX_GLOB:
        raise SettingsError(
            f"{key}: expected a glob of at most {MAX_GLOB:,} characters, got {len(glob):,}"
        )


def _unknown(rule: str) -> str:
    from toolsync.rules.explanation import likened  # noqa: PLC0415  only where a name is wrong

    return f"rule: no rule is called {named(rule)}{likened(rule)}"


def _level(given: str) -> Level:
    if given in LEVELS:
        return Level(given)
    known = ", ".join(LEVELS[:-1])
    raise SettingsError(f"level: expected {known} or {LEVELS[-1]}, got {named(given)}")


def _test(glob: str) -> Callable[[str], bool]:
    match = re.compile(translate(glob)).match
    return lambda name: match(name) is not None


class _Say(NamedTuple):
    """What one override has to say of one rule."""

    level: Level
    reason: str
    raises: bool
    fits: Callable[[str], bool]

    def of(self, finding: Finding) -> Finding:
        """Returns the finding as it is decided."""
        was, level = finding.level, self.level
        graver = level.rank > was.rank
        if level is was or graver is not self.raises:
            return finding
        if graver and was is Level.PRESENTATION and RULES[finding.rule].level.semantic:
            return finding  # shown to change nothing, whatever the rule says of others
        return replace(finding, level=level, overridden=Overridden(was, self.reason))


class Overrides:
    """Some overrides, made ready to be applied: of those that fit a finding the last one counts.

    `wakes` says that a finding may rise that is presentation by its rule.
    """

    __slots__ = ("_says", "wakes")

    def __init__(self, given: Sequence[Override] = ()) -> None:
        says: defaultdict[str, list[_Say]] = defaultdict(list)
        for one in reversed(given):
            say = _Say(one.level, one.reason, one.raises, _test(one.tool))
            for rule in one.rules:
                says[rule].append(say)
        self._says = dict(says)
        self.wakes = any(
            say.raises and not RULES[rule].level.semantic for rule in says for say in says[rule]
        )

    def __bool__(self) -> bool:
        return bool(self._says)

    def __contains__(self, rule: str) -> bool:
        return rule in self._says

    def applied(self, tool: str | None, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Returns the findings of a tool with the levels that were decided."""
        return tuple(self._decided(tool or "", finding) for finding in findings)

    def _decided(self, tool: str, finding: Finding) -> Finding:
        if finding.overridden is not None:
            return finding
        for say in self._says.get(finding.rule, ()):
            if say.fits(tool):
                return say.of(finding)
        return finding


NONE: Final = Overrides()
"""No overrides."""
