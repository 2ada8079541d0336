"""The command line run in this process, in a folder of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from toolsync.cli import main

LOCK = Path("toolsync.lock")


class Outcome(NamedTuple):
    """What a command line came to."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture(name="run")
def running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Outcome:
        code = main(arguments)
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call


def a_tool(name: str, **parts: Any) -> dict[str, Any]:
    """Makes a tool without arguments."""
    return {"name": name, "inputSchema": {"type": "object"}, **parts}


def a_catalogue(name: str, *tools: Any) -> str:
    """Writes a catalogue into the folder, and gives the file's name."""
    Path(name).write_text(json.dumps({"tools": tools}), "utf-8")
    return name
