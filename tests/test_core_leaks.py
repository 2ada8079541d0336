"""Nothing is kept behind: not by any entry point of the core, and not on its error paths.

Leaked objects show in `sys.getallocatedblocks`, leaked C memory in glibc's
`mallinfo2`, and a lost reference to an object of ours in its count. Each detector
is shown to bite on a planted leak.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
from collections.abc import Callable
from typing import Any

import pytest

from toolsync import _diff, _reading
from toolsync.catalog import Catalog, loads
from toolsync.compare import pair
from toolsync.errors import ToolsyncError

ROUNDS = 100
# Something may grow now and then and be no leak; what every call keeps behind is one.
SLACK = ROUNDS // 2

WIDE = ", ".join(f'"key {number} \\u00e9": [{number}.5, "é\\n"]' for number in range(60))
UNIONS = '"anyOf": [{"const": 2}, {"const": 1}], "not": {"$ref": "#/anyOf/0"}'
TOOL = f'{{"name": "t", "inputSchema": {{{UNIONS}, "required": ["b", "a"], {WIDE}}}}}'.encode()
GOOD = b'{"name":"good","inputSchema":{"title":"x","n":123456789012345678901}}'
LIST = b'{"tools":[%b,%b]}' % (TOOL, GOOD)
BIG = b'{"name":"big","description":"%b","inputSchema":{}}' % (b"a\\n" * 20_000)
VALUE = _diff.parse(TOOL)


def tolerant(work: Callable[[], object]) -> Callable[[], None]:
    """The same call, with the refusal that it is made for taken in."""

    def call() -> None:
        with contextlib.suppress(ValueError, ToolsyncError, TypeError):
            work()

    return call


def every_property() -> None:
    for tool in loads(LIST):
        _ = tool.name, tool.text, tool.digest, tool.semantic_digest, tool.definition, repr(tool)


def walk_values() -> None:
    root, _ = _reading.outline(LIST, 250, 1 << 20)
    (array,) = [value for _, value in root.members()]
    for element in array.elements():
        _ = element.text, element.kind, element.start, len(element), element.fault
        _ = [(key.string, value.literal) for key, value in element.members()]
        _ = element.member("inputSchema"), element.outline().member("name")
    array.tools()


def compare() -> None:
    old, new = loads(LIST), loads(b"[%b,%b]" % (TOOL.replace(b"t", b"t ", 1), BIG))
    pair(old, new)
    pair(new, old.replace(VALUE))


WORK: dict[str, Callable[[], object]] = {
    "canonical": lambda: _diff.canonical(VALUE),
    "canonical_text": lambda: _diff.canonical_text(TOOL),
    "projection": lambda: _diff.projection(TOOL),
    "projection of a big tool": lambda: _diff.projection(BIG),
    "parse": lambda: _diff.parse(GOOD),
    "digest_of": lambda: _diff.digest_of(b"x"),
    "properties": every_property,
    "values": walk_values,
    "pair": compare,
    "Catalog": lambda: Catalog([VALUE, {"name": "x", "inputSchema": {"n": 2**3000, "f": 1.25}}]),
    "replace": lambda: loads(LIST).replace(VALUE).digest,
    "long integers": lambda: _diff.canonical_text(b"[%b]" % (b"7" * 5000)),
}
REFUSED: dict[str, Callable[[], object]] = {
    "text cut off": lambda: _diff.canonical_text(TOOL[:-5]),
    "text not UTF-8": lambda: _diff.canonical_text(TOOL[:-5] + b"\xff"),
    "text cut off beyond the depth": lambda: loads(b"[" * 5000 + b'{"a":"\\u0041"'),
    "data behind": lambda: _diff.canonical_text(TOOL + b"x"),
    "repeated key among few": lambda: _diff.canonical_text(b'{"a":1,"\\u0061":2}'),
    "repeated key among many": lambda: _diff.canonical_text(TOOL[:-2] + b',"anyOf":1}}'),
    "number faults": lambda: _diff.canonical_text(b"[1e400,1e-400,9007199254740992.5]"),
    "lone surrogate": lambda: loads(b'[{"name":"\\ud800","inputSchema":{"\\udfff":1}}]'),
    "too deep": lambda: loads(b"[%b]" % (b'{"a":' * 5000 + b'"\\u0041"' + b"}" * 5000)),
    "malformed tool": lambda: loads(b"[%b,{},null,7,%b]" % (TOOL, GOOD.replace(b"good", b""))),
    "projection of no tool": lambda: _diff.projection(b"[%b]" % TOOL),
    "no catalogue": lambda: loads(b'{"x":%b}' % TOOL),
    "incomplete": lambda: loads(LIST[:-1] + b',"nextCursor":"x"}'),
    "objects that are not JSON": lambda: _diff.canonical([VALUE, "é" * 50, {1: 2}]),
    "objects in a cycle": lambda: _diff.canonical(CYCLE),
    "NaN": lambda: Catalog([{"name": "t", "inputSchema": {"x": ["é", float("nan")]}}]).invalid,
    "clash of names": lambda: loads(b"[%b,%b]" % (GOOD, GOOD.replace(b"x", b"y"))).invalid,
    "replace refused": lambda: loads(LIST).replace({"name": "t"}),
    "a tool by hand": _diff.Tool,
}
CYCLE: list[Any] = ["é\n"]
CYCLE.append(CYCLE)
CALLS = WORK | {name: tolerant(work) for name, work in REFUSED.items()}


class Mallinfo(ctypes.Structure):
    """glibc's `struct mallinfo2`."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks"),
            *("uordblks", "fordblks", "keepcost"),
        )
    ]


