from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from toolsync.catalog import Limits
from toolsync.errors import (
    FormatError,
    IncompleteError,
    LimitError,
    SourceError,
    TextError,
    ToolsyncError,
)
from toolsync.sources import read_catalog, read_text

TOOLS = b'{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}'
POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX files")
LIMIT = 1 << 20


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tools.json"
    path.write_bytes(TOOLS)
    return path


def _refusal(source: str, max_bytes: int = LIMIT) -> str:
    with pytest.raises(ToolsyncError) as caught:
        read_catalog(source, limits=Limits(max_bytes=max_bytes))
    return str(caught.value)


def test_a_file_is_read(file: Path) -> None:
    catalog = read_catalog(str(file))
    assert [tool.name for tool in catalog] == ["a"]
    assert catalog.source == str(file)


def test_a_link_to_a_file_is_read(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(file)
    assert len(read_catalog(str(link))) == 1


def test_a_missing_file(tmp_path: Path) -> None:
    path = str(tmp_path / "nope.json")
    assert _refusal(path) == f"{path}: no such file"


def test_a_directory(tmp_path: Path) -> None:
    assert _refusal(str(tmp_path)) == f"{tmp_path}: is a directory: name a file in it"


@POSIX
def test_a_named_pipe_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert "is a named pipe" in _refusal(str(path))


@POSIX
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_devices_are_refused_unread(path: str) -> None:
    assert _refusal(path) == f"{path}: is a device, not a file"


@pytest.mark.skipif(sys.platform != "linux", reason="a Linux file")
def test_a_file_that_is_none_underneath(tmp_path: Path) -> None:
    link = tmp_path / "memory"
    link.symlink_to("/proc/self/mem")
    assert "cannot be read" in _refusal(str(link))


@POSIX
def test_links_that_go_round(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert "go round in a circle" in _refusal(str(tmp_path / "a"))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file(file: Path) -> None:
    file.chmod(0)
    assert _refusal(str(file)) == f"{file}: permission denied"


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_names_that_no_file_has(name: str) -> None:
    assert "not a file name" in _refusal(name) or "no such file" in _refusal(name)


@POSIX
def test_a_name_with_control_characters_is_shown_escaped(tmp_path: Path) -> None:
    message = _refusal(str(tmp_path / "n\x1b[31m\u202e.json"))
    assert message.endswith("n\\u{1B}[31m\\u{202E}.json: no such file")


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # sparse: nobody could read it in time
    assert _refusal(str(path)) == (
        f"{path}: holds 1,099,511,627,776 bytes, the limit is 1,048,576 (--max-bytes raises it)"
    )


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        (b"", TextError, "empty"),
        (b" \n\t", TextError, "empty"),
        (TOOLS[:30], TextError, "byte 30"),
        (TOOLS + b"\n!", TextError, "line 2"),
        (b"\xef\xbb\xbf" + TOOLS, TextError, "byte-order mark"),
        ('{"tools": []}'.encode("utf-16"), TextError, "UTF-8"),
        (b'{"tools": [{"name": "\xff"}]}', TextError, "byte"),
        (b"null", FormatError, "catalogue"),
        (b'{"tools": {}}', FormatError, "tools"),
        (
            b'{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}}',
            FormatError,
            "error",
        ),
        (b'{"tools": [], "nextCursor": "c"}', IncompleteError, "page"),
    ],
    ids=[
        "empty",
        "blank",
        "cut",
        "trailing",
        "bom",
        "utf16",
        "bytes",
        "null",
        "object",
        "rpc",
        "pages",
    ],
)
def test_what_is_no_catalogue_is_told_with_its_file_and_place(
    file: Path, text: bytes, error: type[ToolsyncError], told: str
) -> None:
    file.write_bytes(text)
    with pytest.raises(error) as caught:
        read_catalog(str(file))
    assert str(caught.value).startswith(f"{file}: ")
    assert told in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def _read_in_a_process(source: str, data: bytes, *, limit: int = LIMIT) -> str:
    code = (
        "import sys\n"
        "from toolsync.errors import ToolsyncError\n"
        "from toolsync.sources import read_text\n"
        "try: print(len(read_text(sys.argv[1], max_bytes=int(sys.argv[2]))))\n"
        "except ToolsyncError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, source, str(limit)],
        input=data,
        capture_output=True,
        check=True,
        timeout=30,
    )
    return done.stdout.decode().strip()


