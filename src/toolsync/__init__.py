"""Tells what changed between two MCP tool catalogues, and whether calls that worked still work."""

from toolsync.catalog import Catalog, Limits, Tool, load, loads

__all__ = ["Catalog", "Limits", "Tool", "load", "loads"]
