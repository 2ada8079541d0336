"""Catalog: the tools of one source with their digests, from text or from parsed objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolsync import _diff
from toolsync.errors import LimitError, SourceError, TextError
from toolsync.formats import Entry, InputFormat, read_entries
from toolsync.model import Invalid

Tool = _diff.Tool


@dataclass(frozen=True, slots=True)
class Limits:
    """What a text may cost: bytes in all, nested levels, bytes of one string or number."""

    max_bytes: int = 256 << 20
    max_depth: int = 250
    max_string: int = 1 << 20


LIMITS: Final = Limits()


class Catalog:
    """The tools of one source, complete and immutable; digests are made once, when asked for.

    Tools given as dicts are read at once: changing a dict later changes no digest.
    """

    __slots__ = (
        "_digest", "_index", "_semantic_digest", "_tools", "invalid", "limits", "source", "warnings",
    )  # fmt: skip

    invalid: tuple[Invalid, ...]
    warnings: tuple[str, ...]
    source: str | None
    limits: Limits

    def __init__(
        self, tools: Iterable[Mapping[str, Any]] = (), *, limits: Limits = LIMITS
    ) -> None:
        encoder = _encoder(limits)
        self._settle([encoder.tool(tool) for tool in tools], None, limits)

    def _settle(self, entries: list[Entry], source: str | None, limits: Limits) -> None:
        self._index, self._tools, self.invalid, self.warnings = _sort_out(entries)
        self._digest: str | None = None
        self._semantic_digest: str | None = None
        self.source = source
        self.limits = limits

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __getitem__(self, name: str) -> Tool:
        return self._tools[self._index[name]]

    def __repr__(self) -> str:
        return f"<Catalog {self.source or ''} {len(self)} tools, {len(self.invalid)} invalid>"

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The well-formed tools in their own order."""
        return self._tools

    @property
    def index(self) -> dict[str, int]:
        """Where in `tools` each name stands; not to be changed."""
        return self._index

    @property
    def digest(self) -> str:
        """The full digest of the whole catalogue; the order of tools does not count."""
        if self._digest is None:
            digests = {tool.name: tool.digest for tool in self._tools}
            self._digest = _diff.digest_of(_diff.canonical(digests))
        return self._digest

    @property
    def semantic_digest(self) -> str:
        """The semantic digest of the whole catalogue."""
        if self._semantic_digest is None:
            digests = {tool.name: tool.semantic_digest for tool in self._tools}
            self._semantic_digest = _diff.digest_of(_diff.canonical(digests))
        return self._semantic_digest

    def replace(self, tool: Mapping[str, Any]) -> Catalog:
        """Gives a new catalogue with this tool in the place of its namesake, or at the end.

        Only that tool is read. Raises ValueError where it is malformed.
        """
        made = _encoder(self.limits).tool(tool)
        if isinstance(made, tuple):
            name, path, reason = made
            raise ValueError(f"tool {name!r}, {path or 'the whole'}: {reason}")
        new = Catalog.__new__(Catalog)
        place = self._index.get(made.name)
        if place is None:
            new._tools = (*self._tools, made)
            new._index = {**self._index, made.name: len(self._tools)}
        else:
            new._tools = (*self._tools[:place], made, *self._tools[place + 1 :])
            new._index = self._index
        new._digest = new._semantic_digest = None
        new.source, new.limits = self.source, self.limits
        new.invalid = tuple(each for each in self.invalid if each.name != made.name)
        new.warnings = self.warnings
        return new


def loads(
    text: bytes | str,
    *,
    source: str | None = None,
    input_format: InputFormat | None = None,
    limits: Limits = LIMITS,
) -> Catalog:
    """Reads a catalogue from text in any known shape, recognised by its content.

    Raises TextError, FormatError, IncompleteError or LimitError; a bad tool is no
    error: it stands in `Catalog.invalid`.
    """
    data = _encoded(text)
    if len(data) > limits.max_bytes:
        raise LimitError(
            f"{len(data)} bytes of text, over the limit of {limits.max_bytes}; raise max_bytes"
        )
    _refuse_other_encodings(data)
    catalog = Catalog.__new__(Catalog)
    catalog._settle(
        read_entries(data, input_format, limits.max_depth, limits.max_string), source, limits
    )
    return catalog


def load(
    path: str | os.PathLike[str],
    *,
    input_format: InputFormat | None = None,
    limits: Limits = LIMITS,
) -> Catalog:
    """Reads a catalogue from a file; see `loads`. Raises SourceError where it cannot be read."""
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > limits.max_bytes:
            raise LimitError(
                f"{file}: {size} bytes, over the limit of {limits.max_bytes}; raise max_bytes"
            )
        data = file.read_bytes()
    except OSError as error:
        raise SourceError(f"{file}: {error.strerror or error}") from error
    return loads(data, source=str(file), input_format=input_format, limits=limits)


def _encoder(limits: Limits) -> _diff.Encoder:
    # Two levels stand around each tool of a `tools/list` result: the same depth counts for both.
    return _diff.Encoder(limits.max_depth - 2, limits.max_string)


def _encoded(text: bytes | str) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise TextError(f"lone surrogate at character {error.start}: not Unicode text") from error


def _refuse_other_encodings(data: bytes) -> None:
    if data[:3] == b"\xef\xbb\xbf":
        raise TextError("starts with a byte-order mark (BOM): save it as plain UTF-8", 0)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:2]:
        raise TextError("not UTF-8 (it looks like UTF-16 or UTF-32): save it as UTF-8", 0)
    if not data.strip(b" \t\r\n"):
        raise TextError("empty: expected a tools/list result", 0)


def _sort_out(
    entries: list[Entry],
) -> tuple[dict[str, int], tuple[Tool, ...], tuple[Invalid, ...], tuple[str, ...]]:
    """Parts well-formed tools from malformed ones and settles names that stand more than once."""
    tools = tuple(entry for entry in entries if isinstance(entry, Tool))
    index = {tool.name: place for place, tool in enumerate(tools)}
    if len(index) == len(entries):  # the usual case: nothing malformed, no name twice
        return index, tools, (), ()
    invalid = [
        Invalid(entry[0], place, entry[1], entry[2])
        for place, entry in enumerate(entries)
        if isinstance(entry, tuple)
    ]
    first, warnings = _settle_names(entries, invalid)
    tools = tuple(first.values())
    index = {name: place for place, name in enumerate(first)}
    return index, tools, tuple(sorted(invalid, key=lambda each: each.index)), warnings


def _settle_names(
    entries: list[Entry], invalid: list[Invalid]
) -> tuple[dict[str, Tool], tuple[str, ...]]:
    """Keeps one of equal repeats; blames a name that has two definitions, at its second place."""
    first: dict[str, Tool] = {}
    warnings: dict[str, None] = {}
    clashing: dict[str, int] = {}
    for place, entry in enumerate(entries):
        if isinstance(entry, tuple):
            continue
        kept = first.setdefault(entry.name, entry)
        if kept is entry:
            continue
        if kept.text == entry.text or kept.digest == entry.digest:
            warnings[f"tool {entry.name!r} stands more than once, each time the same"] = None
        else:
            clashing.setdefault(entry.name, place)
    for name, place in clashing.items():
        del first[name]
        invalid.append(Invalid(name, place, "/name", "duplicate name with another definition"))
    return first, tuple(warnings)
