"""Puts the text of a lockfile in place whole or not at all, whenever the machine stops.

The text goes into a new file beside the old one and onto the disk; then the new one takes the
old one's name in one step, and the folder goes onto the disk too.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from toolsync.errors import LockError
from toolsync.safe import safe_text

_FLAGS: Final = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL  # what lies there already, a link above all, is never written through
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_NEW: Final = 0o666  # less what the umask takes away


class Seen(NamedTuple):
    """What a file looked like when it was read."""

    device: int
    inode: int
    size: int
    changed: int


def seen(path: str) -> Seen | None:
    """Looks at a file, through links; None where there is none yet.

    Raises LockError for what is no place for a lockfile.
    """
    try:
        status = os.stat(path)  # noqa: PTH116  a name may hold what Path would tidy up
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise LockError(f"{safe_text(path)}: cannot be looked at: {_why(error)}") from error
    if not stat.S_ISREG(status.st_mode):
        raise LockError(f"{safe_text(path)}: expected a file, or nothing there yet")
    return Seen(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def save(path: str, text: bytes, since: Seen | None) -> None:
    """Writes a lockfile; a link stays one, and an existing file keeps its permissions.

    Raises LockError where that fails, or the file is not as it was seen: then another
    toolsync has written it meanwhile.
    """
    target = Path(os.path.realpath(path))
    try:
        _refuse_read_only(path, target)
        _sweep(target)
        _replace(path, target, text, since)
    except (OSError, ValueError) as error:
        raise LockError(f"{safe_text(path)}: cannot be written: {_why(error)}") from error


def _refuse_read_only(path: str, target: Path) -> None:
    # Taking its name would not ask for leave to write the file itself.
    if target.exists() and not os.access(target, os.W_OK):
        raise LockError(f"{safe_text(path)}: cannot be written: it is read-only")


def _replace(path: str, target: Path, text: bytes, since: Seen | None) -> None:
    draft = _draft(target, os.getpid())
    draft.unlink(missing_ok=True)  # of an earlier process of the same number
    descriptor = os.open(draft, _FLAGS, _NEW)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _keep_owner(target, file.fileno())
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with _alone(path, target):
            _take_name(path, draft, target, since)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


@contextlib.contextmanager
def _alone(path: str, target: Path) -> Iterator[None]:
    """Holds the old file, so that of several writers only one looks at it and replaces it."""
    descriptor = _held(path, target)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _held(path: str, target: Path) -> int | None:
    if os.name != "posix":
        return None
    import fcntl  # noqa: PLC0415  not there elsewhere

    try:
        descriptor = os.open(target, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:  # not there yet, or not to be read
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise _meanwhile(path) from error
    except OSError:  # a file system without locks
        pass
    return descriptor


def _take_name(path: str, draft: Path, target: Path, since: Seen | None) -> None:
    if seen(path) != since:
        raise _meanwhile(path)
    if since is None:  # nothing to hold: the name itself is taken by one alone
        try:
            target.hardlink_to(draft)
        except FileExistsError as error:
            raise _meanwhile(path) from error
        except (OSError, NotImplementedError):  # a file system without hard links
            draft.replace(target)
        else:
            draft.unlink()
        return
    draft.replace(target)


def _meanwhile(path: str) -> LockError:
    return LockError(
        f"{safe_text(path)}: another program wrote it meanwhile: run the command again"
    )


def _keep_owner(target: Path, descriptor: int) -> None:
    if not target.exists() or not hasattr(os, "fchown"):
        return
    status = target.stat()
    with contextlib.suppress(OSError):  # only who may give files away can
        os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


def _draft(target: Path, process: int) -> Path:
    return target.with_name(f".{target.name[:200]}.{process}.tmp")


def _sweep(target: Path) -> None:
    """Removes the drafts of processes that were killed while they wrote."""
    if os.name != "posix":  # there is no asking for a process without touching it
        return
    pattern = re.compile(re.escape(f".{target.name[:200]}.") + r"(\d{1,10})\.tmp")
    for found in os.listdir(target.parent):  # noqa: PTH208  names are all that is needed
        match = pattern.fullmatch(found)
        if match and not _runs(int(match[1])):
            with contextlib.suppress(OSError):
                (target.parent / found).unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # folders cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot, and says so
            raise
    finally:
        os.close(descriptor)


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.errno == errno.ENOENT:
        return "no such folder"
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "its symbolic links go round in a circle"
    return getattr(error, "strerror", None) or str(error)
