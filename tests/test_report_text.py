from __future__ import annotations

import io
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from made_reports import added, finding, removed, report, tool
from toolsync.report.shape import Report
from toolsync.report.stat import name_lines, stat_lines
from toolsync.report.terminal import console_for, print_lines
from toolsync.report.text import report_lines

REQUIRED = finding(
    "`limit` is now required: calls that leave it out are refused",
    rule="input-property-became-required",
    level="breaking",
    path="/inputSchema/required",
    property="limit",
    old=["q"],
    new=["q", "limit"],
    witness={"q": ""},
    witness_of="arguments",
)
REWORDED = finding(
    old="Search the web for pages that match, and take care.",
    new="Search the whole web for pages that match, and take care.",
)


def _text(made: Report, **options: Any) -> str:
    return "\n".join(line.text for line in report_lines(made, **options))


def test_a_report_reads_from_the_worst_to_the_summary() -> None:
    made = report(
        added("extra"),
        tool("read", "changed", REWORDED),
        tool("search", "changed", REWORDED, REQUIRED),
        removed("write"),
        unchanged=20,
    )
    assert (
        _text(made)
        == """\
old.json (24 tools) → new.json (24 tools)

~ search  breaking
  breaking       /inputSchema/required  `limit` is now required: calls that leave it out\
 are refused\
  [input-property-became-required]
      ["q"] → ["q", "limit"]
      refused now: {"q": ""}
  documentation  /description  the description changed  [description-changed]
      Search the {+whole +}web for pages that match, and take care.

- write  breaking  removed
+ extra  compatible  added

~ read  documentation
  /description  the description changed  [description-changed]
      Search the {+whole +}web for pages that match, and take care.

breaking: 1 added, 1 removed, 2 changed, 20 unchanged\
 (2 breaking, 1 compatible, 1 documentation); suggested bump: major"""
    )


def test_nothing_changed_is_said_in_a_line() -> None:
    assert _text(report(unchanged=3)).splitlines()[-1] == "identical: 3 unchanged"
    assert _text(report()).splitlines()[-1] == "identical: no tools"


def test_short_values_stand_on_the_line_of_their_finding() -> None:
    changed = finding(
        "the default changed",
        rule="input-default-changed",
        level="dangerous",
        path="/inputSchema/properties/n/default",
        old=None,
        new=10,
    )
    lines = _text(report(tool("a", "changed", changed))).splitlines()
    assert lines[3] == (
        "  /inputSchema/properties/n/default  the default changed"
        "  null → 10  [input-default-changed]"
    )


def test_what_stood_on_one_side_only_is_marked() -> None:
    came = finding("an example was added", rule="examples-changed", path="/x", new=None)
    went = finding("an example went", rule="examples-changed", path="/x", old=0)
    text = _text(report(tool("a", "changed", came, went)))
    assert "+ null" in text
    assert "- 0" in text


def test_a_witness_of_a_result_says_so() -> None:
    worse = finding(level="breaking", path="/outputSchema", witness={}, witness_of="result")
    assert "possible now: {}" in _text(report(tool("a", "changed", worse)))


def test_an_invalid_tool_is_named_first_with_its_place_and_reason() -> None:
    useless = finding("it is unusable", rule="tool-invalid", level="presentation", path="/name")
    why = "expected a non-empty string"
    bad = tool(None, "invalid", useless, path="/name", reason=why, index=3)
    lines = _text(report(removed("gone"), bad)).splitlines()
    assert lines[2] == "! tools[3]  invalid  /name  expected a non-empty string"


def test_a_tool_that_became_invalid_is_breaking() -> None:
    broke = finding("it cannot be used", rule="tool-became-invalid", level="breaking", path="/x")
    lines = _text(report(tool("a", "invalid", broke, path="/x", reason="why"))).splitlines()
    assert lines[2:] == [
        "! a  invalid, breaking  /x  why",
        "",
        "breaking with unusable tools: 1 invalid (1 breaking); suggested bump: major",
    ]


