"""Which file each side of a comparison came from, and where in it a finding stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from toolsync.locate import Locator, Region
from toolsync.schema.pointer import tokens_of

from .shape import FindingEntry, ToolEntry


@dataclass(frozen=True, slots=True)
class Origin:
    """A file by its name, and its text, as far as a side came from one.

    A file of a git revision has a name and no text: its lines are not those of the work tree.
    """

    path: str | None = None
    locator: Locator | None = None


class Spot(NamedTuple):
    """A place in a file; without a region the file as a whole."""

    path: str
    region: Region | None = None


@dataclass(frozen=True, slots=True)
class Origins:
    """Where both sides came from."""

    old: Origin = Origin()
    new: Origin = Origin()

    def spots(self, tool: ToolEntry, finding: FindingEntry) -> tuple[Spot, ...]:
        """Returns where a finding stands, the place to look at first: in the new file.

        A tool that is there no longer stands in the old file alone; the new one is named
        without a line, where it can be named.
        """
        tokens = tokens_of(finding["path"])
        new = _spot(self.new, tool["name"], tokens)
        old = _spot(self.old, tool.get("renamed_from", tool["name"]), tokens)
        return tuple(spot for spot in (new, old) if spot is not None)


def _spot(origin: Origin, name: str | None, tokens: tuple[str, ...]) -> Spot | None:
    if origin.path is None:
        return None
    if origin.locator is None or name is None:
        return Spot(origin.path)
    return Spot(origin.path, origin.locator.region(name, tokens))


NOWHERE = Origins()
"""For sides that came from no file."""
