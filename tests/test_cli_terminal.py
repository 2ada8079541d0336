"""What a person sees: colour, wrapping and progress on a real terminal."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="no terminals to open")
SGR = re.compile(r"\x1b\[[0-9;]*m")


def _on_a_terminal(code: str, *arguments: str, streams: str = "1", **environment: str) -> str:
    """Runs Python code with the named streams on a terminal, and gives what it showed."""
    primary, secondary = pty.openpty()
    chosen = {1: "stdout", 2: "stderr"}
    placed = {chosen[int(each)]: secondary for each in streams}
    env = dict(os.environ) | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"} | environment
    env.pop("NO_COLOR", None) if "NO_COLOR" not in environment else None
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **placed},
        env=env,
    )
    os.close(secondary)
    shown = b"".join(_read(primary))
    assert process.wait(timeout=60) in (0, 1)
    os.close(primary)
    return shown.decode().replace("\r\n", "\n")


def _read(primary: int) -> Iterator[bytes]:
    with contextlib.suppress(OSError):  # Linux says so when the other side is closed
        while piece := os.read(primary, 1 << 16):
            yield piece


MAIN = "import sys; from toolsync.cli import main; sys.exit(main())"
OLD = '{"tools": [{"name": "a", "description": "%s", "inputSchema": {"type": "object"}}]}'


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.chdir(tmp_path)
    words = "word " * 60
    Path("old.json").write_text(OLD % f"{words}one {words}", "utf-8")
    Path("new.json").write_text(OLD % f"{words}two {words}", "utf-8")
    return "old.json", "new.json"


def test_a_terminal_gets_colour_and_wrapped_lines(pair: tuple[str, str]) -> None:
    shown = _on_a_terminal(MAIN, "diff", *pair)
    assert SGR.search(shown)
    plain = SGR.sub("", shown)
    assert max(map(len, plain.splitlines())) <= 80
    assert "[-one-]{+two+}" in plain


def test_wrapping_puts_no_workflow_command_at_the_start_of_a_line(tmp_path: Path) -> None:
    words = " ".join("w" * i + f" ::error::x{i}" for i in range(1, 40))
    for name, text in (("old", "x"), ("new", words)):
        (tmp_path / name).write_text(OLD % text, "utf-8")
    shown = _on_a_terminal(MAIN, "diff", "--all", str(tmp_path / "old"), str(tmp_path / "new"))
    lines = SGR.sub("", shown).splitlines()
    assert not [each for each in lines if each.strip().startswith("::")]
    assert "\\u{3A}:error::" in shown


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(
    pair: tuple[str, str], environment: dict[str, str]
) -> None:
    shown = _on_a_terminal(MAIN, "diff", *pair, **environment)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown)
    assert "[-one-]{+two+}" in SGR.sub("", shown)


def test_color_never_wraps_as_no_color_does(pair: tuple[str, str]) -> None:
    shown = _on_a_terminal(MAIN, "diff", *pair, "--color", "never")
    assert shown == _on_a_terminal(MAIN, "diff", *pair, NO_COLOR="1")
    assert max(map(len, shown.splitlines())) <= 80
    assert "\x1b" not in shown
    assert "[-one-]{+two+}" in shown


SLOW = (
    "import time; from toolsync.cli.progress import progress\n"
    "with progress('reading \\x1b]0;x\\x07.json') as now:\n"
    "    time.sleep(1.5)\n"
    "    now('comparing')\n"
    "    time.sleep(0.5)\n"
)


def test_long_work_shows_what_it_does_and_wipes_it_away() -> None:
    shown = _on_a_terminal(SLOW, streams="2")
    assert "reading \\u{1B}]0;x\\u{7}.json … 1 s" in shown
    assert "comparing … " in shown
    assert shown.endswith("\r\x1b[K")


def test_short_work_shows_nothing(pair: tuple[str, str]) -> None:
    assert _on_a_terminal(MAIN, "diff", *pair, streams="2") == ""
