"""What the pages show is true: console blocks are run, Python blocks too, links lead somewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import commands_page
import rules_page
import toolsync

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")]
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
# A value that a Python block promises: `print(x)  # value`.
PROMISE = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Command:
    """One `$ …` line of a console block, and the output shown below it."""

    page: str
    line: str
    shown: str


def _blocks(page: Path, language: str) -> list[str]:
    return [body for found, body in FENCE.findall(page.read_text("utf-8")) if found == language]


def _commands(page: Path) -> Iterator[Command]:
    for block in _blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            yield Command(page.name, line, shown.strip())


def _environment() -> dict[str, str]:
    scripts = sysconfig.get_path("scripts")
    path = os.pathsep.join([scripts, os.environ.get("PATH", "")])
    return dict(os.environ) | {"PATH": path, "COLUMNS": "100", "PYTHONUTF8": "1"}


def _id(value: object) -> str:
    return f"{value.page}: {value.line}" if isinstance(value, Command) else str(value)


COMMANDS = [command for page in PAGES for command in _commands(page)]


@pytest.mark.skipif(os.name == "nt", reason="the pages show a POSIX shell")
@pytest.mark.parametrize("command", COMMANDS, ids=_id)
def test_shown_output_is_true(command: Command) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec 2>&1; {command.line}"],
        cwd=ROOT,
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == command.shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run_and_print_what_they_say(page: Path) -> None:
    code = "\n".join(_blocks(page, "python"))
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(
        command, cwd=ROOT, env=_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == PROMISE.findall(code)


def test_python_blocks_are_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    pages = [page for page in PAGES if _blocks(page, "python")]
    for number, page in enumerate(pages):
        name = f"page_{number}_{page.stem.lower()}.py"
        (tmp_path / name).write_text("\n".join(_blocks(page, "python")), "utf-8")
    options = ("--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache"))
    command = [sys.executable, "-m", "mypy", *options, *map(str, tmp_path.glob("*.py"))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_public_attribute_is_in_the_page_of_the_library() -> None:
    text = (ROOT / "docs" / "library.md").read_text("utf-8")
    told = set(re.findall(r"[`.](\w+)[`(=]", text))
    missing = {
        f"{name}.{attribute}"
        for name in toolsync.__all__
        for attribute in _attributes(getattr(toolsync, name))
        if attribute not in told
    }
    assert missing == set()
    assert {name for name in toolsync.__all__ if name not in text} == set()
    assert set(dir(toolsync)) == {*toolsync.__all__, "__version__"}


def _attributes(thing: object) -> set[str]:
    """Names what a class of the library has of its own; members of enumerations are values."""
    if not isinstance(thing, type):
        return set()
    base: type = next((b for b in (str, Exception) if issubclass(thing, b)), object)
    own = {*dir(thing), *getattr(thing, "__annotations__", {})} - set(dir(base))
    return {name for name in own if not name.startswith("_") and not name.isupper()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_json_blocks_are_json(page: Path) -> None:
    for block in _blocks(page, "json"):
        json.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(FENCE.sub("", page.read_text("utf-8")))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_readme_installs_in_one_command_and_tests_in_another() -> None:
    install, test = _blocks(ROOT / "README.md", "sh")
    assert "toolsync diff examples/old.json examples/new.json" in install
    assert "pytest" in test
    assert len(install.splitlines()) == len(test.splitlines()) == 1


def test_every_page_of_docs_is_linked_from_the_readme() -> None:
    linked = set(LINK.findall((ROOT / "README.md").read_text("utf-8")))
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} <= linked


def test_options_that_the_pages_name_exist() -> None:
    shown = [
        subprocess.run(
            ["toolsync", name, "--help"],
            env=_environment(),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in ("diff", "digest", "lint")
    ]
    known = set(re.findall(r"--[a-z][a-z-]+", " ".join(shown)))
    text = "".join((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/report.md"))
    named = set(re.findall(r"`(--[a-z][a-z-]+)", text))
    assert named
    assert named <= known


def test_the_page_of_rules_is_made_from_the_table() -> None:
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert page == rules_page.render(), "run: python tests/rules_page.py > docs/rules.md"


def test_the_page_of_commands_is_what_they_say_of_themselves() -> None:
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    again = "run: python tests/commands_page.py > docs/commands.md"
    assert page == commands_page.render(), again


def test_the_picture_of_the_house_shows_every_room() -> None:
    picture = _blocks(ROOT / "docs" / "architecture.md", "text")[0]
    rooms = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in (ROOT / "src" / "toolsync").iterdir()
        if not path.name.startswith("__") and path.suffix in {"", ".py", ".pyx"}
    }
    assert {room for room in rooms if f"  {room}" not in picture} == set()
