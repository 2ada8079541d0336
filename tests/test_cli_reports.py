"""`--format` and `--report` on the command line: every format, several at once, whole or not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from toolsync.cli import main
from toolsync.cli.options import ReportFormat

EXAMPLES = Path(__file__).parents[1] / "examples"
PAIR = (str(EXAMPLES / "old.json"), str(EXAMPLES / "new.json"))
FORMATS = [each.value for each in ReportFormat]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command line in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Outcome:
        code = main(["diff", *arguments, "--no-config"])
        return Outcome(code, *capsys.readouterr())

    return call


def _files() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_holds_what_would_be_printed(name: str, run: Run) -> None:
    printed = run(*PAIR, "--format", name)
    assert printed.code == 1
    assert printed.err == ""
    written = run(*PAIR, "-q", "--report", f"{name}=out")
    assert written == (1, "", "")
    assert Path("out").read_bytes().decode() == printed.out
    assert _files() == ["out"]
    assert run(*PAIR, "--format", name) == printed


def test_several_at_once_beside_what_is_printed(run: Run) -> None:
    wanted = ["--report=html=a.html", "--report=sarif=b.sarif", "--report", "junit=c=d.xml"]
    told = run(*PAIR, *wanted)
    assert told == run(*PAIR)
    assert _files() == ["a.html", "b.sarif", "c=d.xml"]
    assert json.loads(Path("b.sarif").read_text("utf-8"))["version"] == "2.1.0"


def test_an_older_report_is_replaced_and_keeps_its_permissions(run: Run) -> None:
    Path("out").write_text("x" * 100_000, "utf-8")
    Path("out").chmod(0o640)
    Path("link").symlink_to("out")
    run(*PAIR, "-q", "--report", "patch=link")
    assert Path("link").is_symlink()
    assert json.loads(Path("out").read_text("utf-8"))[0]["op"] == "add"
    assert Path("out").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nowhere/a.html", "nowhere/a.html: cannot be written: no such folder"),
        (".", ".: expected a file, or nothing there yet"),
        ("old.json/x", "old.json/x: cannot be looked at: Not a directory"),
        ("\x1b[31m/a", "\\u{1B}[31m/a: cannot be written: no such folder"),
    ],
)
def test_a_bad_path_is_one_line_and_exit_code_2(given: str, said: str, run: Run) -> None:
    Path("old.json").write_text('{"tools": []}', "utf-8")
    told = run(*PAIR, "--report", "json=good.json", "--report", f"html={given}")
    assert (told.code, told.out) == (2, "")
    assert told.err == f"toolsync: {said}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--report", "htm=x"], "--report: expected FORMAT=FILE, with text, json, markdown, html,"),
        (["--report", "html"], "--report: expected html=FILE, got 'html'"),
        (["--report", "html="], "--report: expected html=FILE, got 'html='"),
        (["--report", "html=-"], "got 'html=-' (--format html prints it)"),
        (["--report", "html=x", "--report", "json=x"], "--report: two reports for one file, x"),
        (["--report", "html=x", "--report", "json=./x"], "two reports for one file, ./x"),
        (["--format", "xml"], "--format: expected text, json, markdown, html, sarif, junit,"),
        (["--format", "patch", "--only", "a"], "a patch tells all: it takes neither --only nor"),
        (["--report", "patch=x", "--ignore", "a"], "a patch tells all: it takes neither"),
        (["--format", "html", "--stat"], "--stat and --name-only are forms of the text report"),
    ],
)
def test_bad_usage_is_one_line_and_writes_nothing(
    arguments: list[str], said: str, run: Run
) -> None:
    told = run(*PAIR, *arguments)
    assert (told.code, told.out) == (2, "")
    assert said in told.err
    assert told.err.count("\n") == 1
    assert _files() == []


def test_a_report_does_not_take_the_place_of_what_it_tells_of(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, source in zip(("old.json", "new.json"), PAIR, strict=True):
        Path(name).write_bytes(Path(source).read_bytes())
    Path("link").symlink_to("old.json")
    assert main(["lock", "old.json", "-q"]) == 0
    kept = {name: Path(name).read_bytes() for name in _files()}
    for given in ("old.json", "./new.json", "link", str(Path("old.json").resolve())):
        wanted = ("--report", "json=fine", "--report", f"json={given}")
        told = run("old.json", "new.json", "-q", *wanted)
        said = f"toolsync: --report: {given} is compared: name another file"
        assert told == (2, "", f"{said} (see 'toolsync diff --help')\n")
    for given in ("toolsync.lock", "./old.json"):
        assert main(["check", "-q", "--no-config", "--report", f"html={given}"]) == 2
        assert f"{given} is compared" in capsys.readouterr().err
    assert {name: Path(name).read_bytes() for name in _files()} == kept


def test_lines_are_those_of_files_as_they_are_named(run: Run) -> None:
    Path("sub").mkdir()
    for name, source in zip(("old.json", "new.json"), PAIR, strict=True):
        Path("sub", name).write_bytes(Path(source).read_bytes())
    for new in ("sub/new.json", "./sub/../sub/new.json", str(Path("sub/new.json").resolve())):
        told = run("sub/old.json", new, "--format", "github")
        assert told.out.startswith("::error file=sub/new.json,line=20,col=9,title=")


def test_a_revision_has_a_name_and_no_lines(run: Run) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost"]
    for name, source in zip(("old.json", "new.json"), PAIR, strict=True):
        Path(name).write_bytes(Path(source).read_bytes())
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    told = run("git:HEAD:old.json", "new.json", "--format", "sarif")
    result = json.loads(told.out)["runs"][0]["results"][0]
    assert "region" in result["locations"][0]["physicalLocation"]
    assert result["relatedLocations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "old.json"}
    }
    told = run("old.json", "git:HEAD:./new.json", "--format", "github")
    assert told.out.startswith("::error file=old.json,line=20,")


def test_a_patch_says_what_it_leaves_out(run: Run) -> None:
    Path("odd.json").write_text('{"tools": [{"name": "x"}, 5]}', "utf-8")
    told = run("odd.json", "odd.json", "--format", "patch")
    assert told.out == "[]\n"
    assert "odd.json: " in told.err
    assert "left out of the patch" in told.err


def test_no_renderer_is_loaded_that_was_not_asked_for(tmp_path: Path) -> None:
    program = (
        "import contextlib, toolsync.cli, sys\n"
        f"sys.argv[1:] = ['diff', {PAIR[0]!r}, {PAIR[1]!r}, '-q', *sys.argv[1:]]\n"
        "with contextlib.suppress(SystemExit): toolsync.cli.main()\n"
        "print(*sys.modules)"
    )

    def loaded(*arguments: str) -> set[str]:
        command = [sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return set(done.stdout.split())

    renderers = {f"toolsync.report.{name}" for name in FORMATS if name != "text"}
    heavy = {"xml.etree.ElementTree", "toolsync.locate", "toolsync.lockfile.saving"}
    text = loaded("--format", "text")
    assert text & (renderers | heavy) <= {"toolsync.report.json"}
    assert "toolsync.report.sarif" in loaded("--report", f"sarif={tmp_path / 'x'}")


def test_what_came_through_a_pipe_has_no_lines() -> None:
    command = [sys.executable, "-m", "toolsync", "diff", "old.json", "-", "--format", "github"]
    text = Path(PAIR[1]).read_bytes()
    done = subprocess.run(command, check=False, input=text, capture_output=True, cwd=EXAMPLES)
    assert done.stdout.decode().startswith("::error file=old.json,line=20,")
