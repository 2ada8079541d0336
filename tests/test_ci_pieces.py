"""The action and the hooks do what their files say, run as GitHub and pre-commit run them."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from composite_action import (
    ACTION,
    EXAMPLES,
    ROOT,
    RUNS_BASH,
    STEPS,
    Ran,
    Runner,
    cloned,
    environment,
    toolsync,
)

pytestmark = RUNS_BASH

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
ON_MAIN = "git:origin/main:tools.json"
EVIL = ("$(touch pwned)`touch pwned`", '"; touch pwned; \'; touch pwned; "\ntouch pwned\n')
# As pre-commit.com lists what a hook may say of itself; a misspelled one would be ignored.
HOOK_KEYS = {
    "id", "name", "description", "entry", "language", "files", "pass_filenames", "always_run",
}  # fmt: skip


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone to copy: git takes longer to make one."""
    return cloned(tmp_path_factory.mktemp("git"))


@pytest.fixture
def job(tmp_path: Path, clone: Path) -> Runner:
    """A job on a branch that changed nothing yet."""
    return Runner(tmp_path, shutil.copytree(clone, tmp_path / "workspace")).installed()


@pytest.fixture
def changed(job: Runner) -> Runner:
    """A job on a branch that breaks calls."""
    shutil.copy(EXAMPLES / "new.json", job.workspace / "tools.json")
    return job


def _lock(job: Runner, *options: str) -> None:
    toolsync(job.workspace, "lock", "tools.json", *options)


def _left(job: Runner) -> list[str]:
    """Names what stands in the temporary folder beside the installation."""
    return sorted(path.name for path in job.temp.iterdir() if path.name != "toolsync")


def _told_in_one_line(ran: Ran, expected: str) -> None:
    assert (ran.code, ran.out, ran.summary) == (2, "", "")
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("toolsync: ")
    assert expected in ran.err


def test_the_action_is_one_that_github_takes() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert {step["shell"] for step in STEPS.values()} == {"bash"}
    assert len(STEPS) == len(ACTION["runs"]["steps"])
    for given in ACTION["inputs"].values():
        assert given.keys() == {"description", "default"}
        assert isinstance(given["default"], str)


def test_no_script_holds_what_is_given() -> None:
    scripts = "".join(step["run"] for step in STEPS.values())
    assert "${{" not in scripts
    named = {name for step in STEPS.values() for name in step["env"]}
    assert {name for name in named if f"${name}" not in scripts} == set()
    filled = "".join(text for step in STEPS.values() for text in step["env"].values())
    assert set(re.findall(r"inputs\.([\w-]+)", filled)) == set(ACTION["inputs"])


def test_a_break_between_two_revisions(changed: Runner) -> None:
    ran = changed.run("Compare", old=ON_MAIN, new="tools.json", sarif="out.sarif")
    assert (ran.code, ran.err) == (1, "")
    place = "file=tools.json,line=20,col=9"
    assert ran.out.startswith(f"::error {place},title=breaking%3A find_book (input-property-")
    assert all(line.startswith("::") for line in ran.out.splitlines())
    assert ran.summary.startswith("## toolsync: breaking\n")
    assert "<code>find_book</code>" in ran.summary
    (found,) = json.loads((changed.workspace / "out.sarif").read_text("utf-8"))["runs"]
    assert found["results"]
    assert _left(changed) == []


def test_what_is_below_the_bar_passes_and_is_told(changed: Runner) -> None:
    ran = changed.run("Compare", old=ON_MAIN, new="tools.json", fail_on="never")
    assert ran.code == 0
    assert ran.out.startswith("::error ")
    assert ran.summary.startswith("## toolsync: breaking\n")


def test_nothing_changed(job: Runner) -> None:
    ran = job.run("Compare", old=ON_MAIN, new="./tools.json")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert ran.summary.startswith("## toolsync: identical\n")
    assert _left(job) == []


def test_each_step_tells_its_own_summary(changed: Runner) -> None:
    changed.run("Compare", old=ON_MAIN, new="tools.json")
    _told_in_one_line(changed.run("Compare", old=ON_MAIN, new="nope.json"), "nope.json: no such")


