"""Microsoft's agent-framework: the tools of a run are current at every call of the model.

The framework takes its list of tools when a run begins; a middleware of its chat client
sees that list before each request, and what it puts there is offered and executed within
the same run, streaming or not.
"""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

try:
    from agent_framework import (
        ChatContext,
        ChatMiddleware,
        Content,
        FunctionTool,
        normalize_tools,
    )
    from agent_framework.exceptions import ToolExecutionException
except ImportError as error:
    raise ImportError(
        "toolsync.bridge.agent_framework needs agent-framework-core: "
        "pip install 'toolsync[agent-framework]'"
    ) from error

from toolsync.catalog import Catalog, Tool
from toolsync.live.tool_list import ToolList
from toolsync.safe import printable

log = logging.getLogger(__name__)

Approval = Literal["always_require", "never_require"]
_LONGEST: Final = 4_000


class Source(Protocol):
    """Where tools come from: a registry, a session of a hub, or a connected MCP server.

    A source that says it is `pending` is refreshed before the model is called.
    """

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Runs a tool."""


class LiveTools(ChatMiddleware):
    """Offers the tools of some sources beside those of the agent and the run, always current.

    Give it to an agent or a chat client as middleware; one serves any number of runs. A
    name that stands twice when a run begins raises `live.DuplicateName`; one that comes
    twice later is left out, with a warning.
    """

    def __init__(self, *sources: Source, approval_mode: Approval = "never_require") -> None:
        self._sources = tuple(_Followed(source) for source in sources)
        self._approval = approval_mode

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Brings the run's list of tools up to date, then lets the request go on."""
        options = context.options
        if not isinstance(options, dict):
            options = context.options = dict(options or {})
        tools = options.get("tools")
        if isinstance(tools, _RunTools):
            await tools.follow()
        else:
            for source in self._sources:
                if source.pending:
                    await source.refresh()
            tools = _RunTools(normalize_tools(tools), self._sources, self._made)
            if tools or "tools" in options:
                options["tools"] = tools
        await call_next()

    def _made(self, tool: Tool) -> FunctionTool:
        """Makes what the framework takes for a tool."""
        source = next(each for each in self._sources if each.offers(tool))
        definition = json.loads(json.dumps(tool.definition))  # the framework may change its own
        return FunctionTool(
            name=tool.name,
            description=definition.get("description") or "",
            input_model=definition.get("inputSchema") or {"type": "object"},
            approval_mode=self._approval,
            func=_runner(source.source, tool),
        )


class _RunTools(list[Any]):
    """The list of one run, which its host and the framework change too."""

    def __init__(
        self, own: Sequence[Any], sources: Sequence[_Followed], shape: Callable[[Tool], Any]
    ) -> None:
        super().__init__(own)
        self._kept = ToolList(self, sources, shape=shape)
        self._warned: tuple[str, ...] = ()

    async def follow(self) -> None:
        """Brings the list up to date, and warns of what had to be left out."""
        await self._kept.step()
        for warning in self._kept.warnings:
            if warning not in self._warned:
                log.warning("%s", warning)
        self._warned = self._kept.warnings


@dataclass(frozen=True, slots=True, eq=False)
class _Followed:
    """One source; the catalogue of a connected server is its `remote`'s."""

    source: Any

    @property
    def _kept(self) -> Any:
        return getattr(self.source, "remote", self.source)

    @property
    def catalog(self) -> Catalog:
        """The newest catalogue."""
        catalog: Catalog = self._kept.catalog
        return catalog

    @property
    def pending(self) -> bool:
        """Tells whether there may be news that only a look shows."""
        return bool(getattr(self._kept, "pending", False))

    async def refresh(self) -> None:
        """Looks; a failure keeps what is there."""
        if await self._kept.refresh() == "failed":
            log.warning("a source could not be refreshed: its last tools stay")

    def offers(self, tool: Tool) -> bool:
        """Tells whether a tool is one of this source's."""
        return tool.name in self.catalog and self.catalog[tool.name] is tool


def _runner(source: Any, tool: Tool) -> Callable[..., Awaitable[Any]]:
    """Makes the function that runs a tool as it was offered, which the source may look at."""
    more = {"advertised": tool} if "advertised" in inspect.signature(source.call).parameters else {}

    async def run(**arguments: Any) -> Any:
        return _told(await source.call(tool.name, arguments, **more))

    return run


def _told(result: Any) -> Any:
    """Shows a result of MCP as the framework's contents. Raises ToolExecutionException."""
    blocks = result.get("content") if isinstance(result, Mapping) else None
    if not isinstance(blocks, list):
        return result
    contents = [_content(block) for block in blocks]
    if result.get("isError") is True:
        said = " ".join(each.text or "" for each in contents if each.type == "text")
        raise ToolExecutionException(printable(said[:_LONGEST]) or "the tool failed")
    if not contents and "structuredContent" in result:
        return result["structuredContent"]
    return contents


def _content(block: Any) -> Content:
    kind = block.get("type") if isinstance(block, Mapping) else None
    if kind == "text":
        return Content.from_text(str(block.get("text", "")))
    if kind in ("image", "audio"):
        media = str(block.get("mimeType", "application/octet-stream"))
        return Content.from_uri(f"data:{media};base64,{block.get('data', '')}", media_type=media)
    return Content.from_text(json.dumps(block))
