"""Malformed tools: each is named with pointer and reason, and its neighbours are kept."""

from __future__ import annotations

import gc
import os
import sys
import threading
from typing import Any

import pytest

from toolsync import _diff
from toolsync.catalog import Catalog, loads

GOOD = b'{"name":"%b","inputSchema":{"type":"object"}}'
SCHEMA = b'"inputSchema":{"type":"object"}'

# The tool's text, its name as reported, the pointer, a word of the reason.
TEXT_FAULTS: list[tuple[bytes, str | None, str, str]] = [
    (b'{"name":"t","inputSchema":{"type":"object","type":"object"}}',
     "t", "/inputSchema/type", "duplicate key"),
    (b'{"name":"t","inputSchema":{"type":"object","\\u0074ype":"object"}}',
     "t", "/inputSchema/type", "duplicate key"),
    (b'{"name":"t","inputSchema":{"\\u0074\\u0079pe":1,"t\\u0079pe":1}}',
     "t", "/inputSchema/type", "duplicate key"),
    (b'{"name":"t","inputSchema":{"a/b~c":{"x":1,"y":2,"x":1}}}',
     "t", "/inputSchema/a~1b~0c/x", "duplicate key"),
    (b'{"name":"t","inputSchema":{"\\/":1,"/":1}}', "t", "/inputSchema/~1", "duplicate key"),
    (b'{"name":"t","inputSchema":{"\\n":1,"\\u000a":1}}', "t", "/inputSchema/\n", "duplicate key"),
    (b'{"name":"t","inputSchema":{"\\u00e9":1,"\xc3\xa9":1}}',
     "t", "/inputSchema/é", "duplicate key"),
    (b'{"name":"t","inputSchema":{"\\ud83d\\ude00":1,"\xf0\x9f\x98\x80":1}}',
     "t", "/inputSchema/😀", "duplicate key"),
    (b'{"name":"t","inputSchema":{"":1,"":1}}', "t", "/inputSchema/", "duplicate key"),
    (b'{"name":"t","inputSchema":{"enum":[0,{"a":[{"b":1,"b":1}]}]}}',
     "t", "/inputSchema/enum/1/a/0/b", "duplicate key"),
    (b'{"name":"t",%b,"name":"t"}' % SCHEMA, "t", "/name", "duplicate key"),
    (b'{"name":"t",%b,"_meta":{"a":1,"a":1}}' % SCHEMA, "t", "/_meta/a", "duplicate key"),
    (b'{"name":"t","description":"\\ud800",%b}' % SCHEMA, "t", "/description", "lone surrogate"),
    (b'{"name":"t","description":"\\udc00\\ud800",%b}' % SCHEMA,
     "t", "/description", "lone surrogate"),
    (b'{"name":"t","description":"\\ud83d\\u0041",%b}' % SCHEMA,
     "t", "/description", "lone surrogate"),
    (b'{"name":"t","description":"\\ud83d\\ud83d\\ude00",%b}' % SCHEMA,
     "t", "/description", "lone surrogate"),
    (b'{"name":"t","title":["\\udead"],%b}' % SCHEMA, "t", "/title/0", "lone surrogate"),
    (b'{"name":"t","inputSchema":{"maximum":1e400}}', "t", "/inputSchema/maximum", "too large"),
    (b'{"name":"t","inputSchema":{"maximum":[1,-1e-400]}}',
     "t", "/inputSchema/maximum/1", "too small"),
    (b'{"name":"t","inputSchema":{"maximum":9007199254740992.5}}',
     "t", "/inputSchema/maximum", "fraction"),
    (b'{"name":"t","inputSchema":{"a":1e400,"b":1,"b":1}}', "t", "/inputSchema/a", "too large"),
    (b'{"name":"t","inputSchema":{"b":1,"b":1,"a":1e400}}', "t", "/inputSchema/b", "duplicate key"),
    (b'{"inputSchema":{"a":1e400},"name":7}', None, "/inputSchema/a", "too large"),
]  # fmt: skip

