"""Many plugins, one catalogue: names that two want, the order of tools, status, contributions."""

from __future__ import annotations

from typing import Any

import pytest

from live_rig import PaperTime, Workshop, bad, names, opened, tool
from toolsync import live

pytestmark = pytest.mark.anyio


async def test_pl9_the_first_keeps_a_name_and_the_second_appears_when_it_goes() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a", tool("x"), tool("own")))
        await registry.apply("b", "1", shop.build("b", tool("x", q="string"), tool("other")))
        assert names(registry.catalog) == ["x", "own", "other"]
        assert await registry.call("x", {}) == "a ran x"
        warning = (
            "plugin 'b': tool 'x' is left out, "
            "since plugin 'a' has one of that name and comes first"
        )
        assert list(registry.warnings) == [warning]
        assert registry.status()["b"].state == "active"
        commit = await registry.remove("a")
        assert names(registry.catalog) == ["x", "other"]
        assert await registry.call("x", {}) == "b ran x"
        assert list(registry.warnings) == []
        assert [each.name for each in commit.changes.changed] == ["x"]


async def test_pl9_the_order_that_was_given_decides_before_that_of_registration() -> None:
    shop = Workshop()
    async with opened(order=("b", "a")) as registry:
        for plugin in ("c", "a", "b"):
            await registry.apply(plugin, "1", shop.build(plugin, tool("x"), tool(f"of_{plugin}")))
        assert await registry.call("x", {}) == "b ran x"
        assert names(registry.catalog) == ["x", "of_c", "of_a", "of_b"]
        assert list(registry.status()) == ["b", "a", "c"]
        await registry.remove("b")
        assert await registry.call("x", {}) == "a ran x"


async def test_pl9_a_failed_plugin_keeps_its_turn() -> None:
    shop = Workshop()
    async with opened() as registry:
        with pytest.raises(live.RegistrationError):
            await registry.apply("a", "1", shop.build("a1", bad("x")))
        await registry.apply("b", "1", shop.build("b", tool("x")))
        await registry.apply("a", "2", shop.build("a2", tool("x")))
        assert await registry.call("x", {}) == "a2 ran x"


async def test_pl9_no_name_changes_because_of_a_neighbour() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a", tool("x")))
        await registry.apply("b", "1", shop.build("b", tool("x"), tool("X"), tool("b.x")))
        assert names(registry.catalog) == ["x", "X", "b.x"]


async def test_pl9_equal_repeats_within_a_plugin_fold_with_a_warning() -> None:
    async with opened() as registry:
        await registry.apply("a", "1", Workshop().build("a", tool("x"), tool("x")))
        assert names(registry.catalog) == ["x"]
        assert registry.warnings == (
            "plugin 'a': tool 'x' stands more than once, each time the same",
        )


async def test_pl10_the_status_tells_version_candidate_error_and_since_when() -> None:
    shop, time = Workshop(), PaperTime()
    async with opened(clock=time.clock, sleep=time.sleep) as registry:
        assert registry.status() == {}
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        assert registry.status()["a"] == live.PluginStatus("1", "active", None, None, 1000.0)
        await time.turn(5)
        for _ in range(2):  # the same failure again is no news
            with pytest.raises(live.RegistrationError) as caught:
                await registry.apply("a", "2", shop.build("a2", bad("x")))
            error = str(caught.value)
            assert registry.status()["a"] == live.PluginStatus("1", "retained", error, "2", 1005.0)
            await time.turn(5)
        with pytest.raises(live.RegistrationError):
            await registry.apply("b", "1", shop.failing("b1", OSError("no")))
        assert registry.status()["b"] == live.PluginStatus(
            None, "failed", "plugin 'b': OSError: no", "1", 1015.0
        )
        await time.turn(5)
        await registry.apply("a", "1", shop.build("again", tool("y")))
        assert registry.status()["a"] == live.PluginStatus("1", "active", None, None, 1020.0)
        await time.turn(5)
        await registry.apply("a", "1", shop.build("again", tool("y")))
        assert registry.status()["a"].since == 1020.0


