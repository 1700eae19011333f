"""A small HTTP server: one request a connection, hard limits on sizes, times and connections.

Peers may be slow, silent, half-open or malicious. None of them can hold more than one of the
connections, or any of them for longer than the limits say; the others are answered meanwhile.

A request is put together from bytes as they come. h11 knows the grammar of HTTP/1.0 and 1.1,
lengths and chunks. Beyond it we read what some managers of games send: a POST that says nothing
about its length. By the standard it has no body; what follows is then read until its parentheses
are balanced.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus

import h11

from fogspiel.core.findings import UsageError

ALLOWED = "POST, GET, OPTIONS"
BODILESS = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
CORS = (
    # Clients that run in a browser ask before they send, and read nothing without permission.
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Allow-Methods", ALLOWED),
    ("Access-Control-Allow-Headers", "Content-Type, Accept, Sender, Receiver"),
    ("Access-Control-Max-Age", "86400"),
)
PLAIN_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """What a peer may ask of us."""

    head_bytes: int = 32_768
    body_bytes: int = 16 << 20  #: The rules of a large game have half a megabyte
    read_seconds: float = 30.0
    """Time from the first byte of a request to its last, however slowly it drips."""
    write_seconds: float = 10.0
    quiet_seconds: float = 0.3
    """Silence after which a body of unknown length is complete, if it is no list."""
    connections: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """What was asked."""

    method: str
    target: str
    body: bytes = field(repr=False)
    began: float
    """The moment of its first byte on the monotonic clock: a manager's clock runs since then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What is answered."""

    status: int = HTTPStatus.OK
    text: str = ""
    content_type: str = "text/acl"


