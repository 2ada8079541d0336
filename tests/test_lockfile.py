"""The lockfile's text: exact, the same for the same catalogue, refused where it cannot be true."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_strategies import spell, tools
from toolsync import Catalog, Limits, diff, loads
from toolsync.catalog import LIMITS
from toolsync.errors import LockError
from toolsync.lockfile import (
    Lockfile,
    Unusable,
    accepted,
    catalog_of,
    checked_name,
    locked,
    parse,
    pending,
    written,
)
from toolsync.safe import safe_json


def _tool(name: str, **parts: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **parts}


def _text(catalog: Catalog, source: str = "tools.json", name: str = "default") -> bytes:
    return written(Lockfile().with_server(name, locked(catalog, source)))


def _back(text: bytes, beside: Catalog, limits: Limits = LIMITS) -> Catalog:
    _, server = parse(text, limits=limits).chosen(None)
    return catalog_of(server, beside, name="toolsync.lock", limits=limits)


def _refusal(text: bytes, **how: Any) -> str:
    with pytest.raises(LockError) as caught:
        parse(text, **how)
    said = str(caught.value)
    assert said.isprintable()
    return said


NOTHING = Catalog([])
SAMPLE = Catalog(
    [
        _tool("beta", description="Second.", title="B"),
        _tool("alpha", description="First.", annotations={"readOnlyHint": True}),
        _tool("gamma", outputSchema={"type": "object", "properties": {"n": {"maximum": 2**64}}}),
    ]
)


def test_a_lockfile_holds_every_tool_whole() -> None:
    back = _back(_text(SAMPLE), NOTHING)
    assert back.digest == SAMPLE.digest
    assert back.semantic_digest == SAMPLE.semantic_digest
    assert diff(SAMPLE, back).level == "identical"
    assert back["gamma"].definition == SAMPLE["gamma"].definition


@given(st.lists(tools, max_size=4), st.integers(0, 9))
def test_whatever_is_a_tool_comes_back_the_same(given_tools: list[Any], seed: int) -> None:
    catalog = loads(spell({"tools": given_tools}, seed))
    text = _text(catalog)
    lockfile = parse(text)
    _, server = lockfile.chosen(None)
    assert written(lockfile) == text
    for beside in (NOTHING, catalog):
        back = catalog_of(server, beside, name="lock")
        assert (back.digest, back.semantic_digest) == (catalog.digest, catalog.semantic_digest)
    assert diff(catalog_of(server, catalog, name="lock"), catalog).level == "identical"


@given(st.lists(tools, max_size=4), st.integers(0, 9))
def test_the_same_catalogue_gives_the_same_bytes(given_tools: list[Any], seed: int) -> None:
    catalog = loads(spell({"tools": given_tools}, 0))
    respelled = loads(spell({"tools": given_tools[::-1]}, seed))
    if not catalog.invalid and catalog.digest == respelled.digest:
        assert _text(catalog) == _text(respelled)


def test_integers_of_any_size_are_kept() -> None:
    number = 10**300 + 1
    schema = {"type": "object", "properties": {"n": {"maximum": number}}}
    back = _back(_text(Catalog([{"name": "a", "inputSchema": schema}])), NOTHING)
    assert back["a"].definition["inputSchema"]["properties"]["n"]["maximum"] == number


def test_a_definition_without_its_blanks_is_what_was_hashed() -> None:
    text = _text(SAMPLE).decode()
    definition = re.search(r'"definition": (\{\n\t"annotations".*?\n\}),\n', text, re.DOTALL)
    assert definition is not None
    bare = definition[1].translate({9: None, 10: None})
    assert f"sha256:{sha256(bare.encode()).hexdigest()}" == SAMPLE["alpha"].digest
    assert json.loads(definition[1]) == SAMPLE["alpha"].definition


def test_each_argument_has_a_line() -> None:
    properties = {f"p{i}": {"type": "string", "description": "A word." * 3} for i in range(4)}
    schema = {"type": "object", "properties": properties, "required": ["p1"]}
    lines = _text(Catalog([{"name": "a", "inputSchema": schema}])).decode().splitlines()
    assert len([line for line in lines if re.match(r'\t\t\t"p\d":\{.*\},?$', line)]) == 4
    assert '\t\t"required":["p1"],' in lines


def test_characters_that_nobody_sees_stand_escaped() -> None:
    odd = "a\x7f\x9b\u202e\u200b\U000e0041\ufe0f ##[error] plain é 日本"
    text = _text(Catalog([_tool(f"x{odd}", description=odd)]), source=f"s{odd}").decode()
    bare = text.replace("\n", "").replace("\t", "")
    assert bare == safe_json(bare)
    assert "é 日本" in bare
    back = _back(text.encode(), NOTHING)
    assert back[f"x{odd}"].definition["description"] == odd
    assert parse(text.encode()).chosen(None)[1].source == f"s{odd}"


def test_several_servers_stand_in_one_file_sorted() -> None:
    other = Catalog([_tool("other")])
    lockfile = Lockfile().with_server("b", locked(SAMPLE, "b.json"))
    lockfile = lockfile.with_server("a", locked(other, "a.json"))
    back = parse(written(lockfile))
    assert [name for name, _ in back.servers] == ["a", "b"]
    assert catalog_of(back.chosen("a")[1], NOTHING, name="x").digest == other.digest
    with pytest.raises(LockError, match="holds 2 catalogues: choose with --name one of a, b"):
        back.chosen(None)
    with pytest.raises(LockError, match="holds no catalogue 'c', but a, b"):
        back.chosen("c")


@pytest.mark.parametrize("name", ["", "-x", "a b", "a\x1b", "x" * 101, "ä"])
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(LockError, match="expected up to 100 of"):
        checked_name(name)


def test_what_is_no_tool_is_noted_and_not_dropped() -> None:
    source = b'{"tools": [{"name": "bad"}, 5, {"name": "good", "inputSchema": {}}]}'
    catalog = loads(source)
    text = _text(catalog)
    _, server = parse(text).chosen(None)
    assert {(one.name, one.path) for one in server.unusable} == {
        ("bad", "/inputSchema"),
        (None, ""),
    }
    same = catalog_of(server, loads(source), name="lock")
    assert [one.text for one in same.invalid] == [one.text for one in catalog.invalid]
    assert diff(same, loads(source)).invalid == ()
    other = loads(source.replace(b'"bad"', b'"bad", "x": 1'))
    assert [one.name for one in diff(catalog_of(server, other, name="l"), other).invalid] == ["bad"]


def test_a_long_reason_is_cut() -> None:
    path = "x" * 10_000
    bad = loads(f'{{"tools": [{{"name": "a", "inputSchema": {{"{path}": 1e999}}}}]}}')
    (entry,) = locked(bad, "s").unusable
    assert isinstance(entry, Unusable)
    assert len(entry.path) < 600


def test_changes_are_accepted_one_by_one() -> None:
    _, server = parse(_text(SAMPLE)).chosen(None)
    now = Catalog([_tool("beta", description="New."), _tool("delta"), SAMPLE["gamma"].definition])
    assert pending(server, now) == ["alpha", "beta", "delta"]
    for names, left in ((["beta"], ["alpha", "delta"]), (["alpha", "delta"], ["beta"])):
        made = accepted(server, now, names)
        assert pending(made, now) == left
    everything = accepted(server, now, pending(server, now))
    assert written(Lockfile().with_server("default", everything)) == _text(now)


def test_a_tool_that_became_malformed_can_be_accepted_and_back() -> None:
    _, server = parse(_text(SAMPLE)).chosen(None)
    bad = loads('{"tools": [{"name": "beta"}]}')
    assert pending(server, bad) == ["alpha", "beta", "gamma"]
    made = accepted(server, bad, ["beta"])
    assert [one.name for one in made.unusable] == ["beta"]
    assert pending(made, bad) == ["alpha", "gamma"]
    assert accepted(made, SAMPLE, ["beta"]) == server


# --- what is refused -------------------------------------------------------------------------

TEXT = _text(SAMPLE)


def _edited(old: str, new: str) -> bytes:
    text = TEXT.decode()
    assert old in text
    return text.replace(old, new, 1).encode()


def test_an_edited_definition_is_refused() -> None:
    said = _refusal(_edited("First.", "Worst."))
    assert said.startswith("tool 'alpha': was edited by hand")
    assert "git checkout" in said


def test_an_edited_digest_is_refused() -> None:
    digest = SAMPLE["alpha"].digest
    assert "was edited by hand" in _refusal(_edited(digest, f"sha256:{'0' * 64}"))
    assert "64 hexadecimal digits" in _refusal(_edited(digest, "md5:1"))


@pytest.mark.parametrize("beside", [NOTHING, SAMPLE], ids=["changed", "unchanged"])
def test_an_edited_semantic_digest_is_refused(beside: Catalog) -> None:
    semantic = f'"semantic": "{SAMPLE["beta"].semantic_digest}"'
    text = _edited(semantic, f'"semantic": "sha256:{"0" * 64}"')
    with pytest.raises(LockError, match="tool 'beta': 'semantic' is not the digest"):
        _back(text, beside)


@pytest.mark.parametrize("beside", [NOTHING, SAMPLE], ids=["changed", "unchanged"])
def test_a_block_under_another_name_is_refused(beside: Catalog) -> None:
    with pytest.raises(LockError, match="tool 'omega': its definition has another name"):
        _back(_edited('"tool": "beta"', '"tool": "omega"'), beside)


def test_a_cut_off_file_is_refused_wherever_it_ends() -> None:
    for end in range(len(TEXT) - 1):
        said = _refusal(TEXT[:end])
        assert re.match(r"is (cut off at line \d+|empty): restore it", said), (end, said)
    assert parse(TEXT[:-1]) == parse(TEXT)  # without the last line break


def test_more_behind_the_end_is_refused() -> None:
    assert "goes on behind its end at line" in _refusal(TEXT + TEXT)


def test_a_merge_conflict_is_refused_with_its_line() -> None:
    line = '"tool": "beta",\n'
    text = _edited(line, f"<<<<<<< HEAD\n{line}=======\n{line}>>>>>>> theirs\n")
    at = text[: text.index(b"<<<<<<<")].count(b"\n") + 1
    assert f"holds a merge conflict at line {at}: keep one side" in _refusal(text)


def test_both_branches_adding_a_tool_is_refused() -> None:
    block = re.search(r'\{\n"tool": "beta".*?\n\}\n,\n', TEXT.decode(), re.DOTALL)
    assert block is not None
    text = _edited(block[0], block[0] * 2)
    assert "tool 'beta' stands 2 times: keep one of its blocks" in _refusal(text)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            '"lockfile": 1',
            '"lockfile": 2',
            "is of a newer toolsync: layout 2, and this one knows 1",
        ),
        ('"form": 1', '"form": 7', "is of a newer toolsync: canonical form 7"),
        ('"form": 1', '"form": 0', "'form': expected 1, got 0"),
        ('"form": 1', '"form": "1"', "is no lockfile"),
        ('"form": 1', f'"form": 1{"0" * 5000}', "is no lockfile"),
        ('"lockfile"', '"other"', "is no lockfile"),
        ('"servers": {', '"servers": {}, "more": {', "expected no 'more'"),
        ('"servers": {', '"server": {', "expected no 'server'"),
        ('"source": "tools.json"', '"source": 5', "at 'source': expected string, got number"),
        ('"source": "tools.json"', '"source": "a", "source": "b"', "at 'source': "),
        ('"default"', '"a b"', "catalogue 'a b': not a name"),
        ('"default"', '"\\u001b[2J"', "catalogue '\\u{1B}[2J': not a name"),
        ('"tool": "beta"', '"tool": 5', "at 'tool': expected string, got number"),
        ('"tool": "beta"', '"tool": "\\ud800"', "at 'tool': lone surrogate"),
        ('"tool": "beta"', '"tool": "beta", "extra": 1', "expected no 'extra'"),
        ('"tool": "beta"', '"tool": "beta", "tool": "beta"', "at 'tool': "),
        ('"tool": "beta",', "", "at 'tool': expected string, got nothing"),
        ('"definition": {', '"definition": 5, "d": {', "expected no 'd'"),
        ('"Second."', '"\\ud800"', "tool 'beta': lone surrogate"),
    ],
)
def test_what_is_not_as_toolsync_writes_it(old: str, new: str, told: str) -> None:
    assert told in _refusal(_edited(old, new))


@pytest.mark.parametrize("text", [b"[]", b"5", b"{}", b'{"tools": []}', b'"\x1b"', b"\xff"])
def test_other_files_are_refused(text: bytes) -> None:
    assert re.match("is no lockfile|is not JSON at line 1", _refusal(text))


def test_a_definition_that_is_no_tool_is_refused() -> None:
    bad = '{"definition": 5, "digest": "a", "semantic": "b", "tool": "x"}'
    text = '{"lockfile": 1, "form": 1, "servers": {"a": {"source": "s", "tools": [%s]}}}'
    assert "at 'definition': expected object" in _refusal((text % bad).encode())
    assert "at 'tools': " in _refusal(text.replace("[%s]", "{}").encode())


def test_limits_hold_for_the_lockfile_and_are_named() -> None:
    text = _text(Catalog([_tool("a", description="x" * 5000)]))
    with pytest.raises(LockError, match="string"):
        _back(text, NOTHING, Limits(max_string=1000))


def test_depth_that_a_source_may_have_the_lockfile_may_have_too() -> None:
    schema: dict[str, Any] = {}
    for _ in range(246):
        schema = {"not": schema}
    catalog = loads(json.dumps({"tools": [_tool("deep", inputSchema=schema)]}))
    assert not catalog.invalid
    assert _back(_text(catalog), NOTHING).digest == catalog.digest


JUNK = [
    b"",
    b"{",
    b"}",
    b'"',
    b",",
    b"\\",
    b"\x00",
    b"\xff",
    b"1e999",
    b"null",
    b"\n",
    b"\\ud800",
    b'"a":1,',
]


@given(st.integers(0, len(TEXT)), st.integers(0, 40), st.sampled_from(JUNK), st.booleans())
def test_damage_is_refused_or_does_no_harm(start: int, size: int, junk: bytes, back: bool) -> None:
    text = TEXT[:start] + junk + TEXT[start + size :]
    for tool in _unless_refused(text, SAMPLE if back else NOTHING):
        whole = SAMPLE[tool.name]
        assert (tool.digest, tool.semantic_digest) == (whole.digest, whole.semantic_digest)


def _unless_refused(text: bytes, beside: Catalog) -> Catalog:
    """Reads a lockfile; where it is refused as it should be, gives nothing."""
    try:
        return _back(text, beside)
    except LockError as error:
        said = str(error)
    assert said.isprintable()
    return NOTHING


# --- what others made of the file ---------------------------------------------------------------


def test_another_programs_layout_is_read_and_put_right() -> None:
    plain = json.dumps(json.loads(TEXT), indent=4).encode()
    assert written(parse(plain)) == TEXT
    assert written(parse(TEXT.replace(b"\n", b"\r\n"))) == TEXT
    assert _back(plain, NOTHING).digest == SAMPLE.digest
