"""JSON-RPC 2.0, one message a line, both sides asking: the wire of the host link.

Reading never waits for writing or for an answer, so two peers that both send a large
message at once cannot block each other; what may be under way is bounded instead.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import anyio.abc

from toolsync.bridge.link import wire
from toolsync.bridge.link.framing import MAX_LINE, Lines, LongLineError, Streams
from toolsync.bridge.link.wire import BUSY, FAILED, INTERNAL, INVALID_REQUEST, NO_METHOD, RpcError
from toolsync.errors import ToolsyncError
from toolsync.safe import named, safe_text

log = logging.getLogger(__name__)

Method = Callable[[Mapping[str, Any]], Awaitable[Any]]
MOST_UNDER_WAY: Final = 1024
ANSWER_WITHIN: Final = 20.0
"""Less than a hub waits for an adapter, so that a peer's silence is told as what it is."""

DRAIN: Final = 5.0


class LinkClosedError(ToolsyncError):
    """Says that the connection ended before an answer came."""


class NoAnswerError(ToolsyncError):
    """Says that a peer did not answer in time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A method's result, and what is to be done once it has been sent."""

    result: Any
    then: Callable[[], Awaitable[None]]


@dataclass(slots=True)
class _Question:
    """A request of ours that waits for its answer."""

    told: anyio.Event = field(default_factory=anyio.Event)
    answer: Mapping[str, Any] | None = None


class Rpc:
    """One connection: answers the peer's requests with `methods`, and asks it questions."""

    def __init__(
        self,
        streams: Streams,
        methods: Mapping[str, Method],
        *,
        max_line: int = MAX_LINE,
        timeout: float = ANSWER_WITHIN,
        drain: float = DRAIN,
    ) -> None:
        self._streams = streams
        self._methods = methods
        self._lines = Lines(streams.receive, max_line)
        self._room = 2 * max_line
        self._timeout = timeout
        self._drain = drain
        self._questions: dict[int, _Question] = {}
        self._ids: Iterator[int] = itertools.count(1)
        self._turn = anyio.Lock()
        self._under_way = self._bytes = 0
        self._idle = anyio.Event()
        self.closed = False

    async def run(self) -> None:
        """Serves the peer until its stream ends; requests under way are then answered still."""
        async with anyio.create_task_group() as tasks:
            try:
                await self._read(tasks)
            finally:
                self._hang_up()
            with anyio.move_on_after(self._drain):
                while self._under_way:
                    self._idle = anyio.Event()
                    await self._idle.wait()
            tasks.cancel_scope.cancel()

    async def request(
        self, method: str, params: Mapping[str, Any], *, timeout: float | None = None
    ) -> Any:
        """Asks the peer and returns its result.

        Raises RpcError where the peer answers with an error, NoAnswerError,
        LinkClosedError.
        """
        number, question = next(self._ids), _Question()
        data = wire.encoded({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        self._refuse_if_closed(method)
        self._questions[number] = question
        within = self._timeout if timeout is None else timeout
        try:
            with anyio.fail_after(within):
                await self._send(data)
                await question.told.wait()
        except TimeoutError:
            raise NoAnswerError(f"{method}: no answer in {within:g} s") from None
        finally:
            del self._questions[number]
        return wire.result_of(method, self._told(method, question))

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Tells the peer something that needs no answer. Raises LinkClosedError."""
        data = wire.encoded({"jsonrpc": "2.0", "method": method, "params": params})
        self._refuse_if_closed(method)
        await self._send(data)

    def _refuse_if_closed(self, method: str) -> None:
        if self.closed:
            raise LinkClosedError(f"{method}: the connection has ended")

    def _told(self, method: str, question: _Question) -> Mapping[str, Any]:
        if question.answer is None:
            raise LinkClosedError(f"{method}: the connection ended before an answer came")
        return question.answer

    def _hang_up(self) -> None:
        self.closed = True
        for question in self._questions.values():
            question.told.set()

    async def _send(self, data: bytes) -> None:
        async with self._turn:
            try:
                await self._streams.send(data)
            except OSError as error:  # a reader that left; the other direction ends by itself
                self._hang_up()
                raise LinkClosedError(f"the peer is gone: {error.strerror or error}") from error

    async def _read(self, tasks: anyio.abc.TaskGroup) -> None:
        while True:
            try:
                line = await self._lines.next()
            except LongLineError as error:
                await self._complain(RpcError(INVALID_REQUEST, f"{error} was dropped"))
                continue
            except OSError as error:
                log.warning("the link broke: %s", error.strerror or error)
                return
            if line is None:
                return
            if line.strip():
                await self._take(line, tasks)

    async def _take(self, line: bytes, tasks: anyio.abc.TaskGroup) -> None:
        """Hands one message to where it belongs; waits only to refuse a peer's flood."""
        try:
            message = wire.decoded(line)
        except RpcError as error:
            await self._complain(error)
            return
        if wire.is_answer(message):
            self._settle(message)
        elif self._under_way >= MOST_UNDER_WAY or self._bytes + len(line) > self._room:
            await self._refuse(message)
        else:
            self._under_way += 1
            self._bytes += len(line)
            tasks.start_soon(self._serve, message, len(line))

    async def _refuse(self, message: Mapping[str, Any]) -> None:
        busy = f"{self._under_way} requests are under way: wait for their answers"
        await self._complain(RpcError(BUSY, busy), message.get("id"))

    async def _complain(self, error: RpcError, of: Any = None) -> None:
        log.debug("refused: %s", safe_text(str(error)))
        try:
            await self._send(wire.refusal(of, error))
        except LinkClosedError:
            return  # nobody is left to tell

    def _settle(self, message: Mapping[str, Any]) -> None:
        number = message["id"]
        question = self._questions.get(number) if type(number) is int else None
        if question is None:
            log.debug("an answer to nothing that was asked: dropped")
            return
        question.answer = message
        question.told.set()

    async def _serve(self, message: Mapping[str, Any], size: int) -> None:
        try:
            result, data = await self._answered(message)
            if "id" in message:
                await self._send(data)
            if isinstance(result, Answer):
                await result.then()
        except LinkClosedError:
            log.debug("an answer came after the connection had ended")
        except Exception:  # what follows an answer has nobody to be told but the log
            log.exception("after an answer to %s", safe_text(str(message.get("method"))))
        finally:
            self._under_way -= 1
            self._bytes -= size
            if not self._under_way:
                self._idle.set()

    async def _answered(self, message: Mapping[str, Any]) -> tuple[Any, bytes]:
        """Runs the method that a message asks for; returns its result, and the line to send."""
        number = message.get("id")
        try:
            result = await self._called(message)
            plain = result.result if isinstance(result, Answer) else result
            return result, wire.encoded({"jsonrpc": "2.0", "id": number, "result": plain})
        except RpcError as error:
            return None, wire.refusal(number, error)
        except ToolsyncError as error:
            return None, wire.refusal(number, RpcError(FAILED, str(error)))
        except Exception as error:  # one request's trouble ends neither the link nor the others
            log.exception("%s failed", safe_text(str(message.get("method"))))
            told = RpcError(INTERNAL, f"internal error: {type(error).__name__}")
            return None, wire.refusal(number, told)

    async def _called(self, message: Mapping[str, Any]) -> Any:
        name = wire.method_of(message)
        method = self._methods.get(name)
        if method is None:
            raise RpcError(NO_METHOD, f"method not found: {named(name)}")
        return await method(wire.params_of(message))
