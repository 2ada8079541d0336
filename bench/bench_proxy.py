"""Claim: 1,000 tools are listed through the proxy in at most 1.5 times the time of the direct list.

The server is one of the SDK's own low-level kind; both are processes of their own, asked
in turns by the same client.
"""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import catalogues
from mcp_rig import ERAS
from serving_rig import PYTHON, over_stdio

COUNT = 1_000
ROUNDS = 25
WORST = 1.5
SERVER = """
import json, sys
import anyio
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import ListToolsResult, Tool

TOOLS = [Tool.model_validate(each) for each in json.load(open(sys.argv[1]))]

async def listed(ctx, params):
    return ListToolsResult(tools=TOOLS)

async def main():
    server = Server("direct", on_list_tools=listed)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

anyio.run(main)
"""


async def seconds(client: Client) -> float:
    begin = time.perf_counter()
    listed = (await client.list_tools()).tools
    spent = time.perf_counter() - begin
    assert len(listed) == COUNT
    return spent


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_the_list_through_the_proxy(mode: Any, tmp_path: Path) -> None:
    tools, program = tmp_path / "tools.json", tmp_path / "server.py"
    tools.write_text(json.dumps(catalogues.tools(COUNT)), "utf-8")
    program.write_text(SERVER, "utf-8")
    command = [str(program), str(tools)]
    plain = stdio_client(StdioServerParameters(command=PYTHON, args=command))
    through = over_stdio("--", PYTHON, *command, command="proxy")
    async with (
        Client(plain, mode=mode, cache=None) as direct,
        Client(through, mode=mode, cache=None) as proxied,
    ):
        await seconds(direct)
        await seconds(proxied)
        pairs = [(await seconds(proxied), await seconds(direct)) for _ in range(ROUNDS)]
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(
        f"\n{mode}: {COUNT:,} tools through the proxy {ours * 1e3:.1f} ms, direct"
        f" {theirs * 1e3:.1f} ms: {ours / theirs:.2f} x"
    )
    assert ours / theirs <= WORST
