"""What a server says unasked, heard before the SDK makes a task of each word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp_types import JSONRPCMessage, JSONRPCNotification

TOOLS_CHANGED: Final = "notifications/tools/list_changed"

_OF_FEATURES: Final = frozenset(
    {"notifications/prompts/list_changed", "notifications/resources/list_changed"}
)

Listener = Callable[[str, Mapping[str, Any] | None], None]


class Ear:
    """Takes the announcements out of what a server sends; the rest is the SDK's.

    It only takes note: the transport's reader never asks the server anything. A storm
    costs a flag, not a task per notification.
    """

    def __init__(self, changed: Callable[[], None], ended: Callable[[str], None]) -> None:
        self._changed = changed
        self._listeners: dict[object, Listener] = {}
        self.ended = ended

    def hears(self, message: JSONRPCMessage) -> bool:
        """Tells whether a message was an announcement, and is settled by that."""
        if not isinstance(message, JSONRPCNotification):
            return False
        if message.method == TOOLS_CHANGED:
            self._changed()
            return True
        if message.method not in _OF_FEATURES:
            return False
        for listener in tuple(self._listeners.values()):
            listener(message.method, message.params)
        return True

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls the listener with announcements that are not about tools."""
        key = object()
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe
