"""A lockfile as text: the same catalogues, the same bytes.

Every comma between two blocks has a line of its own, and each block begins with the tool's
name: so whatever two branches change in different tools, git finds unchanged lines between.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from toolsync.lockfile.layout import laid_out, visible
from toolsync.lockfile.model import FORM, VERSION, LockedTool, Lockfile, Server, Unusable


def written(lockfile: Lockfile) -> bytes:
    """Returns the whole text of a lockfile."""
    head = b'{\n"lockfile": %d,\n"form": %d,\n"servers": {\n' % (VERSION, FORM)
    servers = (_server(name, server) for name, server in sorted(lockfile.servers))
    return b"".join([head, b"\n,\n".join(servers), b"\n}\n}\n"])


def _server(name: str, server: Server) -> bytes:
    head = b'%b: {\n"source": %b,\n"tools": [\n' % (_string(name), _string(server.source))
    return b"".join([head, b"\n,\n".join(_blocks(server)), b"\n]\n}"])


def _blocks(server: Server) -> Iterator[bytes]:
    yield from map(_tool, sorted(server.tools, key=lambda tool: tool.name))
    yield from map(_unusable, sorted(server.unusable, key=_place))


def _tool(tool: LockedTool) -> bytes:
    return b'{\n"tool": %b,\n"digest": "%b",\n"semantic": "%b",\n"definition": %b\n}' % (
        _string(tool.name),
        tool.digest.encode(),
        tool.semantic.encode(),
        laid_out(tool.text),
    )


def _unusable(entry: Unusable) -> bytes:
    parts = (
        (b"unusable", b"null" if entry.name is None else _string(entry.name)),
        (b"bytes", _string(entry.digest)),
        (b"path", _string(entry.path)),
        (b"reason", _string(entry.reason)),
    )
    return b"{\n%b\n}" % b",\n".join(b'"%b": %b' % part for part in parts)


def _place(entry: Unusable) -> tuple[bool, str, str]:
    return entry.name is None, entry.name or "", entry.digest


def _string(text: str) -> bytes:
    return visible(orjson.dumps(text))
