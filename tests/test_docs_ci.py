"""The page about CI: what it shows is valid, names what exists, and does what it says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from composite_action import ACTION, BASH, EXAMPLES, ROOT, RUNS_BASH, Runner, cloned, environment

pytestmark = RUNS_BASH

PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
YAML = [yaml.safe_load(body) for language, body in FENCE.findall(PAGE) if language == "yaml"]
RECIPES = [body for language, body in FENCE.findall(PAGE) if language == "sh"]
WORKFLOW, STRANGERS, GITLAB, PRE_COMMIT = YAML
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
OURS = "toolsync/toolsync"


@pytest.fixture
def job(tmp_path: Path) -> Runner:
    """A branch that changed nothing yet, with a lockfile on `main` and in the branch."""
    job = Runner(tmp_path, cloned(tmp_path, "lock", "tools.json")).installed()
    assert (job.workspace / "toolsync.lock").exists()
    return job


def _break(job: Runner) -> None:
    shutil.copy(EXAMPLES / "new.json", job.workspace / "tools.json")


def _bash(job: Runner, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*BASH, "-c", script],
        cwd=job.workspace,
        env=environment(job.folder, **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_fails_where_a_call_breaks(recipe: str, job: Runner) -> None:
    assert _bash(job, recipe).returncode == 0
    _break(job)
    ran = _bash(job, recipe)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "input-property-became-required" in ran.stdout
    (job.workspace / "tools.json").unlink()
    ran = _bash(job, recipe)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)


def test_options_of_the_page_exist(job: Runner) -> None:
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    shown = _bash(job, "toolsync diff --help; toolsync check --help").stdout
    assert "--fail-on" in named
    assert named <= set(re.findall(r"--[a-z][a-z-]+", shown))


def _steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    jobs = workflow.get("jobs", {"only": workflow}).values()
    return [step for each in jobs for step in each["steps"]]


def _given(workflow: dict[str, Any]) -> dict[str, str]:
    (step,) = (each for each in _steps(workflow) if each["uses"].startswith(f"{OURS}@"))
    return {name.replace("-", "_"): text for name, text in step["with"].items()}


def test_the_workflow_does_what_the_page_says(job: Runner) -> None:
    given = _given(WORKFLOW)
    assert job.run("Compare", **given).code == 0
    _break(job)
    ran = job.run("Compare", **given)
    assert ran.code == 1
    assert ran.out.startswith("::error file=tools.json,line=")
    assert ran.summary.startswith("## toolsync: breaking\n")
    checkout, _, upload = _steps(WORKFLOW)
    assert checkout["with"]["fetch-depth"] == 0
    sarif = upload["with"]["sarif_file"]
    assert sarif == given["sarif"]
    assert f"hashFiles('{sarif}')" in upload["if"]
    assert (job.workspace / sarif).is_file()


def test_a_stranger_cannot_choose_what_is_compared(job: Runner) -> None:
    (job.workspace / "toolsync.lock").write_text("anything", "utf-8")
    assert job.run("Compare", **_given(STRANGERS)).code == 0
    _break(job)
    assert job.run("Compare", **_given(STRANGERS)).code == 1


def test_every_input_is_in_the_table() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| (.+) \|$", PAGE, re.MULTILINE)
    assert [name for name, _ in rows] == list(ACTION["inputs"])
    defaults = {name: given["default"] for name, given in ACTION["inputs"].items()}
    assert {name for name, default in defaults.items() if default} == {
        name for name, told in rows if told == f"`{defaults[name]}`"
    }


def test_the_job_for_gitlab(job: Runner) -> None:
    told = GITLAB["toolsync"]
    assert told["variables"] == {"GIT_DEPTH": 0}
    # What is installed is tested already, and comes from the network there.
    installs, *script = told["script"]
    assert shlex.split(installs, comments=True)[:2] == ["pip", "install"]
    artifacts = [*told["artifacts"]["paths"], *told["artifacts"]["reports"].values()]
    for code in (0, 1):
        ran = _bash(job, "\n".join(script), CI_DEFAULT_BRANCH="main")
        assert (ran.returncode, ran.stderr) == (code, "")
        for name in artifacts:
            (job.workspace / name).unlink()
        _break(job)
    hostile = _bash(job, "\n".join(script), CI_DEFAULT_BRANCH="$(touch pwned);touch${IFS}pwned")
    assert hostile.returncode == 2
    assert not (job.workspace / "pwned").exists()


def test_the_hooks_that_the_page_shows(job: Runner) -> None:
    (repository,) = PRE_COMMIT["repos"]
    known = {hook["id"]: hook for hook in HOOKS}
    assert [hook["id"] for hook in repository["hooks"]] == list(known)
    for hook in repository["hooks"]:
        command = [*shlex.split(known[hook["id"]]["entry"]), *hook.get("args", [])]
        assert _bash(job, shlex.join(command)).returncode == 0
        for name in hook.get("args", []):
            assert re.search(known[hook["id"]]["files"], name)
