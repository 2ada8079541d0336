"""Plays a session scenario, step word by step word, through the whole chain."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError

from scripted_chain import Chain
from toolsync.catalog import Catalog
from toolsync.live.session import Session

Step = dict[str, Any]


@dataclass
class Seen:
    """What a scenario showed: by step for what changes, by name or id for the rest."""

    messages: dict[float, dict[str, int]] = field(default_factory=dict)
    lists: dict[float, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    held: dict[float, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    told: dict[float, list[str]] = field(default_factory=dict)
    failed: dict[float, set[str]] = field(default_factory=dict)
    requests: dict[float, dict[str, list[Any]]] = field(default_factory=dict)
    first: dict[str, Catalog] = field(default_factory=dict)
    last: dict[str, Catalog] = field(default_factory=dict)
    published: list[list[str]] = field(default_factory=list)


def tool_of(name: str) -> dict[str, Any]:
    """What a script means by a bare name."""
    words = name.replace("_", " ")
    return {"name": name, "description": f"Do {words}.",
            "inputSchema": {"type": "object", "properties": {}}}  # fmt: skip


def tools_of(step: Step, key: str = "tools") -> list[dict[str, Any]] | None:
    """The tools that a step spells out, or means by a range."""
    if key in step:
        return [tool_of(each) if isinstance(each, str) else each for each in step[key]]
    if "tools_range" in step:
        first, end = step["tools_range"]
        return [
            {**tool_of(f"item_{number:03d}"), "description": f"Item {number}."}
            for number in range(first, end)
        ]
    return None


def as_script(pages: list[dict[str, Any]]) -> dict[str, Any]:
    """The pages of a scenario as those of the scripted server."""
    made = []
    for page in pages:
        if "error" in page:
            made.append({"error": page["error"]})
            continue
        rest = {key: value for key, value in page.items() if key != "for_cursor"}
        cursor = {"for_cursor": page["for_cursor"]} if "for_cursor" in page else {}
        made.append({**cursor, "result": rest})
    return {"pages": made}


FAILURES: dict[str, dict[str, Any]] = {
    "timeout": {"list": "hang"},
    "hang": {"list": "hang"},
    "crash": {"list": "exit"},
    "exit": {"list": "exit"},
    "garbage": {"list": "junk"},
    "error": {"repeat": {"error": {"code": -32603, "message": "internal error"}}},
}


class Play:
    """One scenario being played."""

    def __init__(self, scenario: dict[str, Any], expects_error: bool) -> None:
        self.scenario = scenario
        self.seen = Seen()
        self._limits: dict[str, Any] = dict(scenario.get("limits", {}))
        self._limits.setdefault("refresh_timeout", 1.0)
        self._tools: dict[str, list[dict[str, Any]]] = {}
        self._before = dict.fromkeys(scenario["sessions"], 0)
        self._open: dict[str, asyncio.Task[dict[str, Any]]] = {}
        steps = scenario["steps"]
        if any(step["do"] == "set_pages_constant" for step in steps) and not expects_error:
            self._limits["repeated_cursor"] = "stop"
        late = [step["at_ms"] for step in steps if "at_ms" in step]
        if late:  # a host that knows how late its servers are looks again that late
            self._limits["recheck"] = max(late) / 1000 + 0.2
        self._words = self._known_words()

    def _known_words(self) -> dict[str, Callable[[Step], Awaitable[None]]]:
        return {
            "set_catalogue": self._set,
            "set_pages": self._set,
            "set_pages_constant": self._set,
            "client_connect": self._connect,
            "client_connect_and_list": self._connect,
            "client_list": self._list,
            "upstream_notify": self._notify,
            "upstream_notify_then_list": self._notify,
            "upstream_notify_then_pages": self._notify,
            "upstream_notify_then_list_fails": self._notify,
            "sequence_within_ms": self._sequence,
            "plugin_reload": self._reload,
            "upstream_drop_and_reconnect": self._reconnect,
            "server_added": self._added,
            "server_removed": self._removed,
            "call": self._call,
            "call_begin": self._call_begin,
            "call_end": self._call_end,
            "wait": self._wait,
            "client_disconnect": self._disconnect,
            "client_reconnect": self._connect,
            "client_reconnect_and_list": self._connect,
            "plugin_added": self._added,
            "plugin_removed": self._removed,
            "plugin_reload_fails": self._reload,
            "upstream_crash": self._crash,
            "upstream_restart": self._reconnect,
        }

    async def run(self) -> Seen:
        async with Chain(tuple(self.scenario["servers"])) as chain:
            self.chain = chain
            steps = self.scenario["steps"]
            late = {step["server"] for step in steps if step["do"].endswith("_added")}
            for name in self.scenario["servers"]:
                if name not in late:
                    await chain.add(name, **self._limits)
            for step, after in zip(steps, [*steps[1:], {}], strict=True):
                if step["do"] not in self._words:
                    raise AssertionError(f"step word {step['do']!r} is not known")
                if "then_catalogue" in after:  # the clock of a wait begins with what it waits for
                    await self._later(step["server"], after)
                await self._words[step["do"]](step)
                await self._note(step)
            for name in chain.clients:
                self.seen.last[name] = self._session_of(name).catalog
            self.seen.published = [[t.name for t in each.tools] for each in chain.published]
        return self.seen

    def _session_of(self, client: str) -> Session:
        return self.chain.hub.sessions[self.chain.clients[client].session]

    async def _note(self, step: Step) -> None:
        number, seen = step["n"], self.seen
        await self.chain.hub.push()
        seen.messages[number] = dict(self._before)
        for name, client in self.chain.clients.items():
            seen.messages[number][name] = self._before[name] + await client.messages()
        seen.held[number] = {
            name: [each.definition for each in self._session_of(name).catalog.tools]
            for name in self.chain.clients
        }
        seen.told[number] = self.chain.told()
        seen.failed[number] = {
            name
            for name, remote in self.chain.remotes.items()
            if remote.upstream.remote.failure is not None
        }
        seen.requests[number] = {
            name: await remote.requests() for name, remote in self.chain.remotes.items()
        }

    # Upstream.

    def _script(self, step: Step) -> dict[str, Any] | None:
        if "page" in step:
            return {"repeat": {"result": step["page"]}}
        if "pages" in step:
            return as_script(step["pages"])
        tools = tools_of(step)
        if tools is None:
            return None
        self._tools[step["server"]] = tools
        return {"pages": [{"result": {"tools": tools}}]}

    async def _set(self, step: Step) -> None:
        script = self._script(step)
        if script is not None:
            await self.chain.remotes[step["server"]].order(set=script)

    async def _notify(self, step: Step) -> None:
        name = step["server"]
        remote = self.chain.remotes[name]
        await self._set(step)
        if "failure" in step:
            await remote.order(set=FAILURES[step["failure"]])
        await remote.order(
            announce=step.get("count", 1), within=step.get("within_ms", 0) / 1000
        )
        await self.chain.refresh(name)

    async def _sequence(self, step: Step) -> None:
        (name,) = [step["server"]] if "server" in step else self.scenario["servers"]
        remote = self.chain.remotes[name]
        for op in step["ops"]:
            gone, new = op.get("remove"), op.get("add")
            tools = [each for each in self._tools[name] if each["name"] != gone]
            tools += [tool_of(new) if isinstance(new, str) else new] if new else []
            await self._set({"server": name, "tools": tools})
            if step.get("each_followed_by") == "upstream_notify":
                await remote.order(announce=1)
        await self.chain.refresh(name)

    async def _reload(self, step: Step) -> None:
        await self._set(step)
        remote = self.chain.remotes[step["server"]]
        if "failure" in step or step["do"].endswith("_fails"):
            await remote.order(set=FAILURES[step.get("failure", "error")])
        remote.upstream.remote.mark_stale()
        await self.chain.refresh(step["server"])

    async def _reconnect(self, step: Step) -> None:
        name = step["server"]
        await self.chain.disconnect(name)
        remote = await self.chain.add(name, **self._limits)
        script = self._script(step) or {"pages": [{"result": {"tools": self._tools[name]}}]}
        if "answers_after_ms" in step:
            await remote.order(set={"list": "hang"})
            await remote.order(after=step["answers_after_ms"] / 1000, set=script)
        else:
            await remote.order(set=script)
        with anyio.fail_after(30):
            while await self.chain.refresh(name) == "failed":
                await anyio.sleep(0.1)  # it answers after a while

    async def _crash(self, step: Step) -> None:
        remote = self.chain.remotes[step["server"]]
        with suppress(json.JSONDecodeError):  # nobody is left who acknowledges
            await remote.order(exit=3)
        await remote.upstream.wait_lost()
        await self.chain.refresh(step["server"])

    async def _added(self, step: Step) -> None:
        await self.chain.add(step["server"], **self._limits)
        await self._set(step)
        await self.chain.refresh(step["server"])

    async def _removed(self, step: Step) -> None:
        await self.chain.remove(step["server"])

    async def _later(self, server: str, step: Step) -> None:
        script = {"pages": [{"result": {"tools": tools_of(step, "then_catalogue")}}]}
        await self.chain.remotes[server].order(after=step["at_ms"] / 1000, set=script)

    async def _wait(self, step: Step) -> None:
        """What a wait is for has been waited for by the step before it."""

    # Clients.

    def _names(self, step: Step) -> list[str]:
        return [each.strip() for each in step["session"].split(",")]

    async def _connect(self, step: Step) -> None:
        for server in self.chain.remotes:
            await self.chain.refresh(server)
        for name in self._names(step):
            await self.chain.join(name)
            self.seen.first.setdefault(name, self._session_of(name).catalog)
        if step["do"].endswith("_and_list"):
            await self._list(step)

    async def _disconnect(self, step: Step) -> None:
        for name in self._names(step):
            self._before[name] += await self.chain.clients[name].messages()
            await self.chain.leave(name)

    async def _list(self, step: Step) -> None:
        self.seen.lists[step["n"]] = {
            name: await self.chain.clients[name].tools() for name in self._names(step)
        }

    async def _call(self, step: Step) -> None:
        self.seen.calls[step["id"]] = await self._called(step)

    async def _called(self, step: Step) -> dict[str, Any]:
        (name,) = self._names(step)
        try:
            result = await self.chain.clients[name].client.call_tool(
                step["tool"], step.get("arguments") or {}
            )
        except MCPError as error:
            return {"error": error.message, "code": error.code}
        block = result.content[0].model_dump()
        return {"result": "error" if result.is_error else "ok", **json.loads(block["text"])}

    async def _call_begin(self, step: Step) -> None:
        for remote in self.chain.remotes.values():
            await remote.order(hold=step["tool"])
        self._open[step["id"]] = asyncio.create_task(self._called(step))
        with anyio.fail_after(30):
            while not any([(await r.order())["held"] for r in self.chain.remotes.values()]):
                await anyio.sleep(0.01)
        self._held = step["tool"]

    async def _call_end(self, step: Step) -> None:
        for remote in self.chain.remotes.values():
            await remote.order(release=self._held)
        self.seen.calls[step["id"]] = await self._open.pop(step["id"])
