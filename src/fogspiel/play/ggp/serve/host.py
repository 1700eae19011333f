"""The server of a player: it listens, answers every message of managers, and ends cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import unquote_plus

from fogspiel.play.ggp.http.server import (
    PLAIN_TEXT,
    HttpLimits,
    HttpRequest,
    HttpResponse,
    HttpServer,
)
from fogspiel.play.ggp.messages import (
    ABORTED,
    AVAILABLE,
    BUSY,
    DONE,
    READY,
    Abort,
    Info,
    InfoReply,
    Message,
    Play,
    Preview,
    Start,
    Stop,
    Told,
    read_message,
    write_info_reply,
)
from fogspiel.play.ggp.serve.hosted_match import HostedMatch, Margin, ServerSettings, Tell
from fogspiel.play.ggp.serve.player_process import ProcessSettings
from fogspiel.play.ggp.serve.process_pool import ProcessPool
from fogspiel.play.ggp.term_text import MessageError, shown, write_term

SWEEP_SECONDS = 1.0
LONG_TEXT = 1 << 16  #: Characters that take about 20 milliseconds to read
STOPPING = (signal.SIGINT, signal.SIGTERM)
FAREWELL_SECONDS = 0.2
"""Time for the last reply to be written, where the server ends after a match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What is to be served, and where."""

    name: str
    process: ProcessSettings
    tell: Tell
    host: str = "127.0.0.1"
    port: int = 9147
    matches: int = 1
    simulations: int | None = None
    seed: int = 0
    once: bool = False  #: Whether to end after the first match
    limits: HttpLimits | None = None


async def serve(
    service: Service, listening: Callable[[int], None], stopped: asyncio.Event | None = None
) -> None:
    """Listen and play until a signal comes, or a match is over where only one is wanted.

    listening: told the port. stopped: set by somebody who wants an end; signals then do not count.
    Raises `UsageError` GGP003 where there is no listening there.
    """
    pool = ProcessPool(service.process, service.matches)
    settings = ServerSettings(
        load=service.process.load,
        tell=service.tell,
        margin=Margin(),
        simulations=service.simulations,
        seed=service.seed,
    )
    host = Host(service.name, pool, settings, service.matches)
    server = HttpServer(host.handle, service.limits)
    is_own = stopped is None
    stopped = stopped or asyncio.Event()
    with _signals(stopped) if is_own else contextlib.nullcontext():
        port = await server.listen(service.host, service.port)
        sweeping = asyncio.create_task(host.sweep())
        try:
            pool.start()
            listening(port)
            await _until_over(host, stopped, once=service.once)
        finally:
            sweeping.cancel()
            await server.close()
            await pool.close()


async def _until_over(host: Host, stopped: asyncio.Event, *, once: bool) -> None:
    while not stopped.is_set():
        if once and host.ended:
            await asyncio.sleep(FAREWELL_SECONDS)
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_SECONDS if once else None):
                await stopped.wait()


@contextlib.contextmanager
def _signals(stopped: asyncio.Event) -> Iterator[None]:
    """Let signals stop the server instead of the process."""
    loop = asyncio.get_running_loop()
    for number in STOPPING:
        loop.add_signal_handler(number, stopped.set)
    try:
        yield
    finally:
        for number in STOPPING:
            loop.remove_signal_handler(number)


class Host:
    """Plays as many matches at once as it has processes."""

    def __init__(
        self, name: str, pool: ProcessPool, settings: ServerSettings, most_matches: int
    ) -> None:
        self._name, self._pool, self._settings = name, pool, settings
        self._most = most_matches
        self._matches: dict[str, HostedMatch] = {}
        self.ended = 0
        """Matches that are over, however they ended."""

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request."""
        # Some send messages in the address, so that a browser can be a manager.
        text, status = unquote_plus(request.target.removeprefix("/")), HTTPStatus.OK
        is_message = request.method == "POST" or (request.method == "GET" and text.startswith("("))
        if is_message:
            try:
                message = await _read(_decoded(request.body) if request.method == "POST" else text)
                return HttpResponse(text=await self._answer(message, request.began))
            except MessageError as error:
                self._settings.tell(f"refused: {error.findings[0].message}")
                text, status = f"{error}\n", HTTPStatus.BAD_REQUEST
        elif request.method == "OPTIONS":
            text, status = "", HTTPStatus.NO_CONTENT
        elif request.method == "GET":
            text = self._page()
        else:
            text = "send messages of general game playing by POST\n"
            status = HTTPStatus.METHOD_NOT_ALLOWED
        return HttpResponse(status=status, text=text, content_type=PLAIN_TEXT)

    async def sweep(self) -> None:
        """Give up matches that nobody goes on with; runs until it is cancelled."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = time.monotonic()
            for match in [m for m in self._matches.values() if m.forgotten_at < now]:
                self._settings.tell(f"{match.start.match}: given up, since nobody goes on with it")
                await self._end(match, None)

    async def _answer(self, message: Message, began: float) -> str:
        match message:
            case Info():
                status = BUSY if self._is_full else AVAILABLE
                return write_info_reply(InfoReply(name=self._name, status=status))
            case Start():
                return await self._start(message, began)
            case Preview():
                return await self._preview(message, began)
        name, tell = message.match, self._settings.tell
        running = self._matches.get(name)
        if running is None:
            tell(f"{name}: no such match here")
            return BUSY
        match message:
            case Play(told=told):
                move = write_term(await running.play(told, began))
                tell(f"{name}: {move} after {time.monotonic() - began:.2f} s")
                return move
            case Stop() | Abort():
                last = message.told if isinstance(message, Stop) else None
                tell(f"{name}: {'aborted' if last is None else 'over'}")
                await self._end(running, last)
                return ABORTED if last is None else DONE

    async def _start(self, message: Start, began: float) -> str:
        running = self._matches.get(message.match)
        if running is not None and running.start == message:
            if not running.has_begun:
                # The same question again: the first answer may have been lost.
                return await self._readiness(running)
            await self._end(running, None)
        elif running is not None:
            return BUSY
        process = None if self._is_full else self._pool.take(message.rules)
        if process is None:
            self._settings.tell(f"{message.match}: busy")
            return BUSY
        match = HostedMatch(message, process, self._settings, began)
        self._matches[message.match] = match
        clocks = f"{message.start_seconds:g} s to get ready, {message.play_seconds:g} s a move"
        self._settings.tell(f"{message.match}: as {message.role}, {clocks}")
        return await self._readiness(match)

    async def _readiness(self, match: HostedMatch) -> str:
        why = await match.failure()
        if why is None:
            return READY
        self._settings.tell(f"{match.start.match}: cannot be played: {why}")
        await self._end(match, None)
        return BUSY

    async def _preview(self, message: Preview, began: float) -> str:
        job = self._pool.prepare(message.rules)
        if job is not None:
            margin = self._settings.margin.for_answer(message.seconds)
            left = began + message.seconds - margin - time.monotonic()
            await asyncio.wait([job.done], timeout=max(0.0, left))
        self._settings.tell("rules of a match to come")
        return READY

    async def _end(self, match: HostedMatch, told: Told | None) -> None:
        """The match is over. Once this is answered, its process is free for the next."""
        if self._matches.get(match.start.match) is not match:
            return
        del self._matches[match.start.match]
        match.is_over = True
        try:
            await match.stop(told or Told())
        finally:
            self._pool.give_back(match.process)
            self.ended += 1

    @property
    def _is_full(self) -> bool:
        return len(self._matches) >= self._most

    def _page(self) -> str:
        playing = [
            f"  {shown(match.start.match)} as {shown(match.start.role)}\n"
            for match in self._matches.values()
        ]
        return (
            f"{self._name}: a player of general games, {len(playing)} of {self._most} matches\n"
            f"{''.join(playing)}Managers send it START, PLAY and STOP by POST.\n"
        )


async def _read(text: str) -> Message:
    """The message of a text. Long ones are read in a thread: others' clocks run meanwhile."""
    if len(text) < LONG_TEXT:
        return read_message(text)
    return await asyncio.to_thread(read_message, text)


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("latin-1")
