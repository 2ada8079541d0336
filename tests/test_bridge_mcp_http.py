"""Who may come in over HTTP, and how the server begins and ends."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from mcp_rig import ERAS, bench, over_http, tool, until
from toolsync.bridge.mcp.http import MAX_BODY, Guard, address_of, bind, serve_http
from toolsync.errors import SourceError

pytestmark = pytest.mark.anyio

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {},
               "clientInfo": {"name": "x", "version": "0"}},
}  # fmt: skip
TOKEN = "t0ken"  # noqa: S105  it guards nothing
ACCEPT = {"accept": "application/json, text/event-stream"}


async def post(url: str, body: Any = HELLO, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx2.AsyncClient(timeout=10) as web:
        return await web.post(url, json=body, headers={**ACCEPT, **named})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:1"}, 200),
        ({"host": "[::1]:80"}, 200),
        ({"host": "LOCALHOST"}, 200),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "localhost@evil.example"}, 421),
        ({"host": "evil.example:127.0.0.1"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://localhost:3000"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost.evil.example"}, 403),
        ({"origin": "http://localhost@evil.example"}, 403),
        ({"origin": "file://localhost"}, 403),
    ],
)
async def test_host_and_origin(headers: dict[str, str], status: int) -> None:
    """A page elsewhere cannot call in, whatever name it has given this machine."""
    async with bench() as made, over_http(made.server) as url:
        assert (await post(url, **headers)).status_code == status


async def test_further_hosts_and_origins() -> None:
    allowed: dict[str, Any] = {"hosts": ["tools.example:8000"], "origins": ["https://app.example/"]}
    async with bench() as made, over_http(made.server, **allowed) as url:
        assert (await post(url, host="tools.example")).status_code == 200
        assert (await post(url, origin="https://APP.example")).status_code == 200
        assert (await post(url, origin="http://app.example")).status_code == 403
        assert (await post(url, host="app.example")).status_code == 421


async def test_the_guard_stands_before_every_path_and_method() -> None:
    async with bench() as made, over_http(made.server, token=TOKEN) as url:
        async with httpx2.AsyncClient(timeout=10) as web:
            for method in ("GET", "POST", "DELETE", "OPTIONS", "PUT"):
                for path in ("/mcp", "/", "/mcp/../x"):
                    answer = await web.request(method, url.replace("/mcp", path))
                    assert answer.status_code == 401
                    assert answer.headers["www-authenticate"].startswith("Bearer")
        assert not made.hub.sessions


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("Bearer t0ken", 200), ("bearer  t0ken", 200), ("Bearer t0ke", 401), ("Bearer", 401),
        ("Basic t0ken", 401), ("t0ken", 401), ("Bearer t0kenx", 401), ("Bearer t0k\xe9n", 401),
    ],
)  # fmt: skip
async def test_the_token(given: str, status: int) -> None:
    async with bench() as made, over_http(made.server, token=TOKEN) as url:
        async with httpx2.AsyncClient(timeout=10) as web:
            named = {name.encode(): value.encode() for name, value in ACCEPT.items()}
            named[b"authorization"] = given.encode("latin-1")
            answer = await web.post(url, json=HELLO, headers=named)
        assert answer.status_code == status


@pytest.mark.parametrize("token", ["", "tökén", " "])
def test_a_token_that_no_header_can_carry_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="token"):
        Guard(token, (), ())


async def test_a_body_is_bounded() -> None:
    async with bench() as made, over_http(made.server) as url:
        big = {**HELLO, "params": {"x": "y" * MAX_BODY}}
        assert (await post(url, big)).status_code == 413

        async def endless() -> Any:
            for _ in range(MAX_BODY // 65536 + 2):
                yield b" " * 65536

        async with httpx2.AsyncClient(timeout=10) as web:
            headers = {**ACCEPT, "content-type": "application/json"}
            answer = await web.post(url, content=endless(), headers=headers)
            assert answer.status_code == 413
        assert not made.hub.sessions


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"5", b"\xff", b"[" * 100_000, b'{"id":1}'])
async def test_what_is_no_request_is_refused_and_leaves_nothing(body: bytes) -> None:
    async with bench() as made, over_http(made.server) as url:
        for version in ("2025-11-25", "2026-07-28", "2099-01-01"):
            headers = {**ACCEPT, "mcp-protocol-version": version}
            headers["content-type"] = "application/json"
            async with httpx2.AsyncClient(timeout=10) as web:
                answer = await web.post(url, content=body, headers=headers)
            assert 400 <= answer.status_code < 500
            assert "Traceback" not in answer.text
        await until(lambda: not made.hub.sessions)


async def test_a_port_in_use_is_one_clear_line() -> None:
    async with bench() as made, over_http(made.server) as url:
        port = int(url.rsplit(":", 1)[1].split("/")[0])
        with pytest.raises(SourceError) as caught:
            await serve_http(made.server.app(), "127.0.0.1", port)
        assert str(caught.value) == (
            f"cannot listen on 127.0.0.1:{port}: the port is in use; "
            "choose another one, or 0 for any that is free"
        )
    for host, port in (("no.such.host.invalid", 0), ("127.0.0.1", 70_000), ("a" * 300, 1)):
        with pytest.raises(SourceError, match="cannot listen on"):
            bind(host, port)


async def test_the_address_is_told_with_its_port() -> None:
    bound = bind("127.0.0.1", 0)
    assert address_of(bound) == f"http://127.0.0.1:{bound.getsockname()[1]}/mcp"
    bound.close()


async def test_it_ends_in_order_with_a_call_in_flight() -> None:
    """What is quick enough is answered; what is not does not hold up the end."""
    begun = anyio.Event()

    async def call(name: str, arguments: Any) -> str:
        begun.set()
        await anyio.sleep(0.2 if name == "quick" else 3600)
        return name

    async with bench() as made:
        await made.serve(tool("quick"), tool("slow"), call=call)
        async with over_http(made.server) as url:
            answer = await post(url)
            headers = {"mcp_session_id": answer.headers["mcp-session-id"]}
            quick, slow = (
                asyncio.create_task(post(url, called(number, name), **headers))
                for number, name in enumerate(("quick", "slow"))
            )
            await begun.wait()
        assert '"text":"quick"' in (await quick).text
        assert "result" not in (await slow).text
        assert not made.hub.sessions


def called(number: int, name: str) -> dict[str, Any]:
    params = {"name": name, "arguments": {}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@pytest.mark.parametrize("mode", ERAS)
async def test_a_call_that_the_end_cuts_short_is_an_error_and_nothing_is_printed(
    mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    begun = anyio.Event()

    async def call(name: str, arguments: Any) -> str:
        begun.set()
        await anyio.sleep_forever()
        return name

    async with bench() as made, AsyncExitStack() as server:
        await made.serve(tool("slow"), call=call)
        url = await server.enter_async_context(over_http(made.server))
        async with Client(url, mode=mode) as client:
            slow = asyncio.create_task(client.call_tool("slow", {}))
            await begun.wait()
            await server.aclose()
            with pytest.raises(MCPError):
                await slow
    assert [each for each in caplog.records if each.name.startswith(("uvicorn", "toolsync"))] == []
