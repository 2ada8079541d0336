"""What a remote catalogue tells to whoever subscribed."""

from __future__ import annotations

from dataclasses import dataclass

from toolsync.catalog import Catalog
from toolsync.changes import Changes


@dataclass(frozen=True, slots=True)
class ToolsUpdated:
    """Says that a catalogue is in use which differs from the one before by more than looks."""

    revision: int
    catalog: Catalog
    changes: Changes


@dataclass(frozen=True, slots=True)
class RefreshFailed:
    """Says why a refresh failed; `age`: for how many seconds refreshes have been failing."""

    reason: str
    age: float


@dataclass(frozen=True, slots=True)
class SubscriptionLost:
    """Says that notifications may have been missed; the list is fetched again."""

    reason: str


Event = ToolsUpdated | RefreshFailed | SubscriptionLost
"""One event of a remote catalogue."""
