"""Following files: which folders matter, what counts as a plugin, what logs look like."""

from __future__ import annotations

import io
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from serving_rig import put, tool, until
from toolsync.bridge.files.command import Bounds, CommandCalls, result_of
from toolsync.bridge.files.follow import Follow, How, plugin_ids
from toolsync.bridge.files.watching import changes_of, folders_of
from toolsync.bridge.logs import LogFormat, LogLevel, configure, tell
from toolsync.live.registry import Registry

LINKS = pytest.mark.skipif(os.name == "nt", reason="links need a right of their own there")


@LINKS
def test_every_folder_on_the_way_through_links_matters(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    real, mount = root / "store" / "v1", root / "mount"
    real.mkdir(parents=True)
    mount.mkdir()
    put(real / "tools.json", tool("a"))
    (mount / "..data").symlink_to("../store/v1")
    (mount / "tools.json").symlink_to("..data/tools.json")
    found = folders_of(mount / "tools.json")
    assert found >= {mount, real, real.parent}


@LINKS
def test_links_that_go_round_and_folders_that_are_missing_end(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    (root / "loop").symlink_to("loop")
    assert root in folders_of(root / "loop" / "tools.json")
    assert root in folders_of(root / "no" / "such" / "tools.json")


def test_what_editors_and_mounts_leave_is_no_plugin(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", ".a.json.swp", ".hidden.json", "a.json~", "c.txt"):
        (tmp_path / name).touch()
    (tmp_path / "d.json").mkdir()
    assert plugin_ids(str(tmp_path)) == ["a.json", "b.json"]
    assert plugin_ids(str(tmp_path / "a.json")) == ["a.json"]


@pytest.mark.anyio
async def test_the_plugins_of_a_folder_can_be_looked_up(tmp_path: Path) -> None:
    """PL6, PL10: unchanged files keep their version while others change."""
    put(tmp_path / "a.json", tool("a"))
    put(tmp_path / "b.json", tool("b"))
    registry = Registry(debounce=0)
    follow = Follow(str(tmp_path), registry, How(lambda path: Path(path).read_bytes()))
    await follow.start()
    before = registry.status()
    async with anyio.create_task_group() as group:
        group.start_soon(follow.run)
        put(tmp_path / "b.json", tool("b", "Other."))
        await until(lambda: registry.status()["b.json"].version != before["b.json"].version)
        assert registry.status()["a.json"] == before["a.json"]
        put(tmp_path / "b.json", tool("b", properties={"x": {"type": "strin"}}))
        await until(lambda: registry.status()["b.json"].state == "retained")
        assert registry.catalog["b"].definition["description"] == "Other."
        group.cancel_scope.cancel()
    await registry.aclose()


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes only there")
async def test_a_file_whose_name_is_no_utf_8_ends_nothing(tmp_path: Path) -> None:
    """The watcher cannot tell of such a name, and fails; whoever watches goes on."""
    put(tmp_path / "a.json", tool("a"))
    registry = Registry(debounce=0)
    follow = Follow(str(tmp_path), registry, How(lambda path: Path(path).read_bytes()))
    await follow.start()
    changes: list[None] = []

    def is_noticed() -> bool:
        put(tmp_path / "b.json", tool("b"))  # again, since it takes a moment until it is watched
        return bool(changes)

    async with anyio.create_task_group() as group:
        group.start_soon(follow.run)
        group.start_soon(changes_of, [tmp_path], lambda: changes.append(None))
        await until(is_noticed)
        changes.clear()
        odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json"))
        odd.write_text(json.dumps([tool("odd")]), "utf-8")
        await until(lambda: "odd" in registry.catalog and bool(changes))
        changes.clear()
        await until(is_noticed)
        await until(lambda: "b" in registry.catalog)
        group.cancel_scope.cancel()
    await registry.aclose()


@pytest.mark.anyio
async def test_a_folder_that_is_lost_takes_nothing_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "plugins"
    folder.mkdir()
    put(folder / "a.json", tool("a"))
    registry = Registry(debounce=0)
    follow = Follow(str(folder), registry, How(lambda path: Path(path).read_bytes()))
    await follow.start()
    async with anyio.create_task_group() as group:
        group.start_soon(follow.run)
        folder.rename(tmp_path / "away")
        folder.mkdir()
        put(folder / "a.json", tool("a"))
        put(folder / "b.json", tool("b"))
        await until(lambda: "b" in registry.catalog)
        assert registry.catalog.index.keys() == {"a", "b"}
        group.cancel_scope.cancel()
    await registry.aclose()


@pytest.mark.anyio
async def test_a_watched_tree_wakes_for_sources_and_not_for_caches(tmp_path: Path) -> None:
    tree, file = tmp_path / "src", tmp_path / "settings.toml"
    (tree / "__pycache__").mkdir(parents=True)
    file.touch()
    seen: list[str] = []
    async with anyio.create_task_group() as group:
        group.start_soon(changes_of, [tree], lambda: seen.append("tree"))
        group.start_soon(changes_of, [file], lambda: seen.append("file"))
        await woken(seen, "tree", lambda n: (tree / "deep.py").write_text(str(n), "utf-8"))
        await woken(seen, "file", lambda n: file.write_text("x" * n, "utf-8"))
        seen.clear()
        (tree / "__pycache__" / "deep.pyc").write_text("x", "utf-8")
        (tmp_path / "beside").write_text("x", "utf-8")
        await woken(seen, "file", lambda n: file.write_text("yy" * n, "utf-8"))
        assert "tree" not in seen
        group.cancel_scope.cancel()


async def woken(seen: list[str], name: str, change: object) -> None:
    """Makes changes until one is seen: the watch may begin a moment later than the test."""
    assert callable(change)
    for number in range(1, 200):
        change(number)
        with anyio.move_on_after(0.05):
            await until(lambda: name in seen)
            return
    raise AssertionError(f"{name} was not seen")


@pytest.fixture
def _logging() -> Iterator[None]:
    root, own = logging.getLogger(), logging.getLogger("toolsync")
    before = (root.handlers[:], root.level, own.level)
    yield
    root.handlers[:], level, level_own = before
    root.setLevel(level)
    own.setLevel(level_own)


@pytest.mark.usefixtures("_logging")
def test_an_event_is_one_safe_line_of_text_or_json() -> None:
    for form in LogFormat:
        stream = io.StringIO()
        configure(form, LogLevel.INFO, stream)
        tell(LogLevel.ERROR, "bad", "red \x1b[31m\nsecond ##[error]x", tool="\u202eevil")
        tell(LogLevel.DEBUG, "quiet", "not told")
        fault = ValueError("inner\nline")
        logging.getLogger("mcp.server").error("failed %s", "here", exc_info=fault)
        logging.getLogger("mcp.server").info("not told")
        wrong = ("one",)
        logging.getLogger("mcp.server").error("%s %s", *wrong)
        lines = stream.getvalue().splitlines()
        assert len(lines) == 3
        assert "\x1b" not in stream.getvalue()
        assert "##[" not in stream.getvalue()
        if form is LogFormat.JSON:
            first, second, _ = map(json.loads, lines)
            assert first["event"] == "bad"
            assert first["tool"] == "\u202eevil"
            assert second["logger"] == "mcp.server"
            assert second["message"] == "failed here (ValueError: inner\nline)"
        else:
            assert lines[0] == "toolsync: error: red \\u{1B}[31m\\nsecond #\\u{23}[error]x"
            assert lines[1] == "toolsync: error: mcp.server: failed here (ValueError: inner\\nline)"


@pytest.mark.usefixtures("_logging")
def test_a_stream_that_is_gone_is_nobodys_trouble() -> None:
    stream = io.StringIO()
    configure(LogFormat.TEXT, LogLevel.INFO, stream)
    stream.close()
    tell(LogLevel.ERROR, "bad", "unheard")


@pytest.mark.parametrize(
    ("printed", "result"),
    [
        (b"plain\n", "plain"),
        (b"", ""),
        (b"[1]", "[1]"),
        (b'{"n": 1}', {"n": 1}),
        (b'{"content": []}', {"content": []}),
        (b"\xff", "\ufffd"),
        (b"[" * 100_000, "[" * 100_000),
    ],
)
def test_what_a_command_prints_becomes_a_result(printed: bytes, result: object) -> None:
    assert result_of(printed) == result


@pytest.mark.anyio
async def test_a_command_may_leave_its_input_unread_and_is_ended_with_what_it_started(
    tmp_path: Path,
) -> None:
    mark = tmp_path / "child"
    body = f"sleep 600 & echo $! > {mark}; exec >&- 2>&-; wait"
    calls = CommandCalls(("sh", "-c", body), Bounds(seconds=1.0))
    if os.name == "nt":
        pytest.skip("needs a shell")
    result = await calls("a", {"x": "y" * 1_000_000})
    assert isinstance(result, dict)
    child = int(mark.read_text("utf-8"))
    await until(lambda: not Path(f"/proc/{child}").exists() or _is_zombie(child))


def _is_zombie(process: int) -> bool:
    try:
        return ") Z " in Path(f"/proc/{process}/stat").read_text("utf-8")
    except OSError:
        return True
