"""The short way for arguments gives exactly what Typer's long way gives."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import typer
import typer.core
import typer.main

from toolsync.cli import diff, digest, lint
from toolsync.cli.options import ReportFormat
from toolsync.cli.quick import QuickCommand


def _taken(function: Any, cls: type[typer.core.TyperCommand], arguments: list[str]) -> Any:
    """Gives what a command function is called with, or what is said against it."""

    @functools.wraps(function)
    def record(**given: Any) -> Any:
        return {name: (type(value), value) for name, value in given.items()}

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(cls=cls)(record)
    command = typer.main.get_command(app)
    try:
        return command.main(list(arguments), "it", standalone_mode=False)
    except Exception as error:  # noqa: BLE001  Click's, or that of Typer's own copy of it
        wording: Any = error
        return type(error), wording.format_message()


LINES = [
    [],
    ["a"],
    ["a", "b"],
    ["a", "b", "c"],
    ["a", "b", "--format", "json", "--color", "never", "-q"],
    ["a", "b", "--only", "x", "--only", "y*", "--ignore", ""],
    ["a", "b", "--input-format", "openai"],
    ["a", "b", "--max-bytes", "17", "--max-depth", "9", "--max-string", "3"],
    ["a", "b", "--stat", "--name-only", "--all", "--open"],
    ["", "\x1b"],
]


@pytest.mark.parametrize("arguments", LINES, ids=" ".join)
def test_both_ways_agree(arguments: list[str]) -> None:
    for function in (diff.command, digest.command, lint.command):
        short = _taken(function, QuickCommand, arguments)
        assert short == _taken(function, typer.core.TyperCommand, arguments)


BYTES = "expected a whole number from 1 to 4294967295, got"
WRONG = [
    ("--format", "xml", "expected text or json, got 'xml'"),
    ("--input-format", "OPENAI", "expected mcp, openai, anthropic, gemini or langchain, got"),
    *(("--max-bytes", n, f"{BYTES} '{n}'") for n in ("0", "-5", "1.5", "1_000", " 7", "٣")),
    ("--max-bytes", "9" * 30, BYTES),
    ("--max-depth", "501", "expected a whole number from 3 to 500, got '501'"),
]


@pytest.mark.parametrize(("option", "value", "told"), WRONG)
def test_what_is_wrong_is_said_in_words_of_this_project(option: str, value: str, told: str) -> None:
    refused = _taken(digest.command, QuickCommand, ["a", option, value])
    assert told in refused[1]


def test_the_short_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def long_way(*_: Any) -> None:
        pytest.fail("an argument went the long way")

    # Every class that has a long way of its own.
    for cls in (typer.core.TyperOption, typer.core.TyperArgument):
        monkeypatch.setattr(cls, "process_value", long_way)
    taken = _taken(diff.command, QuickCommand, ["a", "b", "--format", "json", "--max-depth", "9"])
    assert taken["format"] == (ReportFormat, ReportFormat.JSON)
    assert taken["max_depth"] == (int, 9)
