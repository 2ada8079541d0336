"""Claim: a diff of two files needs at most 1.5 times their bytes.

Above what an interpreter needs that has only imported toolsync.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from texts import Texts

STATUS = Path("/proc/self/status")
pytestmark = pytest.mark.skipif(not STATUS.exists(), reason="the peak is read from /proc")

IDLE = "import sys, toolsync"
DIFF = f"{IDLE}; toolsync.diff(toolsync.load(sys.argv[1]), toolsync.load(sys.argv[2])).level"
# Not getrusage: a child's ru_maxrss begins with what its parent had when it was forked.
PEAK = f"; print(open({str(STATUS)!r}).read().partition('VmHWM:')[2].split()[0])"


def _peak(code: str, *paths: Path) -> int:
    command = [sys.executable, "-c", code + PEAK, *map(str, paths)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout) * 1024


@pytest.mark.parametrize("variant", ["one_percent", "shuffled", "all_changed"])
def test_peak_memory(tmp_path: Path, texts: Texts, variant: str) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_bytes(texts.old)
    new.write_bytes(getattr(texts, variant))
    both = old.stat().st_size + new.stat().st_size
    found = (_peak(DIFF, old, new) - _peak(IDLE)) / both
    print(f"\n{variant}: peak memory {found:.2f} x the bytes of both files")
    assert found <= 1.5
