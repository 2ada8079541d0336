from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from command_lines import LOCK, Run, a_catalogue, a_tool, running
from made_reports import check as check_report

__all__ = ["running"]  # a fixture

OLD = [a_tool("a", description="One."), a_tool("b"), a_tool("c")]
NEW = [a_tool("a", description="Two."), a_tool("b"), a_tool("d")]


@pytest.fixture
def lock(run: Run) -> str:
    """A lockfile of `old.json`; gives the name of what its tools became."""
    assert run("lock", a_catalogue("old.json", *OLD), "-q").code == 0
    return a_catalogue("new.json", *NEW)


def test_nothing_changed(run: Run, lock: str) -> None:
    code, out, err = run("check")
    assert (code, err) == (0, "")
    assert out == "toolsync.lock (3 tools) → old.json (3 tools)\n\nidentical: 3 unchanged\n"


def test_changes_are_told_as_diff_tells_them(run: Run, lock: str) -> None:
    code, out, _ = run("check", lock)
    told = run("diff", "old.json", lock).out
    assert code == 1
    assert out.splitlines()[1:] == told.splitlines()[1:]
    assert out.startswith("toolsync.lock (3 tools) → new.json (3 tools)\n")


def test_the_report_is_the_one_of_diff(run: Run, lock: str) -> None:
    made = json.loads(run("check", lock, "--format", "json").out)
    check_report(made)
    told = json.loads(run("diff", "old.json", lock, "--format", "json").out)
    assert made["old"].pop("source") == "toolsync.lock"
    assert told["old"].pop("source") == "old.json"
    assert made == told


def test_it_fails_from_breaking_on(run: Run, lock: str) -> None:
    text_only = a_catalogue("text.json", NEW[0], *OLD[1:])
    assert run("check", text_only).code == 0
    assert run("check", text_only, "--fail-on", "semantic").code == 1
    assert run("check", lock, "--fail-on", "never").code == 0
    assert run("check", lock, "-q") == (1, "", "")


def test_the_same_options_narrow_the_report(run: Run, lock: str) -> None:
    assert run("check", lock, "--name-only").out == "a\nc\nd\n"
    assert run("check", lock, "--only", "a", "--name-only").out == "a\n"
    assert run("check", lock, "--ignore", "c", "--stat").code == 0
    assert "nothing matches --only x" in run("check", lock, "--only", "x").err


def test_overrides_are_heeded(run: Run, lock: str) -> None:
    Path("toolsync.toml").write_text(
        '[[overrides]]\nrule = "tool-removed"\nlevel = "dangerous"\nreason = "Nobody calls it."\n',
        "utf-8",
    )
    assert run("check", lock).code == 0
    assert run("check", lock, "--no-config").code == 1


def test_respelled_tools_are_as_they_were(run: Run, lock: str) -> None:
    tools = [dict(reversed(list(tool.items()))) for tool in reversed(OLD)]
    assert run("check", a_catalogue("other.json", *tools), "--fail-on", "presentation").code == 0


def test_one_of_several_catalogues(run: Run, lock: str) -> None:
    run("lock", lock, "--name", "other", "-q")
    code, _, err = run("check")
    assert (code, "choose with --name one of default, other" in err) == (2, True)
    code, out, _ = run("check", "--name", "other")
    assert (code, out.partition("\n")[0]) == (
        0,
        "toolsync.lock (other) (3 tools) → new.json (3 tools)",
    )


def test_a_revision_as_source_and_as_lockfile(run: Run, lock: str) -> None:
    names = {
        f"GIT_{who}_{what}": "t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    env = {**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run(["git", *command], env=env, check=True)
    Path("old.json").write_bytes(Path(lock).read_bytes())
    assert run("check").code == 1
    assert run("check", "git:HEAD:old.json").code == 0
    LOCK.unlink()
    assert run("check", "git:HEAD:old.json", "--lock", "git:HEAD:toolsync.lock").code == 0


def test_malformed_tools_that_were_noted_are_no_news(run: Run) -> None:
    bad = a_catalogue("bad.json", a_tool("a"), {"name": "b"}, 5)
    assert run("lock", bad, "-q").code == 1
    assert run("check").code == 0
    assert "2 malformed as before" in run("check").out
    a_catalogue("bad.json", a_tool("a"), {"name": "b", "x": 1}, 5)
    assert run("check").code == 1
    a_catalogue("bad.json", {"name": "a"}, {"name": "b"}, 5)
    code, out, _ = run("check")
    assert (code, "! a  invalid, breaking" in out) == (1, True)


def _edited(old: str, new: str) -> None:
    text = LOCK.read_text("utf-8")
    assert old in text
    LOCK.write_text(text.replace(old, new, 1), "utf-8")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("One.", "Fun.", "tool 'a': was edited by hand"),
        ('"form": 1', '"form": 2', "is of a newer toolsync: canonical form 2"),
        ('"tool": "b"', '<<<<<<< HEAD\n"tool": "b"', "holds a merge conflict at line"),
        ("]\n}\n}\n}\n", "", "is cut off at line"),
        ('"semantic": "', '"semantic": "sha256:00', "tool 'a': 'semantic' is not the digest"),
    ],
)  # fmt: skip
def test_a_lockfile_that_cannot_be_trusted(
    run: Run, lock: str, old: str, new: str, told: str
) -> None:
    _edited(old, new)
    for arguments in (("check",), ("check", lock, "-q"), ("check", "--format", "json")):
        code, out, err = run(*arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert f"toolsync: toolsync.lock: {told}" in err


def test_a_lockfile_over_the_limit(run: Run, lock: str) -> None:
    code, _, err = run("check", "--max-bytes", "400")
    assert (code, err.count("\n")) == (2, 1)
    assert re.search(r"toolsync\.lock: holds \d+ bytes, the limit is 400 \(--max-bytes", err)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--lock", "nope.lock"), "nope.lock: no such file: 'toolsync lock SOURCE' makes it"),
        (("--lock", "-"), "expected the name of a lockfile, got '-'"),
        (("--lock", "."), ".: is a directory"),
        (("--lock", "old.json"), "old.json: is no lockfile"),
        (("--name", "x"), "toolsync.lock: holds no catalogue 'x', but default"),
        (("nope.json",), "nope.json: no such file"),
        (("--stat", "--name-only"), "exclude each other"),
    ],
)
def test_what_cannot_be_checked(run: Run, lock: str, arguments: tuple[str, ...], told: str) -> None:
    code, out, err = run("check", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err


def test_handed_hostile_catalogues_are_locked_and_checked_safely(run: Run, shared: Path) -> None:
    unsafe = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
    sources = sorted((shared / "cases" / "hostile").rglob("*.json"))
    assert sources
    locked = 0
    for source in sources:
        LOCK.unlink(missing_ok=True)
        told: list[Any] = [run("lock", str(source))]
        if LOCK.exists():
            locked += 1
            assert not unsafe.search(LOCK.read_text("utf-8").replace("\t", ""))
            told += [run("check", "--fail-on", "presentation"), run("check", "--all")]
            assert [outcome.code for outcome in told[1:]] == [0, 0], source
        for outcome in told:
            assert outcome.code in (0, 1, 2)
            assert not unsafe.search(outcome.out + outcome.err)
    assert locked