class BadRequestError(Exception):
    """What came cannot be answered but with a status."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status

    @property
    def reply(self) -> HttpResponse:
        """The answer."""
        return HttpResponse(status=self.status, text=f"{self}\n", content_type=PLAIN_TEXT)


class Incoming:
    """A request that is being received."""

    def __init__(self, limits: HttpLimits) -> None:
        self._limits = limits
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.head_bytes)
        self._head: h11.Request | None = None
        self._body = bytearray()
        self._depth = 0
        self.is_open_ended = False
        """Whether the length of the body was not told."""
        self.began: float | None = None
        self.request: HttpRequest | None = None
        """The request when it is complete."""

    @property
    def wants_continue(self) -> bool:
        """Whether the peer waits for leave to send the body."""
        return self._http.they_are_waiting_for_100_continue

    @property
    def is_quiet_word(self) -> bool:
        """Whether a body of untold length is a word, such as `ping`: nothing shows its end."""
        return self.is_open_ended and bool(self._body.strip()) and b"(" not in self._body

    def feed(self, data: bytes) -> None:
        """More bytes, none where the peer will send no more. Raises `BadRequestError`."""
        if self.began is None:
            self.began = time.monotonic()
        if self.is_open_ended:
            self._extend(data)
            if not data or self._is_balanced():
                self.finish()
            return
        try:
            self._http.receive_data(data)
            while self.request is None and not self.is_open_ended and self._next_event():
                pass
        except h11.RemoteProtocolError as error:
            status = HTTPStatus(error.error_status_hint)
            raise BadRequestError(status, f"this is no HTTP request: {error}") from None

    def finish(self) -> None:
        """Take what came for the whole body."""
        assert self._head is not None
        assert self.began is not None
        self.request = HttpRequest(
            method=self._head.method.decode("ascii"),
            target=self._head.target.decode("ascii", "replace"),
            body=bytes(self._body),
            began=self.began,
        )

    def continued(self) -> bytes:
        """Leave to send the body."""
        return self._http.send(h11.InformationalResponse(status_code=100, headers=[])) or b""

    def answer(self, reply: HttpResponse) -> bytes:
        """The bytes of an answer, which is the last on its connection."""
        body = reply.text.encode("utf-8", "replace")
        headers = [
            ("Content-Type", reply.content_type),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
            *CORS,
        ]
        if reply.status == HTTPStatus.METHOD_NOT_ALLOWED:
            headers.append(("Allow", ALLOWED))
        reason = HTTPStatus(reply.status).phrase.encode()
        head = h11.Response(status_code=reply.status, headers=headers, reason=reason)
        if self._http.our_state is h11.ERROR:
            # After a request that was none h11 sends nothing; peers deserve to know why.
            self._http = h11.Connection(h11.SERVER)
        parts = (head, h11.Data(data=body), h11.EndOfMessage())
        return b"".join(self._http.send(part) or b"" for part in parts)

    def _next_event(self) -> bool:
        """Look at the next part of the request; whether there was one."""
        event = self._http.next_event()
        if isinstance(event, h11.Request):
            self._begin(event)
        elif isinstance(event, h11.Data):
            self._extend(bytes(event.data))
        elif isinstance(event, h11.EndOfMessage):
            rest, _ = self._http.trailing_data
            if self._depth > 0:
                # Some tell the length in characters, of which there may be fewer than bytes.
                self._extend(rest)
            self.finish()
        else:  # more is needed, or nothing comes
            return False
        return True

    def _begin(self, head: h11.Request) -> None:
        self._head = head
        told = dict(head.headers)
        length = told.get(b"content-length")
        # h11 has made sure that the length is a number.
        if length is not None and int(length) > self._limits.body_bytes:
            raise self._too_large()
        is_untold = length is None and b"transfer-encoding" not in told
        if is_untold and head.method.decode("ascii") not in BODILESS:
            self._http.next_event()  # the end, by the standard; what follows belongs to it for us
            self.is_open_ended = True
            rest, _ = self._http.trailing_data
            self._extend(rest)
            if self._is_balanced():
                self.finish()

    def _extend(self, data: bytes) -> None:
        if len(self._body) + len(data) > self._limits.body_bytes:
            raise self._too_large()
        self._body += data
        self._depth += data.count(b"(") - data.count(b")")

    def _is_balanced(self) -> bool:
        return self._depth <= 0 and b"(" in self._body

    def _too_large(self) -> BadRequestError:
        most = f"{self._limits.body_bytes:,} bytes"
        return BadRequestError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a message may have {most} at most"
        )


CHUNK_BYTES = 1 << 16
FAREWELL_SECONDS = 1.0
"""Time for a refused peer to read why, while we throw away what it still sends."""

Handler = Callable[[HttpRequest], Awaitable[HttpResponse]]

_log = logging.getLogger(__name__)


class HttpServer:
    """Listens, and answers what a handler says."""

    def __init__(self, handle: Handler, limits: HttpLimits | None = None) -> None:
        self._handle = handle
        self._limits = limits or HttpLimits()
        self._open: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def listen(self, host: str, port: int) -> int:
        """Begin to listen; gives the port, which the system chooses for 0.

        Raises `UsageError` GGP003 where that is not possible.
        """
        try:
            self._server = await asyncio.start_server(self._accept, host, port)
        except (OSError, OverflowError) as error:
            raise UsageError.of(
                "GGP003",
                f"cannot listen on {host}, port {port}: {getattr(error, 'strerror', '') or error}",
                fix="choose another port with --port, or 0 for a free one; another server may "
                "have it",
            ) from None
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    async def close(self) -> None:
        """Stop listening and give up what is under way."""
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, TimeoutError):
            # The peer went away, or does not read: there is nobody to tell.
            writer.transport.abort()
        except asyncio.CancelledError:
            # The server closes. Nobody awaits this task but `close`.
            writer.transport.abort()
        finally:
            self._open.discard(task)
            writer.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        incoming = Incoming(self._limits)
        try:
            if len(self._open) > self._limits.connections:
                raise BadRequestError(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections")
            request = await self._read(incoming, reader, writer)
        except BadRequestError as error:
            await self._write(writer, incoming.answer(error.reply))
            await _say_farewell(reader, writer)
            return
        if request is None:
            return
        try:
            reply = await self._handle(request)
        except Exception:
            _log.exception("a request could not be handled")
            reply = HttpResponse(
                status=HTTPStatus.INTERNAL_SERVER_ERROR, text="an internal error\n"
            )
        await self._write(writer, incoming.answer(reply))

    async def _read(
        self, incoming: Incoming, reader: StreamReader, writer: StreamWriter
    ) -> HttpRequest | None:
        """The whole request; None from a peer that said nothing."""
        opened = time.monotonic()
        while incoming.request is None:
            since = opened if incoming.began is None else incoming.began
            left = since + self._limits.read_seconds - time.monotonic()
            seconds = min(left, self._limits.quiet_seconds) if incoming.is_open_ended else left
            try:
                data = await asyncio.wait_for(reader.read(CHUNK_BYTES), max(0.0, seconds))
            except TimeoutError:
                if incoming.began is None:
                    return None
                _judge_silence(incoming, is_over=left <= seconds)
                continue
            if not data and incoming.began is None:
                return None
            incoming.feed(data)
            if incoming.wants_continue:
                await self._write(writer, incoming.continued())
            if not data and incoming.request is None:
                raise BadRequestError(HTTPStatus.BAD_REQUEST, "the request breaks off")
        return incoming.request

    async def _write(self, writer: StreamWriter, data: bytes) -> None:
        writer.write(data)
        await asyncio.wait_for(writer.drain(), self._limits.write_seconds)


def _judge_silence(incoming: Incoming, *, is_over: bool) -> None:
    """Nothing came for a while: is the request complete, late, or just slow?"""
    if incoming.is_quiet_word:
        incoming.finish()
    elif is_over:
        raise BadRequestError(HTTPStatus.REQUEST_TIMEOUT, "the request took too long")


async def _say_farewell(reader: StreamReader, writer: StreamWriter) -> None:
    """Let a refused peer read the answer: closing on unread bytes would destroy it."""
    if writer.can_write_eof():
        writer.write_eof()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(FAREWELL_SECONDS):
            while await reader.read(CHUNK_BYTES):
                pass
