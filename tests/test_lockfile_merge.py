"""Two branches that change different tools merge with git alone, and the outcome is true."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsync import Catalog
from toolsync.errors import LockError
from toolsync.lockfile import Lockfile, catalog_of, locked, parse, written

Tools = dict[str, dict[str, Any]]
Edit = Callable[[Tools], object]
FILE = "toolsync.lock"


def _tools() -> Tools:
    return {
        name: {
            "name": name,
            "description": f"Does {name}.",
            "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
        }
        for name in ("a", "b", "c", "d", "e")
    }


def _text(*servers: tuple[str, Tools]) -> bytes:
    lockfile = Lockfile()
    for name, tools in servers:
        lockfile = lockfile.with_server(name, locked(Catalog(tools.values()), f"{name}.json"))
    return written(lockfile)


class Repository:
    """A real repository with one lockfile."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        self.commit(_text(("default", _tools())))

    def git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        names = {
            f"GIT_{who}_{what}": "t"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        nowhere = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        return subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**os.environ, **names, **nowhere},
            capture_output=True,
            text=True,
            check=False,
        )

    def commit(self, text: bytes) -> None:
        (self.folder / FILE).write_bytes(text)
        self.git("add", FILE)
        assert self.git("commit", "-qm", "x").returncode == 0

    def merged(self, ours: Edit, theirs: Edit) -> tuple[bool, bytes]:
        """Changes the tools on two branches, merges them; tells whether git could, and the text."""
        self.git("checkout", "-qb", "theirs")
        self.commit(_text(("default", _edited(theirs))))
        self.git("checkout", "-q", "main")
        self.commit(_text(("default", _edited(ours))))
        done = self.git("merge", "-q", "--no-edit", "theirs")
        return done.returncode == 0, (self.folder / FILE).read_bytes()


def _edited(*edits: Edit) -> Tools:
    tools = _tools()
    for edit in edits:
        edit(tools)
    return tools


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def _describe(name: str) -> Edit:
    return lambda tools: tools[name].update(description="Does better.")


def _require(name: str) -> Edit:
    return lambda tools: tools[name]["inputSchema"].update(required=["q"])


def _annotate(name: str) -> Edit:
    return lambda tools: tools[name].update(annotations={"readOnlyHint": True}, title="T")


def _remove(name: str) -> Edit:
    return lambda tools: tools.pop(name)


def _add(name: str) -> Edit:
    return lambda tools: tools.update({name: {"name": name, "inputSchema": {"type": "object"}}})


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (_describe("a"), _describe("b")),
        (_require("a"), _annotate("b")),
        (_annotate("e"), _require("d")),
        (_annotate("a"), _annotate("e")),
        (_add("aa"), _describe("b")),
        (_add("f"), _describe("e")),
        (_add("f"), _add("A")),
        (_add("bb"), _add("dd")),
        (_remove("b"), _describe("d")),
        (_remove("b"), _describe("c")),
        (_remove("a"), _add("f")),
    ],
    ids=str,
)
def test_different_tools_merge(repository: Repository, ours: Edit, theirs: Edit) -> None:
    clean, text = repository.merged(ours, theirs)
    assert clean
    assert text == _text(("default", _edited(ours, theirs)))
    _, server = parse(text).chosen(None)
    both = Catalog(_edited(ours, theirs).values())
    assert catalog_of(server, Catalog([]), name="lock").digest == both.digest


def test_the_same_tool_changed_twice_is_a_conflict_that_is_told(repository: Repository) -> None:
    clean, text = repository.merged(_describe("c"), _require("c"))
    assert not clean
    with pytest.raises(LockError, match="holds a merge conflict at line"):
        parse(text)


def test_different_servers_merge(repository: Repository) -> None:
    repository.commit(_text(("one", _tools()), ("two", _tools())))
    repository.git("checkout", "-qb", "theirs")
    repository.commit(_text(("one", _tools()), ("two", _edited(_describe("a")))))
    repository.git("checkout", "-q", "main")
    repository.commit(_text(("one", _edited(_describe("e"))), ("two", _tools())))
    assert repository.git("merge", "-q", "--no-edit", "theirs").returncode == 0
    merged = (repository.folder / FILE).read_bytes()
    assert merged == _text(("one", _edited(_describe("e"))), ("two", _edited(_describe("a"))))


def test_a_change_of_one_argument_is_a_change_of_few_lines(repository: Repository) -> None:
    def longer(tools: Tools) -> None:
        properties = {f"p{i}": {"type": "string", "description": "x" * 60} for i in range(5)}
        tools["c"]["inputSchema"]["properties"] = properties

    def changed(tools: Tools) -> None:
        longer(tools)
        tools["c"]["inputSchema"]["properties"]["p2"]["maxLength"] = 5

    repository.commit(_text(("default", _edited(longer))))
    repository.commit(_text(("default", _edited(changed))))
    assert repository.git("diff", "--numstat", "HEAD~1").stdout.split() == ["3", "3", FILE]


@pytest.mark.parametrize("added", ["another", "zebra"])
@pytest.mark.parametrize("edit", [_require("e"), _annotate("a"), _add("f"), _remove("d")])
def test_a_catalogue_with_the_same_tools_takes_no_change_of_another(
    repository: Repository, added: str, edit: Edit
) -> None:
    repository.git("checkout", "-qb", "theirs")
    repository.commit(_text(("default", _edited(edit))))
    repository.git("checkout", "-q", "main")
    repository.commit(_text(("default", _tools()), (added, _tools())))
    done = repository.git("merge", "-q", "--no-edit", "theirs")
    text = (repository.folder / FILE).read_bytes()
    if done.returncode == 0:
        assert text == _text(("default", _edited(edit)), (added, _tools()))
    else:
        assert b"<<<<<<<" in text


def test_a_block_in_the_wrong_catalogue_is_refused() -> None:
    text = _text(("default", _tools()), ("other", _tools()))
    moved = text.replace(b'"catalogue": "other"', b'"catalogue": "default"', 1)
    told = r"catalogue 'other', tools\[0\]: is of catalogue 'default'"
    with pytest.raises(LockError, match=told):
        parse(moved)
