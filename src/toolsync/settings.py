"""What a project has settled in a file: `toolsync.toml`, or `[tool.toolsync]` in pyproject.toml.

A file that holds anything not understood is refused: a level that silently stayed
as it was, or silently changed, would be worse than none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolsync.errors import SettingsError
from toolsync.overrides import Override
from toolsync.safe import named, safe_text

OWN: Final = "toolsync.toml"
PROJECT: Final = "pyproject.toml"
MAX_BYTES: Final = 1 << 16
MAX_BYTES_OF_PROJECT: Final = 1 << 18
MAX_DOTS: Final = 64
_KEYS: Final = ("overrides",)
_ENTRY: Final = ("rule", "tool", "level", "reason")
_NEEDED: Final = ("rule", "level", "reason")
_WAY_OUT: Final = "(--no-config does without)"


@dataclass(frozen=True, slots=True)
class Settings:
    """What was settled, and the file that says so."""

    overrides: tuple[Override, ...] = ()
    source: str | None = None


def nearest_settings(folder: Path | None = None) -> Settings:
    """Reads the settings nearest to a folder (the current one), itself first, then upwards.

    In one folder `toolsync.toml` goes before `pyproject.toml`; a `pyproject.toml`
    without `[tool.toolsync]` does not count. Raises SettingsError where a file says
    what is not understood.
    """
    try:
        start = Path.cwd() if folder is None else folder.absolute()
    except OSError:
        return Settings()  # the current folder is gone
    for each in (start, *start.parents):
        for name in (OWN, PROJECT):
            path = each / name
            if _is_file(path):
                source = name if each == start else _from_here(path, start)
                table = _table(path, source, _WAY_OUT)
                if table is not None:
                    return _settings(table, source)
    return Settings()


def _from_here(path: Path, start: Path) -> str:
    try:
        return os.path.relpath(path, start)
    except ValueError:  # another drive of Windows
        return str(path)


def read_settings(path: str) -> Settings:
    """Reads the settings of a file that was named; raises SettingsError where it holds none."""
    if not _is_file(Path(path)):
        raise SettingsError(f"{path}: expected a file with settings, found none")
    table = _table(Path(path), path, "")
    if table is None:
        raise SettingsError(f"{path}: expected a table [tool.toolsync], found none")
    return _settings(table, path)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _table(path: Path, source: str, way_out: str) -> Mapping[str, Any] | None:
    """Returns the table of settings in a file, or None where a project's file has none."""
    text = _text(path, source, way_out)
    if path.name != PROJECT:
        return _parsed(text, source, way_out)
    if "toolsync" not in text:
        return None  # most projects' files: not worth parsing
    tool = _parsed(text, source, way_out).get("tool")
    if not isinstance(tool, dict) or "toolsync" not in tool:
        return None
    return _object(tool["toolsync"], f"{source}: tool.toolsync")


def _text(path: Path, source: str, way_out: str) -> str:
    most = MAX_BYTES_OF_PROJECT if path.name == PROJECT else MAX_BYTES
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise SettingsError(f"{source}: holds more than {most} bytes {way_out}".rstrip())
        return data.decode()
    except OSError as error:
        raise SettingsError(f"{source}: {error.strerror or error} {way_out}".rstrip()) from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{source}: not TOML: not UTF-8 at byte {error.start}") from error


def _parsed(text: str, source: str, way_out: str) -> Mapping[str, Any]:
    import tomllib  # noqa: PLC0415  most folders have no settings

    _refuse_long_keys(text, source, way_out)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{source}: not TOML{_where(error)} {way_out}".rstrip()) from error


# Comments and texts, whose dots are nobody's key; what is not closed goes on to the end.
_QUOTED: Final = (
    r'#[^\n]*+|"""(?:\\.|"{1,2}+(?!")|[^"\\])*+(?:"{3,5}+)?'
    r"|'''(?:'{1,2}+(?!')|[^'])*+(?:'{3,5}+)?"
    r'|"(?:\\.|[^"\\\n])*+"?'
    r"|'[^'\n]*+'?"
)


def _refuse_long_keys(text: str, source: str, way_out: str) -> None:
    """Refuses keys of many parts: reading one takes quadratic time and memory."""
    bare = re.sub(_QUOTED, lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)
    for number, row in enumerate(bare.split("\n"), 1):
        if row.count(".") > MAX_DOTS:
            where = f"{source}: line {number}"
            raise SettingsError(f"{where}: holds more than {MAX_DOTS} dots {way_out}".rstrip())


def _where(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return ": nested too deeply"
    if type(error).__name__ != "TOMLDecodeError":
        return ": a number too long to be read"
    found = re.search(r"\(at (line \d+, column \d+|end of document)\)", str(error))
    return f" at {found[1]}" if found else ""


def _settings(table: Mapping[str, Any], source: str) -> Settings:
    _refuse_strangers(table, _KEYS, source)
    entries = table.get("overrides", [])
    if not isinstance(entries, list):
        got = _kind(entries)
        raise SettingsError(f"{source}: overrides: expected an array of tables, got {got}")
    return Settings(tuple(_overrides(entries, source)), source)


def _overrides(entries: list[Any], source: str) -> Iterator[Override]:
    for number, given in enumerate(entries, 1):
        where = f"{source}: override {number}"
        entry = _object(given, where)
        _refuse_strangers(entry, _ENTRY, where)
        for key in _NEEDED:
            if key not in entry:
                raise SettingsError(f"{where}{_called(entry)}: expected a `{key}`, got none")
        for key, value in entry.items():
            if not isinstance(value, str):
                raise SettingsError(f"{where}: {key}: expected a text, got {_kind(value)}")
        try:
            yield Override(**entry)
        except SettingsError as error:
            raise SettingsError(f"{where}{_called(entry)}: {error}") from None


def _called(entry: Mapping[str, Any]) -> str:
    rule = entry.get("rule")
    return f" ({safe_text(rule)})" if isinstance(rule, str) else ""


def _refuse_strangers(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            told = ", ".join(f"`{each}`" for each in known)
            raise SettingsError(f"{where}: unknown key {named(key)}: expected {told}")


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    raise SettingsError(f"{where}: expected a table, got {_kind(value)}")


def _kind(value: Any) -> str:
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "an array"}
    return kinds.get(type(value), "a table" if isinstance(value, dict) else "a date or time")
