from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from made_reports import check
from toolsync.cli import main
from toolsync.cli.failing import FailOn, fails
from toolsync.model import Level

Make = Callable[..., str]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


def _tool(name: str, description: str | None = None, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    return {"name": name, "inputSchema": schema} | (
        {} if description is None else {"description": description}
    )


OLD = [_tool("alpha", "First.", x={"type": "string"}), _tool("beta", "Second."), _tool("gone")]
NEW = [
    _tool("alpha", "First, better.", x={"type": "string"}),
    _tool("beta", "Second."),
    _tool("here"),
]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Writes a catalogue and gives its name."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, tools: Any) -> str:
        Path(name).write_text(json.dumps({"tools": tools}), "utf-8")
        return name

    return write


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs a command line in this process."""

    def call(*arguments: str) -> Outcome:
        code = main(arguments)
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call


Run = Callable[..., Outcome]


@pytest.fixture
def pair(make: Make) -> tuple[str, str]:
    return make("old.json", OLD), make("new.json", NEW)


def test_a_catalogue_and_itself(run: Run, pair: tuple[str, str]) -> None:
    assert run("diff", pair[0], pair[0]) == (
        0,
        "old.json (3 tools) → old.json (3 tools)\n\nidentical: 3 unchanged\n",
        "",
    )


def test_a_diff_as_text(run: Run, pair: tuple[str, str]) -> None:
    code, out, err = run("diff", *pair)
    assert (code, err) == (1, "")
    assert "- gone  breaking  removed" in out
    assert "+ here  compatible  added" in out
    assert '"First." → "First, better."' in out
    assert out.splitlines()[-1].startswith("breaking: 1 added, 1 removed, 1 changed, 1 unchanged")


def test_a_diff_as_json(run: Run, pair: tuple[str, str]) -> None:
    code, out, _ = run("diff", *pair, "--format", "json")
    made = json.loads(out)
    check(made)
    assert code == 1
    assert [(tool["name"], tool["status"]) for tool in made["tools"]] == [
        ("alpha", "changed"),
        ("gone", "removed"),
        ("here", "added"),
    ]


def test_all_keeps_unchanged_tools(run: Run, pair: tuple[str, str]) -> None:
    made = json.loads(run("diff", *pair, "--format", "json", "--all").out)
    check(made)
    assert [tool["status"] for tool in made["tools"] if tool["name"] == "beta"] == ["unchanged"]
    assert "= beta  unchanged" in run("diff", *pair, "--all").out


def test_names_only_and_statistics(run: Run, pair: tuple[str, str]) -> None:
    assert run("diff", *pair, "--name-only").out == "alpha\ngone\nhere\n"
    assert run("diff", *pair, "--stat").out.splitlines()[0].split()[:3] == [
        "gone",
        "removed",
        "breaking",
    ]


def test_quiet_prints_nothing(run: Run, pair: tuple[str, str]) -> None:
    assert run("diff", *pair, "-q") == (1, "", "")
    assert run("diff", pair[0], pair[0], "--quiet") == (0, "", "")


def test_fail_on(run: Run, make: Make) -> None:
    old, new = make("old.json", OLD[:1]), make("new.json", NEW[:1])
    codes = {each: run("diff", old, new, "--fail-on", each).code for each in FailOn}
    assert codes == {each: int(each in ("presentation", "semantic")) for each in FailOn}
    assert "First" in run("diff", old, new, "--fail-on", "breaking").out


@pytest.mark.parametrize("fail_on", list(FailOn))
def test_a_bar_is_reached_from_its_level_on(fail_on: FailOn) -> None:
    failing = [level for level in Level if fails(level, fail_on)]
    first = Level.DOCUMENTATION if fail_on is FailOn.SEMANTIC else fail_on
    assert failing == (
        [] if fail_on is FailOn.NEVER else list(Level)[list(Level).index(Level(first)) :]
    )


def test_only_and_ignore_choose_tools_and_rules(run: Run, pair: tuple[str, str]) -> None:
    assert run("diff", *pair, "--only", "alph*", "--name-only").out == "alpha\n"
    assert run("diff", *pair, "--ignore", "g*", "--ignore", "here", "--name-only").out == "alpha\n"
    assert run("diff", *pair, "--ignore", "description-*", "--name-only").out == "gone\nhere\n"


def test_a_choice_that_chooses_nothing_is_told(run: Run, pair: tuple[str, str]) -> None:
    code, out, err = run("diff", *pair, "--only", "alhpa")
    assert (code, out.splitlines()[-1]) == (0, "identical: no tools")
    assert err == "toolsync: warning: nothing matches --only alhpa\n"


def test_an_invalid_tool_is_reported_and_fails(run: Run, make: Make) -> None:
    old = make("old.json", OLD)
    new = make("new.json", [*OLD, {"name": "bad", "inputSchema": {"type": "string"}}])
    code, out, err = run("diff", old, new, "--fail-on", "breaking")
    assert (code, err) == (1, "")
    assert "! bad  invalid  /inputSchema" in out
    assert run("diff", old, new, "--fail-on", "never").code == 0


def test_the_open_reading(run: Run, make: Make) -> None:
    old = make("old.json", [_tool("a", x={}, y={})])
    new = make("new.json", [_tool("a", x={})])
    assert run("diff", old, new, "--fail-on", "breaking").code == 1
    assert run("diff", old, new, "--fail-on", "breaking", "--open").code == 0


def test_colour_on_request_only(
    run: Run, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in run("diff", *pair).out
    assert "\x1b" not in run("diff", *pair, "--color", "never").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" in run("diff", *pair, "--color", "always").out


def test_digests_of_every_tool(run: Run, pair: tuple[str, str]) -> None:
    code, out, err = run("digest", pair[0])
    data = json.loads(run("digest", pair[0], "--format", "json").out)
    assert (code, err) == (0, "")
    assert list(data) == ["digest", "semantic", "tools", "invalid"]
    assert out == "".join(f"{t['name']}  {t['digest']}  {t['semantic']}\n" for t in data["tools"])
    assert run("digest", pair[0], "--catalogue").out == f"{data['digest']}  {data['semantic']}\n"


def test_digests_beside_malformed_tools(run: Run, make: Make) -> None:
    source = make("old.json", [{"name": "a\x1b"}, {"inputSchema": {}}, *OLD[:1]])
    code, out, err = run("digest", source)
    assert (code, len(out.splitlines())) == (1, 1)
    assert "tools[0] a\\u{1B} is invalid" in err
    assert "tools[1] is invalid" in err
    data = json.loads(run("digest", source, "--format", "json").out)
    assert [(each["name"], each.get("index")) for each in data["invalid"]] == [
        ("a\x1b", None),
        (None, 1),
    ]


def test_lint_of_a_sound_catalogue(run: Run, pair: tuple[str, str]) -> None:
    assert run("lint", pair[0]) == (0, "3 tools: none invalid, none doubtful\n", "")


def test_lint_names_invalid_tools(run: Run, make: Make) -> None:
    source = make("old.json", [{"name": "bad", "inputSchema": {"type": "string"}}, {}, *OLD])
    code, out, err = run("lint", source)
    assert (code, err) == (1, "")
    assert "! bad  invalid  /inputSchema" in out
    assert "! tools[1]  invalid" in out
    assert out.splitlines()[-1] == "5 tools: 2 invalid"
    data = json.loads(run("lint", source, "--format", "json").out)
    assert [each["name"] for each in data["invalid"]] == [None, "bad"]


def test_lint_names_doubtful_tools(run: Run, make: Make) -> None:
    # An array of `items` is no 2020-12, and read as draft-07.
    source = make("old.json", [_tool("a", x={"type": "array", "items": [{}]})])
    code, out, _ = run("lint", source)
    assert code == 0
    assert out.startswith("? a  doubtful  /inputSchema")
    assert out.endswith("\n1 tool: 1 doubtful\n")


def test_repeated_tools_are_a_warning(run: Run, make: Make) -> None:
    source = make("old.json", [*OLD, OLD[0]])
    code, _, err = run("diff", source, source)
    assert code == 0
    assert err.startswith("toolsync: warning: old.json: ")
    assert run("diff", source, source, "-q").err == ""


def test_the_limits_are_options(run: Run, pair: tuple[str, str]) -> None:
    assert "--max-bytes raises it" in run("digest", pair[0], "--max-bytes", "10").err
    assert run("digest", pair[0], "--max-depth", "3").code in (1, 2)
    assert run("digest", pair[0], "--max-string", "3").code in (1, 2)


def test_the_version(run: Run) -> None:
    assert run("--version").out.startswith("toolsync 0.")


@pytest.mark.parametrize("command", [[], ["diff"], ["digest"], ["lint"]])
def test_help(run: Run, command: list[str]) -> None:
    code, out, err = run(*command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: toolsync {' '.join(command)}")


def test_python_m_toolsync(pair: tuple[str, str]) -> None:
    command = [sys.executable, "-m", "toolsync", "diff", *pair, "--name-only"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "alpha\ngone\nhere\n", "")


def test_a_report_is_the_same_bytes_every_time(pair: tuple[str, str]) -> None:
    command = [sys.executable, "-m", "toolsync", "diff", *pair, "--format", "json"]
    outputs = {
        subprocess.run(
            command, capture_output=True, check=False, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


UNNEEDED = {"asyncio", "mcp", "rich", "pydantic"}
ONLY_FOR_CHANGES = {"jsonschema", "referencing", "toolsync.schema", "toolsync.report.terminal"}


@pytest.mark.parametrize("same", [True, False])
def test_a_diff_in_a_pipe_imports_only_what_it_needs(pair: tuple[str, str], same: bool) -> None:
    code = (
        "import sys; from toolsync.cli import main; main(sys.argv[1:]);"
        "print(*sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "diff", pair[0], pair[not same]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert loaded & (UNNEEDED | ONLY_FOR_CHANGES if same else UNNEEDED) == set()
