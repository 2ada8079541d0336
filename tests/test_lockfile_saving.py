"""A lockfile is on the disk whole, the old one or the new one, whatever happens meanwhile."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolsync.errors import LockError
from toolsync.lockfile import save, seen

POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX files")
NOT_ROOT = pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everything"
)
PATIENCE = 30.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "toolsync.lock"


def _save(path: Path, text: bytes) -> None:
    save(str(path), text, seen(str(path)))


def _only(path: Path) -> bool:
    return [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_new_file_and_a_replaced_one(path: Path) -> None:
    for text in (b"one", b"two, longer", b"3"):
        _save(path, text)
        assert path.read_bytes() == text
        assert _only(path)


@POSIX
def test_a_new_file_has_the_permissions_of_new_files(path: Path) -> None:
    before = os.umask(0o027)
    try:
        _save(path, b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@POSIX
def test_permissions_stay(path: Path) -> None:
    path.write_bytes(b"old")
    path.chmod(0o604)
    _save(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@POSIX
@NOT_ROOT
def test_a_read_only_file_is_left_alone(path: Path) -> None:
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(LockError, match="cannot be written: it is read-only"):
        _save(path, b"new")
    assert path.read_bytes() == b"old"


@POSIX
@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_stays_a_link(path: Path, is_there: bool) -> None:
    real = path.parent / "elsewhere" / "real.lock"
    real.parent.mkdir()
    if is_there:
        real.write_bytes(b"old")
    path.symlink_to(Path("elsewhere") / "real.lock")
    _save(path, b"new")
    assert path.is_symlink()
    assert real.read_bytes() == b"new"
    assert [found.name for found in real.parent.iterdir()] == ["real.lock"]


@POSIX
def test_links_in_a_circle(path: Path) -> None:
    path.symlink_to(path.name)
    with pytest.raises(LockError, match="its symbolic links go round in a circle"):
        seen(str(path))


@POSIX
def test_what_is_no_file(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(LockError, match="expected a file, or nothing there yet"):
        seen(str(path))
    with pytest.raises(LockError, match="expected a file, or nothing there yet"):
        seen(str(path.parent))


def test_a_missing_folder(path: Path) -> None:
    with pytest.raises(LockError, match="cannot be written: no such folder"):
        _save(path.parent / "nope" / "x.lock", b"x")
    with pytest.raises(LockError, match="null"):
        seen("a\0b")


@POSIX
@NOT_ROOT
def test_a_folder_that_takes_nothing(path: Path) -> None:
    path.parent.chmod(0o555)
    try:
        with pytest.raises(LockError, match="cannot be written"):
            _save(path, b"x")
    finally:
        path.parent.chmod(0o755)
    assert list(path.parent.iterdir()) == []


def test_a_file_that_changed_meanwhile_is_left_alone(path: Path) -> None:
    path.write_bytes(b"old")
    before = seen(str(path))
    path.write_bytes(b"someone else's")
    with pytest.raises(LockError, match="another program wrote it meanwhile"):
        save(str(path), b"mine", before)
    assert path.read_bytes() == b"someone else's"
    path.unlink()
    with pytest.raises(LockError, match="another program wrote it meanwhile"):
        save(str(path), b"mine", before)
    assert list(path.parent.iterdir()) == []


APPENDER = """
import sys
from pathlib import Path
from toolsync.errors import LockError
from toolsync.lockfile import save, seen
path, letter, left = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
while left:
    since = seen(path)
    text = b"" if since is None else Path(path).read_bytes()
    try:
        save(path, text + letter, since)
    except LockError as error:
        assert "another program wrote it meanwhile" in str(error), error
    else:
        left -= 1
