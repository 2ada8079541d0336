"""What a server offers beside tools: announced further only where its lists really differ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import anyio

from toolsync.bridge.mcp.client import ConnectionLost, Upstream
from toolsync.errors import ToolsyncError

_LISTS: Final[Mapping[str, tuple[str, ...]]] = {
    "prompts": ("prompts/list",),
    "resources": ("resources/list", "resources/templates/list"),
}
_QUIET: Final = 0.05  # seconds in which announcements that come together count as one
_MOST_PAGES: Final = 1_000


class FeatureNews:
    """Finds out which of these lists differ from what was last seen, over all connections."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    async def follow(
        self, upstream: Upstream, woken: Callable[[], anyio.Event], tell: Callable[[str], None]
    ) -> None:
        """Looks now and whenever `woken` gives an event that is set; tells what differs."""
        changing = [
            feature
            for feature in _LISTS
            if (upstream.capabilities.get(feature) or {}).get("listChanged")
        ]
        while changing:
            event = woken()
            for feature in changing:
                if await self._differs(upstream, feature):
                    tell(f"notifications/{feature}/list_changed")
            await event.wait()
            await anyio.sleep(_QUIET)

    async def _differs(self, upstream: Upstream, feature: str) -> bool:
        """Looks at the lists of a feature; the first sight of them is no news."""
        try:
            found = await _digest(upstream, _LISTS[feature])
        except ConnectionLost:
            return False
        except ToolsyncError:
            return True  # nobody knows: whoever is told may look for themselves
        before, self._seen[feature] = self._seen.get(feature), found
        return before is not None and before != found


async def _digest(upstream: Upstream, methods: tuple[str, ...]) -> str:
    made = hashlib.sha256()
    for method in methods:
        cursor: Any = None
        for _ in range(_MOST_PAGES):
            result = await upstream.request(method, None if cursor is None else {"cursor": cursor})
            cursor = result.get("nextCursor")
            entries = [value for value in result.values() if isinstance(value, list)]
            made.update(json.dumps(entries, sort_keys=True).encode())
            if cursor is None:
                break
    return made.hexdigest()
