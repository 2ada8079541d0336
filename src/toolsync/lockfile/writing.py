"""A lockfile as text: the same catalogues, the same bytes.

Every comma between two blocks has a line of its own, and each block begins with the tool's
name: so whatever two branches change in different tools, git finds unchanged lines between.
It ends with the name of its catalogue, or git would take a tool of one for that of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    return b"".join([head, b"\n,\n".join(_blocks(_string(name), server)), b"\n]\n}"])


def _blocks(catalogue: bytes, server: Server) -> Iterator[bytes]:
    for tool in sorted(server.tools, key=lambda tool: tool.name):
        yield _block(catalogue, _tool(tool))
    for entry in sorted(server.unusable, key=_place):
        yield _block(catalogue, _unusable(entry))


def _block(catalogue: bytes, parts: Iterable[tuple[bytes, bytes]]) -> bytes:
    members = [b'"%b": %b' % part for part in (*parts, (b"catalogue", catalogue))]
    return b"{\n%b\n}" % b",\n".join(members)


def _tool(tool: LockedTool) -> Iterable[tuple[bytes, bytes]]:
    return (
        (b"tool", _string(tool.name)),
        (b"digest", b'"%b"' % tool.digest.encode()),
        (b"semantic", b'"%b"' % tool.semantic.encode()),
        (b"definition", laid_out(tool.text)),
    )


def _unusable(entry: Unusable) -> Iterable[tuple[bytes, bytes]]:
    return (
        (b"unusable", b"null" if entry.name is None else _string(entry.name)),
        (b"bytes", _string(entry.digest)),
        (b"path", _string(entry.path)),
        (b"reason", _string(entry.reason)),
    )


def _place(entry: Unusable) -> tuple[bool, str, str]:
    return entry.name is None, entry.name or "", entry.digest


def _string(text: str) -> bytes:
    return visible(orjson.dumps(text))
