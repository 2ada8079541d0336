"""The stub says what the compiled module holds: no more, no less, and with those signatures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from toolsync import _diff

STUBTEST = [sys.executable, "-m", "mypy.stubtest", "toolsync._diff", "toolsync._reading"]


@pytest.mark.slow
def test_the_stub_agrees_with_the_binary(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed: the stub is not checked")
    done = subprocess.run(
        STUBTEST, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_stub_that_promises_too_much_is_seen(tmp_path: Path) -> None:
    """Shows that the check bites: the same stub, with one function more."""
    pytest.importorskip("mypy", reason="mypy is not installed: the stub is not checked")
    package = tmp_path / "toolsync"
    package.mkdir()
    source = Path(_diff.__file__).parent
    for text in ("__init__.py", "py.typed"):
        (package / text).write_text("")
    for each in (*source.glob("_diff.*"), *source.glob("_reading.*")):
        (package / each.name).write_bytes(each.read_bytes())
    with (package / "_diff.pyi").open("a") as stub:
        stub.write("\ndef planted(text: bytes) -> int: ...\n")
    done = subprocess.run(
        STUBTEST,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=300,
        env={"PATH": "", "PYTHONPATH": str(tmp_path), "MYPYPATH": str(tmp_path)},
    )
    assert done.returncode != 0
    assert "planted" in done.stdout
