"""Makes docs/rules.md from the table of rules: `python tests/rules_page.py > docs/rules.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsync.lint import PROFILES, REFUSALS
from toolsync.lint.names import RULES as NAMES
from toolsync.rules import RULES, Rule
from toolsync.schema.doubt import RULES as DOUBTS

HEAD = """\
# Rules

Made from the table in `src/toolsync/rules` (those of `lint`: in
`src/toolsync/schema/doubt.py`) by `tests/rules_page.py`. Where two schemas are
compared, the level here is what the change comes to by itself; what stands around it in the schema
can make it milder, and then the finding says so. [verdicts.md](verdicts.md) tells what the levels
mean.
"""
LINT = """\
## Of `lint`

`toolsync lint` looks at one catalogue. What it doubts has a rule and no level: the tool is usable,
and some client or reader is likely to misread it. `toolsync explain RULE` says more about each.
"""
REFUSED = """\
## Of `lint --profile`

What a model provider or a host is known to refuse, and where that is said: in its documentation, or
in reports that quote its error messages. The facts were gathered in November 2026; providers
change theirs without notice.
"""
SECTIONS = {"tool": "Of the tool", "input": "Of its input schema", "output": "Of its output schema"}


def render() -> str:
    """Returns the whole page."""
    parts = [HEAD]
    for side, title in SECTIONS.items():
        rules = [rule for rule in RULES.values() if rule.side == side]
        parts.append("\n".join([f"## {title}\n", *_table(rules), ""]))
    return "\n".join([*parts, LINT, *_doubts(), "", REFUSED, *_refusals(), ""])


def _doubts() -> Iterator[str]:
    yield "| rule | reason |"
    yield "|---|---|"
    for name, reason in {**DOUBTS, **NAMES}.items():
        yield f"| `{name}` | {reason} |"


def _refusals() -> Iterator[str]:
    yield "| profile | rules |"
    yield "|---|---|"
    for profile, rules in PROFILES.items():
        yield f"| `{profile}` | {', '.join(f'`{rule}`' for rule in rules)} |"
    yield ""
    yield "| rule | reason | what to do | said at |"
    yield "|---|---|---|---|"
    for each in REFUSALS.values():
        yield f"| `{each.rule}` | {each.reason} | {each.remedy} | [source]({each.source}) |"


def _table(rules: Iterable[Rule]) -> Iterator[str]:
    yield "| rule | level | reason |"
    yield "|---|---|---|"
    for rule in sorted(rules, key=lambda rule: rule.id):
        yield f"| `{rule.id}` | {rule.level} | {rule.reason.replace('|', chr(92) + '|')} |"


if __name__ == "__main__":
    print(render(), end="")  # noqa: T201 - that is what it is for
