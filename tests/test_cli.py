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
    assert (code, out.splitlines()[-1]) == (0, "nothing left to compare (4 tools left out)")
    assert err == "toolsync: warning: nothing matches --only alhpa\n"
    for glob in ("alhpa", "rule:descr", "tool:description-*"):
        code, out, err = run("diff", *pair, "--ignore", glob)
        assert err == f"toolsync: warning: nothing matches --ignore {glob}\n"
        assert run("diff", *pair, "--ignore", glob, "-q").err == ""
    assert run("diff", *pair, "--ignore", "hint-*", "--only", "alpha").err == ""
    made = json.loads(run("diff", *pair, "--ignore", "*", "--format", "json").out)
    check(made)
    assert made["summary"] | {"left_out": 4} == made["summary"]


def test_what_differs_by_other_rules_is_not_called_unchanged(
    run: Run, pair: tuple[str, str]
) -> None:
    out = run("diff", *pair, "--only", "input-*", "--only", "alpha", "--only", "beta").out
    assert out.splitlines()[-1] == "identical: 1 unchanged, 1 with other changes"
    options = ("--only", "input-*", "--all", "--format", "json")
    made = json.loads(run("diff", *pair, *options).out)
    check(made)
    assert [(one["name"], one["status"]) for one in made["tools"]] == [("beta", "unchanged")]
    assert made["summary"]["otherwise_changed"] == 3


def test_malformed_tools_are_counted_on_both_sides(run: Run, make: Make) -> None:
    source = make("old.json", [{"name": "bad"}, {"inputSchema": 3}])
    assert run("diff", source, source) == (
        0,
        (
            "old.json (0 tools, 2 malformed) → old.json (0 tools, 2 malformed)\n\n"
            "identical: 2 malformed as before\n"
        ),
        "",
    )
    out = run("diff", source, source, "--all").out
    assert "\n! bad  invalid as before  /inputSchema  " in out
    assert "\n! tools[1]  invalid as before  " in out
    made = json.loads(run("diff", source, source, "--all", "--format", "json").out)
    check(made)
    assert (made["summary"]["invalid"], made["summary"]["still_invalid"]) == (0, 2)
    gone = run("diff", source, make("new.json", []), "--fail-on", "breaking")
    assert "- bad  presentation  removed, was unusable\n" in gone.out
    assert gone.code == 0


def test_a_malformed_namesake_of_a_sound_tool_is_told(run: Run, make: Make) -> None:
    sound = make("old.json", OLD[:1])
    both = make("new.json", [*OLD[:1], {"name": "alpha"}, {"name": "alpha", "inputSchema": 3}])
    code, out, _ = run("diff", sound, both)
    assert (code, out.count("\n! alpha  invalid  ")) == (1, 2)
    code, out, _ = run("diff", both, sound)
    assert (code, out.count("- alpha  presentation  removed, was unusable")) == (0, 2)
    assert run("diff", both, both).out.endswith("identical: 1 unchanged, 2 malformed as before\n")


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
    whole = json.loads(run("digest", pair[0], "--catalogue", "--format", "json").out)
    assert whole == {key: data[key] for key in ("digest", "semantic")}


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
    assert run("lint", source, "--fail-on", "doubtful").code == 1


def test_lint_can_be_narrowed(run: Run, make: Make) -> None:
    bad = {"name": "bad", "inputSchema": {"type": "string"}}
    source = make("old.json", [bad, {"name": "b d"}, _tool("a b"), _tool("c" * 200)])
    assert run("lint", source).out.splitlines()[-1] == "4 tools: 2 invalid, 2 doubtful"
    assert run("lint", source, "--only", "a*").out == (
        '? a b  doubtful  /name  expected only A-Z a-z 0-9 _ . -, got U+0020 (" "); some clients'
        " refuse such names  [name-unusual]\n\n1 tool: 1 doubtful\n"
    )
    only = run("lint", source, "--only", "name-long", "--fail-on", "doubtful")
    assert (only.code, only.out.splitlines()[-1]) == (1, "4 tools: 1 doubtful")
    ignored = run("lint", source, "--ignore", "name-*", "--ignore", "bad")
    assert (ignored.code, ignored.out.splitlines()[-1]) == (1, "3 tools: 1 invalid")
    assert run("lint", source, "--fail-on", "never").code == 0
    mistyped = run("lint", source, "--ignore", "nmae-*")
    assert mistyped.err == "toolsync: warning: nothing matches --ignore nmae-*\n"


def test_repeated_tools_are_a_warning(run: Run, make: Make) -> None:
    source = make("old.json", [*OLD, OLD[0]])
    code, _, err = run("diff", source, source)
    assert code == 0
    assert err.startswith("toolsync: warning: old.json: ")
    assert err.count("\n") == 1
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
    assert run(*command, "-h") == (0, out, "")


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
