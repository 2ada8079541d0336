"""MCP on the official SDK: a server that tells its sessions, and a client that follows a server."""
