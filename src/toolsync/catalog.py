"""Catalog: the tools of one source with their digests, from text or from parsed objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from toolsync import _diff, _reading
from toolsync.errors import FormatError, LimitError, SourceError, TextError
from toolsync.formats import Entry, InputFormat, read_entries
from toolsync.model import Invalid
from toolsync.safe import named

Tool = _diff.Tool


@dataclass(frozen=True, slots=True)
class Limits:
    """What a text may cost: bytes in all, nested levels, bytes of one string or number."""

    max_bytes: int = 256 << 20
    max_depth: int = 250
    max_string: int = 1 << 20

    def __post_init__(self) -> None:
        for limit, value in (("max_bytes", self.max_bytes), ("max_depth", self.max_depth),
                             ("max_string", self.max_string)):  # fmt: skip
            if not 1 <= value <= _reading.MAX_TEXT:
                raise ValueError(f"{limit}: expected 1 to {_reading.MAX_TEXT}, got {value}")


LIMITS: Final = Limits()


class Catalog:
    """The tools of one source, complete and immutable; digests are made once, when asked for.

    Tools given as dicts are read at once: changing a dict later changes no digest.
    """

    # A catalogue that differs in few tools from another shares its `_base` tuple and
    # keeps what stands elsewhere in `_patch`, by place: replacing one of thousands is cheap.
    __slots__ = (
        "_base", "_digest", "_index", "_invalid", "_limits", "_patch", "_semantic_digest",
        "_source", "_tools", "_warnings",
    )  # fmt: skip

    _base: tuple[Tool, ...]
    _patch: dict[int, Tool]
    _tools: tuple[Tool, ...] | None
    _index: dict[str, int]
    _invalid: tuple[Invalid, ...]
    _warnings: tuple[str, ...]
    _digest: str | None
    _semantic_digest: str | None
    _source: str | None
    _limits: Limits

    def __init__(
        self, tools: Iterable[Mapping[str, Any]] = (), *, limits: Limits = LIMITS
    ) -> None:
        if isinstance(tools, (str, bytes, Mapping)):
            raise TypeError(
                f"expected tools (an iterable of dicts), got {type(tools).__name__}: "
                "loads reads text, and a tools/list result has its tools under 'tools'"
            )
        encoder = _encoder(limits)
        plain = [tool if type(tool) is dict else _plain(tool) for tool in tools]
        self._settle(encoder.tools(plain), None, limits)

    @classmethod
    def of(cls, tools: Iterable[Tool], *, source: str | None = None) -> Catalog:
        """Gathers tools that other catalogues have read already: none is read again.

        Raises ValueError where two of them differ under one name.
        """
        catalog = cls.__new__(cls)
        catalog._settle(list(tools), source, LIMITS)
        if catalog._invalid:
            raise ValueError(f"tool {named(catalog._invalid[0].name or '')}: two definitions")
        return catalog

    def _settle(self, entries: list[Entry], source: str | None, limits: Limits) -> None:
        self._index, self._base, self._invalid, self._warnings = _sort_out(entries)
        self._tools, self._patch = self._base, {}
        self._digest = self._semantic_digest = None
        self._source, self._limits = source, limits

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self._base)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __getitem__(self, name: str) -> Tool:
        return self._at(self._index[name])

    def _at(self, place: int) -> Tool:
        return self._patch.get(place) or self._base[place]

    def __repr__(self) -> str:
        return f"<Catalog {self._source or ''} {len(self)} tools, {len(self._invalid)} invalid>"

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The well-formed tools in their own order."""
        if self._tools is None:
            tools = list(self._base)
            for place, tool in self._patch.items():
                tools[place] = tool
            self._tools = tuple(tools)
        return self._tools

    @property
    def index(self) -> Mapping[str, int]:
        """Where in `tools` each name stands."""
        return self._index

    @property
    def invalid(self) -> tuple[Invalid, ...]:
        """The malformed tools, by their place."""
        return self._invalid

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was put right in reading, such as a tool that stood twice."""
        return self._warnings

    @property
    def source(self) -> str | None:
        """The file or server that the tools came from, where it is known."""
        return self._source

    @property
    def digest(self) -> str:
        """The full digest of the whole catalogue; the order of tools does not count."""
        if self._digest is None:
            self._digest = _diff.catalogue_digest(self.tools, semantic=False)
        return self._digest

    @property
    def semantic_digest(self) -> str:
        """The semantic digest of the whole catalogue."""
        if self._semantic_digest is None:
            self._semantic_digest = _diff.catalogue_digest(self.tools, semantic=True)
        return self._semantic_digest

    def replace(self, tool: Mapping[str, Any]) -> Catalog:
        """Gives a new catalogue with this tool in the place of its namesake, or at the end.

        Only that tool is read. Raises FormatError where it is malformed.
        """
        made = _encoder(self._limits).tool(_plain(tool))
        if isinstance(made, tuple):
            name, path, reason, _ = made
            raise FormatError(f"tool {named(name or '')}, at {path or 'its root'}: {reason}")
        new = Catalog.__new__(Catalog)
        new._base, new._patch, new._index = self._with(made)
        new._tools = None
        new._digest = new._semantic_digest = None
        new._source, new._limits = self._source, self._limits
        new._invalid = tuple(each for each in self._invalid if each.name != made.name)
        new._warnings = self._warnings
        return new

    def _with(self, tool: Tool) -> tuple[tuple[Tool, ...], dict[int, Tool], dict[str, int]]:
        place = self._index.get(tool.name)
        if place is None:
            return (*self.tools, tool), {}, {**self._index, tool.name: len(self)}
        if len(self._patch) >= _MOST_PATCHED:
            return self.tools, {place: tool}, self._index
        return self._base, {**self._patch, place: tool}, self._index


_MOST_PATCHED: Final = 64

Side = tuple[tuple[Tool, ...], dict[str, int]]
"""Tools, and where in them each name stands."""


def share_digests(old: Catalog, new: Catalog) -> None:
    """Makes the digests of the old catalogue serve for what stands unchanged in the new one."""
    _ = old.digest, old.semantic_digest
    _diff.share_digests(old.tools, old._index, new.tools)


def candidates(old: Catalog, new: Catalog) -> tuple[Side, Side]:
    """Gives the tools of each catalogue that may differ: all, unless one came from the other."""
    if old._base is not new._base:
        return (old.tools, old._index), (new.tools, new._index)
    places = sorted({*old._patch, *new._patch})
    before = tuple(old._at(place) for place in places)
    after = tuple(new._at(place) for place in places)
    index = {tool.name: at for at, tool in enumerate(after)}
    return (before, index), (after, index)


def loads(
    text: bytes | bytearray | memoryview | str,
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
    entries = read_entries(data, input_format, limits.max_depth, limits.max_string)
    return from_entries(entries, source, limits)


def from_entries(entries: list[Entry], source: str | None, limits: Limits = LIMITS) -> Catalog:
    """Makes a catalogue of tools that were read already, malformed ones among them."""
    catalog = Catalog.__new__(Catalog)
    catalog._settle(entries, source, limits)
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


def _encoder(limits: Limits) -> _reading.Encoder:
    return _reading.Encoder(limits.max_depth, limits.max_string)


def _plain(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """Makes a dict of another kind of mapping; what is none is left for the core to refuse."""
    if isinstance(tool, dict) or not isinstance(tool, Mapping):
        return tool
    return dict(tool)


def _encoded(text: bytes | bytearray | memoryview | str) -> bytes:
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    if not isinstance(text, str):
        raise TypeError(f"expected bytes or str, got {type(text).__name__}")
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
    usual = _reading.index_of(entries)
    if usual is not None:
        return usual, cast("tuple[Tool, ...]", tuple(entries)), (), ()
    invalid = [
        Invalid(entry[0], place, entry[1], entry[2], entry[3])
        for place, entry in enumerate(entries)
        if isinstance(entry, tuple)
    ]
    first, warnings = _settle_names(entries, invalid)
    index = {name: place for place, name in enumerate(first)}
    invalid.sort(key=lambda each: each.index)
    return index, tuple(first.values()), tuple(invalid), warnings


def _settle_names(
    entries: list[Entry], invalid: list[Invalid]
) -> tuple[dict[str, Tool], tuple[str, ...]]:
    """Keeps one of equal repeats; blames a name that has two definitions, at its second place."""
    first: dict[str, Tool] = {}
    warnings: dict[str, None] = {}
    clashing: dict[str, list[tuple[int, Tool]]] = {}
    for place, entry in enumerate(entries):
        if isinstance(entry, tuple):
            continue
        kept = first.setdefault(entry.name, entry)
        if kept is entry:
            continue
        if kept.text == entry.text or kept.digest == entry.digest:
            warnings[f"tool {named(entry.name)} stands more than once, each time the same"] = None
        else:
            clashing.setdefault(entry.name, []).append((place, entry))
    for name, others in clashing.items():
        text = b"\n".join([first.pop(name).text, *(tool.text for _, tool in others)])
        reason = "duplicate name with another definition"
        invalid.append(Invalid(name, others[0][0], "/name", reason, text))
    return first, tuple(warnings)
