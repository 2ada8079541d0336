"""Live servers as sources: `diff`, `digest`, `lint` and `snapshot` read them like files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from serving_rig import PYTHON, put, running, tool
from toolsync.catalog import LIMITS, load
from toolsync.cli.app import run
from toolsync.errors import LimitError, SourceError
from toolsync.sources import Access, read_catalog, read_text, shown_source

SERVER = Path(__file__).with_name("scripted_server.py")


def scripted(folder: Path, script: dict[str, Any], era: str = "handshake") -> str:
    path = folder / "script.json"
    path.write_text(json.dumps(script), "utf-8")
    return f"stdio:'{PYTHON}' '{SERVER}' '{path}' --era {era}"


def page(*tools: dict[str, Any], more: str | None = None) -> dict[str, Any]:
    return {"result": {"tools": list(tools), **({} if more is None else {"nextCursor": more})}}


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_every_page_is_read_and_every_definition_kept(era: str, tmp_path: Path) -> None:
    odd = tool("a") | {"x-odd": [1, None, {"b": 2**70}], "icons": [{"no": "source"}]}
    source = scripted(tmp_path, {"pages": [page(odd, more=""), page(tool("b"))]}, era)
    saved = tmp_path / "saved.json"
    assert run(["snapshot", source, "-o", str(saved)]) == 0
    assert json.loads(saved.read_text("utf-8")) == {"tools": [odd, tool("b")]}
    assert len(saved.read_text("utf-8").splitlines()) == 4
    assert run(["diff", source, str(saved)]) == 0
    assert load(saved).digest == read_catalog(source).digest


def test_malformed_tools_are_saved_in_their_places_and_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bad = [tool("a"), {"name": "b"}, tool("c"), {"name": ""}]
    source = scripted(tmp_path, {"pages": [page(*bad)]})
    assert run(["snapshot", source]) == 1
    told = capfd.readouterr()
    assert json.loads(told.out) == {"tools": bad}
    assert "tools[1] b is invalid" in told.err
    assert "tools[3] " in told.err


def test_a_snapshot_shows_no_unsafe_character_and_reads_the_same(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    odd = tool("a", "runs \u202e back \x1b[31m ##[group]")
    source = scripted(tmp_path, {"pages": [page(odd)]})
    assert run(["snapshot", source]) == 0
    out = capfd.readouterr().out
    assert json.loads(out) == {"tools": [odd]}
    assert out.replace("\n", "").isprintable()
    assert "##[" not in out


def test_a_file_is_a_source_of_a_snapshot_too(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([tool("a", n=1.0)], indent=2), "utf-8")
    saved = tmp_path / "saved.json"
    assert run(["snapshot", str(file), "-o", str(saved)]) == 0
    assert load(saved).digest == load(file).digest
    assert len(saved.read_text("utf-8").splitlines()) == 3


def test_a_snapshot_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    saved.write_text("before", "utf-8")
    source = scripted(tmp_path, {"pages": [page(tool("a"), more="c"), {"error": {
        "code": -32603, "message": "no"}}]})  # fmt: skip
    assert run(["snapshot", source, "-o", str(saved)]) == 2
    assert saved.read_text("utf-8") == "before"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["saved.json", "script.json"]


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "exits": ({"handshake": "exit"}, "exit code 3"),
    "hangs": ({"handshake": "hang"}, "no answer"),
    "hangs at its list": ({"list": "hang"}, "no complete list within 2 s"),
    "dies at its list": ({"list": "exit"}, "exit code 3"),
    "loops": ({"repeat": page(more="x")}, "cursor did not advance"),
    "bad cursor": ({"repeat": {"result": {"tools": [], "nextCursor": 7}}}, "'nextCursor'"),
    "no list": ({"pages": [{"result": {"tools": {}}}]}, "expected an array, got an object"),
    "failing page": (
        {"pages": [page(tool("a"), more="c"),
                   {"error": {"code": -1, "message": "page \x1b lost"}}]},
        "page \\u{1B} lost",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_server_that_cannot_be_read_says_why_in_one_line(
    fault: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script, words = FAULTS[fault]
    assert run(["digest", scripted(tmp_path, script), "--timeout", "2"]) == 2
    told = capfd.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert line.startswith("toolsync: ")
    assert words in line


def test_a_list_over_the_limit_names_the_option(tmp_path: Path) -> None:
    source = scripted(tmp_path, {"pages": [page(tool("a", "x" * 5000))]})
    with pytest.raises(LimitError, match=r"1,000 bytes \(--max-bytes raises the limit\)"):
        read_text(source, max_bytes=1000)


@pytest.mark.anyio
async def test_over_http_headers_go_along_and_are_never_shown(tmp_path: Path) -> None:
    import anyio.to_thread  # noqa: PLC0415  one test alone needs a loop around it

    file = tmp_path / "tools.json"
    put(file, tool("a"))
    env = {"TOOLSYNC_TOKEN": "s3cret"}

    def command(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [PYTHON, "-m", "toolsync", *arguments], capture_output=True, text=True, check=False,
            timeout=30, env={"PATH": "", "TOKEN": "s3cret"},
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    async with running(file, env=env) as server:
        url = f"{server.url}?key=s3cret"
        given: Sequence[Sequence[str]] = (
            ("digest", url, "--header", "Authorization: Bearer ${TOKEN}"),
            ("diff", str(file), url, "--header", "Authorization: Bearer ${TOKEN}", "--format",
             "json"),
            ("lint", url),
            ("digest", url, "--header", "Authorization: Bearer ${NO}"),
        )  # fmt: skip
        told = [await anyio.to_thread.run_sync(command, *each) for each in given]
    assert [code for code, _ in told] == [0, 0, 2, 2]
    assert "401" in told[2][1]
    assert "there is no variable NO" in told[3][1]
    assert "s3cret" not in json.dumps(told)
    assert json.loads(told[1][1])["new"]["source"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize("header", ["", "no colon", "a b: c", ": c", "x: é", "x: a\tb\x01"])
def test_what_is_no_header_is_refused(header: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["digest", "http://127.0.0.1:9/", "--header", header]) == 2
    assert "--header" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("stdio:", "expected a command"),
        ("stdio:'a", "quote as for a shell"),
        ("http://", "expected an address"),
        ("https:///path", "expected an address"),
        ("http://a b/", "expected an address"),
    ],
)
def test_what_names_no_server_is_refused(source: str, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        read_text(source, max_bytes=LIMITS.max_bytes, access=Access())


def test_a_source_is_shown_without_its_secrets() -> None:
    assert shown_source("stdio:/opt/bin/server --key secret") == "stdio:server …"
    assert shown_source("https://user:secret@h.example:8/secret?secret") == "https://h.example:8/…"
    assert shown_source("tools.json") == "tools.json"


def test_the_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys  # noqa: PLC0415  as above

    monkeypatch.setitem(sys.modules, "toolsync.bridge.mcp.listing", None)
    with pytest.raises(SourceError, match=r"pip install 'toolsync\[mcp\]'"):
        read_text("stdio:x", max_bytes=1)


def test_help_names_every_kind_of_source() -> None:
    from toolsync.cli.app import app  # noqa: PLC0415  as above

    told = " ".join(CliRunner().invoke(app, ["snapshot", "--help"]).stdout.split())
    assert "stdio:COMMAND" in told
