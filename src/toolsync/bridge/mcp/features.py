"""What a server offers beside tools, handed through unchanged: prompts, resources, completions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import mcp_types as types
from pydantic import BaseModel

PASSED: Final[Mapping[str, Mapping[str, type[BaseModel]]]] = {
    "prompts": {
        "prompts/list": types.PaginatedRequestParams,
        "prompts/get": types.GetPromptRequestParams,
    },
    "resources": {
        "resources/list": types.PaginatedRequestParams,
        "resources/templates/list": types.PaginatedRequestParams,
        "resources/read": types.ReadResourceRequestParams,
    },
    "completions": {"completion/complete": types.CompleteRequestParams},
}
"""The requests that belong to each capability, and what their parameters look like."""

_CACHEABLE: Final = frozenset(
    {"prompts/list", "resources/list", "resources/templates/list", "resources/read"}
)

Notified = Callable[[str, Mapping[str, Any] | None], None]


class Features(Protocol):
    """A server whose prompts and resources are handed through; `Upstream` is one."""

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """The capabilities that the server declared, as JSON."""
        ...

    async def request(self, method: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
        """Sends a request; gives the result as it came, or raises RemoteError."""
        ...

    def on_notification(self, listener: Notified) -> Callable[[], None]:
        """Calls the listener with every notification but those about tools."""
        ...


def passed_methods(features: Features) -> dict[str, type[BaseModel]]:
    """Gives the requests that a server answers beside those about tools."""
    return {
        method: params
        for capability, methods in PASSED.items()
        if features.capabilities.get(capability) is not None
        for method, params in methods.items()
    }


def plain_params(params: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Gives the parameters without `_meta`: its keys belong to one connection."""
    if params is None:
        return None
    return {key: value for key, value in params.items() if key != "_meta"} or None


def framed(method: str, result: dict[str, Any], *, modern: bool) -> dict[str, Any]:
    """Adds what 2026-07-28 demands and a server of the handshake era does not send."""
    if not modern:
        return result
    frame: dict[str, Any] = {"resultType": "complete"}
    if method in _CACHEABLE:
        frame |= {"ttlMs": 0, "cacheScope": "private"}
    return {**frame, **result}
