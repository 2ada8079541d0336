"""The text of a lockfile → what it holds, or in one line why it is refused, and how to go on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Final, NoReturn

from toolsync import _diff, _reading
from toolsync.catalog import LIMITS, Limits
from toolsync.errors import LockError
from toolsync.lockfile.layout import compact
from toolsync.lockfile.model import FORM, VERSION, LockedTool, Lockfile, Server, Unusable, is_name
from toolsync.safe import named, safe_text

_AROUND: Final = 4  # levels that stand around a definition, more than around a tool in a list
# No JSON text has a line break inside of a string, so such a line is never part of one.
_CONFLICT: Final = re.compile(
    rb"^(?:<<<<<<<|\|\|\|\|\|\|\||=======|>>>>>>>)(?= |\r?$)", re.MULTILINE
)
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_RESTORE: Final = "restore it ('git checkout -- FILE'), or delete it and lock again"
_TOOL: Final = frozenset({"tool", "digest", "semantic", "definition", "catalogue"})
_UNUSABLE: Final = frozenset({"unusable", "bytes", "path", "reason", "catalogue"})


def parse(text: bytes, *, limits: Limits = LIMITS) -> Lockfile:
    """Reads a lockfile; every definition is checked against its digest.

    Raises LockError where the text is truncated, in conflict, tampered with, or of a
    newer form than this toolsync knows.
    """
    root = _outline(text, limits)
    _refuse_versions(root)
    servers = _member(root, "servers", "object", "the lockfile")
    found = [(_server_name(key), _server(key.string, value)) for key, value in servers.members()]
    return Lockfile(tuple(sorted(found, key=lambda one: one[0])))


def _line(text: bytes, offset: int) -> int:
    return text.count(b"\n", 0, offset) + 1


def _outline(text: bytes, limits: Limits) -> _reading.Value:
    if _reading.next_value(text, 0) == len(text):
        raise LockError(f"is empty: {_RESTORE}")
    depth = min(limits.max_depth + _AROUND, _diff.MAX_DEPTH)
    try:
        root, end = _reading.outline(text, depth, limits.max_string)
    except _diff.NotJSON as error:
        _refuse_text(text, error)
    except OverflowError as error:
        raise LockError(f"{error}: lock the catalogues in several files (-o)") from error
    if _reading.next_value(text, end) != len(text):
        raise LockError(f"goes on behind its end at line {_line(text, end)}: {_RESTORE}")
    return root


def _refuse_text(text: bytes, error: _diff.NotJSON) -> NoReturn:
    conflict = _CONFLICT.search(text)
    if conflict:
        raise LockError(
            f"holds a merge conflict at line {_line(text, conflict.start())}: keep one side of"
            " each (whole blocks), or take either file and run 'toolsync lock' again"
        ) from error
    line = _line(text, error.offset)
    ended = _reading.next_value(text, error.offset) == len(text)
    if ended or (text.startswith(b"{") and not text.rstrip().endswith(b"}")):
        raise LockError(f"is cut off at line {line}: {_RESTORE}") from error
    raise LockError(f"is not JSON at line {line} ({error.reason}): {_RESTORE}") from error


def _refuse_versions(root: _reading.Value) -> None:
    for name, known in (("lockfile", VERSION), ("form", FORM)):
        found = root.member(name) if root.kind == "object" else None
        literal = b"" if found is None or found.kind != "number" else found.literal
        if not literal.isdigit() or len(literal) > 9:
            raise LockError(f"is no lockfile: expected an object with a number as {named(name)}")
        if int(literal) > known:
            what = "layout" if name == "lockfile" else "canonical form"
            raise LockError(
                f"is of a newer toolsync: {what} {int(literal)}, and this one knows {known}:"
                " upgrade toolsync, or lock again with this one into another file"
            )
        if int(literal) != known:
            raise LockError(f"{named(name)}: expected {known}, got {int(literal)}: {_RESTORE}")
    _refuse_faults(root, {"lockfile", "form", "servers"}, "the lockfile")


def _refuse_faults(value: _reading.Value, known: set[str] | frozenset[str], where: str) -> None:
    """Refuses members that repeat, cannot be read exactly, or mean nothing here."""
    for key, inner in value.members():
        fault = key.fault or inner.fault
        if fault:
            raise LockError(f"{where}, at {named(key.string)}: {fault}: {_RESTORE}")
        if key.string not in known:
            raise LockError(f"{where}: expected no {named(key.string)}: {_RESTORE}")


def _member(value: _reading.Value, name: str, kind: str, where: str) -> _reading.Value:
    found = value.member(name)
    if found is None or found.kind != kind:
        got = "nothing" if found is None else found.kind
        raise LockError(f"{where}, at {named(name)}: expected {kind}, got {got}: {_RESTORE}")
    return found


def _server_name(key: _reading.Value) -> str:
    if key.fault or not is_name(key.string):
        why = key.fault or "not a name of a catalogue"
        raise LockError(f"catalogue {named(key.string[:100])}: {why}: {_RESTORE}")
    return key.string


def _server(name: str, value: _reading.Value) -> Server:
    where = f"catalogue {named(name)}"
    _refuse_faults(value, {"source", "tools"}, where)
    source = _member(value, "source", "string", where).string
    tools: list[LockedTool] = []
    unusable: list[Unusable] = []
    for place, block in enumerate(_member(value, "tools", "array", where).elements()):
        inside = f"{where}, tools[{place}]"
        if block.member("definition") is not None:
            tools.append(_tool(block, inside))
        else:
            unusable.append(_unusable(block, inside))
        _refuse_other(block, name, inside)
    _refuse_repeats(tools, where)
    return Server(source, tuple(tools), tuple(unusable))


def _refuse_other(block: _reading.Value, name: str, where: str) -> None:
    """Refuses a block that a merge or a hand has put into another catalogue than its own."""
    (catalogue,) = _strings(block, where, "catalogue")
    if catalogue != name:
        raise LockError(f"{where}: is of catalogue {named(catalogue)}: {_RESTORE}")


def _refuse_repeats(tools: list[LockedTool], where: str) -> None:
    counts = Counter(tool.name for tool in tools)
    for name, count in counts.items():
        if count > 1:
            raise LockError(
                f"{where}: tool {named(name)} stands {count} times: keep one of its blocks"
            )


def _tool(block: _reading.Value, where: str) -> LockedTool:
    name, digest, semantic = _strings(block, where, "tool", "digest", "semantic")
    if len(block) != len(_TOOL):
        _refuse_faults(block, _TOOL, where)
    text = _member(block, "definition", "object", where).literal
    return LockedTool(name, digest, semantic, _matched(text, digest, name))


def _strings(block: _reading.Value, where: str, *names: str) -> Iterator[str]:
    for name in names:
        found = block.member(name)
        if found is None or found.kind != "string" or found.fault:
            _refuse_faults(block, _TOOL | _UNUSABLE, where)
            _member(block, name, "string", where)
            raise LockError(f"{where}, at {named(name)}: expected a string: {_RESTORE}")
        yield found.string


def _matched(text: bytes, digest: str, name: str) -> bytes:
    """Returns the canonical text of a definition, which must be the one of its digest."""
    # As toolsync lays a definition out, what it was hashed from is there but for the blanks.
    bare = compact(text)
    if f"sha256:{sha256(bare).hexdigest()}" == digest:
        return bare
    try:
        canonical = _diff.canonical_text(text)
    except ValueError as error:
        raise LockError(f"tool {named(name)}: {safe_text(str(error))}: {_RESTORE}") from error
    if f"sha256:{sha256(canonical).hexdigest()}" == digest:
        return canonical
    if _DIGEST.fullmatch(digest) is None:
        what = "expected 'sha256:' and 64 hexadecimal digits as its digest"
    else:
        what = "was edited by hand: its definition does not have the digest that stands with it"
    raise LockError(f"tool {named(name)}: {what}: {_RESTORE}")


def _unusable(block: _reading.Value, where: str) -> Unusable:
    _refuse_faults(block, _UNUSABLE, where)
    digest, path, reason = _strings(block, where, "bytes", "path", "reason")
    name = block.member("unusable")
    if name is not None and name.kind == "null":
        return Unusable(None, digest, path, reason)
    return Unusable(next(_strings(block, where, "unusable")), digest, path, reason)
