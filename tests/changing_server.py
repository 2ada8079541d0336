"""An MCP server whose tools change at the first call: `a` gets an argument, `b` is new."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from toolsync import live
from toolsync.bridge.mcp.server import McpServer


def later(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    first = json.loads(json.dumps(tools[0]))
    first["inputSchema"]["properties"]["y"] = {"type": "string"}
    return [first, {"name": "b", "inputSchema": {"type": "object"}}]


async def main(path: Path) -> None:
    registry = live.Registry(debounce=0)
    tools = json.loads(path.read_text("utf-8"))

    async def call(name: str, arguments: Any) -> Any:
        await registry.apply("served", "2", lambda: built(later(tools)))
        return {"content": [{"type": "text", "text": f"{name} {json.dumps(arguments)}"}]}

    async def built(of: list[dict[str, Any]]) -> live.Plugin:
        return live.Plugin(tools=of, call=call)

    await registry.apply("served", "1", lambda: built(tools))
    await McpServer(live.Hub(registry), name="changing").serve_stdio()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
