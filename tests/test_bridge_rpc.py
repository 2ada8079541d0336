"""The wire of the host link: bounded lines, exact ids, clean answers to garbage."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from link_peer import Peer, joined
from toolsync.bridge.link.framing import Lines, LongLineError, Streams
from toolsync.bridge.link.rpc import Answer, LinkClosedError, Method, NoAnswerError, Rpc
from toolsync.bridge.link.wire import RpcError
from toolsync.errors import SourceError

pytestmark = pytest.mark.anyio


async def _echo(params: Mapping[str, Any]) -> Any:
    return dict(params)


async def _sorry(params: Mapping[str, Any]) -> Any:
    raise SourceError("nothing there\x1b[31m")


async def _broken(params: Mapping[str, Any]) -> Any:
    raise KeyError("secret")


METHODS: dict[str, Method] = {"echo": _echo, "ping": _echo, "sorry": _sorry, "broken": _broken}


@contextlib.asynccontextmanager
async def served(
    methods: Mapping[str, Method] = METHODS, **options: Any
) -> AsyncIterator[tuple[Rpc, Peer]]:
    async with joined() as (streams, peer, writer), anyio.create_task_group() as tasks:
        rpc = Rpc(streams, methods, **options)

        async def run() -> None:
            await rpc.run()
            writer.close()

        tasks.start_soon(run)
        yield rpc, peer
        tasks.cancel_scope.cancel()


async def _cut(chunks: list[bytes], limit: int) -> list[bytes | None]:
    rest = iter([*chunks, b""])

    async def receive() -> bytes:
        return next(rest)

    lines, cut = Lines(receive, limit), list[bytes | None]()
    while True:
        try:
            line = await lines.next()
        except LongLineError:
            cut.append(None)
            continue
        if line is None:
            return cut
        cut.append(line)


@given(st.binary(max_size=60), st.lists(st.integers(1, 7)), st.integers(1, 9))
def test_lines_are_the_same_however_the_bytes_arrive(
    data: bytes, sizes: list[int], limit: int
) -> None:
    data = data.replace(b"\0", b"\n")
    chunks, rest = [], data
    for size in sizes:
        chunks.append(rest[:size])
        rest = rest[size:]
    whole = data.split(b"\n")
    expected = [line if len(line) <= limit else None for line in whole]
    if not whole[-1]:
        del expected[-1]
    assert anyio.run(_cut, [each for each in (*chunks, rest) if each], limit) == expected


@pytest.mark.parametrize(
    "number",
    ["1", '"a"', "null", "true", "1.5", "[1,{}]", '{"a":null}', "123456789012345678901234567890",
     '"\\ud800"'],
)  # fmt: skip
async def test_ids_of_any_json_type_go_back_as_they_came(number: str) -> None:
    async with served() as (_, peer):
        peer.send_bytes(f'{{"jsonrpc":"2.0","id":{number},"method":"echo"}}\n'.encode())
        assert await peer.next() == {"jsonrpc": "2.0", "id": json.loads(number), "result": {}}


GARBAGE = [
    (b"{", -32700),
    (b"\xff\xfe", -32700),
    (b"\xef\xbb\xbf{}", -32700),
    (b'{"id": NaN}', -32700),
    (b'{"id": 1e999}', -32700),
    (b"[" * 100_000, -32700),
    (b"9" * 5_000, -32700),
    (b"[]", -32600),
    (b'[{"jsonrpc":"2.0","id":1,"method":"echo"}]', -32600),
    (b"7", -32600),
    (b"null", -32600),
    (b"{}", -32600),
    (b'{"jsonrpc":"1.0","id":1,"method":"echo"}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"\\u001b[2J"}', -32601),
    (b'{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"sorry"}', -32000),
    (b'{"jsonrpc":"2.0","id":1,"method":"broken"}', -32603),
    (b"x" * 2_000_000, -32600),
]


@pytest.mark.parametrize(("line", "code"), GARBAGE, ids=[str(each[:24]) for each, _ in GARBAGE])
async def test_garbage_is_answered_and_the_link_goes_on(line: bytes, code: int) -> None:
    async with served(max_line=1_000_000) as (_, peer):
        peer.send_bytes(line + b"\n")
        if line != b"{}":  # names no request: nothing to answer
            answer = await peer.next()
            assert answer["error"]["code"] == code
            assert answer["error"]["message"].isprintable()
            assert "secret" not in answer["error"]["message"]
        assert await peer.call("echo", a=1) == {"a": 1}


async def test_blank_lines_notifications_and_answers_to_nothing_get_no_answer() -> None:
    async with served() as (_, peer):
        peer.send_bytes(b'\n  \r\n{"jsonrpc":"2.0","method":"unheard"}\n')
        peer.send_bytes(b'{"jsonrpc":"2.0","id":99,"result":1}\n{"id":[1],"error":{}}\n')
        peer.send_bytes(b'{"id":null,"error":{"code":-32700,"message":"what?"}}\n')
        assert await peer.quiet()


async def test_both_sides_ask() -> None:
    async with served() as (rpc, peer), anyio.create_task_group() as tasks:
        results: list[Any] = []

        async def ask(method: str) -> None:
            try:
                results.append(await rpc.request(method, {"x": 1}))
            except RpcError as error:
                results.append((error.code, str(error), error.data))

        tasks.start_soon(ask, "one")
        first = await peer.next()
        tasks.start_soon(ask, "two")
        second = await peer.next()
        peer.refuse(second, -32601, "no\x07pe")
        peer.answer(first, {"fine": True})
        await rpc.notify("told", {})
        assert await peer.next() == {"jsonrpc": "2.0", "method": "told", "params": {}}
        assert await peer.quiet()
        tasks.cancel_scope.cancel()
    assert results == [(-32601, "no\\u{7}pe", None), {"fine": True}]


async def test_a_peer_that_does_not_answer_costs_a_bounded_wait() -> None:
    async with served() as (rpc, peer):
        with pytest.raises(NoAnswerError, match=r"slow: no answer in 0.01 s"):
            await rpc.request("slow", {}, timeout=0.01)
        late = await peer.next()
        peer.answer(late, "too late")
        assert await peer.quiet()


async def test_a_peer_that_does_not_read_gets_no_more_than_fits() -> None:
    async with joined() as (streams, _, writer), anyio.create_task_group() as tasks:
        rpc = Rpc(streams, {})
        tasks.start_soon(rpc.run)
        for _ in range(3):
            with pytest.raises(NoAnswerError):
                await rpc.request("big", {"data": "x" * 3_000_000}, timeout=0.05)
        assert writer.transport.get_write_buffer_size() < 3_100_000
        tasks.cancel_scope.cancel()


async def test_questions_end_with_the_link() -> None:
    async with served() as (rpc, peer), anyio.create_task_group() as tasks:

        async def ask() -> None:
            with pytest.raises(LinkClosedError):
                await rpc.request("one", {})
            with pytest.raises(LinkClosedError, match="two: the connection has ended"):
                await rpc.request("two", {})

        tasks.start_soon(ask)
        await peer.next()
        peer.leave()


async def test_what_was_asked_before_the_end_is_answered_still() -> None:
    release = anyio.Event()

    async def late(params: Mapping[str, Any]) -> Any:
        await release.wait()
        return "done"

    written: list[bytes] = []
    lines = [b'{"jsonrpc":"2.0","id":1,"method":"late"}', b""]

    async def receive() -> bytes:
        return lines.pop(0)

    async def send(data: bytes) -> None:
        written.append(data)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(Rpc(Streams(receive, send), {"late": late}).run)
        await anyio.wait_all_tasks_blocked()
        release.set()
    assert [json.loads(each)["result"] for each in written] == ["done"]


async def test_a_request_that_hangs_does_not_keep_the_link_from_ending() -> None:
    async def hang(params: Mapping[str, Any]) -> Any:
        await anyio.sleep_forever()

    async with served({"hang": hang}, drain=0.01) as (_, peer):
        peer.ask(1, "hang")
        peer.leave()
        with pytest.raises((EOFError, ValueError, OSError)):
            await peer.next()


async def test_a_flood_is_refused_and_answers_still_get_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("toolsync.bridge.link.rpc.MOST_UNDER_WAY", 3)

    async with anyio.create_task_group() as tasks:

        async def relay(params: Mapping[str, Any]) -> Any:
            return await rpc.request("relayed", params)

        async with served({"relay": relay, "ping": _echo}) as (rpc, peer):
            for number in range(5):
                peer.ask(number, "relay", n=number)
            messages = [await peer.next() for _ in range(5)]
            refused = [each for each in messages if "error" in each]
            assert {each["error"]["code"] for each in refused} == {-32005}
            assert {each["id"] for each in refused} == {3, 4}
            for each in messages:
                if each.get("method") == "relayed":
                    peer.answer(each, "ok")
            assert {(await peer.next())["result"] for _ in range(3)} == {"ok"}
        tasks.cancel_scope.cancel()


async def test_what_follows_an_answer_comes_after_it() -> None:
    async with anyio.create_task_group() as tasks:

        async def push() -> None:
            await rpc.notify("pushed", {})

        async def attach(params: Mapping[str, Any]) -> Any:
            return Answer({"ok": True}, push)

        async with served({"attach": attach}) as (rpc, peer):
            peer.ask(1, "attach")
            assert (await peer.next())["result"] == {"ok": True}
            assert (await peer.next())["method"] == "pushed"
        tasks.cancel_scope.cancel()
