"""Which tools and rules a diff is about: globs, kept or dropped."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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


def chosen(only: Sequence[str], ignore: Sequence[str]) -> Choice:
    """Reads globs of tool names and of rule ids.

    A glob with a hyphen that fits a rule is about rules, any other about tools;
    `tool:` or `rule:` in front settles it.
    """
    if not only and not ignore:
        return ALL
    kept, dropped = _sorted(only), _sorted(ignore)
    return Choice(_test(kept[0], dropped[0]), _test(kept[1], dropped[1]))


def _sorted(globs: Sequence[str]) -> tuple[list[str], list[str]]:
    tools: list[str] = []
    rules: list[str] = []
    for glob in globs:
        kind, colon, rest = glob.partition(":")
        if colon and kind in ("tool", "rule"):
            (tools if kind == "tool" else rules).append(rest)
        else:
            (rules if _fits_a_rule(glob) else tools).append(glob)
    return tools, rules


def _fits_a_rule(glob: str) -> bool:
    return "-" in glob and any(map(re.compile(translate(glob)).match, RULES))


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
