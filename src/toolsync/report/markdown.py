"""The report as a pull-request comment: one folded block a tool or group, worst first.

Nothing that a catalogue says becomes markup: it stands in code, in fences that are longer
than any that it holds, or in plain words (`inline`). A comment has a largest size on every
platform, so the text does too, unless all was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from toolsync.safe import printable, safe_line, safe_text, safe_words

from .blocks import Block, blocks, whole_blocks
from .cut import KEPT, KEPT_IN_FULL, MOST_OF_ONE, clipped
from .evidence import OVERRIDDEN, Sides, Words, decided, evidence, verdict
from .heading import outcome, rename, standing, tool_name
from .inline import parts
from .shape import FindingEntry, Report, Side, ToolEntry
from .summary import held, number, summary_line
from .values import json_text

_DETAILED: Final = 40_000
_BRIEF: Final = 56_000
"""How many characters are spent on blocks with details, and on blocks in all."""

_FINDINGS_EACH: Final = 12
_NAMES_EACH: Final = 200
_VALUE: Final = 600


def markdown(report: Report, *, full: bool = False) -> Iterator[str]:
    """Yields the report as GitHub-flavoured Markdown, block by block.

    With `full` nothing is folded up, shortened or left out, whatever the size.
    """
    yield f"## toolsync: {report['level']}\n\n"
    yield f"{_side(report['old'], 'old')} → {_side(report['new'], 'new')}\n\n"
    yield f"{prose(summary_line(report).text)}\n"
    used = brief = left_out = 0
    for block in whole_blocks(report["tools"]) if full else blocks(report["tools"]):
        detailed = full or used < _DETAILED
        text = _details(block, full=full) if detailed else f"- {_title(block)}\n"
        if not full and used + len(text) > _BRIEF:
            left_out += max(len(block.tools), 1)
            continue
        yield f"\n{text}" if detailed or not brief else text
        used += len(text)
        brief += not detailed
    if left_out:
        yield f"\n… and {number(left_out, 'more tool')}, none of them worse.\n"
    if brief or left_out:
        yield "\nShortened: `--only NAME` tells one tool in detail, `--all` everything.\n"


def _side(side: Side, otherwise: str) -> str:
    return f"{code(side['source'] or otherwise)} ({held(side)})"


def code(text: str) -> str:
    """Returns a code span that shows a text, whatever backticks it holds."""
    text = safe_text(text) or '""'
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def prose(sentence: str) -> str:
    """Returns a sentence as inline Markdown that makes nothing but text and code of it."""
    return "".join(code(part.text) if part.code else part.text for part in parts(sentence))


def _html(sentence: str) -> str:
    """Returns a sentence as HTML: inside of `<summary>` Markdown means nothing."""
    return "".join(
        f"<code>{escape(part.text)}</code>" if part.code else escape(part.text)
        for part in parts(sentence)
    )


def _details(block: Block, *, full: bool) -> str:
    body = "\n".join(safe_line(line) for line in _body(block, full=full))
    summary = safe_line(f"<summary>{_title(block)}</summary>")
    if not body:
        return f"- {_title(block)}\n"
    return f"<details>\n{summary}\n\n{body}\n\n</details>\n"


def _title(block: Block) -> str:
    """Tells a block in one line, which is HTML: GitHub shows it alike in a list."""
    if block.kind == "tool":
        return _tool_title(block)
    lone = len(block.tools) == 1
    name = f"<code>{escape(tool_name(block.tools[0]))}</code> " if lone else ""
    count = f"{len(block.tools)} tools " if block.kind == "list" and not lone else ""
    return f"<b>{block.level}</b> · {name}{count}{_html(block.told)}{_worst(block)}"


def _tool_title(block: Block) -> str:
    tool = block.tools[0]
    name = f"<code>{escape(tool_name(tool))}</code>"
    beside = f", beside {number(block.shared, 'shared finding')}" if block.shared else ""
    return f"<b>{standing(tool)}</b> · {name}{_became(tool)}{_worst(block)}{beside}"


def _became(tool: ToolEntry) -> str:
    if tool["status"] == "invalid":
        return f" · {_html(clipped(tool.get('reason', ''), 2 * KEPT))}"
    told = outcome(tool) if tool["status"] in ("added", "removed") else ""
    return _html(f"{f' · {told}' if told else ''}{rename(tool)}")


def _worst(block: Block) -> str:
    """Tells the first finding, and how many there are besides."""
    if not block.findings or block.tools[0]["status"] == "invalid":
        return ""
    more = f", and {len(block.findings) - 1} more" if len(block.findings) > 1 else ""
    return f" · {_html(safe_words(clipped(block.findings[0]['message'], KEPT)))}{more}"


def _body(block: Block, *, full: bool) -> Iterator[str]:
    if len(block.tools) > 1:
        yield _names(block.tools, all_of=block.kind == "shared")
    shown = block.findings if full else block.findings[:_FINDINGS_EACH]
    for place, finding in enumerate(shown):
        yield from ("",) * bool(place)
        yield from _finding(finding, tool_name(block.tools[0]), full=full)
    if len(block.findings) > len(shown):
        yield f"\n… and {number(len(block.findings) - len(shown), 'more finding')}"


def _names(tools: Sequence[ToolEntry], *, all_of: bool) -> str:
    shown = ", ".join(code(tool_name(tool)) for tool in tools[:_NAMES_EACH])
    more = f", and {len(tools) - _NAMES_EACH} more" if len(tools) > _NAMES_EACH else ""
    return f"all of: {shown}{more}\n" if all_of else f"{shown}{more}"


def _finding(finding: FindingEntry, of: str, *, full: bool) -> Iterator[str]:
    most = KEPT_IN_FULL if full else KEPT
    path = f" at {code(clipped(finding['path'], most))}" if finding["path"] else ""
    message = prose(safe_words(clipped(finding["message"], 2 * most)))
    yield f"- **{finding['level']}**: {message} ({code(finding['rule'])}{path})"
    yield from _values(finding, full=full)
    if "witness" in finding:
        room = MOST_OF_ONE if full else _VALUE
        call = f"{of} {json_text(finding['witness'], room)}"
        yield f"\n  {verdict(finding)}: {code(call)}"
    if "overridden" in finding:
        was = finding["overridden"]
        yield f"\n  {OVERRIDDEN}**{was['level']}**: {prose(decided(was))}"


def _values(finding: FindingEntry, *, full: bool) -> Iterator[str]:
    shown = evidence(finding, room=_VALUE, full=full)
    if isinstance(shown, Words):
        cut = " …" if shown.cut else ""
        yield f"\n  {''.join(_marked(kind, text) for kind, text in shown.pieces)}{cut}"
    elif shown is not None:
        yield from _fenced(shown)


def _marked(kind: str, text: str) -> str:
    tag = {"gone": "del", "new": "ins"}.get(kind)
    text = re.sub(r"[ \n\t]+", " ", text) if text.strip() else printable(text)
    kept = text.strip(" ")
    if tag is None or not kept:
        return prose(text) if kept else text
    start = text.index(kept)
    return f"{text[:start]}<{tag}>{prose(kept)}</{tag}>{text[start + len(kept) :]}"


def _fenced(sides: Sides) -> Iterator[str]:
    lines = [*_signed("- ", sides.old), *_signed("+ ", sides.new)]
    runs = re.findall("`{3,}", "\n".join(lines))
    fence = "`" * (1 + max(map(len, runs), default=2))
    yield ""
    yield from (f"  {each}" for each in (f"{fence}diff", *lines, fence))


def _signed(sign: str, text: str | None) -> Iterable[str]:
    return () if text is None else (f"{sign}{text}",)
