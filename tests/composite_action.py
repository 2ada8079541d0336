"""Runs the steps of action.yml as a GitHub runner does: by bash, with expressions filled in.

What a runner does beside that (fetching the action, folding logs) is not needed to know
what the scripts do.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

ROOT: Final = Path(__file__).parents[1]
ACTION: Final[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: Final[dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
SCRIPTS: Final = Path(sysconfig.get_path("scripts"))
EXAMPLES: Final = ROOT / "examples"
# What `shell: bash` stands for in a workflow.
BASH: Final = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
# A step finds in its summary what others wrote before.
BEGUN: Final = b"begun\n"
RUNS_BASH: Final = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="needs bash"
)
_EXPRESSION: Final = re.compile(r"\$\{\{ *(\w+)\.([\w-]+) *\}\}")
_GIT: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_NAME": "A" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "a@example.com" for who in ("AUTHOR", "COMMITTER")},
}


def environment(home: Path, **more: str) -> dict[str, str]:
    """Returns a bare environment in which the installed command is found."""
    path = os.pathsep.join([str(SCRIPTS), os.environ.get("PATH", "")])
    return {"PATH": path, "HOME": str(home), "PYTHONUTF8": "1", **_GIT, **more}


def git(folder: Path, *arguments: str) -> None:
    """Runs git, heeding nobody's settings."""
    env = environment(folder)
    subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, capture_output=True)


def toolsync(folder: Path, *arguments: str) -> None:
    """Runs the installed command, which is expected to find nothing."""
    env = environment(folder)
    subprocess.run(["toolsync", *arguments], cwd=folder, env=env, check=True, capture_output=True)


def cloned(folder: Path, *command: str) -> Path:
    """Makes a clone of a repository whose `main` holds a catalogue, tools.json.

    A command of toolsync may add to what is committed.
    """
    upstream = folder / "upstream"
    upstream.mkdir()
    shutil.copy(EXAMPLES / "old.json", upstream / "tools.json")
    if command:
        toolsync(upstream, *command)
    git(upstream, "init", "--quiet", "--initial-branch=main")
    git(upstream, "add", ".")
    git(upstream, "commit", "--quiet", "--message=tools")
    git(folder, "clone", "--quiet", "upstream", "workspace")
    return folder / "workspace"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a step came to, and what it left in the summary."""

    code: int
    out: str
    err: str
    summary: str


@dataclass(frozen=True, slots=True)
class Runner:
    """A folder of a job: the clone, the temporary folder, the summary of the step."""

    folder: Path
    workspace: Path
    action: Path = ROOT

    @property
    def temp(self) -> Path:
        """The folder that RUNNER_TEMP names."""
        return self.folder / "runner temp"

    def installed(self) -> Runner:
        """Puts the installed command where the first step would put one.

        Building the core again takes a minute of every run; what the step does by itself has
        a test with a package that is quick to build.
        """
        scripts = self.temp / "toolsync" / "bin"
        scripts.mkdir(parents=True)
        (scripts / "toolsync").symlink_to(SCRIPTS / "toolsync")
        return self

    def run(self, step: str, **inputs: str) -> Ran:
        """Runs one step, with inputs spelled with `_` for `-`."""
        given = {name.replace("_", "-"): text for name, text in inputs.items()}
        script, summary = self.folder / "script.sh", self.folder / "summary.md"
        script.write_text(STEPS[step]["run"], "utf-8")
        summary.write_bytes(BEGUN)
        done = subprocess.run(
            [*BASH, str(script)],
            cwd=self.workspace,
            env=self._environment(summary, **self._filled(step, given)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )
        after = summary.read_bytes()
        assert after.startswith(BEGUN)
        told = [each.decode() for each in (done.stdout, done.stderr, after.removeprefix(BEGUN))]
        return Ran(done.returncode, *told)

    def _environment(self, summary: Path, **more: str) -> dict[str, str]:
        return environment(
            self.folder,
            RUNNER_TEMP=str(self.temp),
            GITHUB_STEP_SUMMARY=str(summary),
            GITHUB_ACTION_PATH=str(self.action),
            GITHUB_WORKSPACE=str(self.workspace),
            **more,
        )

    def _filled(self, step: str, given: dict[str, str]) -> dict[str, str]:
        """Fills in the expressions of a step's environment; one that is not known is an error."""
        inputs = {name: each["default"] for name, each in ACTION["inputs"].items()}
        assert given.keys() <= inputs.keys()
        known = {
            "inputs": inputs | given,
            "github": {"action_path": str(self.action)},
        }
        return {
            name: _EXPRESSION.sub(lambda found: known[found[1]][found[2]], text)
            for name, text in STEPS[step]["env"].items()
        }
