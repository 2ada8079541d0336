"""The page of the lockfile tells one story: its commands are run in order, in one folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from terminals import Terminal
from toolsync import Catalog, load
from toolsync.lockfile import Lockfile, locked, parse, written

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "lockfile.md"
FENCE = re.compile(r"^```(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANSWER = re.compile(r"\[a,s,w,q,\?\] (\w)\n")


def _blocks(language: str) -> list[str]:
    return [body for found, body in FENCE.findall(PAGE.read_text("utf-8")) if found == language]


def _told(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        yield line, shown


def _run(line: str, folder: Path) -> str:
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    done = subprocess.run(
        ["sh", "-c", f"exec 2>&1; {line}"],
        cwd=folder,
        env=dict(os.environ) | {"PATH": path, "COLUMNS": "100", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def _typed(line: str, answers: list[str]) -> str:
    terminal = Terminal(*line.split()[1:])
    try:
        for answer in answers:
            terminal.until("[a,s,w,q,?] ")
            terminal.say(f"{answer}\n")
        terminal.finish()
    finally:
        terminal.stop()
    # Wrapping leaves a blank where it breaks a line.
    return "\n".join(line.rstrip() for line in terminal.shown.splitlines())


def shown(line: str, expected: str, folder: Path) -> str:
    """Runs a command of the page, with the answers that it shows."""
    if line.startswith("toolsync review"):
        return _typed(line, ANSWER.findall(expected))
    return _run(line, folder)


@pytest.mark.skipif(os.name == "nt", reason="the page shows a POSIX shell")
def test_the_story_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("old.json", "new.json"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    story = [told for block in _blocks("shell-session") for told in _told(block)]
    assert {line.split()[1] for line, _ in story if line.startswith("toolsync")} == {
        "lock", "check", "review",
    }  # fmt: skip
    for line, expected in story:
        assert (line, shown(line, expected, tmp_path).strip()) == (line, expected.strip())


def test_the_file_looks_as_it_is_shown() -> None:
    (block,) = _blocks("json")
    tool = load(ROOT / "examples" / "old.json")["find_book"].definition
    server = locked(Catalog([tool]), "old.json")
    assert written(Lockfile().with_server("default", server)).decode() == block
    assert parse(block.encode()).chosen(None) == ("default", server)
