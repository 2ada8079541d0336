"""A person walks through changes on a real terminal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from terminals import Terminal, pty

LOCK = Path("toolsync.lock")
PROMPT = "accept, skip, witness, quit [a,s,w,q,?] "


Start = Callable[..., Terminal]


@pytest.fixture
def start() -> Iterator[Start]:
    begun: list[Terminal] = []

    def run(*arguments: str) -> Terminal:
        begun.append(Terminal(*arguments))
        return begun[-1]

    yield run
    for each in begun:
        each.stop()


def _tool(name: str, *required: str, **parts: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"q": {}, "n": {}}, "required": list(required)}
    return {"name": name, "inputSchema": schema, **parts}


def _make(name: str, *tools: Any) -> str:
    Path(name).write_text(json.dumps({"tools": tools}), "utf-8")
    return name


OLD = [_tool("a", "q"), _tool("b", description="One."), _tool("c")]
NEW = [_tool("a", "q", "n"), _tool("b", description="Two."), _tool("c"), _tool("d")]


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Locks some tools, and names the catalogue that they became."""
    monkeypatch.chdir(tmp_path)
    subprocess.run(
        [sys.executable, "-m", "toolsync", "lock", "-q", _make("old.json", *OLD)], check=True
    )
    return _make("new.json", *NEW)


def _locked() -> dict[str, Any]:
    held = json.loads(LOCK.read_text("utf-8"))["servers"]["default"]["tools"]
    return {block["tool"]: block["definition"] for block in held}


def test_accept_and_skip(start: Start, changed: str) -> None:
    before = LOCK.read_bytes()
    terminal = start("review", changed)
    told = terminal.until(f"[1/3] {PROMPT}")
    assert "toolsync.lock (3 tools) → new.json (4 tools)" in told
    assert "~ a  breaking" in told
    assert "`n` is now required" in told
    terminal.say("a\n")
    assert "+ d  compatible" in terminal.until(f"[2/3] {PROMPT}")
    terminal.say("skip\n")
    assert '"One." → "Two."' in terminal.until(f"[3/3] {PROMPT}")
    assert LOCK.read_bytes() == before  # written once, at the end
    terminal.say("Accept\n")
    assert terminal.finish() == 1
    assert terminal.shown.endswith("toolsync.lock: accepted 2, left 1\n")
    held = _locked()
    assert held == {"a": NEW[0], "b": NEW[1], "c": NEW[2]}


def test_everything_accepted(start: Start, changed: str) -> None:
    terminal = start("review", changed)
    for _ in range(3):
        terminal.until(PROMPT)
        terminal.say("y\n")
    assert terminal.finish() == 0
    assert _locked() == {tool["name"]: tool for tool in NEW}
    assert start("review", changed).finish() == 0


def test_the_witness_is_shown_when_it_is_asked_for(start: Start, changed: str) -> None:
    terminal = start("review", changed)
    assert "refused now" not in terminal.until(PROMPT)
    terminal.say("w\n")
    assert 'refused now: {"q": ' in terminal.until(PROMPT)
    terminal.say("what?\n")
    assert "q  quit: what was accepted is written" in terminal.until(PROMPT)
    terminal.say("q\n")
    assert terminal.finish() == 1
    assert terminal.shown.endswith("accepted 0, left 3\n")


@pytest.mark.parametrize("end", ["q\n", "\x04"], ids=["quit", "end of input"])
def test_quitting_keeps_what_was_accepted(start: Start, changed: str, end: str) -> None:
    terminal = start("review", changed)
    terminal.until(PROMPT)
    terminal.say("a\n")
    terminal.until(PROMPT)
    terminal.say(end)
    assert terminal.finish() == 1
    assert _locked() == {"a": NEW[0], "b": OLD[1], "c": OLD[2]}


def test_ctrl_c_leaves_the_lockfile_as_it_was(start: Start, changed: str) -> None:
    before = LOCK.read_bytes(), LOCK.stat().st_mtime_ns
    terminal = start("review", changed)
    terminal.until(PROMPT)
    terminal.say("a\n")
    terminal.until(PROMPT)
    terminal.say("\x03")
    assert terminal.finish() == 130
    assert "toolsync: interrupted" in terminal.shown
    assert "Traceback" not in terminal.shown
    assert (LOCK.read_bytes(), LOCK.stat().st_mtime_ns) == before
    assert sorted(found.name for found in Path().iterdir()) == [
        "new.json",
        "old.json",
        "toolsync.lock",
    ]


def test_removed_and_malformed_tools(start: Start, changed: str) -> None:
    terminal = start("review", _make("new.json", OLD[0], {"name": "b"}, 5))
    asked = ""
    for _ in range(2):
        asked += terminal.until(PROMPT)
        terminal.say("a\n")
    assert terminal.finish() == 1
    assert "- c  breaking  removed" in asked
    assert "! b  invalid, breaking" in asked
    assert "it has no name to accept it by: skipped" in terminal.shown
    held = json.loads(LOCK.read_text("utf-8"))["servers"]["default"]["tools"]
    assert [block.get("tool", block.get("unusable")) for block in held] == ["a", "b"]


ODD = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\u200b\n::error::x\n##[error]y"


def test_hostile_texts_never_reach_the_terminal(start: Start, changed: str) -> None:
    schema = {"type": "object", "properties": {ODD: {"enum": [ODD]}}, "required": [ODD]}
    tools = [
        _tool("b", description=ODD),
        {"name": f"x{ODD}", "description": ODD, "inputSchema": schema},
    ]
    bad = {"name": ODD, "inputSchema": {"type": "object", "properties": 5, "title": ODD}}
    terminal = start("review", _make("new.json", *tools, bad, {"name": f"y{ODD}"}))
    while True:
        terminal.until(PROMPT)
        terminal.say("w\n")
        terminal.until(PROMPT)
        terminal.say("a\n")
        if f"[6/6] {PROMPT}" in terminal.shown:
            break
    assert terminal.finish() == 0
    bare = terminal.shown.replace("\n", "")
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b\u202e]", bare)
    assert not re.search(r"^\s*::|##\[", terminal.shown, re.MULTILINE)
    assert "\\u{1B}" in bare


@pytest.mark.parametrize("streams", [(0,), (1,), (0, 1)], ids=["stdin", "stdout", "both"])
def test_without_a_terminal_it_says_what_to_do_instead(
    changed: str, streams: tuple[int, ...]
) -> None:
    primary, secondary = pty.openpty()
    placed = [subprocess.DEVNULL if each in streams else secondary for each in (0, 1)]
    done = subprocess.run(
        [sys.executable, "-m", "toolsync", "review", changed],
        stdin=placed[0],
        stdout=placed[1],
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(primary)
    os.close(secondary)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "toolsync: review asks its questions on a terminal, and there is none: see what changed"
        " with 'toolsync check', take it in with 'toolsync lock --accept TOOL'\n"
    )


def test_standard_input_is_for_answers(start: Start, changed: str) -> None:
    terminal = start("review", "-")
    assert terminal.finish() == 2
    assert "review reads answers from standard input: name another SOURCE" in terminal.shown
