"""An MCP server that stands before another one, and keeps it quiet, current and up."""
