"""A plugin host in small: what its sessions see while plugins come, fail, change and go.

Run it: python examples/plugin_host.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from toolsync import Catalog, Changes, Tool, live

Definition = dict[str, Any]


def tool(name: str, **arguments: str) -> Definition:
    """Returns a tool whose arguments have the given types."""
    properties = {argument: {"type": kind} for argument, kind in arguments.items()}
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


class Printer:
    """An adapter that prints what its session is told."""

    live = True

    def __init__(self, session: str) -> None:
        self.session = session

    async def apply(self, catalog: Catalog, changes: Changes) -> str:
        """Prints the tools that differ, and all that the session sees now."""
        marks = {"added": "+", "removed": "-", "changed": "~"}
        told = [f"{marks[each.status]}{each.name}" for each in changes.tools]
        print(f"  {self.session} is told {' '.join(told)}: {_names(catalog)}")
        return "applied"

    async def close(self) -> None:
        """Has nothing to let go of."""


class Host:
    """Loads plugins that a person names by id and version, and prints what comes of it."""

    def __init__(self, on_invalid: Literal["reject", "skip"] = "reject") -> None:
        self.registry = live.Registry(on_invalid=on_invalid, debounce=0.02, drain=5.0)
        self.hub = live.Hub(self.registry)
        self.release = asyncio.Event()
        self.hub.subscribe(self._print_contributions)

    def plugin(
        self, label: str, *tools: Definition, instructions: str = ""
    ) -> Callable[[], Awaitable[live.Plugin]]:
        """Returns a build that says when it is made and closed."""

        async def call(name: str, arguments: Any) -> str:
            if arguments.get("slow"):
                await self.release.wait()
            return f"{name} of {label}"

        async def close() -> None:
            print(f"  {label} is closed")

        async def build() -> live.Plugin:
            print(f"  {label} is built")
            others = {"instructions": instructions} if instructions else {}
            return live.Plugin(tools, call, close, others)

        return build

    async def load(
        self, plugin_id: str, version: str, build: Callable[[], Awaitable[live.Plugin]]
    ) -> None:
        """Installs or reloads a plugin, and prints an error as the host's log would."""
        try:
            await self.registry.apply(plugin_id, version, build)
        except live.RegistrationError as error:
            print(f"  refused: {error}")
        await self.told()

    async def told(self) -> None:
        """Waits until every session has been told, then prints the state."""
        await self.hub.push()
        for plugin_id, status in self.registry.status().items():
            failed = f", candidate {status.candidate} failed" if status.candidate else ""
            print(f"  plugin {plugin_id}: {status.state}, version {status.version}{failed}")
        for warning in self.registry.warnings:
            print(f"  warning: {warning}")
        print(f"  revision {self.registry.revision}: {_names(self.registry.catalog)}")

    async def end(self) -> None:
        """Lets sessions and plugins go."""
        print("The host ends")
        await self.hub.aclose()
        await self.registry.aclose()

    def _print_contributions(self, event: live.Outcome | live.ContributionsChanged) -> None:
        if isinstance(event, live.ContributionsChanged):
            print(f"  new instructions from {', '.join(sorted(event.plugins))}")


def _names(catalog: Catalog) -> str:
    return f"[{', '.join(each.name for each in catalog)}]"


async def failing() -> live.Plugin:
    """Fails as an import does."""
    raise ImportError("No module named 'clock_zones'")


async def added(host: Host) -> None:
    """Plays the added plugin: a good one, one that fails, and that one corrected."""
    print("A plugin is added")
    await host.load("notes", "1", host.plugin("notes 1", tool("read_note"), tool("write_note")))
    print("A plugin is added that fails to import: the others are untouched")
    await host.load("clock", "1", failing)
    print("It is corrected")
    await host.load("clock", "2", host.plugin("clock 2", tool("read_clock")))


