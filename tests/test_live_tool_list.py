"""A run's own list of tools, kept current in place (AL 1–5)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest

from live_rig import Workshop, names, opened, tool
from live_server import Server, filled
from paper_loop import PaperLoop
from toolsync import Catalog, live

pytestmark = pytest.mark.anyio

A, B, C, D = (tool(name) for name in "abcd")


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": PaperLoop}


def called(target: list[Any]) -> list[str]:
    return [each["name"] if isinstance(each, dict) else each.__name__ for each in target]


def look(q: str) -> str:
    return q


def find(q: str) -> str:
    return q


async def test_al1_the_same_list_is_kept_current_and_no_other_list_is_touched() -> None:
    server = Server(B)
    remote = await filled(server)
    agent: list[Any] = [look]
    sources: list[Any] = [agent, remote]
    target: list[Any] = []
    run = live.ToolList(target, sources)
    assert called(target) == ["look", "b"]
    assert not run.refresh()
    server.tools = [B, C]
    remote.mark_stale()
    await remote.refresh()
    agent.append(A)
    same = target
    assert run.refresh()
    assert called(target) == ["look", "a", "b", "c"]
    assert target is same
    assert (agent, sources) == ([look, A], [agent, remote])


async def test_al1_a_change_of_a_schema_reaches_the_list() -> None:
    server = Server(A)
    remote = await filled(server)
    target: list[Any] = []
    run = live.ToolList(target, [remote])
    server.tools = [tool("a", q="string")]
    remote.mark_stale()
    await remote.refresh()
    assert run.refresh()
    assert target == [tool("a", q="string")]


async def test_al1_a_list_that_held_the_same_tools_at_the_start_holds_them_once() -> None:
    agent: list[Any] = [look, A]
    target = list(agent)
    run = live.ToolList(target, [agent])
    assert target == [look, A]
    agent.append(find)
    assert run.refresh()
    assert target == [look, A, find]


async def test_al2_sources_keep_their_order_at_the_start_and_at_every_refresh() -> None:
    agent: list[Any] = [A]
    own: list[Any] = [B]
    server = Server(C)
    sources: list[Any] = [agent, own, await filled(server)]
    target: list[Any] = []
    run = live.ToolList(target, sources)
    agent.append(look)
    own.append(find)
    assert run.refresh()
    fresh: list[Any] = []
    live.ToolList(fresh, sources)
    assert called(target) == called(fresh) == ["a", "look", "b", "find", "c"]


@pytest.mark.parametrize(
    "sources", [[[A], [tool("a", "other")]], [[A], Catalog([A])], [[A, tool("a", "other")]]]
)
async def test_al2_a_duplicate_name_is_an_error_at_the_start(sources: list[Any]) -> None:
    target: list[Any] = [look]
    with pytest.raises(live.DuplicateName, match="'a'"):
        live.ToolList(target, sources)
    assert target == [look]


async def test_al2_a_duplicate_name_found_later_is_skipped_with_a_warning() -> None:
    server = Server(B)
    remote = await filled(server, name="shop")
    agent: list[Any] = [A]
    target: list[Any] = []
    run = live.ToolList(target, [agent, remote])
    server.tools = [B, tool("a", "theirs"), C]
    remote.mark_stale()
    await remote.refresh()
    assert run.refresh()
    assert called(target) == ["a", "b", "c"]
    assert target[0] is A
    assert run.warnings == ("source 2 ('shop'): tool 'a' is there already; left out",)
    agent.clear()
    assert run.refresh()
    assert called(target) == ["b", "a", "c"]
    assert not run.warnings


def _counted(function: Callable[[], object]) -> int:
    """Counts the lines and calls of Python that a function takes."""
    count = 0

    def trace(*_: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


async def test_al3_the_check_for_no_change_looks_at_no_more_of_many_tools_than_of_few() -> None:
    steps = []
    for size in (1, 2000):
        tools = [tool(f"{size}-{n}") for n in range(size)]
        sources = [list(tools), await filled(Server(*(tool(f"r{n}") for n in range(size))))]
        run = live.ToolList([], sources)
        assert not run.refresh()
        steps.append(_counted(run.refresh))
    assert steps[0] == steps[1] > 0


class Counting(list[Any]):
    """A list that notes which elements are looked at."""

    def __init__(self, *elements: Any) -> None:
        super().__init__(elements)
        self.seen: list[Any] = []

    def __getitem__(self, place: Any) -> Any:
        self.seen.append(place)
        return super().__getitem__(place)

    def __iter__(self) -> Any:
        self.seen.append("all")
        return super().__iter__()


async def test_al3_of_a_list_that_grew_only_what_was_appended_is_read() -> None:
    agent = Counting(A, B)
    target: list[Any] = []
    run = live.ToolList(target, [agent])
    agent.seen.clear()
    agent.extend([C, D])
    assert run.refresh()
    assert called(target) == ["a", "b", "c", "d"]
    assert "all" not in agent.seen
    assert all(place == slice(2, None) or place in (1, -1, 3) for place in agent.seen)


async def test_al3_a_list_that_was_exchanged_or_shrunk_is_noticed() -> None:
    sources: list[Any] = [[A, B], [look]]
    target: list[Any] = []
    run = live.ToolList(target, sources)
    sources[0].pop(0)
    assert run.refresh()
    assert called(target) == ["b", "look"]
    sources[0] = [C]  # of the same length
    assert run.refresh()
    assert called(target) == ["c", "look"]
    sources[0].insert(0, D)
    assert run.refresh()
    assert called(target) == ["d", "c", "look"]
    del sources[0]
    assert run.refresh()
    assert called(target) == ["look"]


async def test_al3_an_element_exchanged_in_place_needs_a_touch() -> None:
    agent: list[Any] = [A, B]
    target: list[Any] = []
    run = live.ToolList(target, [agent])
    agent[0] = C
    assert not run.refresh()
    run.touch()
    assert run.refresh()
    assert called(target) == ["c", "b"]
    assert not run.refresh()


async def test_al4_a_call_requested_before_a_removal_is_still_found_and_gone_at_the_next_step() -> (
    None
):
    agent: list[Any] = [look, find]
    run = live.ToolList([], [agent])
    agent.remove(look)
    assert run.refresh()
    assert run.find("look") is look
    assert run.find("find") is find
    assert not run.refresh()
    assert run.find("look") is None


@pytest.mark.parametrize("wrong", [{"name": ""}, 5, None, {}, {"function": {}}])
async def test_al4_a_batch_is_added_whole_or_not_at_all(wrong: Any) -> None:
    agent: list[Any] = [A]
    target: list[Any] = []
    run = live.ToolList(target, [agent])
    agent.extend([B, wrong, C])
    assert not run.refresh()
    assert called(target) == ["a"]
    assert run.warnings == ("source 1: ValueError: element 3 is no tool with a name",)
    agent.append(D)
    assert run.refresh()
    assert called(target) == ["a", "d"]
    agent.remove(wrong)
    run.touch()
    assert run.refresh()
    assert called(target) == ["a", "b", "c", "d"]
    assert not run.warnings


async def test_al4_a_catalogue_that_cannot_be_shaped_leaves_what_was_there() -> None:
    server = Server(A)
    remote = await filled(server)

    def shape(each: Any) -> Any:
        if each.name == "b":
            raise KeyError("no such model")
        return {"name": each.name}

    target: list[Any] = []
    run = live.ToolList(target, [remote], shape=shape)
    server.tools = [B, C]
    remote.mark_stale()
    await remote.refresh()
    assert not run.refresh()
    assert target == [{"name": "a"}]
    assert "no such model" in run.warnings[0]


async def test_al5_a_server_appended_during_a_run_is_connected_like_those_at_its_start() -> None:
    async def connect() -> live.RemoteCatalog:
        return Server(B).remote(name="late")

    async def refused() -> Any:
        raise ConnectionError("nobody listens\x1b[0m")

    async def never() -> Any:
        await asyncio.get_running_loop().create_future()

    target: list[Any] = []
    sources: list[Any] = [[A], Server(C).remote()]
    run = live.ToolList(target, sources, connect_timeout=5)
    assert await run.step()
    assert called(target) == ["a", "c"]
    sources.append(refused)
    sources.append(never)
    sources.append(connect)
    assert await run.step()
    assert called(target) == ["a", "c", "b"]
    assert run.warnings == (
        "source 3: ConnectionError: nobody listens\\u{1B}[0m", "source 4: TimeoutError",
    )  # fmt: skip
    assert not await run.step()


async def test_al5_tools_that_the_host_adds_and_removes_are_seen_in_the_one_list() -> None:
    agent: list[Any] = [A, B]
    target: list[Any] = [look]
    run = live.ToolList(target, [agent])
    assert called(target) == ["look", "a", "b"]
    target.append(find)  # as a host's add_tools does
    target.remove(A)  # as its remove_tools does
    agent.append(C)
    assert run.refresh()
    assert called(target) == ["look", "b", "c", "find"]
    target.remove(look)
    agent.append(D)
    assert run.refresh()
    assert called(target) == ["b", "c", "d", "find"]  # a stays out while its source has it
    agent.remove(A)
    assert not run.refresh()
    agent.append(A)
    assert run.refresh()
    assert called(target) == ["b", "c", "d", "a", "find"]


async def test_al5_a_failing_server_leaves_the_run_going() -> None:
    server = Server(B)
    server.faults = [OSError()] * 3
    remote = server.remote()
    target: list[Any] = []
    run = live.ToolList(target, [[A], remote])
    assert not await run.step()
    assert called(target) == ["a"]
    await asyncio.sleep(1.1)
    assert await run.step()
    assert called(target) == ["a", "b"]


async def test_a_registry_and_a_catalogue_are_sources_too() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("p", "1", shop.build("p1", A))
        target: list[Any] = []
        run = live.ToolList(target, [registry, Catalog([B])], shape="openai")
        await registry.apply("p", "2", shop.build("p2", A, C))
        assert run.refresh()
        assert [each["function"]["name"] for each in target] == ["a", "c", "b"]
        assert target[0] == {
            "type": "function",
            "function": {"name": "a", "parameters": A["inputSchema"]},
        }
        assert names(registry.catalog) == ["a", "c"]


async def test_unchanged_tools_keep_their_elements() -> None:
    server = Server(A, B)
    remote = await filled(server)
    target: list[Any] = []
    run = live.ToolList(target, [remote], shape="anthropic")
    first = target[0]
    assert first == {"name": "a", "input_schema": A["inputSchema"]}
    server.tools = [A, tool("b", "new")]
    remote.mark_stale()
    await remote.refresh()
    assert run.refresh()
    assert target[0] is first
    assert target[1]["description"] == "new"


@pytest.mark.parametrize("wrong", [5, "tools", None, {"a": 1}])
async def test_what_is_no_source_is_refused_at_the_start(wrong: Any) -> None:
    with pytest.raises(TypeError, match="expected a source of tools"):
        live.ToolList([], [wrong])


async def test_a_shape_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="shape: expected mcp, openai, anthropic"):
        live.ToolList([], [], shape="gemini")  # type: ignore[arg-type]  # that is the point
