"""One question and its answer: what is sent, how long is waited, and who is late."""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Awaitable, Callable

import pytest

from fogspiel.core.findings import LimitError
from fogspiel.play.ggp.http.addresses import PinnedAddress, PlayerUrl
from fogspiel.play.ggp.http.client import (
    AnswerLimits,
    ClientReply,
    ExchangeError,
    Exchanges,
    request,
)
from fogspiel.play.referee import FaultKind

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
ANSWER = b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nready"


def asked(
    handle: Handle,
    *,
    seconds: float = 60.0,
    text: str = "(INFO)",
    limits: AnswerLimits | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> ClientReply:
    """The reply of a server that handles its connections so."""

    async def run() -> ClientReply:
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        place = PinnedAddress(PlayerUrl("player.example", port, "/path"), "127.0.0.1")
        exchanges = Exchanges(limits=limits or AnswerLimits())
        async with server:
            task = asyncio.create_task(exchanges.ask(place, text, seconds=seconds))
            if meanwhile is not None:
                await asyncio.sleep(0.05)
                meanwhile()
            return await task

    return asyncio.run(run())


def answering(data: bytes, pause: float = 0.0) -> Handle:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(pause)
        writer.write(data)
        await asyncio.sleep(0)
        writer.close()

    return handle


def test_times_are_those_of_the_exchange() -> None:
    before = time.monotonic()
    reply = asked(answering(ANSWER, pause=0.05))
    assert reply.body == b"ready"
    assert before <= reply.answered_at - 0.05


def test_a_request_names_the_host_and_cannot_be_split_by_a_name() -> None:
    place = PinnedAddress(PlayerUrl("player.example", 9147, "/p"), "127.0.0.1")
    sent = request(place, "(PLAY é NIL)", "evil\r\nX-Header: 1").decode()
    head, body = sent.split("\r\n\r\n")
    assert head.startswith("POST /p HTTP/1.0\r\n")
    assert "\r\nHost: player.example:9147\r\n" in head
    assert "\r\nReceiver: evil__X-Header__1\r\n" in head
    assert f"\r\nContent-Length: {len(body.encode())}\r\n" in head
    inside = request(PinnedAddress(PlayerUrl("::1", 80, "/"), "::1"), "", "").decode()
    assert "\r\nHost: [::1]:80\r\n" in inside
    assert "\r\nReceiver: PLAYER\r\n" in inside


def test_who_was_kept_from_reading_does_not_blame_the_player() -> None:
    """The answer is there in time, but the manager's own work keeps it from looking."""
    reply = asked(answering(ANSWER), seconds=0.3, meanwhile=lambda: time.sleep(0.5))
    assert reply.body == b"ready"


def test_who_looks_in_time_calls_a_late_answer_late() -> None:
    with pytest.raises(ExchangeError) as raised:
        asked(answering(ANSWER, pause=0.5), seconds=0.2)
    assert raised.value.kind is FaultKind.TIMEOUT
    assert raised.value.connected


def test_where_no_connection_comes_about_no_clock_runs_out() -> None:
    async def never(address: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        await asyncio.sleep(60)
        raise AssertionError("nobody waits so long")

    place = PinnedAddress(PlayerUrl("player.example", 9147, "/"), "127.0.0.1")
    exchanges = Exchanges(connect=never, connect_seconds=0.05)
    began = time.monotonic()
    with pytest.raises(ExchangeError, match="no connection within") as raised:
        asyncio.run(exchanges.ask(place, "(INFO)", seconds=30))
    assert time.monotonic() - began < 30
    assert raised.value.kind is FaultKind.CONNECTION_ERROR
    assert not raised.value.connected


def test_players_are_not_blamed_for_connections_that_we_cannot_open() -> None:
    async def exhausted(
        address: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        raise OSError(errno.EMFILE, "Too many open files")

    place = PinnedAddress(PlayerUrl("player.example", 9147, "/"), "127.0.0.1")
    with pytest.raises(LimitError, match="NET004"):
        asyncio.run(Exchanges(connect=exhausted).ask(place, "(INFO)", seconds=1))


def test_a_name_in_place_of_an_address_is_not_resolved() -> None:
    place = PinnedAddress(PlayerUrl("localhost", 9147, "/"), "localhost")
    with pytest.raises(ExchangeError) as raised:
        asyncio.run(Exchanges().ask(place, "(INFO)", seconds=2))
    assert not raised.value.connected


def test_limits_count_what_is_sent_and_not_what_is_promised() -> None:
    limits = AnswerLimits(head_bytes=200, body_bytes=100)
    long_promise = b"HTTP/1.0 200 OK\r\nContent-Length: 99999999\r\n\r\n" + b"a" * 101
    for data in (long_promise, b"HTTP/1.0 200 OK\r\nX: " + b"a" * 40_000 + b"\r\n\r\nready"):
        with pytest.raises(ExchangeError) as raised:
            asked(answering(data), limits=limits)
        assert raised.value.kind is FaultKind.CONNECTION_ERROR
    whole = b"HTTP/1.0 200 OK\r\n\r\n" + b"a" * 100
    assert asked(answering(whole), limits=limits).body == b"a" * 100


def test_rules_that_nobody_reads_are_not_kept() -> None:
    """A player that answers without having read the question is heard all the same."""

    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(ANSWER.replace(b"ready", b"busy!"))
        await asyncio.sleep(0.5)
        writer.close()

    assert asked(deaf, text="a" * 30_000_000).body == b"busy!"
