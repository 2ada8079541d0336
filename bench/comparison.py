"""Asks every tool at hand about the project's own example changes, and counts its answers.

`python bench/comparison.py` prints the table of docs/comparison.md. The examples in tests/cases
are one small change each, with the level that docs/verdicts.md gives to it. A peer is asked what
it can answer: whether anything changed, or whether callers break.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

import orjson

import peers
import toolsync
from toolsync import Level

CASES: Final = Path(__file__).parents[1] / "tests" / "cases"
Alarm = Callable[[bytes, bytes], bool]
Role = Literal["serializer", "deserializer"]
SIDES: Final[tuple[tuple[str, Role], ...]] = (
    ("inputSchema", "deserializer"),
    ("outputSchema", "serializer"),
)


class Case(NamedTuple):
    """One change between two catalogues of one tool, and the level it should get."""

    old: bytes
    new: bytes
    level: Level


class Score(NamedTuple):
    """How often a tool raised an alarm over changes that break, and over those that do not."""

    breaks: int
    safe: int
    quiet: int


def cases() -> Iterator[Case]:
    """Yields every example change."""
    for folder in sorted(CASES.iterdir()):
        expected = json.loads((folder / "expected.json").read_text("utf-8"))
        old, new = ((folder / f"{side}.json").read_bytes() for side in ("old", "new"))
        yield Case(old, new, Level(expected["tool"]))


def alarms() -> dict[str, Alarm]:
    """Returns each tool at hand, as a question that is answered with yes or no."""
    found: dict[str, Alarm] = {"toolsync, breaking": _breaks, "toolsync, a session is told": _told}
    for name, compare in peers.installed().items():
        found[name] = _refuses if name == "jsoncompat" else _differs(compare)
    return found


def _breaks(old: bytes, new: bytes) -> bool:
    return toolsync.diff(toolsync.loads(old), toolsync.loads(new)).level is Level.BREAKING


def _told(old: bytes, new: bytes) -> bool:
    return toolsync.diff(toolsync.loads(old), toolsync.loads(new)).notify


def _differs(compare: peers.Compare) -> Alarm:
    return lambda old, new: bool(compare(old, new))


def _refuses(old: bytes, new: bytes) -> bool:
    """Asks jsoncompat for callers and, of results, for readers; a tool that went counts too."""
    from jsoncompat import check_compat

    before, after = (
        {tool["name"]: tool for tool in orjson.loads(text)["tools"]} for text in (old, new)
    )
    if before.keys() - after.keys():
        return True
    for name, tool in after.items():
        for field, role in SIDES:
            one, two = before.get(name, {}).get(field), tool.get(field)
            if one is None or two is None:
                continue
            if not check_compat(orjson.dumps(one).decode(), orjson.dumps(two).decode(), role):
                return True
    return False


def score(alarm: Alarm, examples: list[Case]) -> Score:
    """Counts the alarms over breaking, harmless and presentation-only changes."""
    raised = [(case.level, _asked(alarm, case)) for case in examples]
    return Score(
        sum(yes for level, yes in raised if level is Level.BREAKING),
        sum(yes for level, yes in raised if level < Level.DANGEROUS),
        sum(yes for level, yes in raised if not level.semantic),
    )


def _asked(alarm: Alarm, case: Case) -> bool:
    try:
        return alarm(case.old, case.new)
    except Exception:  # noqa: BLE001  a peer that fails has raised no alarm
        return False


def table() -> Iterator[str]:
    """Yields the lines of the table."""
    examples = list(cases())
    levels = [case.level for case in examples]
    breaks = levels.count(Level.BREAKING)
    safe = sum(level < Level.DANGEROUS for level in levels)
    quiet = sum(not level.semantic for level in levels)
    yield f"| asked | of {breaks} breaks | of {safe} safe changes | {quiet} of these only looks |"
    yield "|---|---|---|---|"
    for name, alarm in alarms().items():
        found = score(alarm, examples)
        yield f"| {name} | {found.breaks} | {found.safe} | {found.quiet} |"


if __name__ == "__main__":
    print("\n".join(table()))
