"""Keeps running sessions current: plugins or servers in, exactly the changes that matter out."""

from __future__ import annotations

from toolsync.live.adapter import Adapter, Publisher
from toolsync.live.errors import Closed, RegistrationError, ToolChanged, UnknownTool
from toolsync.live.events import RefreshFailed, SubscriptionLost, ToolsUpdated
from toolsync.live.hub import Hub
from toolsync.live.outcome import ContributionsChanged, Outcome
from toolsync.live.plugin import Build, Commit, Plugin, PluginStatus, Rejected
from toolsync.live.registry import Registry
from toolsync.live.remote import RemoteCatalog
from toolsync.live.session import Session
from toolsync.live.state import Published
from toolsync.live.tool_list import DuplicateName, ToolList
from toolsync.live.view import Select

__all__ = [
    "Adapter", "Build", "Closed", "Commit", "ContributionsChanged", "DuplicateName", "Hub",
    "Outcome", "Plugin", "PluginStatus", "Published", "Publisher", "RefreshFailed",
    "RegistrationError", "Registry", "Rejected", "RemoteCatalog", "Select", "Session",
    "SubscriptionLost", "ToolChanged", "ToolList", "ToolsUpdated", "UnknownTool",
]  # fmt: skip
