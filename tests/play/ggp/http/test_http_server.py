"""The server among peers that are slow, silent, half-open, too many or too large."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable

import pytest

from fogspiel.core.findings import UsageError
from fogspiel.play.ggp.http.server import HttpLimits, HttpRequest, HttpResponse, HttpServer

LIMITS = HttpLimits(
    body_bytes=2_000, read_seconds=0.6, write_seconds=0.5, quiet_seconds=0.1, connections=3
)
POST = b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n()"


async def echo(request: HttpRequest) -> HttpResponse:
    return HttpResponse(text=f"{request.method} {request.body.decode()}")


async def exchange(port: int, *pieces: bytes, pause: float = 0.0, half: bool = False) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause)
    if half:
        writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), 60.0)
    writer.close()
    return answer


def served(scenario: Callable[[int], Awaitable[None]], limits: HttpLimits = LIMITS) -> None:
    async def run() -> None:
        server = HttpServer(echo, limits)
        port = await server.listen("127.0.0.1", 0)
        try:
            await scenario(port)
        finally:
            await server.close()

    asyncio.run(run())


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_a_slow_peer_is_read_until_the_limit() -> None:
    async def scenario(port: int) -> None:
        answer = await exchange(port, POST[:10], POST[10:], pause=0.1)
        assert answer.endswith(b"POST ()")
        began = time.monotonic()
        answer = await exchange(port, POST[:-1])
        assert status(answer) == 408
        assert time.monotonic() - began < 60.0

    served(scenario)


def test_a_word_of_untold_length_is_complete_after_a_while_without_more() -> None:
    async def scenario(port: int) -> None:
        assert (await exchange(port, b"POST / HTTP/1.0\r\n\r\nping")).endswith(b"POST ping")
        broken = await exchange(port, b"POST / HTTP/1.0\r\n\r\n(PLAY")
        assert status(broken) == 408

    served(scenario)


def test_a_peer_that_only_listens_on_gets_its_answer() -> None:
    async def scenario(port: int) -> None:
        assert (await exchange(port, POST, half=True)).endswith(b"POST ()")
        assert status(await exchange(port, POST[:-1], half=True)) == 400
        assert await exchange(port, half=True) == b""

    served(scenario)


def test_too_large_a_body_is_refused_so_that_the_peer_can_read_why() -> None:
    async def scenario(port: int) -> None:
        head = b"POST / HTTP/1.0\r\nContent-Length: 200000\r\n\r\n"
        assert status(await exchange(port, head + b"a" * 200_000)) == 413

    served(scenario)


def test_silent_peers_do_not_keep_others_out_for_long() -> None:
    async def scenario(port: int) -> None:
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        await asyncio.sleep(0.1)
        assert status(await exchange(port, POST)) == 503
        await asyncio.sleep(0.8)
        assert status(await exchange(port, POST)) == 200
        for _, writer in silent:
            writer.close()

    served(scenario)


def test_a_peer_that_goes_away_harms_nobody() -> None:
    async def scenario(port: int) -> None:
        for data in (b"", POST[:7], POST):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(data)
            writer.transport.abort()
        assert status(await exchange(port, POST)) == 200

    served(scenario)


def test_a_handler_that_fails_is_an_internal_error_of_one_request() -> None:
    async def failing(request: HttpRequest) -> HttpResponse:
        raise RuntimeError("broken")

    async def run() -> None:
        server = HttpServer(failing, LIMITS)
        port = await server.listen("127.0.0.1", 0)
        assert status(await exchange(port, POST)) == 500
        await server.close()

    asyncio.run(run())


def test_a_port_that_is_taken_is_refused_with_its_code() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError) as caught:
        asyncio.run(HttpServer(echo).listen("127.0.0.1", taken.getsockname()[1]))
    assert caught.value.findings[0].code == "GGP003"
    assert "--port" in caught.value.findings[0].fix
