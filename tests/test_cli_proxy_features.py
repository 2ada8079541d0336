"""`toolsync proxy`: prompts, progress, instructions and words of the server behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_rig import ERAS, MARK, TOOLS, text_of
from serving_rig import BOUND, PYTHON, Session, over_stdio, running, session, until

pytestmark = pytest.mark.anyio

SERVER = Path(__file__).with_name("prompting_server.py")


@pytest.fixture
def names(tmp_path: Path) -> Path:
    path = tmp_path / "names"
    path.write_text("first", "utf-8")
    return path


async def prompts(found: Session) -> list[str]:
    return [each.name for each in (await found.client.list_prompts()).prompts]


async def marked(found: Session, times: int) -> None:
    await until(lambda: found.heard.methods.count(MARK) >= times)
    assert found.heard.methods.count(MARK) == times


async def obey(found: Session, **order: Any) -> int:
    """Gives an order; tells how often the prompts were listed by then."""
    return int(text_of(await found.client.call_tool("obey", order)))


async def looked(found: Session, times: int) -> None:
    """Waits until the proxy has listed the prompts so often."""
    with anyio.fail_after(BOUND):
        while await obey(found) < times:
            await anyio.sleep(0.01)


@pytest.mark.parametrize("mode", ERAS)
async def test_a_change_of_prompts_passes_once_and_an_empty_announcement_does_not(
    mode: str, names: Path
) -> None:
    async with (
        running("--", PYTHON, SERVER, names, command="proxy") as proxy,
        session(proxy.url, mode) as found,
    ):
        await looked(found, 1)
        await looked(found, 1 + await obey(found, announce=50))
        before = await obey(found, announce=3, prompts=["first", "second"])
        await marked(found, 1)
        await looked(found, before + 1)
        assert await prompts(found) == ["first", "second"]
        await looked(found, 1 + await obey(found, announce=1))
        await obey(found, tools=["marker"])
        await found.told(1)
        assert found.heard.methods == [MARK, TOOLS]
        message = (await found.client.get_prompt("second")).messages[0]
        assert message.model_dump()["content"]["text"] == "This is second."


async def test_a_restart_tells_of_prompts_only_if_they_differ(names: Path, tmp_path: Path) -> None:
    trigger = tmp_path / "trigger"
    trigger.write_text("1", "utf-8")
    options = ("--watch", trigger, "--debounce", "0")
    async with (
        running(*options, "--", PYTHON, SERVER, names, command="proxy") as proxy,
        session(proxy.url, "legacy") as found,
    ):
        await looked(found, 1)
        trigger.write_text("22", "utf-8")
        await proxy.log.first("restarted")
        await looked(found, 1)
        names.write_text("second", "utf-8")
        trigger.write_text("333", "utf-8")
        await proxy.log.first("restarted", 2)
        await looked(found, 1)
        await marked(found, 1)
        assert await prompts(found) == ["second"]
        await obey(found, tools=["marker"])
        await found.told(1)
        assert found.heard.methods == [MARK, TOOLS]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_progress_and_instructions_come_through(mode: str, names: Path) -> None:
    async with (
        running("--", PYTHON, SERVER, names, command="proxy") as proxy,
        session(proxy.url, mode) as found,
    ):
        seen: list[tuple[float, float | None]] = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            seen.append((progress, total))

        await found.client.call_tool("obey", {"progress": 3}, progress_callback=note)
        assert seen == [(1, 3), (2, 3), (3, 3)]
        assert found.client.instructions == "Obeys."
        server = found.client.server_info
        assert server is not None
        assert server.name == "prompting"


async def test_what_a_server_says_is_told_on_standard_error_and_made_safe(
    names: Path, tmp_path: Path
) -> None:
    errors = tmp_path / "errors"
    with errors.open("w", encoding="utf-8") as stream:
        target = over_stdio("--", PYTHON, SERVER, names, command="proxy", errors=stream)
        async with session(target, "legacy") as found:
            done = await found.client.call_tool("obey", {"log": ["red \x1b[31m", "::error::x"]})
            assert text_of(done).isdecimal()
            await until(lambda: "error::x" in errors.read_text("utf-8"))
    said = errors.read_text("utf-8")
    assert "red \\u{1B}[31m" in said
    assert "\x1b" not in said
