"""What the pages on `serve` and `proxy` say: configurations start, options and events exist."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from typer.testing import CliRunner

from serving_rig import PYTHON
from toolsync.cli.app import COMMANDS, app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "docs" / "live" / name for name in ("serve.md", "proxy.md")]
SERVER = ROOT / "tests" / "scripted_server.py"
STANDING_FOR = {"/home/me/tools.json": str(ROOT / "examples" / "old.json"),
                "/home/me/server.py": str(SERVER)}  # fmt: skip


def blocks(language: str) -> list[str]:
    pattern = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return [body for page in PAGES for body in pattern.findall(page.read_text("utf-8"))]


def configurations() -> list[dict[str, Any]]:
    """The servers that a client is told to start."""
    told = [json.loads(block)["mcpServers"]["books"] for block in blocks("json")]
    return [each for each in told if "command" in each]


@pytest.mark.anyio
@pytest.mark.parametrize("config", configurations(), ids=lambda each: " ".join(each["args"][:1]))
async def test_a_client_can_be_configured_so(config: dict[str, Any]) -> None:
    words = [STANDING_FOR.get(word, word) for word in (config["command"], *config["args"])]
    path = os.pathsep.join([str(Path(PYTHON).parent), os.environ.get("PATH", "")])
    command = shutil.which(words[0], path=path)
    assert command is not None
    env = {**os.environ, "PATH": path, **config.get("env", {})}
    target = StdioServerParameters(command=command, args=words[1:], env=env)
    async with Client(stdio_client(target)) as client:
        assert (await client.list_tools()).tools


def test_options_that_the_pages_name_exist() -> None:
    told = "".join(CliRunner().invoke(app, [name, "--help"]).stdout for name in COMMANDS)
    known = set(re.findall(r"--[a-z][a-z-]+", told))
    text = "".join(page.read_text("utf-8") for page in PAGES)
    named = set(re.findall(r"[`\s](--[a-z][a-z-]+)", text))
    assert len(named) > 10
    assert named <= known


def test_commands_in_shell_blocks_are_understood() -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    words = {line.split()[1] for line in lines if line.startswith("toolsync ")}
    assert words == {"serve", "proxy", "watch", "snapshot", "diff"}
    assert words <= set(COMMANDS)


def test_events_that_the_pages_name_are_told_somewhere() -> None:
    sources = (ROOT / "src" / "toolsync" / "bridge").rglob("*.py")
    told = "".join(path.read_text("utf-8") for path in sources)
    told += (ROOT / "src/toolsync/cli/serving.py").read_text("utf-8")
    told += (ROOT / "src/toolsync/cli/proxy.py").read_text("utf-8")
    text = "".join(page.read_text("utf-8") for page in PAGES)
    for row in re.findall(r"^\| (`[a-z, `-]+`) \|", text, re.MULTILINE):
        for event in re.findall(r"`([a-z-]+)`", row):
            assert f'"{event}"' in told, event