def test_the_lockfile_and_the_source_that_it_names(job: Runner) -> None:
    _lock(job)
    assert job.run("Compare").code == 0
    shutil.copy(EXAMPLES / "new.json", job.workspace / "tools.json")
    ran = job.run("Compare")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("::error file=tools.json,line=20,")
    assert ran.summary.startswith("## toolsync: breaking\n")


def test_the_lockfile_and_another_source(job: Runner) -> None:
    _lock(job, "-o", "my lock")
    shutil.copy(EXAMPLES / "new.json", job.workspace / "-new.json")
    ran = job.run("Compare", lock="my lock", new="-new.json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("::error file=-new.json,line=20,")
    assert job.run("Compare", lock="my lock", new="tools.json").code == 0


def test_one_catalogue_of_several_in_the_lockfile(job: Runner) -> None:
    _lock(job)
    _lock(job, "--name=branch")
    _told_in_one_line(job.run("Compare"), "choose with --name one of")
    assert job.run("Compare", name="branch").code == 0


@pytest.mark.parametrize("text", EVIL)
@pytest.mark.parametrize("name", sorted(ACTION["inputs"].keys() - {"python", "sarif"}))
def test_nothing_that_is_given_is_run(name: str, text: str, changed: Runner) -> None:
    _lock(changed)
    revisions = {"old": ON_MAIN, "new": "tools.json"} if name in {"old", "new", "fail-on"} else {}
    inputs = {**revisions, name.replace("-", "_"): text}
    ran = changed.run("Compare", **inputs)
    assert not list(changed.folder.rglob("pwned"))
    _told_in_one_line(ran, "touch pwned")
    assert _left(changed) == []


@pytest.mark.parametrize("name", sorted(ACTION["inputs"].keys() - {"python", "sarif"}))
def test_nothing_that_is_given_is_an_option(name: str, changed: Runner) -> None:
    _lock(changed)
    revisions = {"old": ON_MAIN, "new": "tools.json"} if name in {"old", "new", "fail-on"} else {}
    inputs = {**revisions, name.replace("-", "_"): "--help"}
    _told_in_one_line(changed.run("Compare", **inputs), "--help")


@pytest.mark.parametrize("text", [*EVIL, "--help"])
def test_files_may_have_any_name(text: str, changed: Runner) -> None:
    catalogue = f"{text}.json"
    (changed.workspace / "tools.json").rename(changed.workspace / catalogue)
    ran = changed.run("Compare", old=ON_MAIN, new=catalogue, sarif=text)
    assert (ran.code, ran.err) == (1, "")
    assert not list(changed.folder.rglob("pwned"))
    assert json.loads((changed.workspace / text).read_text("utf-8"))["version"] == "2.1.0"
    assert all(line.startswith("::") for line in ran.out.splitlines())
    assert "## toolsync: breaking" in ran.summary


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"old": ON_MAIN, "new": ""}, "'old' is given, 'new' is not"),
        ({"old": "git:origin/nope:tools.json", "new": "tools.json"}, "revision origin/nope"),
        ({"old": ON_MAIN, "new": "nope.json"}, "nope.json: no such file"),
        ({"old": ON_MAIN, "new": "tools.json", "fail_on": "x"}, "expected never, presentation"),
        ({"old": ON_MAIN, "new": "tools.json", "fail_on": ""}, "expected never, presentation"),
        ({}, "toolsync.lock: no such file"),
        ({"lock": ""}, "no such file"),
        ({"lock": "tools.json"}, "tools.json: "),
    ],
)
def test_what_could_not_run_is_told_and_leaves_nothing(
    inputs: dict[str, str], said: str, changed: Runner
) -> None:
    before = sorted(changed.workspace.iterdir())
    _told_in_one_line(changed.run("Compare", **inputs), said)
    assert _left(changed) == []
    assert sorted(changed.workspace.iterdir()) == before


def test_a_report_that_cannot_be_written_fails_the_step(changed: Runner) -> None:
    ran = changed.run("Compare", old=ON_MAIN, new="tools.json", sarif="no/where")
    assert (ran.code, ran.err) == (2, "toolsync: no/where: cannot be written: no such folder\n")
    assert _left(changed) == []


