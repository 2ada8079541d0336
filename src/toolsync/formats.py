"""What a file or a server sent → the tools in it, whichever shape each of them has.

Shapes other than MCP's are rewritten to MCP spelling by cutting and joining their own
text, so numbers, repeated keys and faults come through exactly as they stood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, Final

from toolsync import _diff, _reading
from toolsync.pages import tool_arrays

Entry = _diff.Tool | tuple[str | None, str, str, bytes]
"""A tool, or (name, path, reason, text) of a malformed one."""


class InputFormat(StrEnum):
    """The shapes of a single tool that are known."""

    MCP = "mcp"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    LANGCHAIN = "langchain"


def read_entries(
    text: bytes, input_format: InputFormat | None, max_depth: int, max_string: int
) -> list[Entry]:
    """Gives every tool of a text, in order, whatever stands around them.

    Raises what `pages.tool_arrays` raises; a malformed tool raises nothing.
    """
    arrays = tool_arrays(text, max_depth, max_string)
    return [entry for array in arrays for entry in _entries(array, input_format)]


def _entries(array: _reading.Value, input_format: InputFormat | None) -> list[Entry]:
    shape = input_format or _recognise(array)
    if shape is InputFormat.MCP:
        return array.tools()
    texts = [text for element in array.elements() for text in _rewritten(element, shape)]
    # What was read within the limits stays within them but for what is renamed around it.
    root, _ = _reading.outline(b"[%b]" % b",".join(texts), _diff.MAX_DEPTH, _reading.MAX_TEXT)
    if shape is InputFormat.GEMINI:
        return [_with_plain_types(entry) for entry in root.tools()]
    return root.tools()


def _recognise(array: _reading.Value) -> InputFormat:
    """Goes by the first element that has a shape of its own; MCP where none has."""
    for element in array.elements():
        for keyword, shape in _MARKS:
            if element.member(keyword) is not None:
                return _gemini_or(shape, element)
        if element.member("properties") is not None and element.member("name") is None:
            return InputFormat.LANGCHAIN
    return InputFormat.MCP


_MARKS: Final = (
    ("inputSchema", InputFormat.MCP),
    ("input_schema", InputFormat.ANTHROPIC),
    ("args_schema", InputFormat.LANGCHAIN),
    ("functionDeclarations", InputFormat.GEMINI),
    ("function_declarations", InputFormat.GEMINI),
    ("parametersJsonSchema", InputFormat.GEMINI),
    ("function", InputFormat.OPENAI),
    ("parameters", InputFormat.OPENAI),
)


def _gemini_or(shape: InputFormat, element: _reading.Value) -> InputFormat:
    """Tells a bare Gemini declaration from an OpenAI function: its types are in capitals."""
    parameters = element.member("parameters")
    if shape is not InputFormat.OPENAI or parameters is None or parameters.kind != "object":
        return shape
    kind = parameters.outline().member("type")
    is_gemini = kind is not None and kind.kind == "string" and kind.string.isupper()
    return InputFormat.GEMINI if is_gemini else shape


def _rewritten(element: _reading.Value, shape: InputFormat) -> Iterator[bytes]:
    """Gives the MCP text of each tool in one element; of what is no tool, its own text."""
    if element.kind != "object":
        yield element.literal
        return
    yield from _REWRITERS[shape](element)


def _openai(element: _reading.Value) -> Iterator[bytes]:
    """Takes chat completions' `function` wrapper, or the flat shape of responses and functions."""
    inner = element.member("function")
    source = element if inner is None or inner.kind != "object" else inner.outline()
    yield _mcp(source, {"parameters": "inputSchema"}, drop=("type",), schema_optional=True)


def _anthropic(element: _reading.Value) -> Iterator[bytes]:
    yield _mcp(element, {"input_schema": "inputSchema"}, drop=("type",))


def _gemini(element: _reading.Value) -> Iterator[bytes]:
    """Takes a declaration, or each one in a `functionDeclarations` wrapper."""
    names = {
        "parameters": "inputSchema", "parametersJsonSchema": "inputSchema",
        "response": "outputSchema", "responseJsonSchema": "outputSchema",
    }  # fmt: skip
    wrapped = element.member("functionDeclarations") or element.member("function_declarations")
    if wrapped is None or wrapped.kind != "array":
        yield _mcp(element, names, schema_optional=True)
        return
    for declaration in wrapped.outline().elements():
        if declaration.kind == "object":
            yield _mcp(declaration, names, schema_optional=True)
        else:
            yield declaration.literal


def _langchain(element: _reading.Value) -> Iterator[bytes]:
    """Takes name, description and `args_schema`, or a JSON Schema whose title is the name."""
    if element.member("args_schema") is not None or element.member("properties") is None:
        yield _mcp(element, {"args_schema": "inputSchema"}, schema_optional=True)
        return
    pairs = [(key, value) for key, value in element.members()]
    outer = [
        b'"%b":%b' % (b"name" if key.string == "title" else b"description", value.literal)
        for key, value in pairs
        if key.string in ("title", "description")
    ]
    schema = [
        b"%b:%b" % (key.literal, value.literal)
        for key, value in pairs
        if key.string not in ("title", "description")
    ]
    yield b"{%b}" % b",".join([*outer, b'"inputSchema":{%b}' % b",".join(schema)])


_REWRITERS: Final[dict[InputFormat, Callable[[_reading.Value], Iterator[bytes]]]] = {
    InputFormat.OPENAI: _openai,
    InputFormat.ANTHROPIC: _anthropic,
    InputFormat.GEMINI: _gemini,
    InputFormat.LANGCHAIN: _langchain,
}


def _mcp(
    source: _reading.Value,
    names: dict[str, str],
    *,
    drop: tuple[str, ...] = (),
    schema_optional: bool = False,
) -> bytes:
    """Joins an object's members again, keys renamed; all others stay as they are."""
    members = [
        (names.get(key.string, key.string), key, value)
        for key, value in source.members()
        if key.string not in drop
    ]
    texts = [
        b"%b:%b" % (key.literal if name == key.string else b'"%b"' % name.encode(), value.literal)
        for name, key, value in members
    ]
    if schema_optional and not any(name == "inputSchema" for name, _, _ in members):
        texts.append(b'"inputSchema":{"type":"object"}')
    return b"{%b}" % b",".join(texts)


def _with_plain_types(entry: Entry) -> Entry:
    """Spells Gemini's types (`STRING`) as JSON Schema does, wherever a schema stands."""
    if isinstance(entry, tuple):
        return entry
    return _reading.Encoder(_diff.MAX_DEPTH, _reading.MAX_TEXT).tool(_lowered(entry.parsed))


def _lowered(value: Any) -> Any:
    """Lowers every `type` keyword; a property that is named `type` holds a schema, not a string."""
    if isinstance(value, list):
        return [_lowered(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: inner.lower()
        if key == "type" and isinstance(inner, str) and inner.isupper()
        else _lowered(inner)
        for key, inner in value.items()
    }
