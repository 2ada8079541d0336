"""Programs of others: servers from registries behind the proxy, and the TypeScript SDK's client.

What they need is installed once into pytest's cache; without a network, pip or npm the
tests are skipped and say so.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.types import PromptReference

from mcp_rig import ERAS, text_of
from serving_rig import BOUND, PYTHON, TOOLSYNC, over_stdio, put, running, session, tool
from toolsync.sources import read_catalog

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

CLIENT = Path(__file__).parent / "node" / "sdk_client.mjs"
NODE_PACKAGES = (
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/server-everything@2026.8.31",
)
PYTHON_PACKAGES = ("mcp-server-time==2026.10.19", "mcp-server-fetch==2026.10.24")


def installed(folder: Path, command: Sequence[str]) -> Path:
    """Runs an installation once; skips the test where it fails."""
    done = folder / "done"
    if not done.exists() or done.read_text("utf-8") != str(command):
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=240)
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"cannot install: {error}")
        done.write_text(str(command), "utf-8")
    return folder


@pytest.fixture(scope="session")
def node(request: pytest.FixtureRequest) -> Path:
    """A folder with the packages from npm."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    assert request.config.cache is not None
    folder = Path(request.config.cache.mkdir("node-packages"))
    quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefix", ".")
    return installed(folder, (npm, "install", *quiet, *NODE_PACKAGES))


