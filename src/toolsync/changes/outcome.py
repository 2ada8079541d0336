"""What became of one tool: its status, level and findings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from toolsync.allowance import Allowance
from toolsync.catalog import Tool
from toolsync.classify import Reading, findings, hidden, is_foreign, statement
from toolsync.model import Finding, Invalid, Level, Status
from toolsync.safe import spelled


@dataclass(frozen=True, slots=True)
class ToolChange:
    """The outcome of one tool; `old` or `new` is None where it is not there or malformed.

    `index` is its place among the tools of its catalogue, counted from 0; that of a
    malformed one counts every entry. `path` and `reason` say why an invalid tool
    cannot be used.
    """

    name: str | None
    index: int
    status: Status
    level: Level
    findings: tuple[Finding, ...] = ()
    old: Tool | None = None
    new: Tool | None = None
    renamed_from: str | None = None
    renamed_to: str | None = None
    path: str | None = None
    reason: str | None = None

    @property
    def notify(self) -> bool:
        """Tells whether a running session must learn of it."""
        return self.level.semantic


class Fault(NamedTuple):
    """Where and why a definition cannot be used."""

    path: str
    reason: str


def fault_of(tool: Tool, sound: Tool | None = None) -> Fault | None:
    """Returns what makes a well-formed tool unusable, or None; `sound` is one that is usable."""
    if tool.sound:
        return None
    from toolsync.schema.validity import tool_fault  # noqa: PLC0415  mostly not needed

    found = tool_fault(tool.parsed, None if sound is None else sound.parsed)
    return None if found is None else Fault(found.path, found.reason)


# Never reached while every difference has a rule; nothing may be silent all the same.
_UNNAMED: Final = Finding("field-changed", Level.UNKNOWN, "", "something changed without a name")


class Subject(NamedTuple):
    """The tool in question: its name and place, and what stands on each side."""

    name: str | None
    place: int
    old: Tool | None = None
    new: Tool | None = None


def added(tool: Tool, index: int, twin: str | None = None) -> ToolChange:
    """Judges a tool that stands in the new catalogue only; `twin` is what its name looks like."""
    subject = Subject(tool.name, index, new=tool)
    fault = fault_of(tool)
    if fault is not None:
        return invalid(subject, fault)
    found = [*_hidden(None, tool), *_likened(tool.name, twin)]
    told = sorted(found, key=lambda one: (one.path, one.rule))
    return _made(subject, "added", statement("tool-added"), *told)


def _likened(name: str, twin: str | None) -> tuple[Finding, ...]:
    if twin is None:
        return ()
    # Spelled in ASCII: side by side, the letters themselves would show no difference.
    names = {"mine": spelled(name), "other": spelled(twin)}
    return (statement("tool-name-looks-like-another", path="/name", **names),)


def _hidden(old: Tool | None, new: Tool) -> tuple[Finding, ...]:
    if not is_foreign(new.text):
        return ()
    return tuple(hidden(None if old is None else old.parsed, new.parsed))


def removed(tool: Tool, index: int) -> ToolChange:
    """Judges a tool that stands in the old catalogue only."""
    rule = "tool-removed" if fault_of(tool) is None else "invalid-tool-removed"
    return _made(Subject(tool.name, index, old=tool), "removed", statement(rule))


def changed(
    old: Tool, new: Tool, place: int, reading: Reading, allowance: Allowance | None = None
) -> ToolChange:
    """Judges a tool that differs in what its semantic digest is made from."""
    faulty = _faulty(Subject(new.name, place, old, new))
    if faulty is not None:
        return faulty
    found = findings(old.parsed, new.parsed, reading=reading, allowance=allowance)
    found = found or (_UNNAMED,)
    hiding = _hidden(old, new)
    if hiding:
        found = tuple(sorted((*found, *hiding), key=lambda one: (one.path, one.rule)))
    return _made(Subject(new.name, place, old, new), "changed", *found)


def respelled(old: Tool, new: Tool, place: int, *, doubtful: bool) -> ToolChange:
    """Judges a tool of equal semantic digests; `doubtful` where one side may be unusable."""
    subject = Subject(new.name, place, old, new)
    faulty = _faulty(subject) if doubtful else _still_faulty(subject, new)
    if faulty is not None:
        return faulty
    found = findings(old.parsed, new.parsed, quiet=True)
    return _made(subject, "changed", *(found or (statement("spelling-changed", step="it"),)))


def _still_faulty(subject: Subject, new: Tool) -> ToolChange | None:
    """Judges a tool that is unusable on both sides, if it is: they say the same."""
    fault = fault_of(new)
    return None if fault is None else invalid(subject, fault)


def _faulty(subject: Subject) -> ToolChange | None:
    """Judges a tool by what makes one of its sides unusable, if anything does."""
    old, new = subject.old, subject.new
    before = fault_of(old) if old else None
    after = fault_of(new, None if before else old) if new else None
    if after is not None:
        return invalid(subject, after, worked=before is None)
    return None if before is None else _made(subject, "changed", _valid_again(before))


def invalid(subject: Subject, fault: Fault | Invalid, *, worked: bool = False) -> ToolChange:
    """Tells of a tool that cannot be used now; `worked` says that it could before."""
    rule = "tool-became-invalid" if worked else "tool-invalid"
    made = _made(subject, "invalid", statement(rule, why=fault.reason, path=fault.path))
    return replace(made, path=fault.path, reason=fault.reason)


def _valid_again(was: Fault | Invalid) -> Finding:
    return statement("tool-became-valid", why=was.reason, path=was.path)


def became_well_formed(tool: Tool, index: int, was: Invalid) -> ToolChange:
    """Judges a tool whose namesake in the old catalogue was malformed."""
    subject = Subject(tool.name, index, new=tool)
    fault = fault_of(tool)
    if fault is not None:
        return invalid(subject, fault)
    return _made(subject, "changed", _valid_again(was))


def became_malformed(tool: Tool, fault: Invalid) -> ToolChange:
    """Judges a tool whose namesake in the new catalogue is malformed."""
    worked = fault_of(tool) is None
    return invalid(Subject(tool.name, fault.index, old=tool), fault, worked=worked)


def malformed(fault: Invalid) -> ToolChange:
    """Tells of a malformed tool that is new."""
    return invalid(Subject(fault.name, fault.index), fault)


def malformed_gone(was: Invalid) -> ToolChange:
    """Tells of a malformed tool that is there no longer."""
    return _made(Subject(was.name, was.index), "removed", statement("invalid-tool-removed"))


def unchanged(tool: Tool, index: int) -> ToolChange:
    """Tells of a tool that is identical on both sides."""
    return ToolChange(tool.name, index, "unchanged", Level.IDENTICAL, (), tool, tool)


def still_invalid(fault: Invalid) -> ToolChange:
    """Tells of a malformed tool that is the same on both sides."""
    name, place = fault.name, fault.index
    return ToolChange(name, place, "invalid", Level.IDENTICAL, path=fault.path, reason=fault.reason)


def _made(subject: Subject, status: Status, *found: Finding) -> ToolChange:
    name, place, old, new = subject
    return ToolChange(name, place, status, highest(found), found, old, new)


def highest(found: tuple[Finding, ...]) -> Level:
    """Returns the level of the worst finding."""
    worst = Level.IDENTICAL
    for one in found:
        if one.level.rank > worst.rank:
            worst = one.level
    return worst
