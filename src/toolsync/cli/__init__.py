"""Arguments in, exit code out.

One file a command; `app` knows their names and loads only the one that was asked for.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and gives its exit code: the entry point of `toolsync`."""
    # Little of what one run makes is ever garbage: to look for it takes a tenth of a short run.
    gc.set_threshold(50_000, 20, 20)
    try:
        from .app import run  # noqa: PLC0415  what imports this package pays for no command line

        return run(arguments)
    except KeyboardInterrupt:  # before anything ran
        sys.stderr.write("toolsync: interrupted\n")
        return 130