@pytest.fixture(scope="session")
def pypi(request: pytest.FixtureRequest) -> dict[str, str]:
    """The environment in which the servers from PyPI are found."""
    assert request.config.cache is not None
    folder = Path(request.config.cache.mkdir("python-servers"))
    pip = (PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    installed(folder, (*pip, "--no-compile", "--target", str(folder), *PYTHON_PACKAGES))
    return {"PYTHONPATH": str(folder)}


def direct(*command: str) -> list[dict[str, Any]]:
    """What a server lists without a proxy."""
    quoted = " ".join(f"'{part}'" for part in command)
    return sorted((each.definition for each in read_catalog(f"stdio:{quoted}")), key=by_name)


def by_name(definition: dict[str, Any]) -> str:
    return str(definition["name"])


async def through(client: Any) -> list[dict[str, Any]]:
    """What a client of the proxy is given."""
    listed = (await client.list_tools()).tools
    plain = (each.model_dump(by_alias=True, mode="json", exclude_unset=True) for each in listed)
    return sorted(plain, key=by_name)


@pytest.mark.parametrize("mode", ERAS)
async def test_the_time_server_behind_the_proxy(mode: str, pypi: dict[str, str]) -> None:
    command = (PYTHON, "-m", "mcp_server_time", "--local-timezone", "UTC")
    async with (
        running("--", *command, command="proxy", env=pypi) as proxy,
        session(proxy.url, mode) as found,
    ):
        expected = await anyio.to_thread.run_sync(
            direct, "env", f"PYTHONPATH={pypi['PYTHONPATH']}", *command
        )
        assert await through(found.client) == expected
        answer = await found.client.call_tool("get_current_time", {"timezone": "Asia/Tokyo"})
        assert json.loads(text_of(answer))["timezone"] == "Asia/Tokyo"
        refused = await found.client.call_tool("get_current_time", {"timezone": "Moon/Base"})
        assert refused.is_error
        assert found.heard.changes == 0


async def test_the_fetch_server_behind_the_proxy(pypi: dict[str, str]) -> None:
    async with (
        running("--", PYTHON, "-m", "mcp_server_fetch", command="proxy", env=pypi) as proxy,
        session(proxy.url, "legacy") as found,
    ):
        assert await found.names() == ["fetch"]
        prompts = (await found.client.list_prompts()).prompts
        assert [each.name for each in prompts] == ["fetch"]
        failed = await found.client.call_tool("fetch", {"url": "http://127.0.0.1:9/"})
        assert failed.is_error


@pytest.mark.parametrize("mode", ERAS)
async def test_a_server_that_uses_everything_behind_the_proxy(mode: str, node: Path) -> None:
    """Tools, prompts, resources, completion and progress come through."""
    server = node / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    command = (shutil.which("node") or "node", str(server), "stdio")
    async with (
        running("--", *command, command="proxy") as proxy,
        session(proxy.url, mode) as found,
    ):
        client = found.client
        mine, theirs = await through(client), await anyio.to_thread.run_sync(direct, *command)
        assert [by_name(each) for each in mine] == [by_name(each) for each in theirs]
        assert text_of(await client.call_tool("echo", {"message": "é"})) == "Echo: é"
        prompts = (await client.list_prompts()).prompts
        assert (await client.get_prompt(prompts[0].name)).messages
        resources = (await client.list_resources()).resources
        assert (await client.read_resource(str(resources[0].uri))).contents
        assert (await client.list_resource_templates()).resource_templates
        reference = PromptReference(type="ref/prompt", name="completable-prompt")
        completed = await client.complete(reference, {"name": "department", "value": "E"})
        assert completed.completion.values == ["Engineering"]
        seen: list[float] = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        long = {"duration": 0.2, "steps": 2}
        await client.call_tool("trigger-long-running-operation", long, progress_callback=note)
        assert seen == [1, 2]


class Foreign:
    """The client on the TypeScript SDK, and what it was told."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.told = 0

    async def next(self, key: str) -> Any:
        """Waits for a line with this member; counts the notifications on the way."""
        assert self.process.stdout is not None
        while True:
            with anyio.fail_after(BOUND):
                line = json.loads(await self.process.stdout.readline())
            assert "error" not in line, line
            self.told += "told" in line
            if key in line:
                return line[key]

    async def ask(self, key: str, **order: Any) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        return await self.next(key)


@asynccontextmanager
async def foreign(node: Path, *target: str) -> AsyncIterator[Foreign]:
    process = await asyncio.create_subprocess_exec(
        "node", str(CLIENT), str(node), *target, env=dict(os.environ),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        found = Foreign(process)
        assert (await found.next("ready"))["tools"]["listChanged"] is True
        yield found
        assert process.stdin is not None
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), BOUND) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_the_typescript_sdk_hears_once_of_what_matters(
    transport: str, node: Path, tmp_path: Path
) -> None:
    """HB2 to HB4, for a client of another maker: 0, 0, 1, 1 and unknown."""
    file = tmp_path / "tools.json"
    put(file, tool("a"), tool("b"))
    if transport == "stdio":
        async with foreign(node, *TOOLSYNC, "serve", str(file), "--debounce", "0") as client:
            await follows(client, file)
    else:
        async with running(file, "--debounce", "0") as server, foreign(node, server.url) as client:
            await follows(client, file)


async def follows(client: Foreign, file: Path) -> None:
    assert await client.ask("tools", list=True) == ["a", "b"]
    put(file, tool("a", title="A"), tool("b"))
    put(file, tool("a", title="A"), tool("b"))
    put(file, tool("a", title="A"), tool("b"), tool("c"))
    await client.next("told")
    assert await client.ask("tools", list=True) == ["a", "b", "c"]
    put(file, tool("b"), tool("c"))
    await client.next("told")
    assert await client.ask("tools", list=True) == ["b", "c"]
    assert await client.ask("code", call={"name": "a", "arguments": {}}) == -32602
    assert client.told == 2


async def test_the_typescript_sdk_through_the_proxy_to_a_server_that_is_restarted(
    node: Path, pypi: dict[str, str], tmp_path: Path
) -> None:
    """The server is another one after the restart; the session is the same."""
    start = tmp_path / "start.py"
    options = "import sys; sys.argv[1:] = ['--local-timezone', 'UTC']"
    body = f"{options}; import mcp_server_time; mcp_server_time.main()"
    start.write_text(body, "utf-8")
    command = ("proxy", "--watch", str(start), "--", PYTHON, str(start))
    path = f"PYTHONPATH={pypi['PYTHONPATH']}"
    async with foreign(node, "env", path, *TOOLSYNC, *command) as client:
        assert await client.ask("tools", list=True) == ["get_current_time", "convert_time"]
        start.write_text(f"{body}\n", "utf-8")
        result = await client.ask("result", call={
            "name": "get_current_time", "arguments": {"timezone": "UTC"}})  # fmt: skip
        assert json.loads(result["content"][0]["text"])["timezone"] == "UTC"
        start.write_text("import mcp_server_fetch; mcp_server_fetch.main()", "utf-8")
        await client.next("told")
        assert await client.ask("tools", list=True) == ["fetch"]
        assert client.told == 1


async def test_the_proxy_over_stdio_in_front_of_the_fetch_server(pypi: dict[str, str]) -> None:
    command = ("--", "env", f"PYTHONPATH={pypi['PYTHONPATH']}", PYTHON, "-m", "mcp_server_fetch")
    async with session(over_stdio(*command, command="proxy"), "2026-07-28") as found:
        assert await found.names() == ["fetch"]
