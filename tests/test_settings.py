"""Files of settings: which one is found, what it may say, and how a fault in it is told."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from toolsync import SettingsError
from toolsync.model import Level
from toolsync.settings import MAX_BYTES, nearest_settings, read_settings

ENTRY = 'rule = "tool-removed"\nlevel = "compatible"\nreason = "{}"\n'
OWN = "[[overrides]]\n" + ENTRY
PROJECT = "[[tool.toolsync.overrides]]\n" + ENTRY
BARE = '[project]\nname = "uses-toolsync"\n'


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def reason(folder: Path) -> str | None:
    settings = nearest_settings(folder)
    return settings.overrides[0].reason if settings.overrides else None


def test_an_entry_becomes_an_override(tmp_path: Path) -> None:
    put(tmp_path / "toolsync.toml", OWN.format("why") + 'tool = "old_*"\n')
    settings = nearest_settings(tmp_path)
    (one,) = settings.overrides
    assert (one.rule, one.level, one.reason, one.tool) == (
        "tool-removed",
        Level.COMPATIBLE,
        "why",
        "old_*",
    )
    assert settings.source == "toolsync.toml"


def test_the_nearest_file_is_taken_and_its_own_goes_first(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    put(tmp_path / "pyproject.toml", PROJECT.format("top"))
    put(deep / "pyproject.toml", BARE)
    assert reason(deep) == "top"
    assert nearest_settings(deep).source == str(Path("..", "..", "pyproject.toml"))
    put(tmp_path / "toolsync.toml", OWN.format("own"))
    assert reason(deep) == "own"
    put(deep.parent / "pyproject.toml", PROJECT.format("middle"))
    assert reason(deep) == "middle"
    put(deep / "pyproject.toml", BARE + PROJECT.format("here"))
    assert reason(deep) == "here"


def test_an_empty_file_settles_that_there_is_nothing(tmp_path: Path) -> None:
    put(tmp_path / "toolsync.toml", OWN.format("above"))
    put(tmp_path / "a" / "toolsync.toml", "")
    assert reason(tmp_path / "a") is None


def test_the_current_folder_is_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "toolsync.toml", OWN.format("why"))
    monkeypatch.chdir(tmp_path)
    assert nearest_settings().source == "toolsync.toml"


@pytest.mark.skipif(os.name == "nt", reason="the current folder cannot be removed there")
def test_a_folder_that_is_gone_has_no_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert nearest_settings().overrides == ()


def test_folders_and_pipes_of_that_name_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "toolsync.toml").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pyproject.toml")
    put(tmp_path.parent / "toolsync.toml", "")
    assert nearest_settings(tmp_path).overrides == ()
    (tmp_path.parent / "toolsync.toml").unlink()


def test_a_projects_file_that_says_nothing_is_not_even_parsed(tmp_path: Path) -> None:
    put(tmp_path / "pyproject.toml", "this is = no TOML at all")
    put(tmp_path / "toolsync.toml", "")
    assert nearest_settings(tmp_path).overrides == ()


def test_a_file_that_is_named_is_read(tmp_path: Path) -> None:
    own = put(tmp_path / "levels.toml", OWN.format("own"))
    project = put(tmp_path / "pyproject.toml", PROJECT.format("project"))
    assert read_settings(str(own)).overrides[0].reason == "own"
    assert read_settings(str(project)).overrides[0].reason == "project"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("overides = []", "unknown key 'overides': expected `overrides`"),
        ("overrides = 3", "overrides: expected an array of tables, got a number"),
        ("[overrides]", "overrides: expected an array of tables, got a table"),
        ("overrides = [[]]", "override 1: expected a table, got an array"),
        (OWN.format("a") + "\n[[overrides]]", "override 2: expected a `rule`, got none"),
        ('[[overrides]]\nrule = "tool-added"', "override 1 (tool-added): expected a `level`, got"),
        (OWN.partition("reason")[0], "override 1 (tool-removed): expected a `reason`, got none"),
        (OWN.format("  "), "override 1 (tool-removed): reason: expected why the level is another"),
        (OWN.replace("tool-", "tol-"), "override 1 (tol-removed): rule: no rule is called 'tol-r"),
        (
            OWN.replace("compatible", "ok"),
            "override 1 (tool-removed): level: expected presentation",
        ),
        (OWN + "lvl = 1", "override 1: unknown key 'lvl': expected `rule`, `tool`, `level`, `reas"),
        (OWN + "tool = 1979-05-27", "override 1: tool: expected a text, got a date or time"),
        (OWN + "tool = true", "override 1: tool: expected a text, got a boolean"),
        ("a = ?", "not TOML at line 1, column 5 (--no-config"),
        ("a = " + "[" * 5000, "not TOML: nested too deeply"),
        ("a = " + "1" * 5000, "not TOML: a number too long"),
        ("a." * 30_000 + "a = 1", "line 1: holds more than 64 dots"),
        ('a = """\n\'""", ' + "a." * 100 + "a = 1 # '", "line 2: holds more than 64 dots"),
        (b"\xff", "not TOML: not UTF-8 at byte 0"),
        (b"#" * (MAX_BYTES + 1), f"holds more than {MAX_BYTES} bytes"),
        ("[tool.toolsync]", "unknown key 'tool': expected `overrides`"),
    ],
)
def test_what_is_not_understood_is_refused(tmp_path: Path, text: str | bytes, told: str) -> None:
    put(tmp_path / "toolsync.toml", text)
    with pytest.raises(SettingsError) as caught:
        nearest_settings(tmp_path)
    assert str(caught.value).startswith(f"toolsync.toml: {told}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[tool]\ntoolsync = "on"', "tool.toolsync: expected a table, got a text"),
        ("[tool.toolsync]\nlevels = 1", "unknown key 'levels'"),
        ("toolsync = [", "not TOML at "),
    ],
)
def test_a_projects_table_is_read_as_strictly(tmp_path: Path, text: str, told: str) -> None:
    put(tmp_path / "pyproject.toml", text)
    with pytest.raises(SettingsError) as caught:
        nearest_settings(tmp_path)
    assert str(caught.value).startswith(f"pyproject.toml: {told}")


def test_the_entry_that_the_docs_show_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "report.md").read_text("utf-8")
    (shown,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    put(tmp_path / "toolsync.toml", shown)
    assert nearest_settings(tmp_path).overrides


def test_a_named_file_without_settings_is_refused(tmp_path: Path) -> None:
    bare = put(tmp_path / "pyproject.toml", BARE)
    with pytest.raises(SettingsError, match=r"expected a table \[tool.toolsync\], found none"):
        read_settings(str(bare))
    for missing in (tmp_path / "missing.toml", tmp_path, Path("a\0b")):
        with pytest.raises(SettingsError, match="expected a file with settings, found none"):
            read_settings(str(missing))


def test_dots_in_texts_and_comments_are_nobodys_key(tmp_path: Path) -> None:
    dots = "." * 100
    text = f"# {dots}\n[project]\ndescription = '{dots}'\nurls = \"{dots}\"\n" + PROJECT.format(
        dots
    )
    put(tmp_path / "pyproject.toml", text)
    assert reason(tmp_path) == dots


@pytest.mark.parametrize("key", ["rule", "tool"])
def test_a_glob_is_bounded(tmp_path: Path, key: str) -> None:
    rest = OWN.format("why") if key == "tool" else OWN.format("why").replace("rule = ", "tool = ")
    put(tmp_path / "toolsync.toml", f'{rest}{key} = "{"[" * 2000}"')
    with pytest.raises(SettingsError, match=f"{key}: expected a glob of at most 1,000 characters"):
        nearest_settings(tmp_path)
