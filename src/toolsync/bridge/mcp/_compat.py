"""The one place that leans on what the `mcp` SDK does not promise.

Each function names what it leans on; `tests/test_bridge_mcp_compat.py` looks at every
one of them against the installed SDK, so that a new release fails there, loudly, and
not in a session.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from mcp.client.session import ClientSession
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.dispatcher import CallOptions, ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import find_invalid_x_mcp_header, x_mcp_header_map
from mcp_types import CONNECTION_CLOSED

TESTED: Final = "2.3"
"""The minor release of the SDK that these leanings were last looked at with."""


class AnnouncingServer(Server[dict[str, Any]]):
    """A low-level server that declares `listChanged` in the handshake era too.

    The HTTP session manager asks for the options without saying which lists change,
    and the SDK takes that for "none". Leans on: the manager and the runner ask
    `create_initialization_options()` with no argument.
    """

    changing: NotificationOptions = NotificationOptions(tools_changed=True)

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Gives the options of a handshake, with the lists that this server announces."""
        return super().create_initialization_options(
            notification_options or self.changing, experimental_capabilities, extensions
        )


def connection_of(ctx: ServerRequestContext[Any, Any]) -> Connection:
    """Gives the connection that a request came over: it outlives the request.

    Leans on `ServerSession._connection`; its `state`, `exit_stack`, `session_id` and
    `send_tool_list_changed` are documented.
    """
    return ctx.session._connection  # noqa: SLF001 - the SDK has no list of live sessions


async def raw_request(
    session: ClientSession,
    method: str,
    params: Mapping[str, Any] | None,
    on_progress: ProgressFnT | None = None,
) -> dict[str, Any]:
    """Sends a request and gives the result as it came: nothing validated, nothing dropped.

    The typed calls refuse a whole list for one odd tool. Leans on
    `ClientSession._stamp` (the envelope and headers of the era) and `._dispatcher`, as
    the SDK's own `listen` does.
    """
    data: dict[str, Any] = {"method": method}
    if params is not None:
        data["params"] = dict(params)
    options: CallOptions = {}
    session._stamp(data, options)  # noqa: SLF001
    if on_progress is not None:
        options["on_progress"] = on_progress
    return await session._dispatcher.send_raw_request(  # noqa: SLF001
        method, data.get("params"), options
    )


def unanswered(error: MCPError) -> bool:
    """Tells an error that the SDK made, since no answer can come, from one that came.

    Many servers answer with the code that the SDK uses for this, -32000. Leans on the
    SDK's wording, and on what it makes having no data.
    """
    made = ("Connection closed", "SSE stream ")
    return error.code == CONNECTION_CLOSED and error.data is None and error.message.startswith(made)


def mirrored(session: ClientSession, tools: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Notes which arguments of these tools go into HTTP headers; gives the unusable tools.

    A tool whose `x-mcp-header` marks are wrong must not be offered by a client; the
    answer says why, by name. Leans on `ClientSession._x_mcp_header_maps`, which only
    the typed list fills.
    """
    refused: dict[str, str] = {}
    maps = session._x_mcp_header_maps  # noqa: SLF001
    for tool in tools:
        name, schema = tool.get("name"), tool.get("inputSchema")
        if not isinstance(name, str) or not isinstance(schema, dict):
            continue
        reason = find_invalid_x_mcp_header(schema)
        if reason is None:
            maps[name] = x_mcp_header_map(schema)
        else:
            maps.pop(name, None)
            refused[name] = reason
    return refused