"""


@POSIX
def test_what_one_of_several_writers_has_written_no_other_takes_away(path: Path) -> None:
    for _ in range(3):  # each time there is no file at first
        path.unlink(missing_ok=True)
        writers = [
            subprocess.Popen([sys.executable, "-c", APPENDER, str(path), letter, "20"])
            for letter in "abcd"
        ]
        try:
            assert [writer.wait(PATIENCE) for writer in writers] == [0] * 4
        finally:
            for writer in writers:
                writer.kill()
        assert sorted(path.read_bytes()) == sorted(b"abcd" * 20)
        assert _only(path)


@POSIX
def test_drafts_of_the_dead_are_swept_and_of_the_living_kept(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    dead = path.with_name(f".{path.name}.{done.stdout.strip()}.tmp")
    alive = path.with_name(f".{path.name}.{os.getppid()}.tmp")
    mine = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    other = path.with_name(f".{path.name}.bak.tmp")
    for draft in (dead, alive, mine, other):
        draft.write_bytes(b"torn")
    _save(path, b"new")
    assert {found.name for found in path.parent.iterdir()} == {path.name, alive.name, other.name}


@POSIX
def test_a_draft_is_never_written_through_a_link(path: Path) -> None:
    victim = path.parent / "victim"
    victim.write_bytes(b"mine")
    path.with_name(f".{path.name}.{os.getpid()}.tmp").symlink_to(victim)
    _save(path, b"new")
    assert victim.read_bytes() == b"mine"
    assert not path.is_symlink()


FULL = """
import resource, sys
from toolsync.errors import LockError
from toolsync.lockfile import save, seen
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    save(sys.argv[1], b"x" * 100_000, seen(sys.argv[1]))
except LockError as error:
    print(error)
"""


@POSIX
def test_a_disk_that_takes_no_more_leaves_the_old_file(path: Path) -> None:
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", FULL, str(path)],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout == f"{path}: cannot be written: File too large\n"
    assert path.read_bytes() == b"old"
    assert _only(path)


# --- killed while it writes ------------------------------------------------------------------

SIZE = 1 << 19
WRITER = """
import itertools, sys
from toolsync.lockfile import save, seen
path, size = sys.argv[1], int(sys.argv[2])
for letter in itertools.cycle(b"ab"):
    save(path, bytes([letter]) * size, seen(path))
    sys.stdout.write(".")
    sys.stdout.flush()
"""


def _written(process: subprocess.Popen[bytes], times: int) -> None:
    assert process.stdout is not None
    assert len(process.stdout.read(times)) == times


def _killed(command: list[str], times: int) -> None:
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            _written(process, times)
        finally:
            process.kill()


@POSIX
def test_a_writer_that_is_killed_leaves_the_old_file_or_the_new_one(path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(path), str(SIZE)]
    for round_ in range(12):
        _killed(command, 1 + round_ % 5)
        text = path.read_bytes()
        assert len(text) == SIZE
        assert len(set(text)) == 1
    _save(path, b"done")
    assert _only(path)


def _drafts(folder: Path) -> Iterator[str]:
    return (name for name in os.listdir(folder) if name.endswith(".tmp"))  # noqa: PTH208  quick


@POSIX
def test_a_command_killed_in_the_midst_of_writing(tmp_path: Path) -> None:
    tool = '{"name": "t%d", "description": "%s", "inputSchema": {"type": "object"}}'
    for name, letter in (("old.json", "o"), ("new.json", "n")):
        text = ",".join(tool % (at, letter * 1000) for at in range(1500))
        (tmp_path / name).write_text(f'{{"tools": [{text}]}}', "utf-8")
    command = [sys.executable, "-m", "toolsync", "lock", "-q"]
    whole = {}
    for name in ("new.json", "old.json"):
        subprocess.run([*command, name], cwd=tmp_path, check=True)
        whole[name] = (tmp_path / "toolsync.lock").read_bytes()
    for _ in range(5):
        _killed_while_writing([*command, "new.json"], tmp_path)
        assert (tmp_path / "toolsync.lock").read_bytes() in whole.values()
    subprocess.run([*command, "old.json"], cwd=tmp_path, check=True)
    assert (tmp_path / "toolsync.lock").read_bytes() == whole["old.json"]


def _killed_while_writing(command: list[str], folder: Path) -> None:
    until = time.monotonic() + PATIENCE
    with subprocess.Popen(command, cwd=folder) as process:
        while process.poll() is None and not next(_drafts(folder), None):
            assert time.monotonic() < until
        process.kill()