def test_a_rename_is_hinted_at_both_names() -> None:
    text = _text(report(added("new", renamed_from="old"), removed("old", renamed_to="new")))
    assert "- old  breaking  removed, perhaps renamed to new" in text
    assert "+ new  compatible  added, perhaps renamed from old" in text


def test_what_many_tools_share_is_told_once() -> None:
    tools = [tool(f"tool-{i}", "changed", REQUIRED) for i in range(9)]
    tools.append(tool("tool-9", "changed", REQUIRED, REWORDED))
    text = _text(report(*tools))
    assert text.count("`limit` is now required") == 1
    assert "~ 10 tools changed in the same way  breaking" in text
    assert "~ tool-9  breaking  beside 1 shared finding" in text
    lines = text.splitlines()
    at = lines.index("~ 10 tools changed in the same way  breaking")
    assert lines[at + 1].startswith("      all of: tool-0, tool-1, ")
    assert lines[at + 2].startswith("  /inputSchema/required  `limit` is now required")


def test_values_that_the_message_says_are_not_said_again() -> None:
    told = finding("`n`: `default` is now 28 (was 14): calls may differ", old=14, new=28)
    (line,) = _text(report(tool("a", "changed", told))).splitlines()[3:4]
    assert line.endswith("calls may differ  [description-changed]")
    assert "14 → 29" in _text(report(tool("a", "changed", told | {"new": 29})))


def test_a_level_is_said_once_where_there_is_one_finding() -> None:
    alone = _text(report(tool("a", "changed", REQUIRED)))
    assert alone.count("breaking") == 3  # the heading, and twice in the summary
    assert "\n  breaking       /" in _text(report(tool("a", "changed", REQUIRED, REWORDED)))


def test_letters_that_pass_for_others_are_spelled_beside() -> None:
    gone = finding("`p\u0430th` is gone", path="/x")
    text = _text(report(tool("s\u0435arch", "changed", gone), added("поиск")))
    assert "~ s\u0435arch (s\\u{435}arch)  documentation" in text
    assert "`p\u0430th` (p\\u{430}th) is gone" in text
    assert "+ поиск  compatible" in text


def test_unusable_tools_that_went_are_listed_apart() -> None:
    rule = {"rule": "invalid-tool-removed", "level": "presentation", "path": ""}
    went = [tool(f"bad-{i}", "removed", finding("gone", **rule)) for i in range(9)]
    text = _text(report(*went, *(removed(f"good-{i}") for i in range(9))))
    assert "- 9 tools removed  breaking\n" in text
    assert "- 9 tools removed, was unusable  presentation\n" in text


def test_tools_that_look_different_only_are_one_block() -> None:
    retitled = finding(
        "the title changed", rule="title-changed", level="presentation", path="/title"
    )
    tools = [tool(f"tool-{i}", "changed", retitled) for i in range(3)]
    text = _text(report(*tools))
    assert (
        "~ 3 tools only presented differently  presentation\n      tool-0, tool-1, tool-2" in text
    )
    assert "the title changed" not in text
    assert "the title changed" in _text(report(*tools), full=True)


def test_many_added_tools_are_a_list_of_names() -> None:
    tools = [added(f"a-tool-with-a-long-name-{i:03}") for i in range(100)]
    lines = _text(report(*tools)).splitlines()
    assert len(lines) < 40
    assert max(map(len, lines)) <= 100
    names = re.findall(r"[\w-]+-\d{3}", " ".join(lines))
    assert names == [each["name"] for each in tools]


def _four_hundred() -> Report:
    return report(
        *(
            tool(
                f"tool-{i:03}",
                "changed",
                finding(old=f"Does {i} things for you.", new=f"Does {i} other things for you."),
                *([REQUIRED | {"new": [str(i)]}] if i % 4 == 0 else []),
            )
            for i in range(400)
        )
    )


