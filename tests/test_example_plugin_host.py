"""The plugin host of the examples plays every timeline, and its output is the text beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
EXPECTED = (EXAMPLES / "plugin_host.txt").read_text("utf-8")

# What in the text holds each requirement: lines that stand right below each other.
HELD = {
    "pl1 committed at once": """
  notes 1 is built
  editor is told +read_note +write_note: [read_note, write_note]
  reader is told +read_note: [read_note]
  plugin notes: active, version 1
  revision 1: [read_note, write_note]
""",
    "pl2 a refusal names plugin, tool, place, reason": (
        "  refused: plugin 'notes', tool 'find_note', at /inputSchema/required: "
        'expected an array of property names, got "text" (2020-12)\n'
    ),
    "pl3 rejected: same revision": """
  plugin notes: retained, version 1, candidate 2 failed
  plugin clock: active, version 2
  revision 2: [read_note, write_note, read_clock]
""",
    "pl4 skipped: the last valid definition stays, with its version": """
  revision 3: [read_note, send_mail, sent]
  a call to it: send_mail of mail 1
""",
    "pl5 v2 active, then v1 closed": """
  notes 3 is built
  editor is told ~read_note: [read_note, write_note, read_clock]
  reader is told ~read_note: [read_note, read_clock]
  notes 1 is closed
""",
    "pl5 the failed candidate is closed, v1 is not": """
  notes 2 is built
  notes 2 is closed
  refused""",
    "pl6 unchanged: neither built nor closed": """
The same version again is no reload
  plugin notes: active, version 8
""",
    "pl7 a burst is one reload": """
Four saves in a row are one reload
  notes 3 is closed
  notes 8 is built
  notes 4 is closed
""",
    "pl8 a corrected version activates": """
It is corrected
  clock 2 is built
  editor is told +read_clock: [read_note, write_note, read_clock]
""",
    "pl8 a start with bad plugins brings up the rest": """
  plugin clock: failed, version None, candidate 1 failed
  plugin notes: active, version 1
  plugin mail: active, version 1
""",
    "pl9 the second is isolated": (
        "  warning: plugin 'mail': tool 'read_note' is left out, "
        "since plugin 'notes' has one of that name and comes first\n"
    ),
    "pl9 the second appears when the first goes": """
The first plugin is removed: the tool of the second appears in its place
  editor is told ~read_note: [read_note, read_clock, send_mail]
""",
    "pl10 status": "  plugin notes: retained, version 1, candidate 2 failed\n",
    "pl11 instructions commit with the plugin, and disturb nobody": """
  mail 2 is built
  new instructions from mail
  mail 1 is closed
""",
    "pl12 removal goes the same way": """
  reader is told ~read_note: [read_note, read_clock]
  notes 8 is closed
""",
    "hb4 a call ends where it began": "  it ends where it began: read_note of notes 3\n",
    "hb4 a removed tool": "  refused: Unknown tool: write_note\n",
    "hb12 a late call": "  refused: tool 'read_note' changed at revision 4, and refuses",
}


def test_the_host_prints_the_text_beside_it() -> None:
    command = [sys.executable, "-W", "error", str(EXAMPLES / "plugin_host.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == EXPECTED


@pytest.mark.parametrize("what", HELD)
def test_the_text_holds(what: str) -> None:
    assert HELD[what].removeprefix("\n") in EXPECTED
