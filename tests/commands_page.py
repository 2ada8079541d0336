"""Makes docs/commands.md from what every command says of itself.

`python tests/commands_page.py > docs/commands.md`
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from typer.testing import CliRunner

from toolsync.cli.app import COMMANDS, app

HEAD = """\
# Commands

Made from `--help` by `tests/commands_page.py`. What they print and how they exit is told in
[report.md](report.md), what the levels mean in [verdicts.md](verdicts.md).
"""


def render() -> str:
    """Returns the whole page."""
    return "\n".join([HEAD, *_sections()])


def _sections() -> Iterator[str]:
    for name in ("", *COMMANDS):
        yield f"## toolsync {name}\n".replace(" \n", "\n")
        yield f"```text\n{_help(name)}```\n"


def _help(name: str) -> str:
    width = {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
    given = [*([name] if name else []), "--help"]
    done = CliRunner().invoke(app, given, prog_name="toolsync", env={**os.environ, **width})
    if done.exit_code:
        raise RuntimeError(f"toolsync {name} --help: {done.output}")
    return done.stdout


if __name__ == "__main__":
    print(render(), end="")  # noqa: T201 - that is what it is for
