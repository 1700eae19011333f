"""Players for tests of the manager: small HTTP servers written from the protocol alone.

Nothing of the manager is used here, nor of our own server: what is sent is read with `re` and
written by hand. A player is a function from a message to the bytes of a whole answer, in pieces.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

OPEN_GAME = """
(role white) (role black) (init (round 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal ?r (take ?x)) (role ?r) (thing ?x)) (thing a) (thing b)
(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= (next (has ?r ?x)) (does ?r (take ?x)))
(<= terminal (true (round 4)))
(<= (goal ?r 100) (true (has ?r a))) (<= (goal ?r 0) (role ?r) (not (true (has ?r a))))
"""
"""Three rounds in which both may always take a or b; the last thing counts."""
HIDING_GAME = (
    OPEN_GAME.replace("(role ?r)", "(hand ?r)")
    + """
(role random) (hand white) (hand black) (thing c)
(<= (legal random (deal ?x)) (thing ?x))
(<= (sees ?r (got ?x)) (hand ?r) (does random (deal ?x)))
(<= (sees ?r (mine ?x)) (does ?r (take ?x)))
(goal random 0)
"""
)
"""The same in secret: everybody sees what is dealt, and nobody what others take."""

Pieces = AsyncIterator[bytes]


@dataclass
class Exchange:
    """A question as it came."""

    head: str
    body: str

    @property
    def words(self) -> list[str]:
        return re.findall(r"[()]|[^\s()]+", self.body)

    @property
    def keyword(self) -> str:
        return self.words[1]


Answering = Callable[[Exchange], Pieces]


@dataclass
class Server:
    """A player that listens."""

    port: int
    asked: list[Exchange] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def keywords(self) -> list[str]:
        return [exchange.keyword for exchange in self.asked]


@asynccontextmanager
async def listening(answering: Answering) -> AsyncIterator[Server]:
    """A player at a port of its own, on loopback."""
    own: Server

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = re.search(r"(?i)content-length: (\d+)", head)
            assert length is not None
            body = (await reader.readexactly(int(length[1]))).decode()
            exchange = Exchange(head, body)
            own.asked.append(exchange)
            async for piece in answering(exchange):
                writer.write(piece)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the manager has had enough, or the test is over
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    own = Server(server.sockets[0].getsockname()[1])
    try:
        yield own
    finally:
        server.close()


@asynccontextmanager
async def all_listening(players: Sequence[Answering]) -> AsyncIterator[list[Server]]:
    """Several players, each at a port of its own."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(listening(player)) for player in players]


def http(body: str | bytes, *, status: str = "200 OK", version: str = "1.0") -> bytes:
    """An answer as most players write it."""
    data = body.encode() if isinstance(body, str) else body
    head = f"HTTP/{version} {status}\r\nContent-Type: text/acl\r\nContent-Length: {len(data)}"
    return f"{head}\r\n\r\n".encode() + data


def usual(exchange: Exchange, move: str = "(take a)") -> str:
    """What a player with good manners says."""
    return {
        "START": "ready",
        "PLAY": move,
        "STOP": "done",
        "ABORT": "aborted",
        "INFO": "( ( name polite ) ( status available ) )",
    }[exchange.keyword]


async def polite(exchange: Exchange) -> Pieces:
    yield http(usual(exchange))


def at_play(*pieces: bytes, pause: float = 0.0) -> Answering:
    """Good manners, but for what is sent when it is asked to play."""

    async def answering(exchange: Exchange) -> Pieces:
        if exchange.keyword != "PLAY":
            yield http(usual(exchange))
            return
        for piece in pieces:
            yield piece
            await asyncio.sleep(pause)

    return answering


def answers(*moves: str) -> Answering:
    """Good manners, with these moves in turn; the last one again and again."""
    asked = iter(moves)

    async def answering(exchange: Exchange) -> Pieces:
        move = next(asked, moves[-1]) if exchange.keyword == "PLAY" else ""
        yield http(usual(exchange, move))

    return answering


async def silent(exchange: Exchange) -> Pieces:
    """Takes every question and never answers."""
    await asyncio.sleep(30)
    yield b""


def slow(seconds: float) -> Answering:
    """Thinks too long about every move."""

    async def answering(exchange: Exchange) -> Pieces:
        if exchange.keyword == "PLAY":
            await asyncio.sleep(seconds)
        yield http(usual(exchange))

    return answering


def dripping(pause: float, *, lasting: float = 30.0) -> Answering:
    """One byte at a time, of an answer that is right; then nothing new for a while."""

    async def answering(exchange: Exchange) -> Pieces:
        for byte in http(usual(exchange)):
            yield bytes([byte])
            await asyncio.sleep(pause if exchange.keyword == "PLAY" else 0.0)
        await asyncio.sleep(0.0 if exchange.keyword != "PLAY" else min(lasting, pause))

    return answering


async def endless(exchange: Exchange) -> Pieces:
    """An answer that never stops: 16 KB at a time, up to 100 MB."""
    if exchange.keyword != "PLAY":
        yield http(usual(exchange))
        return
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/acl\r\n\r\n"
    for _ in range(6_400):
        yield b"(" * 16_384


async def endless_head(exchange: Exchange) -> Pieces:
    """Headers without end."""
    yield b"HTTP/1.1 200 OK\r\n"
    for number in range(100_000):
        yield f"X-{number}: {'a' * 1_000}\r\n".encode()
