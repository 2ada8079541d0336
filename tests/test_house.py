"""The house rules that a program can see: sizes, names, and what the texts may not mention."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "tests", "bench")
FILE_LINES = 400
FUNCTION_LINES = 40
MEDIAN_LINES = 10
REFUSED_MODULES = re.compile(r"(utils?|helpers?|common|misc)")
REFUSED_CLASSES = re.compile(r"(Manager|Handler|Helper|Util)s?$")

SOURCES = [
    path
    for folder in FOLDERS
    for suffix in ("py", "pyx", "pxd")
    for path in sorted((ROOT / folder).rglob(f"*.{suffix}"))
]
PYTHON = [path for path in SOURCES if path.suffix == ".py"]
CYTHON = [path for path in SOURCES if path.suffix != ".py"]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _functions(path: Path) -> Iterator[tuple[str, int]]:
    """Yields each function of a file with its lines of code."""
    text = path.read_text("utf-8")
    yield from _python_functions(text) if path.suffix == ".py" else _cython_functions(text)


def _python_functions(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = node.body[0] if ast.get_docstring(node) is not None else None
            told = 1 + (docstring.end_lineno or 0) - docstring.lineno if docstring else 0
            yield node.name, 1 + (node.end_lineno or 0) - node.lineno - told


CYTHON_FUNCTION = re.compile(r"^( *)(?:c?p?def )(?!class|struct|enum|union)[^=]*?(\w+)\(")


def _cython_functions(text: str) -> Iterator[tuple[str, int]]:
    """Reads the functions of a Cython file from its indentation; docstrings count as code."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        if found := CYTHON_FUNCTION.match(line):
            yield found[2], _indented_block(lines, start, len(found[1]))


def _indented_block(lines: list[str], start: int, indent: int) -> int:
    """Counts the lines from `start` to the last that is indented deeper (or closes the head)."""
    end = start
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if line.strip() and len(line) - len(line.lstrip()) <= indent and line.strip()[0] != ")":
            break
        if line.strip():
            end = at
    return 1 + end - start


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_files_are_short(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) < FILE_LINES


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_functions_are_short(path: Path) -> None:
    assert [found for found in _functions(path) if found[1] > FUNCTION_LINES] == []


def test_the_median_function_is_very_short() -> None:
    sizes = [size for path in SOURCES for _, size in _functions(path) if "src" in path.parts]
    assert median(sizes) < MEDIAN_LINES


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_no_module_is_a_drawer_for_anything(path: Path) -> None:
    names = [part.strip("_") for part in path.relative_to(ROOT).with_suffix("").parts]
    assert [name for name in names if REFUSED_MODULES.fullmatch(name)] == []


@pytest.mark.parametrize("path", PYTHON, ids=_name)
def test_no_class_is_named_for_doing_everything(path: Path) -> None:
    classes = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if type(n) is ast.ClassDef]
    assert [node.name for node in classes if REFUSED_CLASSES.search(node.name)] == []


def test_bounds_checks_are_never_off_for_a_whole_file() -> None:
    assert [_name(path) for path in CYTHON if "# cython:" in path.read_text("utf-8")] == []
    assert "boundscheck" not in (ROOT / "setup.py").read_text("utf-8")


def test_the_measures_see_a_long_function() -> None:
    body = "    x = 1\n" * 60
    assert list(_python_functions(f'def f():\n    """Says."""\n{body}')) == [("f", 61)]
    head = "cdef inline const char* g(\n    int a,\n) noexcept nogil:\n"
    assert list(_cython_functions(head + body + "\ncdef int x = 2\n")) == [("g", 63)]
