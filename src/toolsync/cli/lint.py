"""`toolsync lint SOURCE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsync.catalog import Catalog, Limits
from toolsync.model import Invalid

from . import output
from .options import (
    DEFAULTS,
    ColorOption,
    Format,
    FormatOption,
    InputFormatOption,
    MaxBytesOption,
    MaxDepthOption,
    MaxStringOption,
    Reading,
    SourceArgument,
    read,
)
from .output import Color
from .progress import progress

if TYPE_CHECKING:
    from toolsync.report.lint import LintReport, Remark

SHORT_HELP = "Invalid or doubtful tools of one catalogue."


def command(  # noqa: PLR0913, PLR0917  one parameter an option
    source: SourceArgument,
    format: FormatOption = Format.TEXT,  # noqa: A002  named as its option
    input_format: InputFormatOption = None,
    color: ColorOption = Color.AUTO,
    max_bytes: MaxBytesOption = DEFAULTS.max_bytes,
    max_depth: MaxDepthOption = DEFAULTS.max_depth,
    max_string: MaxStringOption = DEFAULTS.max_string,
) -> int:
    """Names the tools that no client can use, and those that some will misread.

    Exit code 1 where a tool is invalid; a doubt alone is none.
    """
    with progress(f"reading {source}") as now:
        limits = Limits(max_bytes, max_depth, max_string)
        catalog = read(source, Reading(input_format, limits))
        now(f"checking {len(catalog)} tools")
        report = _look(catalog)
    if format is Format.JSON:
        from toolsync.report.json import encode  # noqa: PLC0415  orjson costs milliseconds

        output.write_text(encode(report))
    else:
        from toolsync.report.lint import lint_lines  # noqa: PLC0415  as above

        output.write_lines(lint_lines(report), color)
    return int(bool(report["invalid"]))


def _look(catalog: Catalog) -> LintReport:
    """Checks every tool, in the catalogue's order."""
    from toolsync.schema.doubt import doubts  # noqa: PLC0415  loads tables
    from toolsync.schema.validity import tool_faults  # noqa: PLC0415  as above

    invalid: list[Remark] = [_malformed(each) for each in catalog.invalid]
    doubtful: list[Remark] = []
    for tool in catalog:
        faults = tool_faults(tool.definition)
        invalid += [
            {"name": tool.name, "path": fault.path, "reason": fault.reason} for fault in faults
        ]
        if not faults:
            doubtful += [
                {"name": tool.name, "path": doubt.path, "reason": doubt.reason, "rule": doubt.rule}
                for doubt in doubts(tool.definition)
            ]
    return {
        "source": catalog.source,
        "tools": len(catalog) + len(catalog.invalid),
        "invalid": invalid,
        "doubtful": doubtful,
        "warnings": list(catalog.warnings),
    }


def _malformed(fault: Invalid) -> Remark:
    remark: Remark = {"name": fault.name, "path": fault.path, "reason": fault.reason}
    return {**remark, "index": fault.index} if fault.name is None else remark