def test_four_hundred_changed_tools_stay_readable() -> None:
    lines = _text(_four_hundred()).splitlines()
    assert len(lines) < 700
    names = set(re.findall(r"^~ (tool-\d+)", "\n".join(lines), re.MULTILINE))
    assert len(names) == 400
    assert "shortened: --only NAME tells one tool in detail, --all everything" in lines
    worst = [i for i, line in enumerate(lines) if line.startswith("~") and "  breaking" in line]
    rest = [i for i, line in enumerate(lines) if line.startswith("~") and "  breaking" not in line]
    assert max(worst) < min(rest)


def test_nothing_is_left_out_of_a_full_report() -> None:
    made = _four_hundred()
    made["tools"].append(tool("same", "unchanged"))
    text = _text(made, full=True)
    assert text.count("[description-changed]") == 400
    assert text.count("refused now:") == 100
    assert "= same  unchanged" in text


def test_thousands_of_changed_tools_end() -> None:
    tools = [
        tool(f"tool-{i}", "changed", finding(old=f"Does {i} things", new=f"Does {i} more things"))
        for i in range(2_000)
    ]
    lines = _text(report(*tools)).splitlines()
    assert len(lines) < 1000
    assert any("more tools, none of them worse" in line for line in lines)


def test_a_tool_with_many_findings_shows_the_worst() -> None:
    many = [finding(f"change {i}", path=f"/{i}") for i in range(40)]
    text = _text(report(tool("a", "changed", *many, REQUIRED)))
    assert "… and 29 more findings" in text
    assert text.index("`limit`") < text.index("change 0")


HOSTILE = st.text(
    st.sampled_from("\x1b[31m\r\n\x85\u202e\u200b\U000e0061:#[:ab[/foo]\\\"'&<\x07"), min_size=1
)


@given(HOSTILE, HOSTILE, st.booleans())
def test_nothing_hostile_reaches_the_output(name: str, text: str, full: bool) -> None:
    findings = [
        finding(text, path="/" + text.replace("~", "~0"), old=text, new=f"{text} {text}"),
        finding(text, old={text: text}, new=[text], witness={text: text}, witness_of="arguments"),
    ]
    made = report(
        tool(name, "changed", *findings),
        added(text, renamed_from=text),
        tool(name, "invalid", path="", reason=text),
    )
    made["old"]["source"] = text
    for lines in (report_lines(made, full=full), stat_lines(made), name_lines(made)):
        for line in lines:
            assert line.text.isprintable() or not line.text
            assert not line.text.lstrip().startswith("::")
            assert "##[" not in line.text


def _coloured(made: Report, *, wrap: bool = False, width: int = 80) -> str:
    stream = io.StringIO()
    console = console_for(stream, colour=True)
    console.width = width
    print_lines(console, report_lines(made), wrap=wrap)
    return stream.getvalue()


def test_colour_changes_nothing_but_colour() -> None:
    made = _four_hundred()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", _coloured(made))
    assert plain == _text(made) + "\n"


def test_markup_and_emoji_codes_in_names_are_plain_text() -> None:
    made = report(tool("[/foo] [bold]x :warning:", "changed", REQUIRED))
    assert "[/foo] [bold]x :warning:" in re.sub(r"\x1b\[[0-9;]*m", "", _coloured(made))


def test_a_long_line_goes_on_under_itself() -> None:
    text = re.sub(
        r"\x1b\[[0-9;]*m", "", _coloured(report(tool("a", "changed", REQUIRED)), wrap=True)
    )
    assert max(map(len, text.splitlines())) <= 80
    assert "\n      " in text


def test_stat_counts_findings_a_tool() -> None:
    made = report(added("b"), tool("a", "changed", REQUIRED, REWORDED), removed("c"))
    assert [line.text for line in stat_lines(made)] == [
        " a  changed    breaking       1 breaking, 1 documentation",
        " c  removed    breaking",
        " b  added      compatible",
        "breaking: 1 added, 1 removed, 1 changed (2 breaking, 1 compatible); suggested bump: major",
    ]


def test_names_alone() -> None:
    made = report(
        added("b"), tool(None, "invalid", path="", reason="no", index=2), tool("c", "unchanged")
    )
    assert [line.text for line in name_lines(made)] == ["b", "tools[2]"]
