"""Two catalogues, or two tools, compared: facts without judgement."""

from toolsync.compare.definitions import HINTS, differences
from toolsync.compare.difference import Difference
from toolsync.compare.equality import key, said, same, spelled
from toolsync.compare.pairing import Keep, Pairing, pair, projected
from toolsync.compare.references import at, target

__all__ = [
    "HINTS",
    "Difference",
    "Keep",
    "Pairing",
    "at",
    "differences",
    "key",
    "pair",
    "projected",
    "said",
    "same",
    "spelled",
    "target",
]
