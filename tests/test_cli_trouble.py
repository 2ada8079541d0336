"""Whatever goes wrong: one line on standard error, exit code 2, never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsync.cli import app, main, output

POSIX = pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
TOOL = '{"name": "%s", "inputSchema": {"type": "object"}}'
TOOLS = '{"tools": [%s]}'


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("tools.json").write_text(TOOLS % (TOOL % "a"), "utf-8")
    return "tools.json"


@pytest.fixture
def fail(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command line that cannot run, and gives its one line."""

    def call(*arguments: str) -> str:
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.endswith("\n")
        assert len(err.splitlines()) == 1
        assert err.startswith("toolsync: ")
        return err

    return call


Fail = Callable[..., str]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "no command: try 'toolsync diff OLD NEW'"),
        (["dif"], "no such command 'dif': did you mean diff? (see 'toolsync --help')"),
        (["\x1b[31m"], "no such command"),
        (["--nope"], "--nope"),
        (["diff"], "missing argument 'OLD' (see 'toolsync diff --help')"),
        (["diff", "a"], "missing argument 'NEW'"),
        (["diff", "a", "b", "c"], "too many arguments: c (see 'toolsync diff --help')"),
        (["diff", "a", "b", "--nope"], "no such option: --nope: did you mean --ignore or --open?"),
        (
            ["diff", "a", "b", "--config"],
            "--config: expected a value, got none (see 'toolsync diff",
        ),
        (
            ["digest", "a", "--catalogue=1"],
            "--catalogue: expected no value, got one (see 'toolsync",
        ),
        (["diff", "a", "b", "--stat", "--name-only"], "--stat and --name-only exclude each other"),
        (
            ["diff", "a", "b", "--fail-on", "documentation"],
            "--fail-on: expected never, presentation",
        ),
        (["lint", "a", "--fail-on", "breaking"], "expected never, invalid, refused or doubtful"),
        (["diff", "a", "b", "--color", "\x1b[31m"], "--color: expected auto, always or never, got"),
        (["diff", "a", "b", "--max-bytes", "x"], "--max-bytes"),
        (["diff", "a", "b", "--max-bytes", "0"], "--max-bytes"),
        (["diff", "a", "b", "--max-depth", "100000"], "--max-depth"),
        (["digest", "a", "--max-string", "9" * 20], "expected a whole number from 1 to 4294967295"),
        (
            ["digest", "a", "--max-bytes", "4294967296"],
            "expected a whole number from 1 to 42949672",
        ),
        (["diff", "a", "b", "--only", "[" * 60_000], "globs of at most 1,000 characters, got one"),
        (
            ["lint", "a", "--ignore", "[" * 60_000],
            "globs of at most 1,000 characters, got one of 6",
        ),
        (["rules", "[" * 60_000], "globs of at most 1,000 characters, got one of 60,000"),
        (["diff", "a", "b", "--input-format", "yaml"], "--input-format: expected mcp, openai"),
        (["diff", "a", "b", "--format", "json", "--stat"], "forms of the text report"),
        (["diff", "-", "-"], "standard input can be read once"),
        (["diff", "a", "b"], "a: no such file"),
        (["diff", "tools.json", "::error::\x1b"], "::error::\\u{1B}: no such file"),
        (["diff", "tools.json", "stdio:"], "stdio: expected a command"),
        (["digest", "."], ".: is a directory"),
        (["digest", ""], "expected the name of a file, got an empty one"),
        (["diff", "tools.json", ""], "expected the name of a file, got an empty one"),
        (["lint", "no\nsuch\nfile"], "no\\u{A}such\\u{A}file: no such file"),
        (["digest", "x" * 3000], "no such file"),
    ],
)
def test_one_line_says_what_and_where(
    fail: Fail, tools: str, arguments: list[str], told: str
) -> None:
    line = fail(*arguments)
    assert told in line
    assert line.rstrip("\n").isprintable()
    assert len(line) < 700


