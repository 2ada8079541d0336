"""Whatever a host sends: every request gets one answer, and none is our own mistake."""

from __future__ import annotations

import json
from typing import Any

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from link_peer import BOUND, Peer, joined
from toolsync.bridge.link.sidecar import Settings, Sidecar

METHODS = (
    "plugin/apply", "plugin/remove", "session/attach", "session/detach", "session/reconcile",
    "session/call", "catalog/get", "status/get", "diff", "thread/tools/get", "ping", "initialize",
)  # fmt: skip
NAMES = st.sampled_from(["a", "b", "\x1b[31m", "\ud800", "", "a*"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
TOOL = st.fixed_dictionaries(
    {},
    optional={
        "name": NAMES | VALUES,
        "inputSchema": st.just({"type": "object"})
        | st.fixed_dictionaries(
            {"type": st.just("object"), "properties": VALUES}, optional={"$ref": VALUES}
        )
        | VALUES,
        "description": VALUES,
        "_meta": VALUES,
    },
)
TOOLS = st.lists(TOOL, max_size=3) | VALUES
GLOBS = st.lists(NAMES, max_size=2) | VALUES
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "plugin": NAMES | VALUES, "version": NAMES | VALUES, "tools": TOOLS,
        "session": NAMES | VALUES, "threadId": NAMES | VALUES, "only": GLOBS, "ignore": GLOBS,
        "old": TOOLS, "new": TOOLS, "name": NAMES | VALUES, "arguments": VALUES,
        "contributes": VALUES, "base": VALUES,
    },
)  # fmt: skip
REQUESTS = st.lists(st.tuples(st.sampled_from(METHODS), PARAMS | VALUES), min_size=1, max_size=25)


async def _answer_host(peer: Peer, message: dict[str, Any]) -> None:
    """Does what a host does: takes updates, and runs nothing."""
    if message["method"] == "thread/tools/update":
        peer.answer(message, {"outcome": "applied"})
    elif "id" in message:
        peer.refuse(message, -32000, "not here")


async def _converse(requests: list[tuple[str, Any]]) -> None:
    async with joined() as (streams, peer, writer), anyio.create_task_group() as tasks:
        ended = anyio.Event()

        async def serve() -> None:
            await Sidecar(Settings(debounce=0)).serve(streams)
            writer.close()
            ended.set()

        tasks.start_soon(serve)
        await peer.call("initialize", protocol=1, capabilities={"threadToolsUpdate": True})
        for number, (method, params) in enumerate(requests):
            peer.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        missing = set(range(len(requests)))
        while missing:
            message = await peer.next()
            if "method" in message:
                await _answer_host(peer, message)
                continue
            missing.remove(message["id"])
            error = message.get("error", {"code": 0, "message": ""})
            assert error["code"] != -32603, json.dumps([requests[message["id"]], error])
            assert error["message"].isprintable()
        peer.leave()
        with anyio.fail_after(BOUND):
            await ended.wait()


@settings(max_examples=60)
@given(REQUESTS)
def test_every_request_gets_one_answer_and_none_is_an_internal_error(
    requests: list[tuple[str, Any]],
) -> None:
    anyio.run(_converse, requests)
