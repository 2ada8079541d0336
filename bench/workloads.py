"""Small, fixed pieces of work whose instructions `gate.py` counts.

None of them hashes: valgrind hides the processor's SHA instructions, so a digest's count under
it tells of OpenSSL's fallback, not of toolsync.

`python bench/workloads.py NAME TIMES` prepares and warms everything, then does that one again.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

import orjson

import catalogues
import toolsync
from toolsync import _diff

COUNT = 200
REFERENCE = "reference"
# Starting Python counts some 400 million instructions, half a million more or less: what is
# counted above that is large enough for such noise not to matter.
TIMES = 20
Work = Callable[[], object]


def prepare() -> dict[str, Work]:
    """Makes the texts once and returns the work to be done on them, by name."""
    tools = catalogues.tools(COUNT)
    old = catalogues.text(tools)
    one_percent = catalogues.text(catalogues.changed(tools, 100))
    every = catalogues.text(catalogues.changed(tools, 1))
    shuffled = catalogues.text(catalogues.shuffled(tools))
    texts = [orjson.dumps(tool) for tool in tools]
    return {
        REFERENCE: lambda: (orjson.loads(old), orjson.loads(one_percent)),
        "read a text": lambda: toolsync.loads(old),
        "pair, 1 % changed": lambda: _level(old, one_percent),
        "pair, all changed": lambda: _level(old, every),
        "pair, shuffled": lambda: _level(old, shuffled),
        "canonical from objects": lambda: [_diff.canonical(tool) for tool in tools],
        "projection from text": lambda: [_diff.projection(text) for text in texts],
        "findings of two tools": _findings(tools, 2),
    }


def _level(old: bytes, new: bytes) -> toolsync.Level:
    return toolsync.diff(toolsync.loads(old), toolsync.loads(new)).level


def _findings(tools: list[catalogues.Tool], count: int) -> Work:
    old = toolsync.Catalog(tools[:count])
    new = toolsync.Catalog(catalogues.changed(tools[:count], 1))
    return lambda: toolsync.diff(old, new).to_dict()


def main(name: str, times: str) -> None:
    """Does everything once, then the named work so many times."""
    gc.disable()
    works = prepare()
    for work in works.values():
        work()
    for _ in range(int(times)):
        works[name]()


if __name__ == "__main__":
    main(*sys.argv[1:])
