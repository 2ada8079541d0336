"""A scripted MCP server over stdio, standard library only: plays what it is told to.

    python scripted_server.py [SCRIPT.json] [--era handshake|modern] [--control PORT]

A script is a JSON object:
  pages         answers to tools/list in order, each {"result": …} or {"error": …}; an entry
                with "for_cursor" answers that cursor
  repeat        one answer to every tools/list
  notify_burst  so many announcements after the handshake
  ttlMs         stands in every list
  handshake     "hang": the handshake is never answered; "exit": the process ends instead
  junk          a text written to standard output before anything else
  list          "hang" | "exit" | "junk": what happens instead of an answer to tools/list

Over the control connection (loopback TCP, a JSON object a line, each acknowledged when it
has taken effect) the same keys change the script while it runs; see `Control`.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

GOOD = {
    "name": "good",
    "description": "fine",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
}
KNOWN = {"pages", "repeat", "notify_burst", "ttlMs", "handshake", "junk", "list"}
TOOLS = "notifications/tools/list_changed"
META = "io.modelcontextprotocol/"


Answer = Callable[[Any, dict[str, Any]], None]


class Wire:
    """Standard output, one message at a time, whoever writes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.subscriptions: list[Any] = []

    def raw(self, text: str) -> None:
        with self._lock:
            view = memoryview(text.encode())
            while view:
                view = view[os.write(1, view) :]

    def send(self, message: dict[str, Any]) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def announce(self, count: int = 1, within: float = 0.0) -> None:
        """Says that the tools changed, so often, spread over so many seconds."""
        for number in range(count):
            for params in self._addressed():
                self.send({"method": TOOLS, **params})
            if within and number % 20 == 19:
                time.sleep(within * 20 / count)

    def _addressed(self) -> list[dict[str, Any]]:
        if not self.subscriptions:
            return [{}]
        return [
            {"params": {"_meta": {META + "subscriptionId": each}}} for each in self.subscriptions
        ]


class Server:
    """Answers requests by its script."""

    def __init__(self, script: dict[str, Any], era: str, wire: Wire) -> None:
        self.script = {"pages": [{"result": {"tools": [GOOD]}}], **script}
        self.era = era
        self.wire = wire
        self.generation = 0
        self.requests: list[dict[str, Any]] = []
        self.cancelled: list[Any] = []
        self.holding: set[str] = set()
        self.held: dict[str, list[tuple[Any, dict[str, Any]]]] = {}
        self.began = False

    def answer(self, message: dict[str, Any]) -> None:
        method, number = message.get("method"), message.get("id")
        if number is None or method is None:
            if method == "notifications/initialized":
                self.begin()
            elif method == "notifications/cancelled":
                self.cancelled.append(message["params"]["requestId"])
            return
        params = message.get("params") or {}
        answers: dict[str, Answer] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "subscriptions/listen": self._listen,
            "tools/list": self._list,
            "tools/call": self._call,
            "ping": lambda number, _: self.reply(number, {}),
        }
        answer = answers.get(method)
        if answer is None or (self.era == "handshake" and method.startswith(("server/", "sub"))):
            self.wire.send({"id": number, "error": {"code": -32601, "message": "Method not found"}})
        else:
            answer(number, params)

    def reply(self, number: Any, result: dict[str, Any]) -> None:
        if self.era == "modern":
            result = {"resultType": "complete", **result}
        self.wire.send({"id": number, "result": result})

    def begin(self) -> None:
        if not self.began and self.script.get("notify_burst"):
            threading.Thread(
                target=self.wire.announce, args=(self.script["notify_burst"],), daemon=True
            ).start()
        self.began = True

    def _shaking(self) -> bool:
        if self.script.get("handshake") == "exit":
            os._exit(3)
        return self.script.get("handshake") != "hang"

    def _initialize(self, number: Any, params: dict[str, Any]) -> None:
        if not self._shaking():
            return
        self.reply(number, {
            "protocolVersion": params.get("protocolVersion"),
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "scripted", "version": "0"},
        })  # fmt: skip

    def _discover(self, number: Any, _: dict[str, Any]) -> None:
        if not self._shaking():
            return
        self.reply(number, {
            "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
            "capabilities": {"tools": {"listChanged": True}},
        })  # fmt: skip

    def _listen(self, number: Any, params: dict[str, Any]) -> None:
        self.wire.send({
            "method": "notifications/subscriptions/acknowledged",
            "params": {"notifications": params.get("notifications", {}),
                       "_meta": {META + "subscriptionId": number}},
        })  # fmt: skip
        self.wire.subscriptions.append(number)
        self.begin()

    def _list(self, number: Any, params: dict[str, Any]) -> None:
        cursor = params.get("cursor")
        self.requests.append({"cursor": cursor})
        way = self.script.get("list")
        if way == "exit":
            os._exit(3)
        elif way == "junk":
            self.wire.raw(f'{{"jsonrpc":"2.0","id":{number},"result":{{"tools":[\n')
        elif way != "hang":
            self._page(number, cursor)

    def _page(self, number: Any, cursor: Any) -> None:
        page = self.script.get("repeat") or _page_at(self.script["pages"], cursor)
        if "error" in page:
            self.wire.send({"id": number, "error": page["error"]})
            return
        result = dict(page["result"])
        if "ttlMs" in self.script:
            result["ttlMs"] = self.script["ttlMs"]
        if self.era == "modern":
            result = {"ttlMs": 0, "cacheScope": "private", **result}
        self.reply(number, result)

    def _call(self, number: Any, params: dict[str, Any]) -> None:
        name = params.get("name", "")
        token = params.get("_meta", {}).get("progressToken")
        if token is not None:
            progress = {"progressToken": token, "progress": 1, "total": 2, "message": "begun"}
            self.wire.send({"method": "notifications/progress", "params": progress})
        told = {"tool": name, "generation": self.generation, "arguments": params.get("arguments"),
                "reports": token is not None}  # fmt: skip
        result = {"content": [{"type": "text", "text": json.dumps(told)}],
                  "structuredContent": told}  # fmt: skip
        if name == "asks_back":
            self.reply(number, {"resultType": "input_required", "inputRequests": {}})
        elif name in self.holding:
            self.held.setdefault(name, []).append((number, result))
        else:
            self.reply(number, result)

    def release(self, name: str) -> None:
        self.holding.discard(name)
        for number, result in self.held.pop(name, []):
            self.reply(number, result)


