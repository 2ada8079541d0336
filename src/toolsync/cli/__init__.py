"""Arguments in, exit code out.

One file a command; `app` knows their names and loads only the one that was asked for.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and gives its exit code: the entry point of `toolsync`."""
    from .app import run  # noqa: PLC0415  what imports this package pays for no command line

    return run(arguments)
