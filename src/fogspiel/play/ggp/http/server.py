"""A small HTTP server: one request a connection, hard limits on sizes, times and connections.

Peers may be slow, silent, half-open or malicious. None of them can hold more than one of the
connections, or any of them for longer than the limits say; the others are answered meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from fogspiel.core.findings import UsageError
from fogspiel.play.ggp.http.framing import (
    BadRequestError,
    HttpLimits,
    HttpRequest,
    HttpResponse,
    Incoming,
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
