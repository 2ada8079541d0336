"""The pages as a site: what a build would only warn of, or leave out without a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

import toolsync
from toolsync import live

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
SITE: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
REFERENCE = (DOCS / "reference.md").read_text("utf-8")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"^::: (\S+)\n((?: {4}.*\n|\n(?= {4}))*)", re.MULTILINE)


def _named(entries: Any) -> Iterator[str]:
    if isinstance(entries, str):
        yield entries
    else:
        for each in entries.values() if isinstance(entries, dict) else entries:
            yield from _named(each)


def test_every_page_has_its_place() -> None:
    named = list(_named(SITE["nav"]))
    assert sorted(named) == [page.relative_to(DOCS).as_posix() for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_link_leaves_the_site(page: Path) -> None:
    targets = LINK.findall(FENCE.sub("", page.read_text("utf-8")))
    outside = [target for target in targets if not _is_of_the_site(page.parent / target)]
    assert outside == []


def _is_of_the_site(path: Path) -> bool:
    return path.is_file() and path.resolve().is_relative_to(DOCS.resolve())


def _told() -> dict[str, list[str] | None]:
    """Returns what each directive of the reference tells: the members it names, or all."""
    return {
        name: ((yaml.safe_load(more) or {}).get("options") or {}).get("members")
        for name, more in DIRECTIVE.findall(REFERENCE)
    }


def _found(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        return getattr(import_module(module), attribute)


def test_every_name_of_the_reference_is_there() -> None:
    told = _told()
    assert {name for name in told if "bridge" in name}
    missing = {
        f"{name}.{member}"
        for name, members in told.items()
        for member in members or ()
        if not hasattr(_found(name), member)
    }
    assert missing == set()


def _shown() -> Iterator[str]:
    """Yields the names that the reference shows: headings made by directives, and code."""
    for name, members in _told().items():
        found = _found(name)
        yield name.rpartition(".")[2]
        yield from members or getattr(found, "__all__", None) or _own(found)
    yield from re.findall(r"^(?:### |`toolsync\.)(\w+)", REFERENCE, re.MULTILINE)


def _own(module: Any) -> list[str]:
    things = vars(module).items()
    return [name for name, thing in things if getattr(thing, "__module__", "") == module.__name__]


def test_every_public_name_is_in_the_reference() -> None:
    assert {*toolsync.__all__, *live.__all__} - set(_shown()) == set()


def test_the_table_of_tools_is_whole() -> None:
    (section,) = re.findall(r"^### Tool\n(.*?)^:::", REFERENCE, re.MULTILINE | re.DOTALL)
    told = re.findall(r"`(\w+): ", section)
    assert sorted(told) == [name for name in dir(toolsync.Tool) if not name.startswith("_")]