def _page_at(pages: list[dict[str, Any]], cursor: Any) -> dict[str, Any]:
    for page in pages:
        if "for_cursor" in page and page["for_cursor"] == cursor:
            return page
    if cursor is None:
        return pages[0]
    for page, after in pairwise(pages):
        if page.get("result", {}).get("nextCursor") == cursor:
            return after
    return {"error": {"code": -32602, "message": "no such cursor"}}


class Control:
    """Takes orders: {"set": script keys}, {"announce": n, "within": s}, {"hold"|"release": tool},
    {"after": s, "set": …}, {"exit": code}; answers each with the requests seen so far."""

    def __init__(self, server: Server, port: int) -> None:
        self._server = server
        self._socket = socket.create_connection(("127.0.0.1", port))

    def run(self) -> None:
        with self._socket.makefile("rw", encoding="utf-8", newline="\n") as stream:
            for line in stream:
                self.obey(json.loads(line))
                held = [number for each in self._server.held.values() for number, _ in each]
                seen = {"requests": self._server.requests, "held": len(held), "held_ids": held,
                        "cancelled": self._server.cancelled}  # fmt: skip
                stream.write(json.dumps(seen) + "\n")
                stream.flush()

    def obey(self, order: dict[str, Any]) -> None:
        if "after" in order:
            rest = {key: value for key, value in order.items() if key != "after"}
            threading.Timer(order["after"], self.obey, [rest]).start()
            return
        if "set" in order:
            self._set(order["set"])
        if "hold" in order:
            self._server.holding.add(order["hold"])
        if "release" in order:
            self._server.release(order["release"])
        if "announce" in order:
            self._server.wire.announce(order["announce"], order.get("within", 0.0))
        if "exit" in order:
            os._exit(order["exit"])

    def _set(self, script: dict[str, Any]) -> None:
        checked(script)
        if "pages" in script or "repeat" in script:
            self._server.generation += 1
            self._server.script.pop("repeat", None)
            self._server.script.pop("list", None)
        burst = script.pop("notify_burst", 0)
        self._server.script.update(script)
        if burst:
            self._server.wire.announce(burst)


def checked(script: dict[str, Any]) -> dict[str, Any]:
    """A script with nothing in it that would be passed over in silence."""
    unknown = script.keys() - KNOWN
    if unknown:
        raise SystemExit(f"script: unknown {sorted(unknown)}, expected {sorted(KNOWN)}")
    return script


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("script", nargs="?")
    parser.add_argument("--era", choices=("handshake", "modern"), default="handshake")
    parser.add_argument("--control", type=int)
    given = parser.parse_args()
    script = json.loads(Path(given.script).read_text("utf-8")) if given.script else {}
    wire = Wire()
    server = Server(checked(script), given.era, wire)
    if script.get("junk"):
        wire.raw(script["junk"])
    if given.control:
        threading.Thread(target=Control(server, given.control).run, daemon=True).start()
    for line in sys.stdin:
        server.answer(json.loads(line))


if __name__ == "__main__":
    main()
