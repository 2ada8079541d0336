"""What a server says on standard error: one safe line an event, as text or as JSON.

Standard output may belong to a protocol, so nothing of this goes there. What the SDKs
log passes through the same place: whatever it holds, it is one line, no escape
sequence of a stranger reaches the terminal, and no traceback does.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final, TextIO

from toolsync.safe import printable, safe_json, safe_line

_LONGEST: Final = 2_000
_ROOT: Final = "toolsync"


class LogFormat(StrEnum):
    """How events are written."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """The least important event that is written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def configure(
    format: LogFormat = LogFormat.TEXT,  # noqa: A002  named as its option
    level: LogLevel = LogLevel.INFO,
    stream: TextIO | None = None,
) -> None:
    """Sends every event of this process to standard error, or to `stream`.

    Libraries are heard from warnings on, or from debug on where that is asked for.
    """
    target = sys.stderr if stream is None else stream
    root = logging.getLogger()
    root.handlers[:] = [] if target is None else [_Lines(target, format)]
    root.setLevel(logging.DEBUG if level is LogLevel.DEBUG else logging.WARNING)
    logging.getLogger(_ROOT).setLevel(level.upper())


def tell(level: LogLevel, event: str, message: str, **fields: Any) -> None:
    """Tells one event: its name for programs, a sentence for people, and its facts."""
    logging.getLogger(_ROOT).log(
        logging.getLevelNamesMapping()[level.upper()],
        "%s",
        message,
        extra={"event": event, "facts": fields},
    )


class _Lines(logging.Handler):
    """Writes each record as one line; a stream that is gone is nobody's trouble."""

    def __init__(self, stream: TextIO, format: LogFormat) -> None:  # noqa: A002  as above
        super().__init__()
        self._stream = stream
        self._line = _json_line if format is LogFormat.JSON else _text_line

    def emit(self, record: logging.LogRecord) -> None:
        """Writes the line at once."""
        try:
            self._stream.write(f"{self._line(record)}\n")
            self._stream.flush()
        except (OSError, ValueError):  # closed, or its reader left
            return


def _message(record: logging.LogRecord) -> str:
    """Gives what a record says, with its exception in a few words instead of a traceback."""
    try:
        said = record.getMessage()
    except (TypeError, ValueError):  # arguments that do not fit, in someone else's code
        said = str(record.msg)
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        said = f"{said} ({type(error).__name__}: {error})"
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 200]} … {said[-197:]}"


def _text_line(record: logging.LogRecord) -> str:
    level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
    origin = "" if record.name.partition(".")[0] == _ROOT else f"{record.name}: "
    return safe_line(f"toolsync: {level}{printable(f'{origin}{_message(record)}')}")


def _json_line(record: logging.LogRecord) -> str:
    facts: Mapping[str, Any] = getattr(record, "facts", {})
    entry = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "event": getattr(record, "event", "log"),
        "message": _message(record),
        **({} if record.name == _ROOT else {"logger": record.name}),
        **facts,
    }
    return safe_json(json.dumps(entry, ensure_ascii=False, default=str))
