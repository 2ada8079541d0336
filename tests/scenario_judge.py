"""Holds what a scenario showed against what it expects, key by key; an unknown key is a failure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from scenario_play import Seen
from scripted_chain import words_of
from toolsync import Level, diff
from toolsync.catalog import Catalog
from toolsync.changes import Changes

TALK = {"id", "kind", "why", "source", "origin", "decision_needed"}

# What the words of a scenario must be found as, in what toolsync says.
SAID_AS = {"time-out": "time", "timeout": "time", "stale": ""}


def judge(scenario: dict[str, Any], expected: dict[str, Any], seen: Seen) -> None:
    """Checks every expectation."""
    checks: dict[str, Callable[[dict[str, Any], Any, Seen], None]] = {
        "messages": _messages,
        "notify": _notify,
        "lists": _lists,
        "lists_equal_bytes": _equal_lists,
        "calls": _calls,
        "verdict": _verdict,
        "upstream_requests": _requests,
        "max_upstream_list_calls": _list_calls,
        "max_upstream_requests_step_2": _request_bound,
        "warnings": _warnings,
        "state": _state,
        "error": _error,
        "must_not": _must_not,
    }
    unknown = expected.keys() - checks.keys() - TALK
    assert not unknown, f"expectations not known: {sorted(unknown)}"
    for key, check in checks.items():
        if key in expected:
            check(scenario, expected[key], seen)


def _steps(scenario: dict[str, Any]) -> list[float]:
    return [step["n"] for step in scenario["steps"]]


def _messages(scenario: dict[str, Any], expected: list[dict[str, Any]], seen: Seen) -> None:
    """Counts per session from one named step to the next; nothing is left over at the end."""
    end = _steps(scenario)[-1]
    for session in scenario["sessions"]:
        before = 0
        for entry in [e for e in expected if e["session"] in (session, "all")]:
            now = seen.messages[entry["after_step"]][session]
            assert now - before == entry["count"], (session, entry, seen.messages)
            before = now
        assert seen.messages[end][session] == before, (session, "after the last", seen.messages)


def _notify(scenario: dict[str, Any], expected: bool, seen: Seen) -> None:
    end = _steps(scenario)[-1]
    assert any(seen.messages[end].values()) is expected, seen.messages


def _lists(scenario: dict[str, Any], expected: list[dict[str, Any]], seen: Seen) -> None:
    for entry in expected:
        tools = _list_at(scenario, entry, seen)
        for key, value in entry.items():
            if key == "tools":
                assert [each["name"] for each in tools] == value, entry
            elif key.endswith("_enum"):
                assert _enum(tools, key.removesuffix("_enum")) == value, entry
            elif key == "from_":
                assert all(value in each["description"] for each in tools), entry
            else:
                assert key in ("step", "session"), f"list expectation {key!r} is not known"


def _list_at(scenario: dict[str, Any], entry: dict[str, Any], seen: Seen) -> list[dict[str, Any]]:
    if entry["step"] in seen.lists:
        return seen.lists[entry["step"]][entry["session"]]
    # No client asked at that step: this is what it would have been given.
    return seen.held[entry["step"]][entry["session"]]


def _enum(tools: list[dict[str, Any]], name: str) -> Any:
    found = [
        each["inputSchema"]["properties"][name]["enum"]
        for each in tools
        if name in each["inputSchema"].get("properties", {})
    ]
    return found[0] if found else None


def _equal_lists(_: dict[str, Any], expected: list[float], seen: Seen) -> None:
    texts = {json.dumps(seen.lists[step]) for step in expected}
    assert len(texts) == 1, texts


def _calls(_: dict[str, Any], expected: list[dict[str, Any]], seen: Seen) -> None:
    for entry in expected:
        got = seen.calls[entry["id"]]
        for key, value in entry.items():
            if key == "handled_by":
                assert value == f"generation {got['generation']}", (entry, got)
            elif key in ("result", "error"):
                assert got.get(key) == value, (entry, got)
            else:
                assert key == "id", f"call expectation {key!r} is not known"
        if "error" in entry:
            assert got["code"] == -32602, got


def _verdict(_: dict[str, Any], expected: dict[str, Any], seen: Seen) -> None:
    for session, first in seen.first.items():
        changes = diff(first, seen.last[session])
        for name, verdict in expected.items():
            _one_verdict(name, verdict, changes, first, seen.last[session])


def _one_verdict(
    name: str, verdict: dict[str, Any], changes: Changes, old: Catalog, new: Catalog
) -> None:
    known = {"class", "paths", "detail", "compat"}
    assert verdict.keys() <= known, f"verdict of {name}: unknown {verdict.keys() - known}"
    found = {each.name: each for each in changes.tools}
    kind = verdict["class"]
    if kind in ("added", "removed"):
        assert (name in old, name in new) == (kind == "removed", kind == "added")
        return
    level = found[name].level if name in found else Level.IDENTICAL
    wanted = {
        "same": level <= Level.PRESENTATION,
        "presentation": level <= Level.PRESENTATION,
        "description": level == Level.DOCUMENTATION,
        "schema": level >= Level.COMPATIBLE,
        "annotations": level >= Level.DOCUMENTATION,
    }
    assert wanted[kind], (name, verdict, level)
    if "compat" in verdict and kind == "schema":
        assert level.name.lower() == verdict["compat"], (name, verdict, level)


def _requests(scenario: dict[str, Any], expected: list[dict[str, Any]], seen: Seen) -> None:
    for entry in expected:
        new = _requests_in(scenario, entry["step"], seen)
        cursors = entry["cursors"]
        # A look that repeats the whole walk is the same walk.
        assert new[: len(cursors)] == cursors, (entry, new)
        assert len(new) % len(cursors) == 0, (entry, new)


def _requests_in(scenario: dict[str, Any], step: float, seen: Seen) -> list[Any]:
    steps = _steps(scenario)
    place = steps.index(step)
    before = seen.requests[steps[place - 1]] if place else {}
    return [
        cursor
        for server, cursors in seen.requests[step].items()
        for cursor in cursors[len(before.get(server, [])) :]
    ]


def _list_calls(scenario: dict[str, Any], expected: Any, seen: Seen) -> None:
    if isinstance(expected, int):
        most = max(sum(map(len, each.values())) for each in seen.requests.values())
        assert most <= expected, seen.requests
        return
    for name, bound in expected.items():
        step = float(name.removeprefix("step "))
        assert len(_requests_in(scenario, step, seen)) <= bound, (name, seen.requests)


def _request_bound(scenario: dict[str, Any], expected: int, seen: Seen) -> None:
    assert len(_requests_in(scenario, 2, seen)) <= expected, seen.requests


def _warnings(_: dict[str, Any], expected: list[str], seen: Seen) -> None:
    lines = [line for told in seen.told.values() for line in told]
    for warning in expected:
        assert any(words_of(warning) <= words_of(line) for line in lines), (warning, lines)


def _state(_: dict[str, Any], expected: list[dict[str, Any]], seen: Seen) -> None:
    for entry in expected:
        step = entry["after_step"]
        assert entry["status"] == "stale", f"status {entry['status']!r} is not known"
        assert seen.failed[step], entry
        words = {SAID_AS.get(word, word) for word in words_of(entry["reason"])} - {"server", ""}
        assert any(words <= words_of(line) for line in seen.told[step]), (entry, seen.told[step])


def _error(scenario: dict[str, Any], expected: dict[str, Any] | None, seen: Seen) -> None:
    if expected is None:
        assert not any(seen.failed.values()), seen.told
        return
    steps = [expected["step"]] if "step" in expected else _steps(scenario)
    lines = [line for step in steps for line in seen.told[step]]
    telling = {str(expected[key]) for key in ("server", "tool", "limit", "seen") if key in expected}
    assert any(telling <= words_of(line) for line in lines), (expected, lines)
    known = {"step", "code", "server", "tool", "limit", "seen"}
    assert expected.keys() <= known, f"error: unknown {expected.keys() - known}"


def _must_not(_: dict[str, Any], expected: str, seen: Seen) -> None:
    if match := re.fullmatch(r"serve any list other than (.*)", expected):
        allowed = [
            [each.strip() for each in group.split(",")]
            for group in re.findall(r"\[(.*?)\]", match[1])
        ]
        for names in seen.published:
            assert any(_short(names, group) for group in allowed), (names, allowed)
        return
    match = re.fullmatch(r"route (\S+) to (\S+)", expected)
    assert match, f"{expected!r} is not known"
    assert seen.calls[match[1]].get("tool") != match[2]


def _short(names: list[str], group: list[str]) -> bool:
    return len(names) == len(group) and all(
        name == short or name.endswith(f"_{short}")
        for name, short in zip(names, group, strict=True)
    )
