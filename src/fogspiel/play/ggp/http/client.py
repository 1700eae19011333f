"""One question to a player over HTTP, and its answer within limits.

Requests are those of HTTP/1.0, which every player reads, and name the headers that general game
playing is used to. Answers may be of HTTP/1.0 or 1.1, with a length, in chunks or up to the end of
the connection, as slowly as the clock allows. A redirection is not followed: it would lead to an
address that nobody has looked at.

h11 reads the answers: it knows HTTP and no sockets, so that sizes, times and where to connect stay
in our hands.
"""

from __future__ import annotations

import asyncio
import errno
import re
import socket
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import h11

from fogspiel.core.findings import LimitError
from fogspiel.play.ggp.http.addresses import PinnedAddress
from fogspiel.play.referee import FaultKind

CONNECT_SECONDS = 3.0
OWN_LATENESS_SECONDS = 0.05
"""Delay with which we may notice that a clock ran out; after more, something kept us from it."""
READ_BYTES = 16_384
MOST_RECEIVER = 64  #: Characters of a player's name in a header
SENDER = "FOGSPIEL"

QUESTION = h11.Request(
    method="POST", target="/", headers=[("Host", "player"), ("Content-Length", "0")]
)
"""h11 wants to have seen a question before it reads an answer; what is sent is `request`."""

