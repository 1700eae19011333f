"""Whether what is sent to a player depends on anything but its own moves and percepts.

Matches are played with random answers, and every byte that would go out to a player is caught at
the socket. Whenever the same player has done and seen the same in two matches, the bytes must be
the same, whatever else happened in them. All matches have the same name and the same scrambling,
as if they were one match that could have gone otherwise.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from fogspiel.core.terms import RoleId
from fogspiel.machine.knowledge import first_knowledge, key_after, observation_key
from fogspiel.machine.protocol import player_roles
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.ggp.http.addresses import PinnedAddress, PlayerUrl
from fogspiel.play.ggp.http.client import Exchanges
from fogspiel.play.ggp.manage.remote_player import RemotePlayer, SeatedRemotePlayer
from fogspiel.play.ggp.manage.seats import (
    MANAGER_GRACE_SECONDS,
    ManagedGame,
    MessageEncoder,
    SeatAssignment,
)
from fogspiel.play.ggp.messages import ProtocolDialect
from fogspiel.play.ggp.term_text import Scrambling, write_term
from fogspiel.play.loop import AsyncPlayer, play_managed_match
from fogspiel.play.referee import Fault, Referee, Step

NONSENSE_SHARE = 0.1
"""Share of answers that are no moves: substitutes must not tell anything either."""
CLOCKS = MatchClocks(start_seconds=30.0, turn_seconds=10.0, grace_seconds=MANAGER_GRACE_SECONDS)
FIRST_PORT = 10_000  #: Players are told apart by their ports; nothing is connected


@dataclass(slots=True)
class Leaks:
    """Counts of messages that were compared."""

    matches: int = 0
    messages: int = 0
    compared: int = 0
    """Messages to a player that had done and seen the same before, in another true history."""
    leaks: int = 0
    example: str = ""  #: A message that differed
    _sent: dict[bytes, tuple[bytes, bytes]] = field(default_factory=dict, repr=False)
    """Digests of the first message to a player who knew certain things, and of the true history."""

    def note(self, key: bytes, history: bytes, request: bytes) -> None:
        """Compare a message with what was sent before to one who knew the same."""
        self.messages += 1
        before, first_history = self._sent.setdefault(key, (_digest(request), history))
        self.compared += first_history != history
        if before != _digest(request):
            self.leaks += 1
            self.example = self.example or request.decode(errors="replace")


def wire_leaks(
    game: ManagedGame,
    dialect: ProtocolDialect,
    *,
    matches: int,
    seed: int,
    scramble: bool = False,
    max_steps: int | None = None,
) -> Leaks:
    """Play random matches and compare what goes out.

    dialect: of all players; whether it fits the game is not asked, so that a leak can be shown.
    max_steps: of a match, which is then given up; none if not given.
    """
    found = Leaks(matches=matches)
    scrambling = Scrambling(seed if scramble else None, game.rules)

    async def play() -> None:
        for number in range(matches):
            referee = _Limited(game.machine, seed=seed + number)
            referee.limit = max_steps
            table = _Table(referee, scrambling, found, [seed, number])
            players = {
                role: _seated(game, role, dialect, scrambling, table)
                for role in player_roles(game.machine)
            }
            await play_managed_match(referee, players, observer=table)

    asyncio.run(play())
    return found


class _Limited(Referee):
    """A referee that may call a match over before it is: long games need not be played out."""

    limit: int | None = None

    @property
    def over(self) -> bool:
        return super().over or (self.limit is not None and self.steps >= self.limit)


def _seated(
    game: ManagedGame, role: RoleId, dialect: ProtocolDialect, scrambling: Scrambling, table: _Table
) -> AsyncPlayer:
    url = PlayerUrl("127.0.0.1", FIRST_PORT + int(role), "/")
    player = RemotePlayer(
        name="player",
        place=PinnedAddress(url, "127.0.0.1"),
        dialect=dialect,
        exchanges=Exchanges(connect=table.connect),
    )
    assignment = SeatAssignment(
        game=game, role=role, match="match", scrambling=scrambling, clocks=CLOCKS, seed=0
    )
    return SeatedRemotePlayer(player, MessageEncoder(assignment, dialect))


class _Table:
    """Watches a match, answers for its players, and notes what they are sent."""

    def __init__(
        self, referee: Referee, scrambling: Scrambling, found: Leaks, seed: list[int]
    ) -> None:
        self._referee, self._scrambling, self._found = referee, scrambling, found
        self._rng = np.random.default_rng(seed)
        self._known = {role: first_knowledge(role) for role in player_roles(referee.machine)}
        """Keys of what each role did and saw."""
        self._history = b""

    async def connect(
        self, address: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A wire that ends here."""
        reader = asyncio.StreamReader()
        wire = _Wire(self, RoleId(port - FIRST_PORT), reader)
        protocol = asyncio.StreamReaderProtocol(reader)
        loop = asyncio.get_running_loop()
        return reader, asyncio.StreamWriter(wire, protocol, reader, loop)

    def answer(self, role: RoleId, request: bytes) -> str:
        """Note what a player is sent, and say something for it."""
        body = request.partition(b"\r\n\r\n")[2]
        keyword = body[1:].partition(b" ")[0]
        key = _digest(int(self._known[role]), keyword)
        self._found.note(key, self._history, request)
        if keyword != b"PLAY" or self._rng.random() < NONSENSE_SHARE:
            return "done"
        legal = self._referee.legal(role)
        move = legal[int(self._rng.integers(len(legal)))]
        return write_term(self._scrambling.term(self._referee.machine.move_term(role, move)))

    def start(self, seconds: Mapping[RoleId, float], faults: Mapping[RoleId, Fault]) -> None:
        """Players are ready."""

    def step(self, step: Step) -> None:
        """Every role did something and saw something."""
        for role, known in self._known.items():
            seen = observation_key(self._referee.machine, role, step.observation(role))
            self._known[role] = key_after(known, seen)
        self._history = _digest(self._history, step.joint)

    def end(self, goals: tuple[int, ...]) -> None:
        """The match is over."""


class _Wire(asyncio.Transport):
    """Takes a request, and puts the answer where it is read."""

    def __init__(self, table: _Table, role: RoleId, reader: asyncio.StreamReader) -> None:
        super().__init__()
        self._table, self._role, self._reader = table, role, reader

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """The whole request comes at once."""
        body = self._table.answer(self._role, bytes(data)).encode()
        head = f"HTTP/1.0 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
        self._reader.feed_data(head.encode() + body)
        self._reader.feed_eof()

    def close(self) -> None:
        """Nothing was opened."""

    def abort(self) -> None:
        """Nothing was opened."""

    def is_closing(self) -> bool:
        """Whether nobody may write any more."""
        return True


def _digest(*parts: object) -> bytes:
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()
