"""What a JSON-RPC 2.0 message looks like: read from one line, written as one line.

Numbers keep their exact value: an id of any JSON type goes back as it came.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from toolsync.errors import ToolsyncError
from toolsync.safe import safe_text

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
NO_METHOD: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL: Final = -32603
FAILED: Final = -32000
NO_BASE: Final = -32001
NOT_INITIALIZED: Final = -32002
BUSY: Final = -32005
REGISTRATION: Final = -32010
TOOL_CHANGED: Final = -32011

_LONGEST: Final = 500
Message = Mapping[str, Any]


class RpcError(ToolsyncError):
    """An error as it travels: a code, a sentence, and data for programs."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def decoded(line: bytes) -> Message:
    """Reads a line as one JSON object. Raises RpcError: no JSON, a batch, no object."""
    try:
        # As UTF-8 and nothing else: given bytes, json would guess among three encodings.
        value = json.loads(line.decode(), parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise RpcError(PARSE_ERROR, "nested too deeply") from None
    except ValueError as error:  # bad UTF-8, bad JSON, a number without a value
        raise RpcError(PARSE_ERROR, f"no JSON: {_brief(error)}") from None
    if isinstance(value, list):
        raise RpcError(INVALID_REQUEST, "batches are not taken: send one message a line")
    if not isinstance(value, dict):
        raise RpcError(INVALID_REQUEST, f"expected a JSON object, got {_kind(value)}")
    return value


def encoded(message: Message) -> bytes:
    """Writes a message as one line of ASCII. Raises RpcError where JSON cannot hold it."""
    try:
        text = json.dumps(message, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise RpcError(INTERNAL, f"the result is no JSON: {_brief(error)}") from None
    return text.encode("ascii") + b"\n"


def refusal(number: Any, error: RpcError) -> bytes:
    """Writes an error as the answer to the request of this id."""
    told: dict[str, Any] = {"code": error.code, "message": safe_text(str(error))}
    if error.data is not None:
        told["data"] = error.data
    try:
        return encoded({"jsonrpc": "2.0", "id": number, "error": told})
    except RpcError:  # an id or data nested beyond what can be written
        bare = {"code": error.code, "message": told["message"]}
        return encoded({"jsonrpc": "2.0", "id": None, "error": bare})


def is_answer(message: Message) -> bool:
    """Tells whether a message answers a request rather than being one."""
    answers = "result" in message or "error" in message
    return "method" not in message and "id" in message and answers


def result_of(method: str, message: Message) -> Any:
    """Returns the result that an answer holds. Raises RpcError where it holds an error."""
    error = message.get("error")
    if error is None:
        return message.get("result")
    if not isinstance(error, dict):
        raise RpcError(INTERNAL, f"{method}: answered with an error that is no object")
    code = error.get("code")
    told = safe_text(str(error.get("message", "")))[:_LONGEST]
    raise RpcError(code if type(code) is int else INTERNAL, told, error.get("data"))


def method_of(message: Message) -> str:
    """Returns the method that a request names. Raises RpcError where it is no request."""
    if message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'expected "jsonrpc": "2.0"')
    method = message.get("method")
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, f"method: expected a string, got {_kind(method)}")
    return method


def params_of(message: Message) -> Message:
    """Returns a request's params, an empty object where it has none. Raises RpcError."""
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, f"params: expected an object, got {_kind(params)}")
    return params


def text(params: Message, name: str) -> str:
    """Returns a member that must be a string. Raises RpcError."""
    value = params.get(name)
    if not isinstance(value, str) or not value:
        raise RpcError(INVALID_PARAMS, f"{name}: expected a string, got {_kind(value)}")
    return value


def objects(params: Message, name: str) -> list[dict[str, Any]]:
    """Returns a member that must be an array of objects. Raises RpcError."""
    value = params.get(name)
    if not isinstance(value, list):
        raise RpcError(INVALID_PARAMS, f"{name}: expected an array, got {_kind(value)}")
    for place, each in enumerate(value):
        if not isinstance(each, dict):
            found = _kind(each)
            raise RpcError(INVALID_PARAMS, f"{name}[{place}]: expected an object, got {found}")
    return value


def strings(params: Message, name: str) -> tuple[str, ...]:
    """Returns a member that may be absent, or an array of strings. Raises RpcError."""
    value = params.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise RpcError(INVALID_PARAMS, f"{name}: expected an array of strings")
    return tuple(value)


def members(params: Message, name: str) -> dict[str, Any]:
    """Returns a member that may be absent, or an object. Raises RpcError."""
    value = params.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RpcError(INVALID_PARAMS, f"{name}: expected an object, got {_kind(value)}")
    return value


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    names = {bool: "a boolean", str: "a string", int: "a number", float: "a number",
             list: "an array", dict: "an object"}  # fmt: skip
    if value == "":
        return "an empty string"
    return names.get(type(value), type(value).__name__)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number too large to be kept")
    return value


def _brief(error: Exception) -> str:
    return safe_text(str(error))[:_LONGEST]
