"""What stands around the tools in a text: a list result, JSON-RPC, pages, a log, a bare array."""

from __future__ import annotations

from toolsync import _diff, _outline
from toolsync.errors import FormatError, IncompleteError, TextError

_EXPECTED = (
    "expected a tools/list result, a JSON-RPC response around one, or an array of tools"
)
_OTHER_LISTS = ("functionDeclarations", "function_declarations", "functions")


def tool_arrays(text: bytes, max_depth: int, max_string: int) -> list[_outline.Value]:
    """Finds the arrays of tools in a text: one, or one for each page of the list.

    A log may hold several lists; the last one counts. Raises TextError where the text
    is not JSON, FormatError where it holds no list, IncompleteError where the last
    list ends with a cursor.
    """
    roots = _read(text, max_depth, max_string)
    if len(roots) == 1 and roots[0].kind == "array":
        pages = [element for element in roots[0].elements() if _is_page(element)]
        if not pages:
            return roots
        roots = [page.outline() for page in pages]
    for root in roots:
        _refuse_faults(root)
    if len(roots) == 1 and not _is_page(roots[0]):
        return [_other_list(roots[0])]
    return _last_list(roots)


def _read(text: bytes, max_depth: int, max_string: int) -> list[_outline.Value]:
    """Reads the one value of a text, or every message of a log."""
    roots: list[_outline.Value] = []
    place = 0
    while place < len(text):
        try:
            root, end = _outline.outline(text, max_depth, max_string, place)
        except _diff.NotJSON as error:
            if roots and not _is_page(roots[0]):
                raise _data_after(text, place) from error
            where = _located(text, error.offset)
            raise TextError(f"not JSON: {error.reason}{where}", error.offset) from error
        if roots and not (_is_page(roots[0]) and _is_page(root)):
            raise _data_after(text, place)
        roots.append(root)
        place = _outline.next_value(text, end)
    return roots


def _data_after(text: bytes, place: int) -> TextError:
    return TextError(f"data after the document{_located(text, place)}", place)


def _located(text: bytes, offset: int) -> str:
    line = text.count(b"\n", 0, offset) + 1
    column = offset - text.rfind(b"\n", 0, offset)
    return f" at line {line}, column {column} (byte {offset})"


def _is_page(value: _outline.Value) -> bool:
    """Tells whether a value may stand in a log: a JSON-RPC message, or a list result."""
    if value.kind != "object" or value.member("name") is not None:
        return False
    return any(value.member(key) is not None for key in ("jsonrpc", "tools", "result", "error"))


def _refuse_faults(root: _outline.Value) -> None:
    """Refuses a text fault around the tools, where it belongs to none of them."""
    around = [root]
    while around:
        for key, value in around.pop().members():
            fault = key.fault or value.fault
            if fault:
                raise TextError(f"at {key.string!r}: {fault}")
            if value.kind == "object":
                around.append(value)


def _other_list(root: _outline.Value) -> _outline.Value:
    """Finds the array in an object that is neither a result nor a message."""
    for key in _OTHER_LISTS:
        found = root.member(key)
        if found is not None and found.kind == "array":
            return found
    raise FormatError(f"holds no catalogue: {_EXPECTED}, got {_summary(root)}")


def _summary(root: _outline.Value) -> str:
    if root.kind != "object":
        return f"a bare {root.kind}"
    keys = [key.string for key, _ in root.members()[:5]]
    return f"an object with {', '.join(map(repr, keys))}" if keys else "an empty object"


def _last_list(messages: list[_outline.Value]) -> list[_outline.Value]:
    """Collects the pages of the last list that the messages answer."""
    first_requests: set[bytes] = set()
    pages: list[_outline.Value] = []
    complete: list[_outline.Value] | None = None
    for message in messages:
        if _starts_list(message):
            first_requests.add(_identity(message))
        result = message if message.member("tools") is not None else message.member("result")
        tools = None if result is None else result.member("tools")
        if result is None or tools is None:
            continue
        if tools.kind != "array":
            raise FormatError(f"at 'tools': expected an array, got {tools.kind}")
        if _identity(message) in first_requests:
            pages = []
        pages.append(tools)
        cursor = result.member("nextCursor")
        if cursor is None or cursor.kind == "null":  # an empty string is a cursor
            complete, pages = pages, []
    if pages:
        raise IncompleteError(
            "the list is incomplete: its last page has a 'nextCursor' and no page follows; "
            "save every page, or a missing tool would look removed"
        )
    if complete is None:
        raise _no_list(messages)
    return complete


def _starts_list(message: _outline.Value) -> bool:
    method, parameters = message.member("method"), message.member("params")
    if method is None or method.kind != "string" or method.string != "tools/list":
        return False
    return parameters is None or parameters.member("cursor") is None


def _identity(message: _outline.Value) -> bytes:
    found = message.member("id")
    return b"" if found is None else found.literal


def _no_list(messages: list[_outline.Value]) -> FormatError:
    for message in messages:
        error = message.member("error")
        if error is not None:
            what = error.member("message")
            words = what.string if what is not None and what.kind == "string" else "no message"
            return FormatError(f"holds a JSON-RPC error instead of a list: {words!r}")
    return FormatError(f"holds no catalogue: {_EXPECTED}; no message here answers tools/list")
