"""`python -m toolsync`."""

from __future__ import annotations

import sys

from toolsync.cli import main

if __name__ == "__main__":
    sys.exit(main())
