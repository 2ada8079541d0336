"""JUnit XML: one test case a tool, which fails where the command would.

Written by a library that escapes whatever it is given; what XML cannot hold at all is
shown escaped before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.etree import ElementTree as ET

from toolsync.safe import safe_line, safe_text

from .blocks import whole_blocks
from .finding import finding_lines, plain_lines
from .heading import heading, tool_name
from .shape import Report, ToolEntry
from .summary import summary_line, title_line


def junit(report: Report, fails: Callable[[ToolEntry], bool]) -> Iterator[str]:
    """Yields the document; `fails` tells of a tool whether its test case fails."""
    cases = [_case(tool, failed=fails(tool)) for tool in report["tools"]]
    failures = str(sum(case.find("failure") is not None for case in cases))
    counts = {"tests": str(len(cases)), "failures": failures, "errors": "0"}
    root = ET.Element("testsuites", {"name": "toolsync", **counts, "time": "0"})
    suite = ET.SubElement(
        root, "testsuite", {"name": title_line(report).text, **counts, "skipped": "0", "time": "0"}
    )
    suite.extend(cases)
    ET.SubElement(suite, "system-out").text = summary_line(report).text
    ET.indent(root)
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield ET.tostring(root, encoding="unicode")
    yield "\n"


def _case(tool: ToolEntry, *, failed: bool) -> ET.Element:
    case = ET.Element(
        "testcase", {"classname": "toolsync.diff", "name": tool_name(tool), "time": "0"}
    )
    if tool["status"] == "unchanged":
        return case
    if failed:
        failure = ET.SubElement(case, "failure", {"message": _message(tool), "type": tool["level"]})
        failure.text = _told(tool)
    else:
        ET.SubElement(case, "system-out").text = _told(tool)
    return case


def _message(tool: ToolEntry) -> str:
    worst = whole_blocks([tool])[0].findings[:1]
    told = next(plain_lines(worst[0], tool_name(tool))) if worst else tool.get("reason", "")
    return safe_line(safe_text(told))


def _told(tool: ToolEntry) -> str:
    (block,) = whole_blocks([tool])
    lines = [heading(tool).text]
    lines += [line.text for each in block.findings for line in finding_lines(each, 2)]
    return "\n".join(lines)
