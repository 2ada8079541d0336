"""Session scenarios from reports, played through the whole chain, every expectation checked."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from scenario_judge import judge
from scenario_play import Play, Seen
from scripted_chain import Chain
from scripted_server import GOOD

pytestmark = pytest.mark.anyio

BESIDE = Path(os.environ.get("TOOLSYNC_SHARED", Path(__file__).resolve().parents[2] / "shared"))
SCENARIOS = sorted(each.parent.name for each in BESIDE.glob("cases/reports/*/scenario.json"))
HOSTILE = BESIDE / "cases/hostile"
ABSENT = "no ../shared folder beside the repository and no TOOLSYNC_SHARED"
NONE = [pytest.param("", marks=pytest.mark.skip(reason=ABSENT))]


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("case", SCENARIOS or NONE)
async def test_a_reported_scenario(case: str) -> None:
    folder = BESIDE / "cases/reports" / case
    scenario, expected = read(folder / "scenario.json"), read(folder / "expected.json")
    assert expected["kind"] == "session"
    play = Play(scenario, expects_error=expected.get("error") is not None)
    judge(scenario, expected, await play.run())


def hostile_servers() -> list[dict[str, str]]:
    table = HOSTILE / "expected.tsv"
    if not table.is_file():
        return []
    with table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [row for row in rows if row["files"].endswith(".server.json")]


@pytest.mark.parametrize("era", ["handshake", "modern"])
@pytest.mark.parametrize("row", hostile_servers() or NONE, ids=lambda row: row and row["id"])
async def test_a_hostile_server(row: dict[str, str], era: str) -> None:
    """It first serves one good tool; then what the row says."""
    script = read(HOSTILE / row["files"])
    async with Chain() as chain:
        remote = await chain.add("s1", era, max_pages=50, refresh_timeout=5.0)
        assert await chain.refresh("s1") == "applied"
        client = await chain.join("A")
        before = await client.tools()
        assert [each["name"] for each in before] == ["good"]
        asked = len(await remote.requests())
        with anyio.fail_after(10 * float(row["max_seconds"])):
            await remote.order(set=script, announce=1)
            outcome = await chain.refresh("s1")
        after = await client.tools()
        if row["class"] == "LASTGOOD":
            assert outcome == "failed"
            assert after == before
            assert await client.messages() == 0
            assert any("s1" in line and "page" in line for line in chain.told()), chain.told()
        else:
            assert row["class"] == "APPLIED"
            assert outcome != "failed", chain.told()
            assert after == served(script)
            assert await client.messages() == (after != before)
        # One look, and one more at what was announced before it was so.
        pages = len(script.get("pages", [1])) if "repeat" not in script else 50
        assert len(await remote.requests()) - asked <= 3 * pages


def served(script: dict[str, Any]) -> list[dict[str, Any]]:
    """The tools that a script serves as a whole."""
    if "pages" not in script:
        return [GOOD]
    return [tool for page in script["pages"] for tool in page["result"]["tools"]]


DEATH = {
    "servers": ["s1", "s2"], "sessions": ["A"],
    "steps": [
        {"n": 1, "do": "set_catalogue", "server": "s1", "tools": ["one"]},
        {"n": 1.5, "do": "set_catalogue", "server": "s2", "tools": ["two"]},
        {"n": 2, "do": "client_connect_and_list", "session": "A"},
        {"n": 3, "do": "upstream_crash", "server": "s1"},
        {"n": 4, "do": "client_list", "session": "A"},
        {"n": 5, "do": "upstream_restart", "server": "s1", "tools": ["one", "three"]},
        {"n": 6, "do": "plugin_reload_fails", "server": "s2"},
        {"n": 7, "do": "client_disconnect", "session": "A"},
        {"n": 8, "do": "client_reconnect_and_list", "session": "A"},
        {"n": 9, "do": "plugin_removed", "server": "s2"},
    ],
}  # fmt: skip


async def test_a_scenario_of_our_own() -> None:
    """The last good tools through a crash, a restart that adds one, a refused reload, a removal."""
    expected = {
        "messages": [
            {"after_step": 5, "session": "A", "count": 1},
            {"after_step": 9, "session": "A", "count": 1},
        ],
        "lists": [
            {"step": 2, "session": "A", "tools": ["one", "two"]},
            {"step": 4, "session": "A", "tools": ["one", "two"]},
            {"step": 8, "session": "A", "tools": ["one", "two", "three"]},
        ],
        "error": {"step": 3, "server": "s1"},
        "verdict": {"three": {"class": "added"}, "two": {"class": "removed"}},
    }
    judge(DEATH, expected, await Play(DEATH, expects_error=True).run())


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": []},
        {"messages": [{"after_step": 5, "session": "A", "count": 2}]},
        {"notify": False},
        {"lists": [{"step": 4, "session": "A", "tools": ["one"]}]},
        {"error": None},
        {"error": {"step": 3, "server": "s2"}},
        {"verdict": {"one": {"class": "removed"}}},
        {"warnings": ["nobody said this"]},
        {"max_upstream_list_calls": 1},
        {"unheard_of": 1},
    ],
)
async def test_the_judge_can_say_no(wrong: dict[str, Any], played: Seen) -> None:
    with pytest.raises((AssertionError, KeyError)):
        judge(DEATH, wrong, played)


@pytest.fixture(scope="module")
async def played(anyio_backend: str) -> Seen:
    return await Play(DEATH, expects_error=True).run()


async def test_an_unknown_step_word_is_a_failure() -> None:
    scenario = {"servers": ["s1"], "sessions": [], "steps": [{"n": 1, "do": "dance"}]}
    with pytest.raises(AssertionError, match="'dance' is not known"):
        await Play(scenario, expects_error=False).run()
