"""One catalogue to many sessions: each learns of what it sees, once, and nothing stops another."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any

import pytest

from live_rig import PaperTime, Recorder, Workshop, bad, hubbed, let_run, names, tool
from toolsync import Catalog, Tool, live

pytestmark = pytest.mark.anyio


def _starting_with(letter: str) -> Any:
    return lambda each: each.name.startswith(letter)


async def _statuses(hub: live.Hub) -> list[str]:
    return [each.status for each in await hub.push()]


async def test_hb1_each_session_sees_its_selection_also_after_a_change() -> None:
    shop = Workshop()
    async with hubbed() as (registry, hub):
        await registry.apply("a", "1", shop.build("a1", tool("a1"), tool("b1")))
        every = await hub.attach(Recorder(), id="every")
        some = await hub.attach(Recorder(), id="some", select=_starting_with("b"))
        assert (names(every.catalog), names(some.catalog)) == (["a1", "b1"], ["b1"])
        await registry.apply("a", "2", shop.build("a2", tool("a1"), tool("b1"), tool("b2")))
        assert (names(every.catalog), names(some.catalog)) == (["a1", "b1", "b2"], ["b1", "b2"])


async def test_hb1_sessions_with_one_selection_share_its_set_and_its_changes() -> None:
    shop = Workshop()
    asked: list[str] = []

    def select(each: Tool) -> bool:
        asked.append(each.name)
        return each.name != "y"

    async with hubbed() as (registry, hub):
        adapters = [Recorder() for _ in range(5)]
        for number, adapter in enumerate(adapters):
            await hub.attach(adapter, id=f"s{number}", select=select)
        await registry.apply("a", "1", shop.build("a", tool("x"), tool("y"), tool("z")))
        await hub.push()
        assert asked == ["x", "y", "z"]
        assert len({id(adapter.seen[0][0]) for adapter in adapters}) == 1
        assert len({id(adapter.seen[0][1]) for adapter in adapters}) == 1


async def test_hb2_a_semantic_change_is_applied_exactly_once() -> None:
    shop, adapter = Workshop(), Recorder()
    async with hubbed() as (registry, hub):
        await hub.attach(adapter, id="s")
        for number in range(1, 6):
            build = shop.build(str(number), tool("x", f"Says {number}."))
            await registry.apply("a", str(number), build)
            assert await _statuses(hub) == ["applied"]
            assert len(adapter.seen) == number
        assert await _statuses(hub) == ["unchanged"]


async def test_hb2_the_same_set_presentation_and_unseen_tools_send_nothing() -> None:
    shop, adapter = Workshop(), Recorder()
    async with hubbed() as (registry, hub):
        await registry.apply("a", "1", shop.build("1", tool("x", "Says.")))
        session = await hub.attach(adapter, id="s", select=_starting_with("x"))
        await registry.apply("a", "2", shop.build("2", tool("x", "Says.")))
        titled = tool("x", "Says.") | {"title": "X"}
        await registry.apply("a", "3", shop.build("3", titled))
        seen = session.catalog
        await registry.apply("a", "4", shop.build("4", titled, tool("y")))
        await registry.apply("a", "5", shop.build("5", titled, tool("y", "Other.")))
        assert session.catalog is seen  # nothing to compare, nothing to keep
        assert await _statuses(hub) == ["unchanged"]
        assert adapter.seen == []
        assert session.catalog["x"].definition["title"] == "X"
        assert session.told is session.catalog


async def test_hb2_there_and_back_before_anybody_was_told_sends_nothing() -> None:
    shop, adapter = Workshop(), Recorder()
    async with hubbed() as (registry, hub):
        await registry.apply("a", "1", shop.build("1", tool("x")))
        await hub.attach(adapter, id="s")
        seen: list[str] = []
        adapter.live = False
        await registry.apply("a", "2", shop.build("2", tool("x", q="string")))
        seen += await _statuses(hub)
        await registry.apply("a", "3", shop.build("3", tool("x")))
        seen += await _statuses(hub)
        adapter.live = True
        assert (seen, (await hub.reconcile("s")).status) == (["deferred", "unchanged"], "unchanged")
        assert adapter.seen == []


async def test_hb3_what_is_listed_after_the_notification_is_new() -> None:
    shop = Workshop()
    listed: list[list[str]] = []

    adapter = Recorder()
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")

        async def list_again() -> None:
            listed.append(names(session.catalog))

        adapter.meanwhile = list_again
        await registry.apply("a", "1", shop.build("1", tool("x")))
        await hub.push()
        assert listed == [["x"]]


async def test_hb5_the_session_stays_the_same() -> None:
    shop, adapter = Workshop(), Recorder()
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")
        for number in range(3):
            await registry.apply("a", str(number), shop.build(str(number), tool(f"t{number}")))
        assert hub.sessions["s"] is session
        assert adapter.closed == 0


@pytest.mark.parametrize(
    "answer", ["applied", "unchanged", "deferred", "no_session", "unsupported", "failed"]
)
async def test_hb6_what_the_adapter_answers_is_the_outcome(answer: str) -> None:
    shop, adapter = Workshop(), Recorder(answer)
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")
        await registry.apply("a", "1", shop.build("1", tool("y"), tool("x")))
        outcome = (await hub.push())[0]
        assert (outcome.status, outcome.session, outcome.revision) == (answer, "s", 1)
        assert session.outcome == outcome
        assert outcome.tools == ("x", "y")
        assert outcome.changes is not None
        assert [each.name for each in outcome.changes.added] == ["x", "y"]
        assert (outcome.error is None) is (answer != "failed")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (ConnectionError("gone\x1b[2J"), "ConnectionError: gone\\u{1B}[2J"),
        (asyncio.CancelledError(), "CancelledError"),
        (None, "the adapter answered None"),
        ("ok", "the adapter answered 'ok'"),
        ([], "the adapter answered []"),
    ],
    ids=repr,
)
async def test_hb6_an_adapter_that_raises_or_talks_nonsense_has_failed(
    answer: Any, error: str
) -> None:
    shop, well = Workshop(), Recorder()
    async with hubbed() as (registry, hub):
        await hub.attach(Recorder(answer), id="ill")
        await hub.attach(well, id="well")
        await registry.apply("a", "1", shop.build("1", tool("x")))
        ill, fine = await hub.push()
        assert (ill.status, fine.status) == ("failed", "applied")
        assert ill.error is not None
        assert ill.error.startswith(error)


async def test_hb6_outcomes_are_told_to_whoever_subscribed() -> None:
    shop = Workshop()
    told: list[Any] = []

    def raising(event: object) -> None:
        raise ValueError(event)

    async with hubbed() as (registry, hub):
        await hub.attach(Recorder(), id="s")
        await hub.attach(Recorder(), id="t", select=_starting_with("y"))
        hub.subscribe(raising)
        end = hub.subscribe(told.append)
        await registry.apply("a", "1", shop.build("1", tool("x")))
        await hub.push()
        end()
        await registry.remove("a")
        await hub.push()
        assert [(each.status, each.session) for each in told] == [("applied", "s")]


async def test_hb7_the_newest_set_is_stored_and_a_rebuilt_session_starts_with_it() -> None:
    shop, adapter = Workshop(), Recorder(OSError("away"))
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")
        await registry.apply("a", "1", shop.build("1", tool("x")))
        assert await _statuses(hub) == ["failed"]
        assert (names(session.catalog), names(session.told)) == (["x"], [])
        await hub.detach("s")
        again = Recorder()
        session = await hub.attach(again, id="s")
        assert (names(session.catalog), names(session.told)) == (["x"], ["x"])
        assert (await hub.reconcile("s")).status == "unchanged"
        assert again.seen == []


async def test_hb7_reconciling_pushes_what_was_not_acknowledged() -> None:
    shop, adapter = Workshop(), Recorder(OSError("away"))
    async with hubbed() as (registry, hub):
        await hub.attach(adapter, id="s")
        await registry.apply("a", "1", shop.build("1", tool("x")))
        assert await _statuses(hub) == ["failed"]
        adapter.answer = "applied"
        outcome = await hub.reconcile("s")
        assert (outcome.status, outcome.tools) == ("applied", ("x",))
        assert (await hub.reconcile("s")).status == "unchanged"
        assert len(adapter.seen) == 2


async def test_hb7_reconciling_with_what_a_session_holds_repairs_a_lost_push() -> None:
    shop, adapter = Workshop(), Recorder()
    async with hubbed() as (registry, hub):
        session = await hub.attach(adapter, id="s")
        await registry.apply("a", "1", shop.build("1", tool("x"), tool("y")))
        await hub.push()
        held: list[dict[str, Any]] = [tool("x")]
        outcome = await hub.reconcile("s", held)
        assert (outcome.status, outcome.tools) == ("applied", ("y",))
        held = [tool("y"), tool("x") | {"title": "X"}]  # order and presentation do not count
        assert (await hub.reconcile("s", held)).status == "unchanged"
        assert (await hub.reconcile("s", session.catalog)).status == "unchanged"
        assert (await hub.reconcile("s", [*held, {"broken": True}])).status == "unchanged"
        assert (await hub.reconcile("s", [{"broken": True}])).status == "applied"
        assert len(adapter.seen) == 3


async def test_hb7_a_set_that_failed_and_was_taken_back_is_not_left_in_doubt() -> None:
    shop, adapter = Workshop(), Recorder()
    async with hubbed() as (registry, hub):
        await registry.apply("a", "1", shop.build("1", tool("x")))
        await hub.attach(adapter, id="s")
        adapter.answer = TimeoutError("perhaps it arrived")
        await registry.apply("a", "2", shop.build("2", tool("x", q="string")))
        await hub.push()
        adapter.answer = "applied"
        await registry.apply("a", "3", shop.build("3", tool("x")))
        assert await _statuses(hub) == ["applied"]
        assert len(adapter.seen) == 2


async def test_hb7_a_session_that_nobody_attached_is_no_session() -> None:
    async with hubbed() as (_, hub):
        outcome = await hub.reconcile("gone\x1b", [])
        assert (outcome.status, outcome.session) == ("no_session", "gone\x1b")
        assert outcome.error == "no session 'gone\\u{1B}'"


async def test_hb8_an_absent_flag_means_no_and_is_no_error() -> None:
    class Bare:
        pass

    shop = Workshop()
    async with hubbed() as (registry, hub):
        await hub.attach(Bare(), id="s")  # type: ignore[arg-type]
        await registry.apply("a", "1", shop.build("1", tool("x")))
        assert await _statuses(hub) == ["deferred"]
        await hub.detach("s")


async def test_hb8_a_peer_that_cannot_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "toolsync.live")
    shop, adapter = Workshop(), Recorder("unsupported")
    async with hubbed() as (registry, hub):
        await hub.attach(adapter, id="s")
        for number in range(3):
            build = shop.build(str(number), tool("x", f"Says {number}."))
            await registry.apply("a", str(number), build)
            assert await _statuses(hub) == ["unsupported"]
        assert (await hub.reconcile("s", [])).status == "unsupported"
        assert len(adapter.seen) == 1
        assert [record.levelname for record in caplog.records] == ["DEBUG"]


async def test_hb9_a_slow_session_delays_nobody_and_gets_the_newest() -> None:
    shop, slow, quick = Workshop(), Recorder(), Recorder()
    slow.gate = asyncio.Event()
    async with hubbed() as (registry, hub):
        await hub.attach(slow, id="slow")
        await hub.attach(quick, id="quick")
        for number in range(5):
            await registry.apply("a", str(number), shop.build(str(number), tool(f"t{number}")))
            await let_run()
        assert quick.names == [[f"t{number}"] for number in range(5)]
        assert slow.names == [["t0"]]
        slow.gate.set()
        assert await _statuses(hub) == ["applied", "applied"]
        assert slow.names == [["t0"], ["t4"]]
        assert [each.name for each in slow.seen[1][1].removed] == ["t0"]


async def test_hb9_an_adapter_that_hangs_has_failed_after_a_while() -> None:
    shop, time, adapter = Workshop(), PaperTime(), Recorder()
    adapter.gate = asyncio.Event()
    async with hubbed(clock=time.clock, sleep=time.sleep, timeout=30.0) as (registry, hub):
        await hub.attach(adapter, id="s")
        await registry.apply("a", "1", shop.build("1", tool("x")))
        pushing = asyncio.create_task(hub.push())
        await time.turn(29)
        assert not pushing.done()
        await time.turn(2)
        outcome = (await pushing)[0]
        assert (outcome.status, outcome.error) == ("failed", "took longer than 30 seconds")
        assert outcome.tools == ("x",)
        assert outcome.changes is not None
        adapter.gate = None
        await registry.apply("a", "2", shop.build("2", tool("x"), tool("y")))
        assert await _statuses(hub) == ["applied"]


async def test_hb9_what_a_hub_keeps_does_not_grow_with_the_changes() -> None:
    shop, adapter = Workshop(), Recorder()
    async with hubbed() as (registry, hub):
        await hub.attach(adapter, id="s")
        for number in range(10):
            adapter.seen.clear()
            build = shop.build(str(number), tool("kept", f"Says {number}."))
            await registry.apply("a", str(number), build)
            await hub.push()
        adapter.seen.clear()
        gc.collect()
        kept = [each for each in gc.get_objects() if isinstance(each, Catalog) and "kept" in each]
        assert len(kept) <= 2


async def test_hb10_a_publisher_that_goes_back_is_not_followed() -> None:
    shop, adapter = Workshop(), Recorder()
    async with hubbed() as (registry, _):
        await registry.apply("a", "1", shop.build("1", tool("x")))
        publisher = _Copy(registry)
        hub = live.Hub(publisher)
        session = await hub.attach(adapter, id="s")
        publisher.catalog, publisher.revision = live.Registry().catalog, 0
        publisher.tell()
        assert (names(session.catalog), session.revision) == (["x"], 1)
        assert adapter.seen == []
        await hub.aclose()


class _Copy:
    """A publisher that says whatever it is told to."""

    def __init__(self, registry: live.Registry) -> None:
        self.catalog, self.revision, self.call = registry.catalog, registry.revision, registry.call
        self.tell: Callable[[], None] = _nothing

    def subscribe(self, listener: Any) -> Any:
        self.tell = lambda: listener(object())
        return _nothing


def _nothing() -> None:
    pass


async def test_hb11_the_order_is_the_same_in_every_session() -> None:
    shop = Workshop()
    async with hubbed() as (registry, hub):
        await registry.apply("a", "1", shop.build("a1", tool("b"), tool("a")))
        early = await hub.attach(Recorder(), id="early")
        await registry.apply("b", "1", shop.build("b1", tool("c")))
        await registry.apply("a", "2", shop.build("a2", tool("a"), tool("b", q="string")))
        late = await hub.attach(Recorder(), id="late", select=lambda each: each.name != "c")
        assert (names(early.catalog), names(late.catalog)) == (["b", "a", "c"], ["b", "a"])


async def test_hb13_instructions_are_an_event_and_no_push() -> None:
    shop, adapter = Workshop(), Recorder()
    told: list[Any] = []
    async with hubbed() as (registry, hub):
        await registry.apply("a", "1", shop.build("1", tool("x"), contributes={"i": "one"}))
        await hub.attach(adapter, id="s")
        hub.subscribe(told.append)
        await registry.apply("a", "2", shop.build("2", tool("x"), contributes={"i": "two"}))
        with pytest.raises(live.RegistrationError):
            await registry.apply("a", "3", shop.build("3", bad("x"), contributes={"i": "three"}))
        assert await _statuses(hub) == ["unchanged"]
        assert told == [live.ContributionsChanged(1, frozenset("a"))]
        assert adapter.seen == []