Connect = Callable[[str, int], Awaitable[tuple[StreamReader, StreamWriter]]]
"""A connection to an address, as it stands, and a port."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLimits:
    """Limits of what a player may send."""

    head_bytes: int = 16_384
    body_bytes: int = 65_536

    pieces: int = 4_096  #: Chunks and the like: each takes some time to read, however small it is

    @property
    def all_bytes(self) -> int:
        """Bytes in all, with what frames the pieces."""
        return self.head_bytes + self.body_bytes + 8 * self.pieces


DEFAULT_LIMITS = AnswerLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientReply:
    """What came back, and the moment on the monotonic clock at which it had."""

    body: bytes
    answered_at: float


class ExchangeError(Exception):
    """There was no answer."""

    def __init__(self, kind: FaultKind, text: str, *, connected: bool = True) -> None:
        super().__init__(text)
        self.kind, self.text, self.connected = kind, text, connected


async def connect_plainly(address: str, port: int) -> tuple[StreamReader, StreamWriter]:
    """A connection to an address; a name would be refused here, not resolved."""
    return await asyncio.open_connection(
        address, port, limit=READ_BYTES, flags=socket.AI_NUMERICHOST
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanges:
    """Questions to players, every one on a connection of its own."""

    connect: Connect = connect_plainly
    limits: AnswerLimits = DEFAULT_LIMITS
    connect_seconds: float = CONNECT_SECONDS

    async def ask(
        self, place: PinnedAddress, text: str, *, seconds: float, receiver: str = "PLAYER"
    ) -> ClientReply:
        """Send a text and wait for what is answered, no longer than the seconds in all.

        Raises `ExchangeError`: a timeout, or a connection error for everything else, answers that
        are not HTTP, too large or redirections among it; `LimitError` NET004 where this process
        can open no more connections, which no player is to blame for.
        """
        deadline = asyncio.get_running_loop().time() + seconds
        reader, writer = await self._connected(place, seconds)
        try:
            writer.write(request(place, text, receiver))
            body = await _Answer(reader, self.limits).until(deadline)
        except BaseException as error:
            # What is still to be sent is of no use any more, and must not stay in memory.
            writer.transport.abort()
            raise _in_short(error, seconds) from None
        writer.close()
        return ClientReply(body=body, answered_at=time.monotonic())

    async def _connected(
        self, place: PinnedAddress, seconds: float
    ) -> tuple[StreamReader, StreamWriter]:
        limit = min(seconds, self.connect_seconds)
        try:
            async with asyncio.timeout(limit):
                return await self.connect(place.address, place.url.port)
        except TimeoutError:
            why = f"no connection within {limit:g} s"
        except ConnectionRefusedError:
            why = "the connection was refused"
        except OSError as error:
            if error.errno in {errno.EMFILE, errno.ENFILE}:
                raise LimitError.of(
                    "NET004",
                    "the system lets this process open no more connections",
                    fix="play fewer matches at once, or raise the limit on open files: `ulimit "
                    "-n 4096`",
                ) from None
            why = error.strerror or type(error).__name__
        raise ExchangeError(FaultKind.CONNECTION_ERROR, why, connected=False)


def request(place: PinnedAddress, text: str, receiver: str) -> bytes:
    """The bytes that are sent."""
    body = text.encode()
    head = [
        f"POST {place.url.path} HTTP/1.0",
        "Accept: text/delim",
        f"Host: {place.url.authority}",
        f"Sender: {SENDER}",
        # A player may have given itself any name.
        f"Receiver: {re.sub(r'[^A-Za-z0-9_.-]', '_', receiver[:MOST_RECEIVER]) or 'PLAYER'}",
        "Content-Type: text/acl",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return "\r\n".join([*head, "", ""]).encode("ascii") + body


class _Answer:
    """An answer that comes in pieces."""

    def __init__(self, reader: StreamReader, limits: AnswerLimits) -> None:
        self._reader, self._limits = reader, limits
        self._parser = h11.Connection(h11.CLIENT, max_incomplete_event_size=limits.head_bytes)
        self._parser.send(QUESTION)
        self._parser.send(h11.EndOfMessage())
        self._body, self._received = bytearray(), 0

    async def until(self, deadline: float) -> bytes:
        """The body. Raises `TimeoutError`, `ExchangeError` and what h11 raises."""
        try:
            async with asyncio.timeout_at(deadline):
                return await self._all()
        except TimeoutError:
            if asyncio.get_running_loop().time() - deadline < OWN_LATENESS_SECONDS:
                raise
        # We were late ourselves: what has come meanwhile still waits to be looked at.
        async with asyncio.timeout(OWN_LATENESS_SECONDS):
            return await self._all()

    async def _all(self) -> bytes:
        limits = self._limits
        for _ in range(limits.pieces):
            event = self._parser.next_event()
            if event is h11.NEED_DATA:
                data = await self._reader.read(READ_BYTES)
                self._received += len(data)
                if self._received > limits.all_bytes:
                    raise _too_large(limits)
                self._parser.receive_data(data)
            elif isinstance(event, h11.Response):
                if event.status_code >= 300:
                    redirected = event.status_code < 400
                    why = ": redirections are not followed" if redirected else ""
                    raise _broken(f"status {event.status_code}{why}")
            elif isinstance(event, h11.Data):
                self._body += event.data
                if len(self._body) > limits.body_bytes:
                    raise _too_large(limits)
            elif isinstance(event, h11.EndOfMessage):
                return bytes(self._body)
            elif not isinstance(event, h11.InformationalResponse):
                raise _broken("the connection was closed without an answer")
        raise _broken(f"the answer came in more than {limits.pieces:,} pieces")


def _in_short(error: BaseException, seconds: float) -> BaseException:
    """What is raised for it: an `ExchangeError`, unless it has nothing to do with the player."""
    if isinstance(error, TimeoutError):
        return ExchangeError(FaultKind.TIMEOUT, f"no answer within {seconds:g} s")
    if isinstance(error, h11.RemoteProtocolError):
        return _broken(f"the answer is not HTTP: {error}")
    if isinstance(error, OSError):
        return _broken(error.strerror or type(error).__name__)
    return error


def _too_large(limits: AnswerLimits) -> ExchangeError:
    return _broken(f"the answer is larger than {limits.body_bytes:,} bytes")


def _broken(what: str) -> ExchangeError:
    return ExchangeError(FaultKind.CONNECTION_ERROR, what)
