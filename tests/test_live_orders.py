"""Any order of installing, replacing, failing and removing plugins comes to what it should."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from hypothesis import given
from hypothesis import strategies as st

from live_rig import (
    Definition,
    PaperTime,
    Recorder,
    Workshop,
    bad,
    hubbed,
    let_run,
    names,
    opened,
    tool,
)
from toolsync import Catalog, diff, live

PLUGINS = ("p", "q", "r")
NAMES = ("a", "b", "c", "d")
KINDS = ("string", "integer", "titled", "bad")

Tools = tuple[tuple[str, str], ...]
Step = tuple[Literal["apply", "fail", "remove"], str, Tools]

tools = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(KINDS), max_size=4).map(
    lambda chosen: tuple(chosen.items())
)
steps = st.tuples(
    st.sampled_from(["apply", "apply", "apply", "fail", "remove"]),
    st.sampled_from(PLUGINS),
    tools,
)


def _definition(name: str, kind: str) -> Definition:
    if kind == "bad":
        return bad(name)
    return tool(name, q="string") | {"title": name} if kind == "titled" else tool(name, q=kind)


@dataclass
class Model:
    """What a registry should come to, by the plainest of means."""

    skips: bool
    plugins: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    active: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def apply(self, plugin: str, label: str, chosen: Tools) -> bool:
        if plugin not in self.order:
            self.order.append(plugin)
        faulty = any(kind == "bad" for _, kind in chosen)
        if faulty and not self.skips:
            return False
        before = self.plugins.get(plugin, {})
        after = {name: (kind, label) for name, kind in chosen if kind != "bad"}
        kept = {name for name, kind in chosen if kind == "bad"} & before.keys()
        self.plugins[plugin] = after | {name: before[name] for name in kept}
        self.active[plugin] = label
        return True

    def fail(self, plugin: str) -> None:
        if plugin not in self.order:
            self.order.append(plugin)

    def remove(self, plugin: str) -> None:
        self.plugins.pop(plugin, None)
        self.active.pop(plugin, None)
        if plugin in self.order:
            self.order.remove(plugin)

    def routes(self) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for plugin in self.order:
            for name, served in self.plugins.get(plugin, {}).items():
                found.setdefault(name, served)
        return found

    def open(self) -> set[str]:
        serving = {label for each in self.plugins.values() for _, label in each.values()}
        return serving | set(self.active.values())


async def _carry_out(registry: live.Registry, shop: Workshop, step: Step, label: str) -> bool:
    """Carries out a step; tells whether the registry took it."""
    what, plugin, chosen = step
    if what == "remove":
        await registry.remove(plugin)
        return True
    build = shop.build(label, *(_definition(*each) for each in chosen))
    if what == "fail":
        build = shop.failing(label, ImportError(label))
    try:
        await registry.apply(plugin, label, build)
    except live.RegistrationError:
        return False
    return True


def _expect(model: Model, step: Step, label: str) -> bool:
    what, plugin, chosen = step
    if what == "apply":
        return model.apply(plugin, label, chosen)
    model.remove(plugin) if what == "remove" else model.fail(plugin)
    return what == "remove"


def _closed(shop: Workshop) -> Counter[str]:
    return Counter(line.split()[1] for line in shop.log if line.startswith("close"))


def _check(model: Model, registry: live.Registry, shop: Workshop, before: Catalog) -> None:
    routes = model.routes()
    expected = {name: _definition(name, kind) for name, (kind, _) in routes.items()}
    assert {each.name: each.definition for each in registry.catalog} == expected
    staying = [name for name in names(before) if name in expected]
    assert names(registry.catalog)[: len(staying)] == staying
    assert not _closed(shop).keys() & model.open()
    assert set(registry.status()) == set(model.order)
    assert {
        plugin: status.version for plugin, status in registry.status().items() if status.version
    } == model.active


async def _play(sequence: list[Step], *, skips: bool) -> None:
    shop, model, adapter = Workshop(), Model(skips), Recorder()
    async with hubbed(on_invalid="skip" if skips else "reject") as (registry, hub):
        session = await hub.attach(adapter, id="s")
        moves = 0
        for number, step in enumerate(sequence):
            before, revision, label = registry.catalog, registry.revision, f"v{number}"
            taken = await _carry_out(registry, shop, step, label)
            assert taken is _expect(model, step, label)
            _check(model, registry, shop, before)
            moved = diff(before, registry.catalog).notify
            moves += moved
            assert registry.revision == revision + moved
            await hub.push()
            assert (len(adapter.seen), session.told) == (moves, registry.catalog)
            for name, (_, served) in model.routes().items():
                assert await registry.call(name, {}) == f"{served} ran {name}"
        built = {line.split()[1] for line in shop.log if line.startswith("build")}
    await let_run()
    failed = {f"v{number}" for number, step in enumerate(sequence) if step[0] == "fail"}
    assert _closed(shop) == Counter(built - failed)  # each once


@given(st.lists(steps, max_size=12), st.booleans())
def test_any_order_of_changes_comes_to_what_it_should(sequence: list[Any], skips: Any) -> None:
    asyncio.run(_play(sequence, skips=skips))


def _burst(model: Model, sequence: list[Step]) -> None:
    """Of each plugin the last step counts; a removal before it leaves nothing to fall back on."""
    for plugin in dict.fromkeys(step[1] for step in sequence):
        asked = [(number, step) for number, step in enumerate(sequence) if step[1] == plugin]
        number, last = asked[-1]
        if any(step[0] == "remove" for _, step in asked) and last[0] != "remove":
            model.plugins.pop(plugin, None)
            model.active.pop(plugin, None)
        _expect(model, last, f"w{number}")


@given(st.lists(steps, max_size=3), st.lists(steps, min_size=2, max_size=6), st.booleans())
def test_changes_asked_for_at_once_come_to_what_the_last_of_each_plugin_says(
    first: list[Any], burst: list[Any], skips: Any
) -> None:
    asyncio.run(_play_burst(first, burst, skips=skips))


async def _play_burst(first: list[Step], burst: list[Step], *, skips: bool) -> None:
    shop, model, time = Workshop(), Model(skips), PaperTime()
    options: dict[str, Any] = {"clock": time.clock, "sleep": time.sleep, "debounce": 0.1}
    async with opened(on_invalid="skip" if skips else "reject", **options) as registry:

        async def at_once(steps: list[Step], letter: str) -> None:
            asked = [
                asyncio.create_task(_carry_out(registry, shop, step, f"{letter}{number}"))
                for number, step in enumerate(steps)
            ]
            await time.turn(0.2)
            await asyncio.gather(*asked)

        for number, step in enumerate(first):
            await at_once([step], f"v{number}")
            _expect(model, step, f"v{number}0")
        await at_once(burst, "w")
        _burst(model, burst)
        # A tool that went and came within the burst has lost its place.
        _check(model, registry, shop, Catalog())
