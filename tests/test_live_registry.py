"""Plugins to one catalogue: staged, validated, and committed whole or not at all."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from live_rig import Workshop, bad, names, opened, tool
from toolsync import Catalog, live

pytestmark = pytest.mark.anyio


async def test_pl1_readers_see_the_old_catalogue_or_the_new_one_and_nothing_between() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x"), tool("y")))
        before = registry.catalog
        gate = shop.hold("build a2")
        seen: list[list[str]] = []
        registry.subscribe(lambda _: seen.append(names(registry.catalog)))
        async with asyncio.TaskGroup() as group:
            group.create_task(registry.apply("a", "2", shop.build("a2", tool("y"), tool("z"))))
            while "build a2" not in shop.log:
                await asyncio.sleep(0)
            assert registry.catalog is before
            gate.set()
        assert names(registry.catalog) == ["y", "z"]
        assert seen == [["y", "z"]]


async def test_pl1_a_reader_keeps_the_catalogue_that_it_took() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        taken = registry.catalog
        await registry.remove("a")
        assert names(taken) == ["x"]
        assert names(registry.catalog) == []


async def _call(name: str, arguments: Any) -> Any:
    return name


REFUSED: list[tuple[Any, str | None, str, str]] = [
    (live.Plugin([bad("x")]), "x", "/inputSchema/properties/q/type", "strin"),
    (live.Plugin([{"name": "x"}]), "x", "/inputSchema", "expected an object"),
    (live.Plugin([{"inputSchema": {"type": "object"}}]), None, "/name", "tool number 1"),
    (live.Plugin([tool("x", q={"$ref": "#/$defs/none"})]), "x",
     "/inputSchema/properties/q/$ref", "leads somewhere"),
    (live.Plugin([tool("x", q={"$ref": "https://example.com/s.json"})]), "x",
     "/inputSchema/properties/q/$ref", "document"),
    (live.Plugin([tool("x"), tool("x", q="string")]), "x", "/name", "duplicate"),
    (live.Plugin([tool("x", q={"default": float("nan")})]), "x",
     "/inputSchema/properties/q/default", "NaN"),
    (live.Plugin([tool("x", q={"maximum": 10**5000})]), "x", "", "too long"),
    (live.Plugin([tool("x", q={"pattern": "("})]), "x",
     "/inputSchema/properties/q/pattern", "("),
    (live.Plugin([1, tool("x")]), None, "", "expected an object"),  # type: ignore[list-item]
    (live.Plugin({"name": "x"}), None, "", "expected a list"),  # type: ignore[arg-type]
    (live.Plugin([tool("x")], call="run"), None, "", "call"),  # type: ignore[arg-type]
    (live.Plugin([tool("x")], _call, close=1), None, "", "close"),  # type: ignore[arg-type]
    (live.Plugin([], contributes=[1]), None, "", "contributes"),  # type: ignore[arg-type]
    ({"tools": []}, None, "", "live.Plugin"),
    (None, None, "", "NoneType"),
]  # fmt: skip


@pytest.mark.parametrize(("plugin", "name", "path", "reason"), REFUSED)
async def test_pl2_a_refusal_names_plugin_tool_place_and_reason(
    plugin: Any, name: str | None, path: str, reason: str
) -> None:
    async def build() -> Any:
        return plugin

    async with opened() as registry:
        with pytest.raises(live.RegistrationError) as caught:
            await registry.apply("a", "1", build)
        error = caught.value
        assert (error.plugin, error.tool, error.path) == ("a", name, path)
        assert reason in error.reason
        assert "'a'" in str(error)
        assert error.reason in str(error)


async def test_pl2_all_faults_are_at_hand_and_the_message_counts_them() -> None:
    async with opened() as registry:
        with pytest.raises(live.RegistrationError, match="and 1 more") as caught:
            await registry.apply("a", "1", Workshop().build("a", bad("x"), tool("y"), bad("z")))
        assert [each.tool for each in caught.value.rejected] == ["x", "z"]


async def test_pl2_a_hostile_name_reaches_no_terminal() -> None:
    async with opened() as registry:
        hostile = bad("x\x1b]0;y\x07" + "n" * 100_000)
        with pytest.raises(live.RegistrationError) as caught:
            await registry.apply("a\x1b[2J", "1", Workshop().build("a", hostile))
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 1000
        assert str(registry.status()["a\x1b[2J"].error).isprintable()


async def test_pl3_a_rejected_candidate_leaves_digest_and_revision() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x"), tool("y")))
        before = registry.catalog, registry.catalog.digest, registry.revision
        with pytest.raises(live.RegistrationError):
            await registry.apply("a", "2", shop.build("a2", tool("x", q="string"), bad("y")))
        assert (registry.catalog, registry.catalog.digest, registry.revision) == before


async def test_pl3_what_was_accepted_can_be_listed_whatever_its_dict_becomes() -> None:
    definition = tool("x", q={"maximum": 2**70})
    async with opened() as registry:
        await registry.apply("a", "1", Workshop().build("a", definition))
        digest = registry.catalog.digest
        definition["inputSchema"]["properties"]["q"] = float("nan")
        listed = json.loads(json.dumps([each.definition for each in registry.catalog]))
        assert Catalog(listed).digest == digest


async def test_pl4_by_default_the_whole_candidate_is_refused() -> None:
    async with opened() as registry:
        with pytest.raises(live.RegistrationError):
            await registry.apply("a", "1", Workshop().build("a", tool("x"), bad("y")))
        assert names(registry.catalog) == []


async def test_pl4_skipping_lets_the_healthy_in_and_keeps_the_last_valid_definition() -> None:
    shop = Workshop()
    async with opened(on_invalid="skip") as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x"), tool("y")))
        kept = registry.catalog["y"]
        commit = await registry.apply(
            "a", "2", shop.build("a2", tool("x", q="string"), bad("y"), bad("z"))
        )
        assert names(registry.catalog) == ["x", "y"]
        assert registry.catalog["y"] is kept
        assert [(each.tool, each.path) for each in commit.rejected] == [
            ("y", "/inputSchema/properties/q/type"),
            ("z", "/inputSchema/properties/q/type"),
        ]
        assert len(registry.warnings) == 2
        status = registry.status()["a"]
        assert (status.version, status.state) == ("2", "active")
        assert status.error is not None
        assert "'y'" in status.error


async def test_pl4_two_definitions_under_one_name_leave_the_last_valid_one() -> None:
    shop = Workshop()
    twice = (tool("x", q="integer"), tool("x", q="null"))
    async with opened(on_invalid="skip") as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x"), tool("y")))
        commit = await registry.apply("a", "2", shop.build("a2", tool("y"), *twice))
        assert [(each.tool, each.path) for each in commit.rejected] == [("x", "/name")]
        assert await registry.call("x", {}) == "a1 ran x"


async def test_pl4_a_kept_definition_is_run_by_the_version_that_it_came_with() -> None:
    shop = Workshop()
    async with opened(on_invalid="skip") as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x"), tool("y")))
        await registry.apply("a", "2", shop.build("a2", tool("x"), bad("y")))
        assert await registry.call("x", {}) == "a2 ran x"
        assert await registry.call("y", {}) == "a1 ran y"
        assert "close a1" not in shop.log
        await registry.apply("a", "3", shop.build("a3", tool("x"), bad("y")))
        assert await registry.call("y", {}) == "a1 ran y"
        assert shop.log[-1] == "close a2"
        await registry.apply("a", "4", shop.build("a4", tool("x"), tool("y")))
        assert await registry.call("y", {}) == "a4 ran y"
        assert sorted(shop.log[-2:]) == ["close a1", "close a3"]


async def test_pl4_a_tool_that_the_next_version_leaves_out_is_gone_with_its_version() -> None:
    shop = Workshop()
    async with opened(on_invalid="skip") as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x"), tool("y")))
        await registry.apply("a", "2", shop.build("a2", tool("x"), bad("y")))
        await registry.apply("a", "3", shop.build("a3", tool("x")))
        assert names(registry.catalog) == ["x"]
        assert sorted(shop.log[-2:]) == ["close a1", "close a2"]


async def test_pl4_removal_closes_every_version_that_still_serves() -> None:
    shop = Workshop()
    async with opened(on_invalid="skip") as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x"), tool("y")))
        await registry.apply("a", "2", shop.build("a2", tool("x"), bad("y")))
        await registry.remove("a")
        assert names(registry.catalog) == []
        assert sorted(shop.log[-2:]) == ["close a1", "close a2"]


async def test_pl5_success_activates_the_new_version_and_then_closes_the_old() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        registry.subscribe(lambda event: shop.log.append(f"published {event.revision}"))
        await registry.apply("a", "2", shop.build("a2", tool("x", q="string")))
        assert shop.log == ["build a1", "build a2", "published 2", "close a1"]


FAILURES = [
    ImportError("No module named 'gone'"),
    SystemExit(3),
    asyncio.CancelledError(),
    RecursionError("deep"),
    Exception("\x1b[31m" + "x" * 10_000),
    ExceptionGroup("many", [ValueError("one")]),
]


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
async def test_pl5_a_failing_build_leaves_the_old_version_open(error: BaseException) -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        with pytest.raises(live.RegistrationError) as caught:
            await registry.apply("a", "2", shop.failing("a2", error))
        assert caught.value.__cause__ is not None
        assert type(error).__name__ in caught.value.reason
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 1000
        assert await registry.call("x", {}) == "a1 ran x"
        assert shop.log == ["build a1", "build a2"]


async def test_pl5_a_refused_candidate_is_closed_and_the_old_version_is_not() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        with pytest.raises(live.RegistrationError):
            await registry.apply("a", "2", shop.build("a2", bad("x")))
        assert shop.log == ["build a1", "build a2", "close a2"]
        assert await registry.call("x", {}) == "a1 ran x"


async def test_pl5_a_failed_addition_is_absent_and_the_others_are_untouched() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        with pytest.raises(live.RegistrationError):
            await registry.apply("b", "1", shop.build("b1", bad("y")))
        assert names(registry.catalog) == ["x"]
        assert registry.status()["b"].state == "failed"
        assert shop.log == ["build a1", "build b1", "close b1"]


async def test_pl5_removal_closes_that_plugin_alone_with_a_retained_version() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        await registry.apply("b", "1", shop.build("b1", tool("y")))
        with pytest.raises(live.RegistrationError):
            await registry.apply("a", "2", shop.build("a2", bad("x")))
        await registry.remove("a")
        assert names(registry.catalog) == ["y"]
        assert shop.log[-1] == "close a1"
        assert list(registry.status()) == ["b"]
        assert (await registry.remove("a")).changes.level == "identical"


async def test_pl5_a_plugin_object_that_stands_for_two_versions_is_not_closed() -> None:
    shop = Workshop()
    plugin = await shop.build("a", tool("x"))()

    async def build() -> live.Plugin:
        return plugin

    async with opened() as registry:
        await registry.apply("a", "1", build)
        await registry.apply("a", "2", build)
        assert shop.log == ["build a"]
        await registry.remove("a")
        assert shop.log == ["build a", "close a"]


async def test_pl6_the_same_version_is_not_built_and_nothing_is_closed() -> None:
    shop = Workshop()
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", tool("x")))
        await registry.apply("b", "1", shop.build("b1", tool("y")))
        commit = await registry.apply("a", "1", shop.build("again", tool("z")))
        await registry.apply("b", "2", shop.build("b2", tool("y")))
        assert shop.log == ["build a1", "build b1", "build b2", "close b1"]
        assert (commit.revision, commit.changes.level) == (2, "identical")


async def test_pl6_an_unchanged_tool_is_the_same_object_in_every_version() -> None:
    shop = Workshop()
    tools = [tool(f"t{number}", q="string") for number in range(100)]
    async with opened() as registry:
        await registry.apply("a", "1", shop.build("a1", *tools))
        before = registry.catalog
        await registry.apply("a", "2", shop.build("a2", *tools[:50], tool("t50"), *tools[51:]))
        after = registry.catalog
        assert [name for name in names(after) if after[name] is not before[name]] == ["t50"]
        await registry.apply("a", "3", shop.build("a3", *map(dict, tools[:50]), tool("t50"),
                                                  *tools[51:]))  # fmt: skip
        assert registry.catalog is after
        assert await registry.call("t1", {}) == "a3 ran t1"
