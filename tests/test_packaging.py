"""What is installed is whole: its data files, its command, one version."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tomllib
from importlib import metadata, resources
from pathlib import Path

import pytest

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
DATA = [
    name for name in PROJECT["tool"]["setuptools"]["package-data"]["toolsync"] if "*" not in name
]


@pytest.mark.parametrize("name", DATA)
def test_data_files_are_installed(name: str) -> None:
    assert resources.files("toolsync").joinpath(name).is_file()


def test_the_installed_version_is_that_of_the_project() -> None:
    assert metadata.version("toolsync") == PROJECT["project"]["version"]


def test_the_command_and_the_module_are_the_same_program() -> None:
    script = str(Path(sysconfig.get_path("scripts"), "toolsync"))
    module = [sys.executable, "-m", "toolsync"]
    shown = [
        subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
        for command in ([script], module)
    ]
    assert shown == [f"toolsync {PROJECT['project']['version']}\n"] * 2
