from __future__ import annotations

from toolsync.report.lint import LintReport, lint_lines

NOTHING: LintReport = {
    "source": "a.json", "tools": 1, "invalid": [], "refused": [], "doubtful": [],
    "warnings": [],
}  # fmt: skip


def _text(made: LintReport) -> list[str]:
    return [line.text for line in lint_lines(made)]


def test_nothing_to_remark() -> None:
    assert _text(NOTHING) == ["1 tool: none invalid, none doubtful"]


def test_invalid_tools_stand_before_doubtful_ones() -> None:
    made: LintReport = {
        **NOTHING,
        "tools": 4,
        "doubtful": [
            {"name": "b\x1b", "path": "/name", "reason": "unusual", "rule": "name-unusual"},
            {"name": "b\x1b", "path": "", "reason": "odd", "rule": "odd"},
        ],
        "refused": [
            {"name": None, "path": "", "reason": "too many", "rule": "x-tool-count"},
        ],
        "invalid": [
            {"name": None, "index": 3, "path": "", "reason": "expected an object"},
            {"name": "a", "path": "/inputSchema", "reason": "no type"},
        ],
    }
    assert _text(made) == [
        "! tools[3]  invalid  expected an object",
        "! a  invalid  /inputSchema  no type",
        "! the catalogue  refused  too many  [x-tool-count]",
        "? b\\u{1B}  doubtful  /name  unusual  [name-unusual]",
        "? b\\u{1B}  doubtful  odd  [odd]",
        "",
        "4 tools: 2 invalid, 1 refused, 1 doubtful",
    ]
