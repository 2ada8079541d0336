"""`toolsync bridge --stdio`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import typer

SHORT_HELP = "The engine for hosts in other languages: JSON-RPC over standard input and output."
_LONGEST_WAIT: Final = 60_000


class OnInvalid(StrEnum):
    """What becomes of a plugin's candidate with a bad tool."""

    REJECT = "reject"
    SKIP = "skip"


def command(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Speak over standard input and output.")
    ] = False,
    on_invalid: Annotated[
        OnInvalid,
        typer.Option(
            "--on-invalid", help="A bad tool refuses its plugin's candidate, or is left out."
        ),
    ] = OnInvalid.REJECT,
    debounce: Annotated[
        int,
        typer.Option(
            "--debounce",
            min=0,
            max=_LONGEST_WAIT,
            metavar="MS",
            help="How long a change waits for a newer one of its plugin, in milliseconds.",
        ),
    ] = 100,
) -> int:
    """Keeps the sessions of a host in any language current.

    The host sends what its plugins offer and which sessions it has, one JSON-RPC 2.0
    message a line; verdicts, revisions and each session's changes come back. Logs go to
    standard error. The end of standard input ends it, with exit code 0.
    """
    if not stdio:
        raise typer.BadParameter("expected --stdio: there is no other way to speak to it")
    import anyio  # noqa: PLC0415  costs what a diff needs not pay

    from toolsync.bridge import logs  # noqa: PLC0415  as above
    from toolsync.bridge.link.sidecar import Settings, run  # noqa: PLC0415  as above

    logs.configure()
    choice: Final = "skip" if on_invalid is OnInvalid.SKIP else "reject"
    anyio.run(run, Settings(on_invalid=choice, debounce=debounce / 1000))
    return 0
