"""Claim: `toolsync diff` of two small files takes at most 1.25 times an empty Typer application."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
EMPTY = "import typer\napp = typer.Typer()\n\n@app.command()\ndef main() -> None: ...\n\napp()\n"
# What is installed is compiled once, and not at every start.
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
TOOLSYNC = "import sys; from toolsync.cli import main; sys.exit(main())"


def _seconds(command: Sequence[str], expected: int) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=False, capture_output=True, env=COMPILED)
    assert done.returncode == expected, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _ratio(old: Path, new: Path, expected: int) -> float:
    diff = [sys.executable, "-c", TOOLSYNC, "diff", str(old), str(new)]
    empty = [sys.executable, "-c", EMPTY]
    pairs = [(_seconds(diff, expected), _seconds(empty, 0)) for _ in range(11)]
    return min(ours for ours, _ in pairs) / min(theirs for _, theirs in pairs)


def test_nothing_changed() -> None:
    old = EXAMPLES / "old.json"
    found = _ratio(old, old, 0)
    print(f"\nstart-up, nothing changed: {found:.2f} x an empty Typer application")
    assert found <= 1.25


def test_small_difference() -> None:
    found = _ratio(EXAMPLES / "old.json", EXAMPLES / "new.json", 1)
    print(f"\nstart-up, every level of change: {found:.2f} x an empty Typer application")
    assert found <= 1.25
