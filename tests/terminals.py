"""A command on a real terminal of its own, with somebody who types."""

from __future__ import annotations

import contextlib
import os
import re
import select
import subprocess
import sys
import time

import pytest

pty = pytest.importorskip("pty", reason="no terminals to open")

SGR = re.compile(r"\x1b\[[0-9;]*m")
# The new session has no terminal of its own until it opens one: then Ctrl-C reaches it.
MAIN = (
    "import os, sys; os.open(os.ttyname(0), os.O_RDWR)\n"
    "from toolsync.cli import main; sys.exit(main())"
)
PATIENCE = 60.0


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self._primary, secondary = pty.openpty()
        env = dict(os.environ) | {"TERM": "xterm", "COLUMNS": "100", "LINES": "30"}
        env.pop("NO_COLOR", None)
        self._process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *arguments],
            stdin=secondary,
            stdout=secondary,
            stderr=secondary,
            start_new_session=True,
            env=env,
        )
        os.close(secondary)
        self.shown = ""
        self._seen = 0

    def until(self, text: str) -> str:
        """Waits for a text; gives what was shown before it, since the last one."""
        end = time.monotonic() + PATIENCE
        while text not in self.shown[self._seen :]:
            assert time.monotonic() < end, self.shown
            assert self._read(), self.shown
        at = self.shown.index(text, self._seen) + len(text)
        told, self._seen = self.shown[self._seen : at], at
        return told

    def say(self, text: str) -> None:
        os.write(self._primary, text.encode())

    def finish(self) -> int:
        while self._read():
            pass
        code = self._process.wait(PATIENCE)
        os.close(self._primary)
        return code

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            os.close(self._primary)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._primary], [], [], PATIENCE)
        assert ready, self.shown
        try:
            piece = os.read(self._primary, 1 << 16)
        except OSError:  # Linux says so when the other side is closed
            return False
        self.shown += SGR.sub("", piece.decode()).replace("\r\n", "\n")
        return bool(piece)
