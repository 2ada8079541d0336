"""Imports go downward only; import-linter checks that among the `.py` files, and this the rest."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "toolsync"
CORE = ("toolsync._diff", "toolsync._reading")
CORE_FILES = sorted([*SOURCE.rglob("*.pyx"), *SOURCE.rglob("*.pxd")])
MAY_IMPORT_CORE = {
    "toolsync.catalog", "toolsync.formats", "toolsync.pages", "toolsync.compare",
    "toolsync.locate",
    "toolsync.lockfile",  # a file of many tools: read as text, like a catalogue
}  # fmt: skip


def _module(path: Path, source: Path) -> str:
    parts = path.relative_to(source.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path, module: str) -> Iterator[str]:
    """Yields every absolute name that the file imports, at its top or inside a function."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _importers_of_core(source: Path) -> set[str]:
    modules = {_module(path, source): path for path in source.rglob("*.py")}
    return {
        module
        for module, path in modules.items()
        if any(name.startswith(CORE) for name in _imported(path, module))
    }


def test_only_the_modules_beside_it_import_the_core() -> None:
    importers = _importers_of_core(SOURCE)
    assert importers, "nothing imports the core: this test looks in the wrong place"
    strangers = {
        name
        for name in importers
        if not any(f"{name}.".startswith(f"{allowed}.") for allowed in MAY_IMPORT_CORE)
    }
    assert strangers == set()


def _is_module(name: str) -> bool:
    place = SOURCE / name
    return place.is_dir() or place.with_suffix(".py").is_file()


def _taken_from_the_root(path: Path) -> set[str]:
    names = [name.split(".") for name in _imported(path, _module(path, SOURCE))]
    taken = {parts[1] for parts in names if len(parts) == 2 and parts[0] == "toolsync"}
    return {name for name in taken if not _is_module(name)} - {"_diff", "_reading"}


def test_nothing_but_modules_is_imported_from_the_root() -> None:
    paths = [path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py"]
    taken = {_module(path, SOURCE): _taken_from_the_root(path) for path in paths}
    assert {module: names for module, names in taken.items() if names} == {}


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda path: path.name)
def test_the_core_imports_nothing_of_toolsync(path: Path) -> None:
    for line in path.read_text("utf-8").splitlines():
        found = re.match(r"\s*(?:from\s+(\S+)\s+)?(c?import)\s+(\S+)", line)
        if found is None:
            continue
        origin, verb, name = found.groups()
        if (origin or name).partition(".")[0] in {"toolsync", ""}:
            # Its own parts are compiled in.
            assert verb == "cimport", line
            assert (origin or name).startswith(("toolsync._core.", "toolsync._diff")), line


def _loaded_by(code: str) -> set[str]:
    program = f"{code}\nimport sys; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return set(done.stdout.splitlines()[-1].split())


HEAVY = {"asyncio", "mcp", "jsonschema", "referencing", "typer", "rich"}


def test_a_diff_that_finds_nothing_leaves_the_heavy_parts_unimported() -> None:
    code = "import toolsync; c = toolsync.load('examples/old.json'); toolsync.diff(c, c).level"
    assert _loaded_by(code) & HEAVY == set()


def test_the_command_line_leaves_validators_and_protocols_unimported() -> None:
    code = (
        "import contextlib, toolsync.cli, sys\n"
        "sys.argv[1:] = ['diff', 'examples/old.json', 'examples/old.json', '-q']\n"
        "with contextlib.suppress(SystemExit): toolsync.cli.main()"
    )
    loaded = _loaded_by(code)
    assert "toolsync.changes" in loaded
    assert loaded & {"mcp", "jsonschema", "referencing"} == set()


def test_a_planted_import_is_seen(tmp_path: Path) -> None:
    package = tmp_path / "toolsync"
    (package / "report").mkdir(parents=True)
    (package / "report" / "text.py").write_text("def f():\n    from .. import _diff\n")
    assert _importers_of_core(package) == {"toolsync.report.text"}
