"""The compiled module called wrongly: an exception or an empty answer, never a crash.

The calls are made in another process, which a crash would end by a signal.
"""

from __future__ import annotations

import subprocess
import sys

CALLS = [
    "_diff.canonical_text(None)",
    "_diff.canonical_text('1')",
    "_diff.canonical_text(bytearray(b'1'))",
    "_diff.projection(None)",
    "_diff.projection(b'1')",
    "_diff.projection(b'{}')",
    "_diff.parse(None)",
    "_diff.differing(None, None, None, None)",
    "_diff.differing((1,), {}, (2,), {})",
    "_reading.outline(None, 1, 1)",
    "_reading.outline(b'[]', 1, 1, 10**6)",
    "_reading.outline(b'[]', 1, 1, -1)",
    "_reading.outline(b'[]', -1, 1)",
    "_reading.next_value(b'[]', 10**6)",
    "_reading.index_of(None)",
    "_reading.index_of([1, None, ('x',)])",
    "_diff.tool_from_text(None)",
    "_diff.tool_from_text(b'{}', True)",
    "_diff.tool_from_text(b'1')",
    "_diff.catalogue_digest((1,), semantic=True)",
    "_reading.Encoder(-1, 1)",
    "_reading.Encoder(9, 9).tools([1, None])",
    "_reading.Encoder(9, 9).tools(None)",
    "_reading.Encoder.__new__(_reading.Encoder).tool({})",
    "_reading.Value.__new__(_reading.Value).kind",
    "_reading.Value.__new__(_reading.Value).tools()",
    "_diff.Tool.__new__(_diff.Tool).digest",
    "_diff.Tool()",
    "_reading.Value()",
]


def test_calling_the_core_wrongly_ends_no_process() -> None:
    if outcome(CALLS):
        # One by one, only to name the culprits.
        assert {call: outcome([call]) for call in CALLS} == dict.fromkeys(CALLS, "")


def outcome(calls: list[str]) -> str:
    """How the process ended that made the calls, where it did not end well."""
    program = ["from toolsync import _diff, _reading"]
    for call in calls:
        program += ["try:", f"    {call}", "except Exception: pass"]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(program)], capture_output=True, text=True, check=False
    )
    return done.stderr if done.returncode == 0 else f"exit {done.returncode}: {done.stderr}"
