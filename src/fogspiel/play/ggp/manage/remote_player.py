"""Players that are reached over HTTP: who listens at a URL, which dialect it understands, and how
it is asked in a match.

The two dialects of GDL-II cannot be told apart by what a player says of itself, so that it is
watched at play: in a game of its own, made for this, a card is dealt that the player alone sees,
and naming this card is its one legal move. Who names it has understood what it was told. Guessing
succeeds once in as many times as there are cards. The newer dialect is tried first. The match that
counts is never used to find out: a player that was told nonsense once might not recover.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm, MoveId
from fogspiel.play.ggp.http.addresses import PinnedAddress, PlayerUrl, Resolve, pinned
from fogspiel.play.ggp.http.client import ExchangeError, Exchanges
from fogspiel.play.ggp.manage.seats import MessageEncoder, SeatAssignment, refuse_dialect
from fogspiel.play.ggp.messages import (
    BUSY,
    Abort,
    Info,
    InfoReply,
    Message,
    Play,
    ProtocolDialect,
    Start,
    Stop,
    nothing_told,
    read_info_reply,
    told_of_step,
    write_message,
)
from fogspiel.play.ggp.term_text import MOVE_LIMITS, MessageError, read_move
from fogspiel.play.referee import Answer, Fault, FaultKind, Step

LOG = logging.getLogger(__name__)
SHORT_SECONDS = 1.0  #: Time for questions that no player has to think about: INFO and ABORT
CARDS = 64
PROBE_START_SECONDS = 10.0
PROBE_PLAY_SECONDS = 5.0
PROBE_GRACE_SECONDS = 1.0
MOST_NAME = 60  #: Characters of the name that a player gives itself

_PROBES = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemotePlayer:
    """A participant at an address, and the dialect in which it is told of steps.

    Implements `Participant`.
    """

    name: str
    place: PinnedAddress
    dialect: ProtocolDialect
    exchanges: Exchanges = field(default_factory=Exchanges, repr=False)

    @property
    def address(self) -> str:
        """The address, which may play several roles of a match."""
        return str(self.place)

    def seated(self, assignment: SeatAssignment) -> SeatedRemotePlayer:
        """The player of one role in one match.

        Raises `UsageError` MAN001 for a game of another dialect.
        """
        refuse_dialect(assignment.game, self.dialect, self.name)
        return SeatedRemotePlayer(self, MessageEncoder(assignment, self.dialect))


class SeatedRemotePlayer:
    """The player in its role. Implements `SeatedPlayer`."""

    def __init__(self, player: RemotePlayer, encoder: MessageEncoder) -> None:
        self._player, self._encoder = player, encoder
        self._clocks = encoder.assignment.clocks

    async def start(self) -> Answer:
        """Send START. Whatever is answered counts as ready, but for `busy`."""
        return await self._ask(self._encoder.start(), self._clocks.start_clock, _refusal)

    async def choose(self, last: Step | None, legal: Sequence[MoveId]) -> Answer:
        """Send PLAY."""
        text, seconds = self._encoder.play(last), self._clocks.play_clock
        return await self._ask(text, seconds, lambda body: self._encoder.read(body, legal))

    async def stop(self, last: Step | None) -> Answer:
        """Send STOP, and wait for an answer of any kind: the player may take notes."""
        return await self._tell(self._encoder.stop(last), self._clocks.play_clock)

    async def abort(self) -> Answer:
        """Send ABORT."""
        return await self._tell(self._encoder.abort(), SHORT_SECONDS)

    async def _tell(self, text: str, seconds: float) -> Answer:
        player = self._player
        # The match is over: there is nothing left that a fault could change.
        with suppress(ExchangeError):
            await player.exchanges.ask(player.place, text, seconds=seconds, receiver=player.name)
        return Answer()

    async def _ask(
        self, text: str, seconds: float, read: Callable[[bytes], MoveId | Fault | None]
    ) -> Answer:
        began, player = time.monotonic(), self._player
        allowed = seconds + self._clocks.grace_seconds
        try:
            reply = await player.exchanges.ask(
                player.place, text, seconds=allowed, receiver=player.name
            )
        except ExchangeError as error:
            fault = Fault(error.kind, error.text)
            return Answer(fault=fault, seconds=time.monotonic() - began)
        answered, seconds = read(reply.body), reply.answered_at - began
        if isinstance(answered, Fault):
            return Answer(fault=answered, seconds=seconds)
        return Answer(move=answered, seconds=seconds)


def _refusal(body: bytes) -> Fault | None:
    if body.strip().lower() != BUSY.encode():
        return None
    return Fault(FaultKind.CONNECTION_ERROR, "busy with another match")


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """Settings by which players are looked for."""

    hides: bool  #: Whether the game hides anything: then GDL-II is spoken
    allow_remote: bool = False
    resolve: Resolve | None = None
    exchanges: Exchanges = field(default_factory=Exchanges)


async def find_player(
    url: PlayerUrl,
    invitation: Invitation,
    *,
    dialect: ProtocolDialect | None = None,
    name: str | None = None,
) -> RemotePlayer:
    """The player at a URL, its dialect told or found out.

    name: the name under which it entered; by default what it calls itself, or its address.
    Raises `UsageError` NET002 or NET003, and `PlayError` MAN002 where nobody listens.
    """
    exchanges = invitation.exchanges
    places = await pinned(url, allow_remote=invitation.allow_remote, resolve=invitation.resolve)
    place, info = await _found(places, exchanges, name)
    name = name or _plain_name(info) or str(url)
    if dialect is None:
        dialect = ProtocolDialect.GDL1
        if invitation.hides:
            dialect = await probed_dialect(place, exchanges, name)
    LOG.info("%s is at %s (%s), and is spoken to in %s", name, url, place.address, dialect)
    return RemotePlayer(name=name, place=place, dialect=dialect, exchanges=exchanges)


async def _found(
    places: list[PinnedAddress], exchanges: Exchanges, name: str | None
) -> tuple[PinnedAddress, InfoReply | None]:
    """The first address where somebody listens, and what is said there to INFO.

    Many players do not know INFO: only where there is no connection, there is no player.
    """
    why = ""
    for place in places:
        try:
            reply = await exchanges.ask(place, write_message(Info()), seconds=SHORT_SECONDS)
            return place, read_info_reply(reply.body.decode(), MOVE_LIMITS)
        except (MessageError, UnicodeDecodeError):
            return place, None
        except ExchangeError as error:
            if error.connected:
                return place, None
            why = error.text
    raise PlayError.of(
        "MAN002",
        f"{'' if name is None else f'{name}: '}nobody listens at {places[0].url}: {why}",
        fix="start the player there, such as `fogspiel serve uct --port 9147`, or name another",
    )


async def probed_dialect(
    place: PinnedAddress, exchanges: Exchanges, name: str | None = None
) -> ProtocolDialect:
    """The dialect of GDL-II in which a player follows a small game; the newer if in none.

    name: what the player is called in notices; its address if not given.
    """
    for dialect in (ProtocolDialect.GDL2, ProtocolDialect.GDL2_OLD):
        if await _follows(place, exchanges, dialect):
            return dialect
    who = name or str(place.url)
    LOG.warning("%s follows neither dialect of GDL-II; the newer one is used", who)
    return ProtocolDialect.GDL2


async def _follows(place: PinnedAddress, exchanges: Exchanges, dialect: ProtocolDialect) -> bool:
    """Whether a player names the card that it is shown."""
    number = next(_PROBES)
    match, card = f"probe.{number}", f"c{np.random.default_rng(number).integers(CARDS) + 1}"
    start = Start(
        match=match,
        role="seer",
        rules=probe_rules(),
        start_seconds=PROBE_START_SECONDS,
        play_seconds=PROBE_PLAY_SECONDS,
    )
    named: GroundTerm = ("name", card)
    after_deal = told_of_step(dialect, turn=1, joint=(), own="look", percepts=[("dealt", card)])
    at_end = told_of_step(dialect, turn=2, joint=(), own=named, percepts=())
    try:
        await _asked(place, exchanges, start, PROBE_START_SECONDS)
        first = Play(match=match, told=nothing_told(dialect))
        looks = await _moved(place, exchanges, first) == "look"
        second = Play(match=match, told=after_deal)
        names = looks and await _moved(place, exchanges, second) == named
        await _asked(place, exchanges, Stop(match=match, told=at_end), PROBE_PLAY_SECONDS)
    except ExchangeError as error:
        LOG.info("%s did not follow a probe in %s: %s", place.url, dialect, error.text)
        with suppress(ExchangeError):  # or it might still be busy with it
            await exchanges.ask(place, write_message(Abort(match)), seconds=SHORT_SECONDS)
        return False
    return names


def probe_rules() -> str:
    """A game in which one card is dealt, seen and named."""
    cards = " ".join(f"(card c{number + 1})" for number in range(CARDS))
    return (
        "(role seer) (role random) (init (round 1)) (succ 1 2) (succ 2 3) "
        f"{cards} "
        "(<= (legal seer look) (true (round 1))) "
        "(<= (legal seer (name ?c)) (true (round 2)) (true (holds ?c))) "
        "(<= (legal random (deal ?c)) (true (round 1)) (card ?c)) "
        "(<= (legal random rest) (true (round 2))) "
        "(<= (sees seer (dealt ?c)) (does random (deal ?c))) "
        "(<= (next (holds ?c)) (does random (deal ?c))) "
        "(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m)) "
        "(<= terminal (true (round 3))) "
        "(goal seer 100) (goal random 100)"
    )


async def _moved(place: PinnedAddress, exchanges: Exchanges, message: Message) -> GroundTerm | None:
    body = await _asked(place, exchanges, message, PROBE_PLAY_SECONDS)
    try:
        return read_move(body.decode().lower())
    except (MessageError, UnicodeDecodeError):
        return None


async def _asked(
    place: PinnedAddress, exchanges: Exchanges, message: Message, seconds: float
) -> bytes:
    allowed = seconds + PROBE_GRACE_SECONDS
    return (await exchanges.ask(place, write_message(message), seconds=allowed)).body


def _plain_name(info: InfoReply | None) -> str:
    """What a player calls itself, as far as it can be printed."""
    name = info.name if info is not None and info.name is not None else ""
    return "".join(c for c in name[:MOST_NAME] if c.isprintable()).strip()