async def failed(host: Host) -> None:
    """Plays the failed plugin: the version before stays, is never closed, and comes back."""
    print("A reload brings one bad tool: nothing of it is taken, notes 1 stays open")
    broken = {"name": "find_note", "inputSchema": {"type": "object", "required": "text"}}
    await host.load("notes", "2", host.plugin("notes 2", tool("read_note"), broken))
    print("  a call still works:", await host.registry.call("read_note", {}))
    print("The corrected version activates, and only then notes 1 is closed")
    await host.load(
        "notes", "3", host.plugin("notes 3", tool("read_note", id="string"), tool("write_note"))
    )


async def replaced(host: Host) -> None:
    """Plays the replaced plugin: calls in flight, late calls, bursts, and the same again."""
    print("A call is under way while its plugin is replaced")
    advertised = host.registry.catalog["read_note"]
    early = asyncio.create_task(host.registry.call("read_note", {"id": "a", "slow": True}))
    await asyncio.sleep(0)
    await host.load("notes", "4", host.plugin("notes 4", tool("read_note", id="integer")))
    print("  it ends where it began:", "not yet" if not early.done() else "already")
    host.release.set()
    print("  it ends where it began:", await early)
    print("A call made for the earlier definition arrives late")
    try:
        await host.registry.call("read_note", {"id": "a"}, advertised=advertised)
    except live.ToolChanged as error:
        print(f"  refused: {error}")
    print("A call to the tool that went")
    try:
        await host.registry.call("write_note", {})
    except live.UnknownTool as error:
        print(f"  refused: {error}")
    print("Four saves in a row are one reload")
    saves = {
        str(n): host.plugin(f"notes {n}", tool("read_note", id="integer")) for n in range(5, 9)
    }
    await asyncio.gather(*(host.registry.apply("notes", n, save) for n, save in saves.items()))
    await host.told()
    print("The same version again is no reload")
    await host.load("notes", "8", saves["8"])


async def together(host: Host) -> None:
    """Plays two plugins with one tool name, instructions, and a removal."""
    print("A second plugin has a tool of the same name: the first keeps it")
    mail = host.plugin("mail 1", tool("read_note", mail="string"), tool("send_mail"))
    await host.load("mail", "1", mail)
    print("Only its instructions change: no session is disturbed")
    tools = (tool("read_note", mail="string"), tool("send_mail"))
    await host.load("mail", "2", host.plugin("mail 2", *tools, instructions="Be brief."))
    print("The first plugin is removed: the tool of the second appears in its place")
    await host.registry.remove("notes")
    await host.told()


async def restarted() -> None:
    """Plays a start with bad plugins present, where one bad tool is to cost only that tool."""
    print("A host that skips bad tools starts: everything else comes up")
    host = Host(on_invalid="skip")
    await host.hub.attach(Printer("editor"), id="editor")
    broken = {"name": "find_note", "inputSchema": {"type": "object", "required": "text"}}
    await asyncio.gather(
        host.registry.apply("clock", "1", failing),
        host.registry.apply("notes", "1", host.plugin("notes 1", tool("read_note"), broken)),
        host.registry.apply("mail", "1", host.plugin("mail 1", tool("send_mail"))),
        return_exceptions=True,
    )
    await host.told()
    print("A reload breaks a tool that worked: its last valid definition stays, with its version")
    await host.load(
        "mail", "2", host.plugin("mail 2", broken | {"name": "send_mail"}, tool("sent"))
    )
    print("  a call to it:", await host.registry.call("send_mail", {}))
    await host.end()


def reads(each: Tool) -> bool:
    """Selects the tools that only read."""
    return each.name.startswith("read_")


async def main() -> None:
    """Plays everything, with two sessions that see different tools."""
    host = Host()
    await host.hub.attach(Printer("editor"), id="editor")
    await host.hub.attach(Printer("reader"), id="reader", select=reads)
    for play in (added, failed, replaced, together):
        await play(host)
    await host.end()
    await restarted()


if __name__ == "__main__":
    asyncio.run(main())