SHAPE_FAULTS: list[tuple[bytes, str | None, str, str]] = [
    (b"null", None, "", "expected an object, got null"),
    (b"[]", None, "", "expected an object, got an array"),
    (b'"t"', None, "", "expected an object, got a string"),
    (b"7", None, "", "expected an object, got a number"),
    (b"7.5", None, "", "expected an object, got a number"),
    (b"true", None, "", "expected an object, got a boolean"),
    (b"{}", None, "/name", "got nothing"),
    (b"{%b}" % SCHEMA, None, "/name", "got nothing"),
    (b'{"name":"",%b}' % SCHEMA, None, "/name", "got an empty string"),
    (b'{"name":null,%b}' % SCHEMA, None, "/name", "got null"),
    (b'{"name":["t"],%b}' % SCHEMA, None, "/name", "got an array"),
    (b'{"Name":"t",%b}' % SCHEMA, None, "/name", "got nothing"),
    (b'{"name":"t"}', "t", "/inputSchema", "expected an object, got nothing"),
    (b'{"name":"t","inputSchema":null}', "t", "/inputSchema", "got null"),
    (b'{"name":"t","inputSchema":true}', "t", "/inputSchema", "got a boolean"),
    (b'{"name":"t","inputSchema":[]}', "t", "/inputSchema", "got an array"),
    (b'{"name":"t","description":{"en":"x"},%b}' % SCHEMA, "t", "/description", "got an object"),
    (b'{"name":"t","description":0,%b}' % SCHEMA, "t", "/description", "got a number"),
    (b'{"name":"t","outputSchema":false,%b}' % SCHEMA, "t", "/outputSchema", "got a boolean"),
    (b'{"name":"t","outputSchema":"x",%b}' % SCHEMA, "t", "/outputSchema", "got a string"),
    (b'{"name":"t","annotations":[],%b}' % SCHEMA, "t", "/annotations", "got an array"),
    (b'{"name":"t","annotations":0.5,%b}' % SCHEMA, "t", "/annotations", "got a number"),
]  # fmt: skip

FAULTS = TEXT_FAULTS + SHAPE_FAULTS


@pytest.mark.parametrize("blanks", [b"", b" \n"])
@pytest.mark.parametrize(("text", "name", "path", "reason"), FAULTS)
def test_a_malformed_tool_is_named_and_its_neighbours_are_kept(
    text: bytes, name: str | None, path: str, reason: str, blanks: bytes
) -> None:
    tools = [GOOD % b"a", text, GOOD % b"z"]
    catalog = loads(b'{"tools":[%b]}' % b",".join(tool + blanks for tool in tools))
    (invalid,) = catalog.invalid
    assert (invalid.name, invalid.index, invalid.path) == (name, 1, path)
    assert reason in invalid.reason
    assert [tool.name for tool in catalog] == ["a", "z"]
    assert catalog.digest == loads(b"[%b,%b]" % (GOOD % b"a", GOOD % b"z")).digest


@pytest.mark.parametrize(("text", "name", "path", "reason"), SHAPE_FAULTS)
def test_the_same_is_said_of_parsed_tools(
    text: bytes, name: str | None, path: str, reason: str
) -> None:
    good = {"name": "a", "inputSchema": {}}
    catalog = Catalog([_diff.parse(text), good])
    (invalid,) = catalog.invalid
    assert (invalid.name, invalid.index, invalid.path) == (name, 0, path)
    assert reason in invalid.reason
    assert [tool.name for tool in catalog] == ["a"]


@pytest.mark.parametrize(("text", "name", "path", "reason"), TEXT_FAULTS)
def test_text_faults_keep_a_text_from_having_a_canonical_form(
    text: bytes, name: str | None, path: str, reason: str
) -> None:
    for work in (_diff.canonical_text, _diff.projection):
        with pytest.raises(ValueError, match=reason) as caught:
            work(text)
        assert not isinstance(caught.value, _diff.NotJSON)


def test_all_malformed_tools_of_a_list_are_named() -> None:
    texts = [text for text, *_ in FAULTS]
    catalog = loads(b"[%b]" % b",".join([GOOD % b"a", *texts, GOOD % b"z"]))
    assert [invalid.index for invalid in catalog.invalid] == list(range(1, len(texts) + 1))
    assert [invalid.path for invalid in catalog.invalid] == [path for _, _, path, _ in FAULTS]
    assert [tool.name for tool in catalog] == ["a", "z"]


@pytest.mark.parametrize("count", [2, 3, 15, 16, 17, 23, 24, 25, 26, 63, 64, 65, 500])
@pytest.mark.parametrize("last", [0.0, 0.5, 0.99])
def test_a_repeated_key_is_found_among_any_number_of_keys(count: int, last: float) -> None:
    keys = [b'"k%d"' % number for number in range(count)]
    place = int(last * count)
    again = b'"\\u006b%d"' % place
    inside = b",".join(key + b":0" for key in keys)
    assert _diff.canonical_text(b"{%b}" % inside)
    with pytest.raises(ValueError, match=f"duplicate key.*/k{place}"):
        _diff.canonical_text(b"{%b,%b:0}" % (inside, again))


@pytest.mark.parametrize("order", ["abba", "baab"])
def test_the_repeated_key_that_is_met_first_is_blamed(order: str) -> None:
    members = ",".join(f'"{key}":{place}' for place, key in enumerate(order))
    with pytest.raises(ValueError, match=f"/{order[2]}"):
        _diff.canonical_text(f"{{{members}}}".encode())


def test_keys_that_share_beginning_and_end_are_told_apart() -> None:
    long = [b'"%b%d%b":1' % (b"a" * 20, n, b"z" * 20) for n in range(10)]
    assert _diff.canonical_text(b"{%b}" % b",".join(long))
    assert _diff.canonical_text(b'{"a":1,"a\\u0000":2,"\\u0000a":3,"":4,"\\u0000":5}')