# A package that builds without anything else, and says which arguments it was given.
BACKEND = """
import pathlib, zipfile

def build_wheel(folder, settings=None, metadata=None):
    with zipfile.ZipFile(pathlib.Path(folder, "toolsync-0-py3-none-any.whl"), "w") as wheel:
        about = "toolsync-0.dist-info"
        wheel.writestr("stand_in.py", "def main(): print('stand-in')")
        wheel.writestr(f"{about}/METADATA", META)
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        wheel.writestr(f"{about}/entry_points.txt", "[console_scripts]\\ntoolsync=stand_in:main\\n")
        wheel.writestr(f"{about}/RECORD", "")
    return "toolsync-0-py3-none-any.whl"

META = "Metadata-Version: 2.1\\nName: toolsync\\nVersion: 0\\nProvides-Extra: mcp\\n"
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> Runner:
    """A job whose action is a package that takes no compiler and no network to install."""
    action, workspace = tmp_path / "the action", tmp_path / "workspace"
    action.mkdir()
    workspace.mkdir()
    (action / "backend.py").write_text(BACKEND, "utf-8")
    (action / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n', "utf-8"
    )
    runner = Runner(tmp_path, workspace, action)
    runner.temp.mkdir()
    return runner


@pytest.mark.slow
def test_the_action_installs_itself_once_a_job(stand_in: Runner) -> None:
    for name in ("venv", "ensurepip", "pip", "site", "sitecustomize"):
        (stand_in.workspace / f"{name}.py").write_text("open('pwned', 'w')", "utf-8")
    ran = stand_in.run("Install toolsync")
    assert (ran.code, ran.out) == (0, "")
    assert not list(stand_in.folder.rglob("pwned"))
    command = stand_in.temp / "toolsync" / "bin" / "toolsync"
    done = subprocess.run([command], capture_output=True, text=True, check=True)
    assert done.stdout == "stand-in\n"
    assert stand_in.run("Install toolsync", python="no-such-python").code == 0


@pytest.mark.parametrize("text", EVIL)
def test_a_python_that_is_none_fails_the_step(text: str, stand_in: Runner) -> None:
    ran = stand_in.run("Install toolsync", python=text)
    assert ran.code == 127
    assert not list(stand_in.folder.rglob("pwned"))


def test_the_hooks_say_nothing_that_pre_commit_ignores() -> None:
    assert {key for hook in HOOKS for key in hook} <= HOOK_KEYS
    assert {hook["language"] for hook in HOOKS} == {"python"}
    assert [hook["id"] for hook in HOOKS] == ["toolsync-lint", "toolsync-check"]


def _hook(job: Runner, name: str, *args: str) -> Ran:
    """Runs a hook as pre-commit does: its entry split like a command, args, no file names."""
    (hook,) = (each for each in HOOKS if each["id"] == name)
    assert hook["pass_filenames"] is False
    done = subprocess.run(
        [*shlex.split(hook["entry"]), *args],
        cwd=job.workspace,
        env=environment(job.folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr, "")


def test_the_hook_for_a_catalogue(job: Runner) -> None:
    assert _hook(job, "toolsync-lint", "tools.json").code == 0
    broken = {"tools": [{"name": "a", "inputSchema": {"type": "strin"}}]}
    (job.workspace / "tools.json").write_text(json.dumps(broken), "utf-8")
    ran = _hook(job, "toolsync-lint", "tools.json")
    assert ran.code == 1
    assert "/inputSchema/type" in ran.out
    _told_in_one_line(_hook(job, "toolsync-lint"), "toolsync lint --help")


def test_the_hook_for_the_lockfile(job: Runner) -> None:
    _lock(job)
    assert _hook(job, "toolsync-check").code == 0
    shutil.copy(EXAMPLES / "new.json", job.workspace / "tools.json")
    assert _hook(job, "toolsync-check").code == 1
    assert _hook(job, "toolsync-check", "--fail-on", "never").code == 0
