"""The pages of the bridge: their code runs, is typed, prints what they say, and is short."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "live"
PAGES = [
    FOLDER / f"{name}.md" for name in ("host-link", "acp", "agent-framework", "function-lists")
]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMISE = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
BOUND = 60

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def code_of(page: Path) -> str:
    return "\n".join(BLOCK.findall(page.read_text("utf-8")))


@each_page
def test_the_code_runs_and_prints_what_the_page_says(page: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code_of(page)],
        capture_output=True, text=True, check=False, timeout=BOUND,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == PROMISE.findall(code_of(page))


@pytest.mark.slow  # the frameworks' own types are read too
def test_the_code_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    files = [tmp_path / f"{page.stem.replace('-', '_')}_page.py" for page in PAGES]
    for page, file in zip(PAGES, files, strict=True):
        file.write_text(code_of(page), "utf-8")
    options = ("--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache"))
    command = [sys.executable, "-m", "mypy", *options, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
