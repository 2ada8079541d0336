"""A real child process: an MCP server over stdio whose tools change when its client says so.

The tool `control` takes {"tools": [...]} and answers after every session has been told,
so its answer stands behind the announcement on the same stream. `wait` answers when
`finish` is called.
"""

from __future__ import annotations

import os
from typing import Any

import anyio

from mcp_rig import Bench, tool

CONTROL = [tool("control"), tool("wait"), tool("finish"), tool("noise")]


async def main() -> None:
    made = Bench(ttl=0.5)
    finish = anyio.Event()

    async def call(name: str, arguments: Any) -> Any:
        if name == "control":
            await made.serve(*CONTROL, *arguments["tools"], call=call)
            await made.hub.push()
        elif name == "wait":
            await finish.wait()
        elif name == "finish":
            finish.set()
        elif name == "noise":
            print("a stray print")  # noqa: T201  on purpose
            os.write(1, b"and one below Python\n")
        return {"pid": os.getpid(), "sessions": list(made.hub.sessions)}

    await made.serve(*CONTROL, tool("a"), call=call)
    await made.server.serve_stdio()
    assert not made.hub.sessions
    await made.aclose()


if __name__ == "__main__":
    anyio.run(main)
