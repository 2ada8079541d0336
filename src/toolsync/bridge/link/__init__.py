"""Hosts whose sessions live in another process or language, reached by JSON-RPC over a stream."""