@pytest.mark.parametrize(
    "stranger",
    [
        float("nan"),
        float("inf"),
        b"x",
        {1},
        object(),
        {1: 2},
        {None: 0},
        1j,
        "\ud800",
        {"\udfff": 0},
    ],
)
def test_objects_that_json_does_not_have_are_isolated_to_their_tool(stranger: Any) -> None:
    bad = {"name": "t", "inputSchema": {"x": [0, stranger]}}
    good = {"name": "a", "inputSchema": {}}
    catalog = Catalog([good, bad, {**good, "name": "z"}])
    (invalid,) = catalog.invalid
    assert (invalid.name, invalid.index) == ("t", 1)
    assert invalid.path.startswith("/inputSchema/x/1")
    assert invalid.reason
    assert [tool.name for tool in catalog] == ["a", "z"]


def cycle_of_one() -> list[Any]:
    holder: list[Any] = []
    holder.append(holder)
    return holder


def cycle_that_branches() -> list[Any]:
    holder: list[Any] = []
    holder += [holder, holder, {"again": holder}]
    return holder


def cycle_of_two() -> dict[str, Any]:
    first: dict[str, Any] = {}
    first["second"] = {"first": first}
    return first


def folded(levels: int) -> Any:
    """A few lists that stand for 2**levels values when written out."""
    value: Any = 0
    for _ in range(levels):
        value = [value, value]
    return value


@pytest.mark.parametrize(
    "value",
    [cycle_of_one(), cycle_of_two(), cycle_that_branches(), folded(100)],
    ids=["of one", "of two", "that branches", "folded"],
)
def test_objects_without_an_end_are_malformed(value: Any) -> None:
    bad = {"name": "t", "inputSchema": {"x": value}}
    catalog = Catalog([bad, {"name": "a", "inputSchema": {}}])
    assert [invalid.name for invalid in catalog.invalid] == ["t"]
    assert [tool.name for tool in catalog] == ["a"]
    with pytest.raises(ValueError, match=r"limit|more values than"):
        _diff.canonical(value)


def test_a_cycle_of_tools_is_malformed() -> None:
    tool: dict[str, Any] = {"name": "t", "inputSchema": {}}
    tool["_meta"] = {"self": tool}
    assert [invalid.name for invalid in Catalog([tool]).invalid] == ["t"]


def test_an_int_whose_methods_lie_is_read_as_the_int_it_is() -> None:
    holder: dict[str, Any] = {}

    class Liar(int):
        def bit_length(self) -> int:
            holder.clear()
            return 1

        def __abs__(self) -> int:
            return 7

        def __divmod__(self, other: int) -> tuple[int, int]:
            return 0, 0

        def __repr__(self) -> str:
            return "7"

    for value in (5, 2**70, -(2**70), 10**5000):
        holder.update({"a": "x" * 150, "b": Liar(value), "c": "y"})
        plain = {"a": "x" * 150, "b": value, "c": "y"}
        assert _diff.canonical(holder) == _diff.canonical(plain)
        assert len(holder) == 3


def test_keys_that_are_one_text_but_two_objects_are_a_repeat() -> None:
    class Apart(str):
        __slots__ = ()
        __hash__ = object.__hash__

        def __eq__(self, other: object) -> bool:
            return self is other

    twice = {Apart("a"): 1, "b": 2, Apart("a"): 3}
    assert len(twice) == 3
    with pytest.raises(ValueError, match=r"duplicate key.*/a"):
        _diff.canonical(twice)
    (invalid,) = Catalog([{"name": "t", "inputSchema": {"x": twice}}]).invalid
    assert (invalid.name, invalid.path) == ("t", "/inputSchema/x/a")
    assert _diff.canonical({Apart("a"): 1, Apart("b"): 2}) == b'{"a":1,"b":2}'


@pytest.mark.parametrize("value", ["\ud800", 10**700, 1.5e-300], ids=["text", "int", "float"])
def test_a_finalizer_cannot_change_what_is_being_read(value: object) -> None:
    """Up to Python 3.11 any tracked allocation may start the collector, and finalizers with it."""
    victim = [value] * 40 + [f"{index} " * 50 for index in range(300)]

    class Spoiler:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            victim.clear()

    before = gc.get_threshold()
    try:
        for allocations in range(1, 40, 3):
            gc.collect()
            gc.disable()
            Spoiler()
            gc.set_threshold(gc.get_count()[0] + allocations)
            gc.enable()
            Catalog([{"name": "a", "inputSchema": {"default": victim}}])
    finally:
        gc.set_threshold(*before)
        gc.enable()


@pytest.mark.skipif(
    sys.platform == "win32" or "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="frames or stacks of another size",
)
def test_the_default_depth_fits_a_small_stack() -> None:
    value: object = 1
    for _ in range(240):
        value = {"a": value}
    done: list[str] = []

    def read() -> None:
        (tool,) = Catalog([{"name": "a", "inputSchema": {"x": value}}])
        done.append(tool.digest)

    before = threading.stack_size(128 * 1024)
    try:
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert len(done) == 1
