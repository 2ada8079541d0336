"""Where an MCP server is to be found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Stdio:
    """A command whose standard input and output speak MCP.

    `env` is added to this process's environment.
    """

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None

    def __post_init__(self) -> None:
        if not self.command or not self.command[0]:
            raise ValueError("command: expected a program and its arguments, got nothing")


@dataclass(frozen=True, slots=True)
class Http:
    """An address that speaks streamable HTTP; `headers` go with every request."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


Target = Stdio | Http
