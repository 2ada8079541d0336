"""What people compare JSON with today, each from two texts to its own answer.

None of them knows what a tool is: they see every reordered list as a change (or must be told
not to), and none tells a broken call from a better description.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable
from typing import Any

import orjson

Compare = Callable[[bytes, bytes], object]


def sorted_digests(old: bytes, new: bytes) -> object:
    """Hashes each tool's sorted JSON: says which tools differ in any byte but key order."""
    before, after = _digests(old), _digests(new)
    return {name for name, digest in after.items() if before.get(name) != digest}


def deepdiff(old: bytes, new: bytes) -> object:
    """Compares with DeepDiff."""
    from deepdiff import DeepDiff

    return DeepDiff(_by_name(old), _by_name(new))


def jsondiff(old: bytes, new: bytes) -> object:
    """Compares with jsondiff."""
    from jsondiff import diff

    return diff(_by_name(old), _by_name(new))


def jsonpatch(old: bytes, new: bytes) -> object:
    """Makes the RFC 6902 patch from old to new."""
    from jsonpatch import make_patch

    return make_patch(_by_name(old), _by_name(new)).patch


def dictdiffer(old: bytes, new: bytes) -> object:
    """Compares with dictdiffer."""
    from dictdiffer import diff

    return list(diff(_by_name(old), _by_name(new)))


def jsoncompat(old: bytes, new: bytes) -> object:
    """Judges each pair of input schemas that differ, as read by a caller."""
    from jsoncompat import check_compat

    before, after = _by_name(old), _by_name(new)
    pairs = (
        (before[name]["inputSchema"], tool["inputSchema"])
        for name, tool in after.items()
        if name in before and before[name] != tool
    )
    return [
        check_compat(orjson.dumps(one).decode(), orjson.dumps(two).decode(), "deserializer")
        for one, two in pairs
    ]


PEERS: dict[str, Compare] = {
    "sorted dumps + SHA-256": sorted_digests,
    "jsoncompat": jsoncompat,
    "jsondiff": jsondiff,
    "jsonpatch": jsonpatch,
    "dictdiffer": dictdiffer,
    "DeepDiff": deepdiff,
}


def installed() -> dict[str, Compare]:
    """Returns the peers that can be imported here."""
    return {
        name: compare
        for name, compare in PEERS.items()
        if compare is sorted_digests or importlib.util.find_spec(compare.__name__)
    }


def _by_name(text: bytes) -> dict[str, Any]:
    # By name, not by position: a tool added in front would make every peer report all of them.
    return {tool["name"]: tool for tool in orjson.loads(text)["tools"]}


def _digests(text: bytes) -> dict[str, str]:
    return {
        name: hashlib.sha256(orjson.dumps(tool, option=orjson.OPT_SORT_KEYS)).hexdigest()
        for name, tool in _by_name(text).items()
    }
