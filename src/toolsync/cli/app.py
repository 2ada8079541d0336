"""The application: which commands there are, and one line for whatever goes wrong."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, MutableMapping, Sequence
from importlib import import_module
from typing import Annotated, Any, Final

import typer
import typer.core
import typer.main

import toolsync
from toolsync.errors import ToolsyncError

from . import output
from .output import OutputError
from .quick import Quick, QuickCommand

COMMANDS: Final = (
    "diff", "digest", "lock", "check", "review", "lint", "rules", "explain",
    "snapshot", "watch", "serve", "proxy", "bridge",
)  # fmt: skip
"""Every command is the function `command` of the module of its name."""

_COULD_NOT_RUN: Final = 2
_INTERRUPTED: Final = 130
_OUT_OF_MEMORY: Final = "out of memory: the input is too large for this machine"
_CONTEXT: Final = {"help_option_names": ["-h", "--help"]}


class _Commands(MutableMapping[str, Any]):
    """Holds every command's name, and makes the command when it is asked for.

    A start-up that imports and declares every command would cost more than the
    work of the one that runs.
    """

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if name not in COMMANDS:
                raise KeyError(name)
            self._made[name] = _make(name)
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Group(Quick, typer.core.TyperGroup):
    """The group of all commands, none of them loaded yet."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()


def _make(name: str) -> Any:
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_CONTEXT)
    module = import_module(f".{name}", __package__)
    kind = getattr(module, "CLASS", QuickCommand)
    alone.command(name, cls=kind, short_help=module.SHORT_HELP)(module.command)
    return typer.main.get_command(alone)


def _print_version(wanted: bool) -> None:
    if wanted:
        output.write_text(f"toolsync {toolsync.__version__}\n")
        raise typer.Exit


app = typer.Typer(
    name="toolsync",
    cls=_Group,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=_CONTEXT,
)


@app.callback(epilog="Exit codes: 0 nothing to report, 1 something to report, 2 could not run.")
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Tells what changed between two MCP tool catalogues."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and gives its exit code; says every failure in one line."""
    output.prepare()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _dispatch(given)
        output.flush()
    except KeyboardInterrupt:
        return output.fail("interrupted", _INTERRUPTED)
    except (ToolsyncError, OutputError) as error:
        return output.fail(str(error), _COULD_NOT_RUN)
    except MemoryError:
        return output.fail(_OUT_OF_MEMORY, _COULD_NOT_RUN)
    except RecursionError:
        return output.fail("the input is nested too deeply (--max-depth lowers the limit)", 2)
    except Exception as error:  # noqa: BLE001  nobody wants a traceback from a tool
        return _unexpected(error, given)
    return code


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        return output.fail(
            "no command: try 'toolsync diff OLD NEW', or 'toolsync --help' for all", 2
        )
    code = app(arguments, prog_name="toolsync", standalone_mode=False)
    if code == _INTERRUPTED:  # Typer turns the interrupt into a code of its own
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _unexpected(error: Exception, arguments: list[str]) -> int:
    # Click's errors and those of Typer's own copy of it share this method and no class.
    if hasattr(error, "format_message"):
        return output.fail(f"{_wrong(error)} {_see(arguments)}", _COULD_NOT_RUN)
    if isinstance(error, ValueError) and str(error).startswith("Not enough memory"):
        return output.fail(_OUT_OF_MEMORY, _COULD_NOT_RUN)  # in the words of orjson
    if os.environ.get("TOOLSYNC_TRACEBACK"):
        raise error
    return output.fail(
        f"internal error: {type(error).__name__}: {error}"
        " (please report it; TOOLSYNC_TRACEBACK=1 shows where)",
        _COULD_NOT_RUN,
    )


def _wrong(error: Any) -> str:
    """Says what is wrong with a command line, in the words of this project."""
    kind = type(error).__name__
    if kind == "NoSuchOption":
        near = " or ".join(sorted(error.possibilities or ())[:3])
        return f"no such option: {error.option_name}{f': did you mean {near}?' if near else ''}"
    told = " ".join(error.format_message().split()).rstrip(".")
    for pattern, words in _WORDS:
        told = re.sub(pattern, words, told)
    return f"{told[:1].lower()}{told[1:]}"


_WORDS: Final = (
    (r"^Got unexpected extra arguments?(?:\(s\))? \((.*)\)$", r"too many arguments: \1"),
    (r"^Invalid value: ", ""),
    (r"^Invalid value for '(.+?)': ", r"\1: "),
    (r"Value error, (.+) is not one of (.+)$", r"expected one of \2, got \1"),
    (r"^Option '(.+?)' requires an argument$", r"\1: expected a value, got none"),
    (r"^Option '(.+?)' requires (\d+) arguments$", r"\1: expected \2 values"),
    (r"^Option '(.+?)' does not take a value$", r"\1: expected no value, got one"),
    (
        r"^No such command '(.*?)'\. Did you mean '(.*)'\?$",
        r"no such command '\1': did you mean \2?",
    ),
)


def _see(arguments: list[str]) -> str:
    """Names the help of the command that was meant."""
    command = next((each for each in arguments if not each.startswith("-")), "")
    return (
        f"(see 'toolsync {command} --help')" if command in COMMANDS else "(see 'toolsync --help')"
    )
