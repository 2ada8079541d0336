from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from command_lines import LOCK, Run, a_catalogue, a_tool, running
from toolsync import load
from toolsync.cli.lock import _spread

__all__ = ["running"]  # a fixture


@pytest.fixture
def old(run: Run) -> str:
    return a_catalogue("old.json", a_tool("a", description="One."), a_tool("b"), a_tool("c"))


@pytest.fixture
def new(run: Run) -> str:
    return a_catalogue("new.json", a_tool("a", description="Two."), a_tool("b"), a_tool("d"))


def test_lock_writes_the_file_and_says_so(run: Run, old: str) -> None:
    digest = load(old).digest
    said = f"toolsync.lock: locked 3 tools of old.json as 'default', {digest}\n"
    assert run("lock", old) == (0, "", said)
    assert json.loads(LOCK.read_text("utf-8"))["servers"]["default"]["source"] == "old.json"


def test_an_unchanged_file_is_not_written_again(run: Run, old: str) -> None:
    run("lock", old)
    before = LOCK.stat()
    code, _, err = run("lock")
    assert (code, err.startswith("toolsync.lock: unchanged, 3 tools")) == (0, True)
    assert (LOCK.stat().st_ino, LOCK.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_quiet_says_nothing(run: Run, old: str) -> None:
    assert run("lock", old, "-q") == (0, "", "")


def test_another_file_and_another_name(run: Run, old: str, new: str) -> None:
    assert run("lock", old, "-o", "x.lock", "--name", "library").code == 0
    assert run("lock", new, "-o", "x.lock", "--name", "other").code == 0
    assert not LOCK.exists()
    held = json.loads(Path("x.lock").read_text("utf-8"))["servers"]
    assert {name: server["source"] for name, server in held.items()} == {
        "library": "old.json",
        "other": "new.json",
    }
    assert run("lock", "-o", "x.lock").err.endswith(
        "x.lock: holds 2 catalogues: choose with --name one of library, other\n"
    )
    assert run("lock", "-o", "x.lock", "--name", "other").code == 0


def test_without_a_source_the_recorded_one_is_read(run: Run, old: str, new: str) -> None:
    run("lock", old)
    Path(old).write_bytes(Path(new).read_bytes())
    assert "locked 3 tools of old.json" in run("lock").err
    assert [block["tool"] for block in _blocks()] == ["a", "b", "d"]


def _blocks() -> list[Any]:
    held = json.loads(LOCK.read_text("utf-8"))["servers"]["default"]["tools"]
    assert isinstance(held, list)
    return held


def test_accept_takes_changes_one_by_one(run: Run, old: str, new: str) -> None:
    run("lock", old)
    outcome = run("lock", new, "--accept", "a")
    assert outcome == (0, "", "toolsync.lock: accepted a; 2 other tools changed\n")
    assert [block["definition"].get("description") for block in _blocks()] == ["Two.", None, None]
    assert run("lock", new, "--accept", "c", "d").err == (
        "toolsync.lock: accepted c, d; no other tools changed\n"
    )
    assert [block["tool"] for block in _blocks()] == ["a", "b", "d"]
    assert json.loads(LOCK.read_text("utf-8"))["servers"]["default"]["source"] == "old.json"


def test_what_did_not_change_cannot_be_accepted(run: Run, old: str, new: str) -> None:
    run("lock", old)
    before = LOCK.read_bytes()
    code, _, err = run("lock", new, "--accept", "a", "b")
    assert (code, err) == (
        2,
        "toolsync: toolsync.lock: nothing to accept of 'b': what changed is a, c, d\n",
    )
    assert LOCK.read_bytes() == before
    assert "what changed is nothing" in run("lock", "--accept", "a").err


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["s", "--accept", "a", "b"], ["s", "--accept", "a", "--accept", "b"]),
        (["--accept", "a", "-q", "s"], ["--accept", "a", "-q", "s"]),
        (["--accept", "a", "--accept", "b", "c"],
         ["--accept", "a", "--accept", "b", "--accept", "c"]),
        (["--accept", "-x", "y"], ["--accept", "-x", "--accept", "y"]),
        (["--accept=a", "s"], ["--accept=a", "s"]),
        (["--accept", "a", "--", "s"], ["--accept", "a", "--", "s"]),
        (["--accept"], ["--accept"]),
    ],
)  # fmt: skip
def test_several_tools_after_one_option(given: list[str], meant: list[str]) -> None:
    assert _spread(given) == meant


