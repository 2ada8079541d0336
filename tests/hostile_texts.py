"""Texts that want to be more than text, and catalogues that say them wherever they can."""

from __future__ import annotations

import unicodedata
from typing import Any, Final

import toolsync

STEERING: Final = (
    "\x1b[31mred\x1b]0;title\x07",
    "\x00\x08\x7f\x85\x9b31m",
    "line one\r\nline two\x0bline three\x0c",
    "right \u202eto left\u202c \u2066isolated\u2069 \u200f",
    "no\u200bthing \u2060seen \ufeff\u00ad\u034f\u180e",
    "tags \U000e0061\U000e0062 and \ue000 private",
    "sep\u2028arator\u2029 and blanks \u3164\u2800\u115f",
    "not a character \ufffe\uffff\ufdd0",
)
MARKUP: Final = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg/onload=alert(1)>'",
    "<!-- --><!doctype x><![CDATA[",
    "]]>",
    "&lt;b&gt; &#60;i&#62; &amp;",
    "</details></summary><details open>",
    "</code></b></textarea></title></style>",
    "javascript:alert(1)",
    "</system-out></failure><testcase/>",
)
MARKDOWN: Final = (
    "`", "``", "```\n# out\n```", "~~~", "a|b|c", "\\`\\", "`code` and `more",
    "[x](javascript:alert(1))", "![x](https://evil.example/x.png)", "<https://evil.example>",
    "@octocat and @org/team", "#1 GH-2 owner/repo#3", "https://evil.example/path",
    "www.evil.example", "mail@evil.example", "\n\n# heading\n\n---\n", "**bold** _it_ ~~gone~~",
    "$x^2$ :smile:", "- [ ] task", "1. one", "deadbeefcafe0123", "[^1]", "[ref]: https://e.example",
    "* * *", "> quote", "    indented",
)  # fmt: skip
COMMANDS: Final = (
    "::error file=x::forged", "\n::set-output name=a::b", "::stop-commands::token",
    "%0A::error::forged", "%25%0D%0A", "##[error]forged", "##vso[task.complete]forged",
    "a,b:c::d",
)  # fmt: skip
SARIF: Final = ("{0}", "{{1}}", "[here](1)", "[site](https://evil.example)", "\\[ \\] \\\\")
HOSTILE: Final = (*STEERING, *MARKUP, *MARKDOWN, *COMMANDS, *SARIF)

SOURCE: Final = "</script>`@octocat`|<b>\x1b[31m\u202e:,%0A]]>.json"
"""The name of a file, as hostile as what is in it."""


def catalogues() -> tuple[toolsync.Catalog, toolsync.Catalog]:
    """Returns two catalogues that differ in every tool, each of which is hostile."""
    old, new = [], []
    for text in HOSTILE:
        old += [_tool(text, text, "old"), _plain(f"gone {text}")]
        new += [_tool(text, text, "new"), _plain(f"come {text}"), _broken(text)]
    return toolsync.Catalog(old), toolsync.Catalog(new)


def _tool(name: str, text: str, side: str) -> dict[str, Any]:
    properties = {
        text: {"type": "string", "description": f"{side} {text}"},
        f"{side} {text}": {"enum": [text, f"{text} {side}"], "title": text},
        "text": {"type": "string", "default": f"{text} {side}", "pattern": "^[a-z]+$"},
    }
    required = [text] if side == "new" else []
    so = "so" if side == "new" else "as"
    long = f"What {side} words say: {text}. And {text} again, {text}, {so}."
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "title": f"{text} {side}", "description": long, "inputSchema": schema}


def _plain(name: str) -> dict[str, Any]:
    return {"name": name, "description": name, "inputSchema": {"type": "object"}}


def _broken(text: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {text: {"type": text}}}
    return {"name": f"broken {text}", "inputSchema": schema}


def unsafe(text: str, *, allowed: str = "\n") -> set[str]:
    """Returns the characters of a text that steer, hide or mislead."""
    return {
        char
        for char in set(text) - set(allowed)
        if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}
        or char in "\u00a0\u034f\u115f\u1160\u2800\u3164\uffa0\ufe0f"
    }