def test_standard_input() -> None:
    assert _read_in_a_process("-", TOOLS) == str(len(TOOLS))
    assert _read_in_a_process("-", b"x" * 100, limit=99) == (
        "-: holds more than 99 bytes (--max-bytes raises the limit)"
    )


@POSIX
@pytest.mark.parametrize("source", ["/dev/stdin", "/dev/fd/0"])
def test_what_a_shell_hands_over_is_read(source: str) -> None:
    assert _read_in_a_process(source, TOOLS) == str(len(TOOLS))


@POSIX
def test_a_descriptor_that_is_not_open() -> None:
    assert "cannot be read" in _read_in_a_process("/dev/fd/99", b"")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("stdio:no-such-command secret-token", "no such command"),
        ("http://user:secret@127.0.0.1:9/mcp?token=secret", "cannot reach"),
    ],
)
def test_servers_that_cannot_be_reached_are_told_without_their_secrets(
    source: str, told: str
) -> None:
    message = _refusal(source)
    assert told in message
    assert "secret" not in message


def _git(folder: Path, *arguments: str) -> None:
    who = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org"}
    who |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org"}
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        env=dict(os.environ) | who | quiet,
    )


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    (folder / "sub").mkdir()
    (folder / "sub" / "tools.json").write_bytes(TOOLS)
    (folder / "-x --output=y.json").write_bytes(TOOLS)
    _git(folder, "init", "-q")
    _git(folder, "add", ".")
    _git(folder, "commit", "-q", "-m", "one")
    (folder / "sub" / "tools.json").write_bytes(b'{"tools": []}')
    _git(folder, "add", ".")
    return folder


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("git:HEAD:sub/tools.json", 1),
        ("git:HEAD:./sub/tools.json", 1),
        ("git:HEAD^{commit}:sub/tools.json", 1),
        ("git::sub/tools.json", 0),
        ("git:HEAD:-x --output=y.json", 1),
    ],
)
def test_a_revision_is_read(
    repository: Path, monkeypatch: pytest.MonkeyPatch, source: str, count: int
) -> None:
    monkeypatch.chdir(repository)
    catalog = read_catalog(source)
    assert (len(catalog), catalog.source) == (count, source)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("git:HEAD", "expected git:REV:PATH"),
        ("git:HEAD:", "expected git:REV:PATH"),
        (
            "git:HEAD:tools.json",
            "no such file in revision HEAD; paths begin at the repository's root",
        ),
        ("git:HEAD:./tools.json", "no such file in revision HEAD"),
        ("git:nope:sub/tools.json", "no such file in revision nope"),
        ("git::nope", "no such file in the index"),
        ("git:HEAD:sub", "is a tree, not a file"),
        ("git:--batch:sub/tools.json", "no such file in revision --batch"),
        ("git:--output=x:sub/tools.json", "no such file in revision --output=x"),
        ("git:$(touch x):`touch x`", "no such file"),
        ("git:HEAD\nHEAD:sub/tools.json", "line break"),
        ("git:HE\x1bAD:x", "HE\\u{1B}AD"),
        ("git:HEAD:sub/tools.json ", "no such file"),
    ],
)
def test_a_revision_that_cannot_be_read(
    repository: Path, monkeypatch: pytest.MonkeyPatch, source: str, told: str
) -> None:
    monkeypatch.chdir(repository)
    message = _refusal(source)
    assert told in message
    assert message.replace("\n", "").isprintable()
    assert sorted(path.name for path in repository.iterdir()) == [
        "-x --output=y.json",
        ".git",
        "sub",
    ]


def test_a_file_of_a_revision_is_measured_before_it_is_read(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    with pytest.raises(LimitError, match="holds 61 bytes, the limit is 60"):
        read_text("git:HEAD:sub/tools.json", max_bytes=60)


def test_git_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert "git: fatal: not a git repository" in _refusal("git:HEAD:x")


def test_git_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="git is not installed"):
        read_text("git:HEAD:x", max_bytes=LIMIT)


@POSIX
@pytest.mark.parametrize("by_name", [False, True])
def test_a_pipe_that_does_not_block_is_read_to_its_end(
    by_name: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)

    def write() -> None:
        for start in range(0, len(TOOLS), 20):
            os.write(writing, TOOLS[start : start + 20])
            time.sleep(0.01)  # the reader finds the pipe empty, and must wait
        os.close(writing)

    writer = threading.Thread(target=write)
    with os.fdopen(reading, "rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        writer.start()
        assert read_text(f"/dev/fd/{reading}" if by_name else "-", max_bytes=LIMIT) == TOOLS
        writer.join()