def glibc() -> Any:
    """The C library, where it is one that counts its memory; None elsewhere."""
    try:
        library = ctypes.CDLL("libc.so.6")
        library.mallinfo2.restype = Mallinfo
    except (OSError, AttributeError):
        return None
    # Under a sanitizer malloc is not glibc's, and its count stands still.
    before = library.mallinfo2().uordblks
    held = ctypes.create_string_buffer(100_000)
    return library if library.mallinfo2().uordblks - before > 90_000 and held else None


GLIBC = glibc()
needs_glibc = pytest.mark.skipif(GLIBC is None, reason="no glibc that counts what malloc gave out")


def in_use() -> int:
    """Bytes that malloc gave out, by blocks of its own and of the kernel."""
    info = GLIBC.mallinfo2()
    return int(info.uordblks + info.hblkhd)


def kept(count: Callable[[], int], call: Callable[[], object]) -> int:
    """What a count grows by over many calls, each time that this is tried.

    The least of three: a cache that fills up (as orjson's of keys does) grows once,
    a leak grows every time.
    """
    return min(growth(count, call) for _ in range(3))


def growth(count: Callable[[], int], call: Callable[[], object]) -> int:
    for _ in range(10):
        call()
    gc.collect()
    before = count()
    for _ in range(ROUNDS):
        call()
    gc.collect()
    return count() - before


# Where Python was told to use plain malloc, it counts no blocks.
needs_blocks = pytest.mark.skipif(not sys.getallocatedblocks(), reason="Python counts no blocks")


@needs_blocks
@pytest.mark.parametrize("name", CALLS)
def test_no_call_keeps_objects(name: str) -> None:
    assert kept(sys.getallocatedblocks, CALLS[name]) < SLACK


@needs_glibc
@pytest.mark.parametrize("name", CALLS)
def test_no_call_keeps_c_memory(name: str) -> None:
    # Any malloc costs 24 bytes or more.
    assert kept(in_use, CALLS[name]) < 24 * SLACK


@needs_blocks
def test_a_planted_leak_of_objects_is_seen() -> None:
    hoard: list[object] = []

    def leak() -> None:
        _diff.canonical(VALUE)
        hoard.append(object())

    assert kept(sys.getallocatedblocks, leak) >= SLACK


@needs_glibc
def test_a_planted_leak_of_c_memory_is_seen() -> None:
    GLIBC.malloc.restype = ctypes.c_void_p
    hoard: list[int] = []

    def leak() -> None:
        _diff.canonical(VALUE)
        # Into one place, so that only the C memory grows.
        hoard[:] = [GLIBC.malloc(16)]

    assert kept(in_use, leak) >= 24 * SLACK


def references(*objects: object) -> list[int]:
    return [sys.getrefcount(each) for each in objects]


@pytest.mark.parametrize("wrong", [float("nan"), {1: 2}, "\ud800 here", 10**400, object()])
def test_no_reference_to_what_was_given_is_lost_or_kept(wrong: object) -> None:
    text, key, long = b"[%b]" % TOOL, "a key of ours é", 2**900
    inside = ["a text of ours", 0.125, long]
    tool = {"name": "t" * 3, "inputSchema": {key: inside, "wrong": wrong}}
    given = (text, key, long, inside, tool, wrong, *inside)
    before = references(*given)
    for _ in range(ROUNDS):
        catalog = Catalog([tool, tool])
        _ = [each.definition for each in catalog], catalog.invalid, catalog.digest
        _ = [each.text for each in loads(text)]
        tolerant(lambda: _diff.canonical([tool]))()
        del catalog
    gc.collect()
    assert references(*given) == before


def test_a_planted_reference_is_seen() -> None:
    given = ["ours"]
    before = references(given)
    hoard = [given]
    assert references(given) != before
    assert hoard


def test_a_tool_keeps_its_text_alive_and_lets_it_go() -> None:
    text = b"[%b]" % TOOL
    before = references(text)
    catalog = loads(text)
    tool = catalog["t"]
    del catalog
    gc.collect()
    assert tool.text == TOOL
    assert references(text) != before
    del tool
    assert references(text) == before