def test_malformed_tools_are_told_and_noted(run: Run) -> None:
    source = a_catalogue("bad.json", a_tool("good"), {"name": "bad\x1b[2J"}, 5)
    code, out, err = run("lock", source)
    assert (code, out) == (1, "")
    _, named, nameless = err.splitlines()
    expected = "is invalid at /inputSchema: expected an object, got nothing"
    assert named == f"toolsync: bad.json: tools[1] bad\\u{{1B}}[2J {expected}"
    assert nameless == "toolsync: bad.json: tools[2] is invalid: expected an object, got a number"
    assert [block.get("unusable", "-") for block in _blocks()] == ["-", "bad\x1b[2J", None]


def test_accepting_a_good_tool_tells_of_no_bad_one(run: Run, old: str) -> None:
    run("lock", old)
    bad = a_catalogue("bad.json", a_tool("a"), {"name": "b"}, a_tool("c"))
    assert run("lock", bad, "--accept", "a").code == 0
    assert run("lock", bad, "--accept", "b").code == 1
    assert [block.get("unusable") for block in _blocks()] == [None, None, "b"]


def test_standard_input_can_be_locked_but_not_read_again(
    run: Run, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(old).read_bytes())))
    assert run("lock", "-").code == 0
    for command in ("lock", "check"):
        assert run(command) == (
            2,
            "",
            "toolsync: toolsync.lock: 'default' was locked from standard input: name its SOURCE\n",
        )


def test_a_password_is_not_kept(run: Run, old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address = "https://me:secret@localhost/mcp"
    monkeypatch.setattr("toolsync.cli.options.read_catalog", lambda *_, **__: load(old))
    code, _, err = run("lock", address)
    assert (code, "secret" in LOCK.read_text("utf-8")) == (0, False)
    assert "without its user name and password" in err
    assert '"https://localhost/mcp"' in LOCK.read_text("utf-8")


@pytest.mark.skipif(os.name == "nt", reason="file names are bytes elsewhere")
def test_a_source_that_cannot_be_written_down(run: Run, old: str) -> None:
    odd = "x\udcff.json"
    Path(odd).write_bytes(Path(old).read_bytes())
    code, _, err = run("lock", odd)
    assert (code, "a name that is not UTF-8 cannot be kept" in err) == (2, True)
    assert not LOCK.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("lock",), "toolsync.lock: no such file: 'toolsync lock SOURCE' makes it"),
        (("lock", "--accept", "a"), "toolsync.lock: no such file"),
        (("lock", "old.json", "-o", "-"), "-: expected the name of a file to write"),
        (("lock", "old.json", "-o", "git:HEAD:x"), "expected the name of a file to write"),
        (("lock", "old.json", "-o", ""), "expected the name of a file to write"),
        (("lock", "old.json", "-o", "."), ".: expected a file, or nothing there yet"),
        (("lock", "old.json", "-o", "no/x"), "no/x: cannot be written: no such folder"),
        (("lock", "old.json", "--name", "a b"), "--name 'a b': expected up to 100 of"),
        (("lock", "nope.json"), "nope.json: no such file"),
        (("lock", "a", "b"), "too many arguments: b"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    run: Run, old: str, arguments: tuple[str, ...], told: str
) -> None:
    code, out, err = run(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err
    assert not LOCK.exists()


def test_a_broken_lockfile_is_never_written_over(run: Run, old: str) -> None:
    LOCK.write_text('{"lockfile": 1,', "utf-8")
    code, _, err = run("lock", old)
    assert (code, err.count("\n")) == (2, 1)
    assert "toolsync.lock: is cut off at line 1: restore it" in err
    assert LOCK.read_text("utf-8") == '{"lockfile": 1,'
