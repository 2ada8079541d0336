"""Two catalogues → what changed, worked out as far as it is asked for, and once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final, NamedTuple

from toolsync.allowance import Allowance
from toolsync.catalog import Catalog
from toolsync.changes import outcome
from toolsync.changes.bump import BUMPS, Bump
from toolsync.changes.choice import ALL, Choice, chosen
from toolsync.changes.outcome import ToolChange, highest
from toolsync.changes.renames import with_renames
from toolsync.changes.report import Untold, order, report
from toolsync.changes.work import Piece, Scene
from toolsync.classify import Reading
from toolsync.compare import Pairing, pair
from toolsync.model import Invalid, Level
from toolsync.overrides import NONE, Override, Overrides

__all__ = ["Changes", "ToolChange", "diff", "names"]

_HINT: Final = "tool-renamed"  # found only once all tools are: a level cannot be known before


def names(*catalogs: Catalog) -> set[str]:
    """Returns the name of every tool of some catalogues; of nameless ones the empty text."""
    malformed = (fault.name or "" for catalog in catalogs for fault in catalog.invalid)
    return {*chain.from_iterable(catalog.index for catalog in catalogs), *malformed}


def diff(  # noqa: PLR0913  one parameter a question
    old: Catalog,
    new: Catalog,
    *,
    reading: Reading = "declared",
    only: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    overrides: Sequence[Override] = (),
) -> Changes:
    """Compares two catalogues; nothing is worked out before it is asked for.

    `reading` says how an object is taken that is silent about further properties:
    closed, as agents take it, or `open`, as plain JSON Schema does. `only` and
    `ignore` are globs of tool names and rule ids. Of the `overrides` that fit a
    finding the last one counts.
    """
    changes = Changes()  # without a constructor: a diff that nobody reads should cost nothing
    changes.old = old
    changes.new = new
    if only or ignore or overrides or reading != "declared":
        if reading not in ("declared", "open"):
            raise ValueError(f"reading: expected 'declared' or 'open', got {reading!r}")
        changes._how = How(reading, chosen(only, ignore), Overrides(overrides))  # noqa: SLF001
    return changes


class How(NamedTuple):
    """Says how schemas are read, which tools and rules count, and how much."""

    reading: Reading = "declared"
    choice: Choice = ALL
    overrides: Overrides = NONE


_USUAL: Final = How()


class Changes:
    """What changed between two catalogues: made by `diff`, each part worked out when first read."""

    __slots__ = (
        "_all", "_allowance", "_how", "_level", "_made", "_pairing", "_tools", "new", "old",
    )  # fmt: skip

    old: Catalog
    new: Catalog
    _how: How
    _level: Level
    _all: tuple[ToolChange, ...]
    _allowance: Allowance
    _made: dict[object, ToolChange]
    _pairing: Pairing
    _tools: tuple[ToolChange, ...]

    def __repr__(self) -> str:
        return f"<Changes {self.level}: {len(self.tools)} tools>"

    @property
    def how(self) -> How:
        """How it was asked: the reading, the tools and rules that count, the overrides."""
        return getattr(self, "_how", _USUAL)

    @property
    def level(self) -> Level:
        """The highest level of any tool; looks no further once that is `breaking`."""
        if not hasattr(self, "_level"):  # a slot stays empty until it is asked for
            self._level = self._find_level()
        return self._level

    @property
    def notify(self) -> bool:
        """Tells whether a running session must learn of anything."""
        return self.level.semantic

    @property
    def bump(self) -> Bump:
        """The part of a semantic version that the level asks for."""
        return BUMPS[self.level]

    @property
    def tools(self) -> tuple[ToolChange, ...]:
        """Every tool that differs, by name."""
        if not hasattr(self, "_tools"):
            told = with_renames([made for made in self._every() if made.findings])
            if _HINT in self.how.overrides:
                told = [self._chosen(made) for made in told]
            self._tools = tuple(sorted(told, key=order))
        return self._tools

    @property
    def added(self) -> tuple[ToolChange, ...]:
        """The tools that came."""
        return self._with("added")

    @property
    def removed(self) -> tuple[ToolChange, ...]:
        """The tools that went."""
        return self._with("removed")

    @property
    def changed(self) -> tuple[ToolChange, ...]:
        """The tools that are there on both sides and differ."""
        return self._with("changed")

    @property
    def invalid(self) -> tuple[ToolChange, ...]:
        """The tools that differ and cannot be used."""
        return self._with("invalid")

    @property
    def unchanged(self) -> int:
        """How many usable tools are identical."""
        return self._paired().identical

    def to_dict(self, *, all: bool = False) -> dict[str, Any]:  # noqa: A002  named as its option
        """Returns the JSON report, version 1; `all` tells unchanged tools too."""
        rest = self._rest() if all else ()
        return report((self.old, self.new), self.level, self.tools, self._untold(), rest)

    def _untold(self) -> Untold:
        still_invalid = sum(1 for _ in self._still_invalid())
        otherwise = sum(1 for _ in self._otherwise_changed())
        return Untold(self.unchanged, still_invalid, otherwise, self._left_out())

    def _still_invalid(self) -> Iterator[Invalid]:
        """Yields the malformed tools that are the same on both sides."""
        keep = self.how.choice.tool
        broken = (made for made in self._every() if made.status == "invalid")
        told = {made.index for made in broken if made.new is None}
        for fault in self.new.invalid:
            if fault.index not in told and (keep is None or keep(fault.name or "")):
                yield fault

    def _otherwise_changed(self) -> Iterator[ToolChange]:
        """Yields the tools that differ only in what nobody asked about."""
        return (made for made in self._every() if not made.findings)

    def _left_out(self) -> int:
        keep = self.how.choice.tool
        return 0 if keep is None else sum(not keep(name) for name in names(self.old, self.new))

    def _with(self, status: str) -> tuple[ToolChange, ...]:
        return tuple(change for change in self.tools if change.status == status)

    def _rest(self) -> Iterator[ToolChange]:
        told = {change.name for change in (*self.tools, *self._otherwise_changed())}
        keep = self.how.choice.tool
        for index, tool in enumerate(self.new):
            if tool.name not in told and (keep is None or keep(tool.name)):
                yield outcome.unchanged(tool, index)
        yield from map(outcome.still_invalid, self._still_invalid())

    def _every(self) -> Iterable[ToolChange]:
        if not hasattr(self, "_all"):
            self._all = tuple(self._worked(self._scene().pieces()))
        return self._all

    def _scene(self) -> Scene:
        pairing = self._paired()  # which the allowance comes with
        how = self.how
        return Scene(self.old, self.new, pairing, how.reading, how.choice.tool, self._allowance)

    def _worked(self, pieces: Iterable[Piece]) -> Iterator[ToolChange]:
        """Yields the outcome of each tool, likely worst first; works each out once."""
        for key, work in pieces:
            made = self._made.get(key)
            if made is None:
                made = self._made[key] = self._chosen(work())
            yield made

    def _paired(self) -> Pairing:
        if not hasattr(self, "_pairing"):
            for given in (self.old, self.new):
                if not isinstance(given, Catalog):  # looked at here: `diff` itself stays free
                    raise TypeError(f"expected catalogues to compare, got {type(given).__name__}")
            if not hasattr(self, "_how"):
                self._how = _USUAL  # an empty slot is slow to ask
            self._made = {}
            self._pairing = pair(self.old, self.new, self.how.choice.tool)
            self._allowance = Allowance(len(self._pairing.changed))
        return self._pairing

    def _chosen(self, made: ToolChange) -> ToolChange:
        """Returns the outcome with the findings that count, each at the level that was decided."""
        _, choice, overrides = self.how
        if choice.rule is None and not overrides:
            return made
        kept = overrides.applied(made.name, choice.kept(made.findings))
        return replace(made, findings=kept, level=highest(kept))

    def _find_level(self) -> Level:
        scene = self._scene()
        calm = self.how.choice.rule is None and not self.how.overrides.wakes
        quick = calm and bool(self._paired().presentation)
        level = Level.PRESENTATION if quick else Level.IDENTICAL
        for made in self._worked(scene.loud_pieces() if quick else scene.pieces()):
            level = max(level, made.level)
            if level is Level.BREAKING:
                return level
        if _HINT in self.how.overrides:
            level = max((level, *(one.level for one in self.tools)))
        return level
