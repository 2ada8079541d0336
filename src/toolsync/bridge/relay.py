"""A child process that passes its standard input and output on to the host that asked for it.

An agent starts it as an MCP server over stdio; the server itself lives in the host, where
the plugins are. Run as `python -m toolsync.bridge.relay PORT`; a token, handed over in the
environment, tells the host which session this is.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable
from typing import Final

TOKEN: Final = "TOOLSYNC_RELAY_TOKEN"  # noqa: S105  the name of a variable
HOST: Final = "127.0.0.1"
_CHUNK: Final = 1 << 16
_CONNECT_WITHIN: Final = 10.0


def main(arguments: list[str]) -> int:
    """Relays until either side ends; returns the exit code."""
    token = os.environ.get(TOKEN, "")
    if len(arguments) != 1 or not arguments[0].isdecimal() or not token:
        return _fail(f"expected a port, and a token in {TOKEN}: start it as the host said")
    try:
        joint = socket.create_connection((HOST, int(arguments[0])), _CONNECT_WITHIN)
    except (OSError, OverflowError) as error:
        return _fail(f"the host at {HOST}:{arguments[0]} is not there: {error}")
    with joint:
        joint.settimeout(None)
        joint.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        joint.sendall(f"{token}\n".encode())
        threading.Thread(target=_upward, args=(joint,), daemon=True).start()
        _pass_on(lambda: joint.recv(_CHUNK), _write_out)
    return 0


def _upward(joint: socket.socket) -> None:
    _pass_on(lambda: os.read(0, _CHUNK), joint.sendall)
    try:
        joint.shutdown(socket.SHUT_WR)
    except OSError:
        return  # the host has hung up already


def _pass_on(read: Callable[[], bytes], write: Callable[[bytes], None]) -> None:
    """Passes bytes on until one side ends or is gone, which is the same here."""
    try:
        while data := read():
            write(data)
    except OSError:
        return


def _write_out(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(1, rest) :]


def _fail(message: str) -> int:
    sys.stderr.write(f"toolsync relay: {message}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