@pytest.mark.parametrize(
    "text", ["", "{", '{"tools": 3}', "[1, 2", '{"error": {"message": "\x1b"}}']
)
def test_text_that_is_no_catalogue_names_its_file(fail: Fail, tools: str, text: str) -> None:
    Path("broken.json").write_text(text, "utf-8")
    for arguments in (
        ["diff", tools, "broken.json"],
        ["digest", "broken.json"],
        ["lint", "broken.json"],
    ):
        assert fail(*arguments).startswith("toolsync: broken.json: ")


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 2, "out of memory"),
        (ValueError("Not enough memory to allocate buffer for parsing"), 2, "out of memory"),
        (RecursionError(), 2, "nested too deeply"),
        (ZeroDivisionError("a\x1bb\nc"), 2, "internal error: ZeroDivisionError: a\\u{1B}b\\u{A}c"),
        (OSError(28, "No space left on device"), 2, "internal error: OSError"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_no_failure_shows_a_traceback(  # noqa: PLR0917  its row and two fixtures
    error: BaseException,
    code: int,
    told: str,
    tools: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(*_: Any) -> Any:
        raise error

    monkeypatch.setattr("toolsync.cli.options.read", broken)
    assert main(["digest", tools]) == code
    err = capsys.readouterr().err
    assert told in err
    assert len(err.splitlines()) == 1


def test_a_traceback_is_shown_on_request(tools: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr("toolsync.cli.options.read", broken)
    monkeypatch.setenv("TOOLSYNC_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["digest", tools])


@pytest.fixture
def many(tools: str) -> str:
    """A catalogue whose digests fill every pipe."""
    text = ",".join(TOOL % f"tool-{i}" for i in range(5000))
    Path("many.json").write_text(TOOLS % text, "utf-8")
    return "many.json"


def _shell(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    start = f'"{sys.executable}" -m toolsync'
    return subprocess.run(
        ["bash", "-c", script.replace("toolsync", start), "bash", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@POSIX
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_reader_that_leaves_is_no_failure(many: str, form: str) -> None:
    script = f"toolsync digest {many} --format {form} | head -c 100; exit ${{PIPESTATUS[0]}}"
    done = _shell(script)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("name", ["tools.json", "many.json"])
def test_a_full_disk_is_told(many: str, name: str) -> None:
    done = _shell(f"toolsync digest {name} > /dev/full")
    assert done.returncode == 2
    assert done.stderr == ("toolsync: standard output cannot be written: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("command", ["", "diff"])
def test_a_full_disk_is_told_of_help_too(command: str) -> None:
    done = _shell(f"toolsync {command} --help > /dev/full")
    assert done.returncode == 2
    assert done.stderr == ("toolsync: standard output cannot be written: No space left on device\n")


@POSIX
def test_no_report_is_made_for_a_reader_that_left(tools: str) -> None:
    code = (
        "import os, sys\n"
        "reading, writing = os.pipe(); os.close(reading); os.dup2(writing, 1)\n"
        "from toolsync.changes import Changes\n"
        "Changes.to_dict = None\n"
        "from toolsync.cli import main\n"
        "sys.exit(main())"
    )
    Path("other.json").write_text(TOOLS % (TOOL % "b"), "utf-8")
    command = [sys.executable, "-c", code, "diff", tools, "other.json"]
    done = subprocess.run(command, check=False, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, b"")


def test_an_interrupt_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "run", interrupted)
    assert main([]) == 130
    assert capsys.readouterr().err == "toolsync: interrupted\n"


@POSIX
def test_closed_streams(many: str) -> None:
    done = _shell(f"toolsync digest {many} >&-")
    assert (done.returncode, done.stderr) == (2, "toolsync: standard output is closed\n")
    assert _shell("toolsync digest nope 2>&-").returncode == 2
    done = _shell("toolsync digest - <&-")
    assert (done.returncode, done.stderr) == (2, "toolsync: -: standard input is closed\n")


@POSIX
def test_an_interrupt_while_waiting(tools: str) -> None:
    command = [sys.executable, "-m", "toolsync", "digest", "-"]
    process = subprocess.Popen(
        [*command, "--color", "never"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    # Once a full pipe has been emptied, the program is up and reads.
    process.stdin.write(" " * (1 << 20))
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "toolsync: interrupted\n")


@POSIX
def test_a_shell_may_hand_over_the_output_of_a_command(tools: str) -> None:
    done = _shell(f"toolsync diff <(cat {tools}) - < {tools}")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_pipe_gets_utf_8_whatever_the_locale(tools: str) -> None:
    command = [sys.executable, "-m", "toolsync", "diff", tools, tools]
    env = dict(os.environ) | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, check=True, env=env)
    assert "→".encode() in done.stdout


def test_long_trouble_is_shortened(capsys: pytest.CaptureFixture[str]) -> None:
    output.say("x" * 5000)
    assert len(capsys.readouterr().err) < 700


def test_every_command_has_its_module() -> None:
    for name in app.COMMANDS:
        assert app.app is not None
        assert main([name, "--help"]) == 0
