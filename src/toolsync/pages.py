"""What stands around the tools in a text: a list result, JSON-RPC, pages, a log, a bare array."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from toolsync import _diff, _reading
from toolsync.errors import FormatError, IncompleteError, LimitError, TextError
from toolsync.safe import named

_EXPECTED = (
    "expected a tools/list result, a JSON-RPC response around one, or an array of tools"
)
_OTHER_LISTS = ("functionDeclarations", "function_declarations", "functions")


def tool_arrays(text: bytes, max_depth: int, max_string: int) -> list[_reading.Value]:
    """Finds the arrays of tools in a text: one, or one for each page of the list.

    A log may hold several lists; the last one counts. Raises TextError where the text
    is not JSON, FormatError where it holds no list, IncompleteError where the last
    list ends with a cursor.
    """
    return _arrays(text, max_depth, max_string, _reading.Value.outline)


def placed_tool_arrays(text: bytes, max_depth: int, max_string: int) -> list[_reading.Value]:
    """Finds them like `tool_arrays`, and all of them know where in the whole text they stand."""

    def outlined(page: _reading.Value) -> _reading.Value:
        # By itself a page would count from its own beginning; around it stands an array.
        return _reading.outline(text, max_depth - 1, max_string, page.start)[0]

    return _arrays(text, max_depth, max_string, outlined)


def _arrays(
    text: bytes,
    max_depth: int,
    max_string: int,
    outlined: Callable[[_reading.Value], _reading.Value],
) -> list[_reading.Value]:
    roots = _read(text, max_depth, max_string)
    first = next(roots)
    if not _is_page(first):
        for _ in roots:  # nothing may follow: whatever does is refused there
            pass
    if first.kind == "array":
        pages = (outlined(page) for page in first.elements() if _is_page(page))
        page = next(pages, None)
        return [first] if page is None else _last_list(chain((page,), pages))
    if not _is_page(first):
        _refuse_faults(first)
        return [_other_list(first)]
    return _last_list(chain((first,), roots))


def _read(text: bytes, max_depth: int, max_string: int) -> Iterator[_reading.Value]:
    """Yields the one value of a text, or every message of a log, one at a time."""
    place, log = 0, False
    while place < len(text):
        try:
            root, end = _reading.outline(text, max_depth, max_string, place)
        except _diff.NotJSON as error:
            if place and not log:
                raise _data_after(text, place) from error
            where = _located(text, error.offset)
            raise TextError(f"not JSON: {error.reason}{where}", error.offset) from error
        except OverflowError as error:
            raise LimitError(f"{error}{_located(text, place)}") from error
        if place and not (log and _is_page(root)):
            raise _data_after(text, place)
        log = log or (not place and _is_page(root))
        yield root
        place = _reading.next_value(text, end)


def _data_after(text: bytes, place: int) -> TextError:
    return TextError(f"data after the document{_located(text, place)}", place)


def _located(text: bytes, offset: int) -> str:
    line = text.count(b"\n", 0, offset) + 1
    column = offset - text.rfind(b"\n", 0, offset)
    return f" at line {line}, column {column} (byte {offset})"


def _is_page(value: _reading.Value) -> bool:
    """Tells whether a value may stand in a log: a JSON-RPC message, or a list result."""
    if value.kind != "object" or value.member("name") is not None:
        return False
    return any(value.member(key) is not None for key in ("jsonrpc", "tools", "result", "error"))


def _refuse_faults(root: _reading.Value) -> None:
    """Refuses a text fault around the tools, where it belongs to none of them."""
    around = [root]
    while around:
        for key, value in around.pop().members():
            fault = key.fault or value.fault
            if fault:
                raise TextError(f"at {named(key.string)}: {fault}")
            if value.kind == "object":
                around.append(value)


def _other_list(root: _reading.Value) -> _reading.Value:
    """Finds the array in an object that is neither a result nor a message."""
    for key in _OTHER_LISTS:
        found = root.member(key)
        if found is not None and found.kind == "array":
            return found
    raise FormatError(f"holds no catalogue: {_EXPECTED}, got {_summary(root)}")


def _summary(root: _reading.Value) -> str:
    if root.kind != "object":
        return f"a bare {root.kind}"
    keys = [key.string for key, _ in root.members()[:5]]
    return f"an object with {', '.join(map(named, keys))}" if keys else "an empty object"


def _last_list(messages: Iterable[_reading.Value]) -> list[_reading.Value]:
    """Collects the pages of the last list that the messages answer."""
    first_requests: set[bytes] = set()
    pages: list[_reading.Value] = []
    complete: list[_reading.Value] | None = None
    failure = ""
    for message in messages:
        _refuse_faults(message)
        if _starts_list(message):
            first_requests.add(_identity(message))
        failure = failure or _failure(message)
        tools, more = _page_of(message)
        if tools is None:
            continue
        if _identity(message) in first_requests:
            pages = []
        pages.append(tools)
        if not more:
            complete, pages = pages, []
    if pages:
        raise IncompleteError(
            "the list is incomplete: its last page has a 'nextCursor' and no page follows; "
            "save every page, or a missing tool would look removed"
        )
    if complete is None:
        raise _no_list(failure)
    return complete


def _page_of(message: _reading.Value) -> tuple[_reading.Value | None, bool]:
    """Finds the tools that a message lists, if it does, and tells whether more pages follow."""
    result = message if message.member("tools") is not None else message.member("result")
    tools = None if result is None else result.member("tools")
    if result is None or tools is None:
        return None, False
    if tools.kind != "array":
        raise FormatError(f"at 'tools': expected an array, got {tools.kind}")
    cursor = result.member("nextCursor")
    return tools, cursor is not None and cursor.kind != "null"  # an empty string is a cursor


def _starts_list(message: _reading.Value) -> bool:
    method, parameters = message.member("method"), message.member("params")
    if method is None or method.kind != "string" or method.string != "tools/list":
        return False
    return parameters is None or parameters.member("cursor") is None


def _identity(message: _reading.Value) -> bytes:
    found = message.member("id")
    return b"" if found is None else found.literal


def _failure(message: _reading.Value) -> str:
    """Gives the words of a JSON-RPC error, or nothing."""
    error = message.member("error")
    if error is None:
        return ""
    what = error.member("message")
    return named(what.string) if what is not None and what.kind == "string" else "without a message"


def _no_list(failure: str) -> FormatError:
    if failure:
        return FormatError(f"holds a JSON-RPC error instead of a list: {failure}")
    return FormatError(f"holds no catalogue: {_EXPECTED}; no message here answers tools/list")
