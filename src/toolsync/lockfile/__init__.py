"""The lockfile: catalogues as they were agreed on, in a form that people and git can read.

`parse` and `written` turn text into a `Lockfile` and back, `locked` and `catalog_of` go between
its entries and a `Catalog`, `save` puts the text in place whole or not at all.
"""

from toolsync.lockfile.accept import accepted, pending
from toolsync.lockfile.entries import catalog_of, locked
from toolsync.lockfile.model import (
    DEFAULT,
    FORM,
    VERSION,
    LockedTool,
    Lockfile,
    Server,
    Unusable,
    checked_name,
)
from toolsync.lockfile.reading import parse
from toolsync.lockfile.saving import Seen, save, seen
from toolsync.lockfile.writing import written

__all__ = [
    "DEFAULT",
    "FORM",
    "VERSION",
    "LockedTool",
    "Lockfile",
    "Seen",
    "Server",
    "Unusable",
    "accepted",
    "catalog_of",
    "checked_name",
    "locked",
    "parse",
    "pending",
    "save",
    "seen",
    "written",
]
