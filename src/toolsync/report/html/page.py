"""The page: what was compared, controls, a row a tool, and the data of the rows."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from toolsync.model import Level
from toolsync.report.blocks import Block, blocks, whole_blocks
from toolsync.report.cut import KEPT, clipped
from toolsync.report.heading import outcome, rename, standing, tool_name
from toolsync.report.shape import Report, Side, ToolEntry
from toolsync.report.summary import held, number, summary_line
from toolsync.safe import safe_words

from .details import Definitions, details
from .tree import Element, element, sentence, verbatim

_HERE: Final = Path(__file__).parent
_POLICY: Final = (
    "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none';"
    " require-trusted-types-for 'script'"
)
_CHUNK: Final = 50
_KEYS: Final = (("/", "find a tool"), ("↓ ↑", "next, previous"), ("Enter", "open, close"))
_NO_SCRIPT: Final = (
    "The rows open by a script, and scripts are off here: this is only what is worst of each"
    " tool. The Markdown report needs none."
)


def page(report: Report, definitions: Callable[[str], Definitions]) -> Element:
    """Returns the page of a report; see `html`."""
    script, style = (_HERE.joinpath(name).read_text("utf-8") for name in ("page.js", "page.css"))
    shared = [block for block in blocks(report["tools"]) if block.kind == "shared"]
    told = [*shared, *whole_blocks(report["tools"])]
    data = "\n".join(details(told, definitions))
    body = element(
        "body",
        {},
        _header(report),
        _controls(report),
        element("main", {}, *_lists(told, len(shared))),
        _footer(report),
        verbatim("script", {"type": "application/json", "id": "data"}, data),
        verbatim("script", {}, script),
    )
    return element("html", {"lang": "en"}, _head(report, script, style), body)


def _head(report: Report, script: str, style: str) -> Element:
    policy = _POLICY.format(_hash(script), _hash(style))
    return element(
        "head",
        {},
        element("meta", {"charset": "utf-8"}),
        element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("meta", {"name": "color-scheme", "content": "light dark"}),
        element("title", {}, f"{report['level']}: {_source(report['new'], 'new')}"),
        verbatim("style", {}, style),
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _source(side: Side, otherwise: str) -> str:
    return side["source"] or otherwise


def _header(report: Report) -> Element:
    verdict, _, counts = summary_line(report).text.partition(": ")
    old, new = report["old"], report["new"]
    return element(
        "header",
        {},
        element("p", {"class": "brand"}, f"toolsync {report['toolsync']}"),
        element("h1", {"class": report["level"]}, verdict),
        element("p", {"class": "sides"}, *_named(old, "old"), " → ", *_named(new, "new")),
        element("p", {"class": "counts"}, *sentence(counts)),
        element("noscript", {}, element("p", {"class": "counts"}, _NO_SCRIPT)),
    )


def _named(side: Side, otherwise: str) -> Iterator[Element | str]:
    yield element("code", {}, _source(side, otherwise))
    yield f" ({held(side)})"


def _controls(report: Report) -> Element:
    levels = report["summary"]["levels"]
    told = {tool["level"] for tool in report["tools"]}
    buttons = [
        element(
            "button",
            {"type": "button", "class": level, "data-level": level, "aria-pressed": "false"},
            level,
            element("span", {"class": "number"}, str(levels.get(level, 0))),
        )
        for level in reversed(Level)
        if level in told
    ]
    search = {
        "id": "find", "type": "search", "autocomplete": "off", "spellcheck": "false",
        "placeholder": "Find a tool by name", "aria-label": "Find a tool by name",
    }  # fmt: skip
    return element(
        "nav",
        {"aria-label": "Filter"},
        element("input", search),
        element("div", {"class": "levels", "role": "group", "aria-label": "Levels"}, *buttons),
        element("output", {"id": "shown", "for": "find"}, number(len(report["tools"]), "tool")),
    )


def _lists(told: list[Block], shared: int) -> Iterator[Element]:
    if shared:
        yield element("h2", {}, "Changed in the same way")
        yield element("div", {"id": "groups"}, *_chunks(told, 0, shared))
        yield element("h2", {}, "Every tool")
    yield element("div", {"id": "tools"}, *_chunks(told, shared, len(told)))
    empty = "Nothing differs." if len(told) == shared else "No tool fits."
    hidden = {} if len(told) == shared else {"hidden": ""}
    yield element("p", {"id": "none", **hidden}, empty)


def _chunks(told: list[Block], start: int, end: int) -> Iterator[Element]:
    """Yields rows in chunks: a browser passes over a chunk that is out of sight as a whole."""
    for first in range(start, end, _CHUNK):
        places = range(first, min(first + _CHUNK, end))
        yield element("div", {"class": "chunk"}, *(_row(told[place], place) for place in places))


def _row(block: Block, place: int) -> Element:
    summary = [*_lead(block)]
    attributes = {"data-level": block.level, "data-at": str(place)}
    if block.kind == "tool" and not _unfolds(block):
        return element("div", {"class": "row", **attributes}, element("p", {}, *summary))
    return element("details", {"class": "row", **attributes}, element("summary", {}, *summary))


def _unfolds(block: Block) -> bool:
    return bool(block.findings) or block.tools[0]["status"] != "unchanged"


def _lead(block: Block) -> Iterator[Element | str]:
    """Says of a row how bad it is, what it is about, and the worst about that."""
    tool = block.tools[0]
    group = block.kind == "shared"
    look = "breaking" if tool["status"] == "invalid" else block.level
    yield element("span", {"class": f"level {look}"}, block.level if group else standing(tool))
    yield " "
    yield element("span", {"class": "name"}, block.told if group else tool_name(tool))
    yield " "
    yield element("span", {"class": "told"}, *sentence(_told(block, tool)))


def _told(block: Block, tool: ToolEntry) -> str:
    if tool["status"] == "invalid":
        return clipped(tool.get("reason", ""), 2 * KEPT)
    became = f"{outcome(tool)}{rename(tool)}" if tool["status"] in ("added", "removed") else ""
    first = block.findings[0]["message"] if block.findings and not became else became
    more = f" (and {len(block.findings) - 1} more)" if len(block.findings) > 1 else ""
    return f"{safe_words(clipped(first, 2 * KEPT))}{more}"


def _footer(report: Report) -> Element:
    keys = [part for key, does in _KEYS for part in (element("kbd", {}, key), f" {does} ")]
    digests = [
        element("p", {}, f"{name} ", element("code", {}, report[name]["semantic"]))
        for name in ("old", "new")
    ]
    return element("footer", {}, element("p", {"class": "keys"}, *keys), *digests)