async def test_pl11_contributions_commit_with_the_tools_or_not_at_all() -> None:
    shop = Workshop()
    told: list[tuple[int, list[str]]] = []
    async with opened() as registry:
        registry.subscribe(lambda event: told.append((event.revision, sorted(event.contributed))))
        first = shop.build("a1", tool("x"), contributes={"instructions": "one"})
        await registry.apply("a", "1", first)
        refused = shop.build("a2", bad("x"), contributes={"instructions": "two"})
        with pytest.raises(live.RegistrationError):
            await registry.apply("a", "2", refused)
        assert registry.contributions("a") == {"instructions": "one"}
        # Nothing else changed: the catalogue and its revision stay.
        third = shop.build("a3", tool("x"), contributes={"instructions": "three"})
        await registry.apply("a", "3", third)
        assert registry.contributions("a") == {"instructions": "three"}
        await registry.apply("a", "4", shop.build("a4", tool("y"), contributes=dict(
            registry.contributions("a"))))  # fmt: skip
        await registry.remove("a")
        assert registry.contributions("a") == {}
        assert told == [(1, ["a"]), (1, ["a"]), (2, []), (3, ["a"])]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ({"n": 1}, {"n": True}, True),
        ({"n": 1}, {"n": 1.0}, False),
        ({"n": [1, {"a": None}]}, {"n": [1, {"a": None}]}, False),
        ({"n": object}, {"n": object}, False),
        ({}, {"n": None}, True),
    ],
    ids=str,
)
async def test_pl11_contributions_are_compared_as_json(
    old: dict[str, Any], new: dict[str, Any], *, changed: bool
) -> None:
    shop = Workshop()
    told: list[frozenset[str]] = []
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", contributes=old))
        registry.subscribe(lambda event: told.append(event.contributed))
        await registry.apply("a", "2", shop.build("a2", contributes=new))
        assert told == ([frozenset("a")] if changed else [])


async def test_pl11_contributions_cannot_be_changed_from_outside() -> None:
    given = {"instructions": "one"}
    async with opened() as registry:
        await registry.apply("a", "1", Workshop().build("a", contributes=given))
        given["instructions"] = "two"
        held = registry.contributions("a")
        assert held == {"instructions": "one"}
        with pytest.raises(TypeError):
            held["instructions"] = "three"  # type: ignore[index]


async def test_pl12_install_reload_disable_and_enable_go_through_one_path() -> None:
    shop = Workshop()
    seen: list[tuple[int, list[str]]] = []
    async with opened() as registry:
        registry.subscribe(lambda event: seen.append((event.revision, names(event.catalog))))
        await registry.apply("a", "1", shop.build("installed", tool("x")))
        await registry.apply("a", "1+setting", shop.build("with a setting", tool("x", q="string")))
        await registry.remove("a")
        await registry.apply("a", "1", shop.build("enabled", tool("x")))
        assert seen == [(1, ["x"]), (2, ["x"]), (3, []), (4, ["x"])]
        assert [each for each in shop.log if each.startswith("close")] == [
            "close installed",
            "close with a setting",
        ]


async def test_hb11_tools_keep_their_place_when_others_come_go_or_change() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("a1"), tool("a2")))
        await registry.apply("b", "1", shop.build("b1", tool("b1"), tool("b2")))
        await registry.apply("a", "2", shop.build("a2", tool("a3"), tool("a2"), tool("a1")))
        assert names(registry.catalog) == ["a1", "a2", "b1", "b2", "a3"]
        await registry.apply("b", "2", shop.build("b2", tool("b2", q="string"), tool("b1")))
        assert names(registry.catalog) == ["a1", "a2", "b1", "b2", "a3"]
        await registry.remove("a")
        await registry.apply("a", "1", shop.build("a1", tool("a1"), tool("a2")))
        assert names(registry.catalog) == ["b1", "b2", "a1", "a2"]


async def test_hb11_a_name_that_goes_over_to_another_plugin_keeps_its_place() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a", tool("x"), tool("y")))
        await registry.apply("b", "1", shop.build("b", tool("z"), tool("x", q="string")))
        await registry.remove("a")
        assert names(registry.catalog) == ["x", "z"]


async def test_hb10_a_revision_stands_for_a_semantic_change_and_for_nothing_else() -> None:
    shop = Workshop()
    steps = [
        (tool("x", "Says."), 1),
        (tool("x", "Says.") | {"title": "X"}, 1),
        (tool("x", "Says more.") | {"title": "X"}, 2),
        (tool("x", "Says more.", q={"type": ["string", "null"]}) | {"title": "X"}, 3),
        # The same, spelled otherwise.
        (tool("x", "Says more.", q={"anyOf": [{"type": "null"}, {"type": "string"}]}), 3),
        (tool("x", "Says more.", q="integer"), 4),
    ]
    async with opened() as registry:
        for number, (definition, revision) in enumerate(steps):
            before = registry.catalog.digest
            commit = await registry.apply("a", str(number), shop.build(str(number), definition))
            assert (commit.revision, registry.revision) == (revision, revision)
            assert registry.catalog.digest != before
