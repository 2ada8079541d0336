"""Which tools and rules a diff is about: globs, kept or dropped."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from fnmatch import translate
from typing import NamedTuple

from toolsync.model import Finding
from toolsync.rules import RULES

Test = Callable[[str], bool]


class Choice(NamedTuple):
    """Tells which tools and which rules count; None where every one does."""

    tool: Test | None = None
    rule: Test | None = None

    def kept(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Returns the findings whose rules count."""
        rule = self.rule
        if rule is None:
            return findings
        return tuple(finding for finding in findings if rule(finding.rule))


ALL = Choice()


def chosen(
    only: str | Sequence[str], ignore: str | Sequence[str], rules: Collection[str] = RULES
) -> Choice:
    """Reads globs of tool names and of rule ids; one alone may be a str.

    A glob with a hyphen that fits a rule is about rules, any other about tools;
    `tool:` or `rule:` in front settles it.
    """
    if not only and not ignore:
        return ALL
    kept, dropped = (_sorted(_several(globs), rules) for globs in (only, ignore))
    return Choice(_test(kept[0], dropped[0]), _test(kept[1], dropped[1]))


def _several(globs: str | Sequence[str]) -> Sequence[str]:
    return (globs,) if isinstance(globs, str) else globs


def unmatched(
    globs: Sequence[str], names: Collection[str], rules: Collection[str] = RULES
) -> tuple[str, ...]:
    """Returns the globs that fit none of the names, and none of the rules."""

    def matches(glob: str) -> bool:
        by_tool, by_rule = _sorted([glob], rules)
        test = _any(by_tool or by_rule)
        return test is not None and any(map(test, names if by_tool else rules))

    return tuple(glob for glob in globs if not matches(glob))


def _sorted(globs: Sequence[str], rules: Collection[str]) -> tuple[list[str], list[str]]:
    tools: list[str] = []
    about_rules: list[str] = []
    for glob in globs:
        kind, colon, rest = glob.partition(":")
        if colon and kind in ("tool", "rule"):
            (tools if kind == "tool" else about_rules).append(rest)
        else:
            (about_rules if _fits_a_rule(glob, rules) else tools).append(glob)
    return tools, about_rules


def _fits_a_rule(glob: str, rules: Collection[str]) -> bool:
    return "-" in glob and any(map(re.compile(translate(glob)).match, rules))


def _test(only: list[str], ignore: list[str]) -> Test | None:
    if not only and not ignore:
        return None
    wanted, unwanted = _any(only), _any(ignore)

    def test(name: str) -> bool:
        return (wanted is None or wanted(name)) and not (unwanted is not None and unwanted(name))

    return test


def _any(globs: list[str]) -> Test | None:
    if not globs:
        return None
    match = re.compile("|".join(map(translate, globs))).match
    return lambda name: match(name) is not None
