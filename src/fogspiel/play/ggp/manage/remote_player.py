"""A player that is reached over HTTP."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from fogspiel.core.ids import MoveId
from fogspiel.play.answers import Answer, Fault, FaultKind
from fogspiel.play.ggp.dialects import ProtocolDialect
from fogspiel.play.ggp.http.addresses import PinnedAddress
from fogspiel.play.ggp.http.client import ClientReply, ExchangeError, Exchanges
from fogspiel.play.ggp.manage.messages_out import MessageEncoder, SeatAssignment, refuse_dialect
from fogspiel.play.ggp.manage.party import Readiness, SeatedPlayer
from fogspiel.play.ggp.messages import BUSY
from fogspiel.play.referee import Step

SHORT_SECONDS = 1.0
"""For questions that no player has to think about: INFO and ABORT."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemotePlayer:
    """Where a player is, and how it wants to be told of steps."""

    name: str
    place: PinnedAddress
    dialect: ProtocolDialect
    exchanges: Exchanges = field(default_factory=Exchanges, repr=False)

    def party(self, sitting: SeatAssignment) -> SeatedPlayer:
        """To play a role in one match. Raises `UsageError` MAN001 for a game of another dialect."""
        refuse_dialect(sitting.game, self.dialect, self.name)
        return RemoteParty(self, MessageEncoder(sitting, self.dialect))


class RemoteParty:
    """The player in its role."""

    def __init__(self, player: RemotePlayer, telling: MessageEncoder) -> None:
        self._player, self._telling = player, telling
        self._clocks = telling.sitting.clocks

    async def start(self) -> Readiness:
        """Send START. Whatever is answered counts as ready, but for `busy`."""
        began = time.monotonic()
        try:
            reply = await self._ask(self._telling.start(), self._clocks.start_seconds)
        except ExchangeError as error:
            return Readiness(seconds=time.monotonic() - began, fault=Fault(error.kind, error.text))
        busy = reply.body.strip().lower() == BUSY.encode()
        fault = Fault(FaultKind.CONNECTION_ERROR, "busy with another match") if busy else None
        return Readiness(seconds=reply.answered_at - began, fault=fault)

    async def choose(self, last: Step | None, legal: Sequence[MoveId]) -> Answer:
        """Send PLAY."""
        began = time.monotonic()
        try:
            reply = await self._ask(self._telling.play(last), self._clocks.play_seconds)
        except ExchangeError as error:
            fault = Fault(error.kind, error.text)
            return Answer(fault=fault, seconds=time.monotonic() - began)
        seconds = reply.answered_at - began
        move = self._telling.read(reply.body, legal)
        if isinstance(move, Fault):
            return Answer(fault=move, seconds=seconds)
        return Answer(move=move, seconds=seconds)

    async def stop(self, last: Step | None) -> None:
        """Send STOP, and wait for an answer of any kind: the player may take notes."""
        await self._tell(self._telling.stop(last), self._clocks.play_seconds)

    async def abort(self) -> None:
        """Send ABORT."""
        await self._tell(self._telling.abort(), SHORT_SECONDS)

    async def _tell(self, text: str, seconds: float) -> None:
        try:
            await self._player.exchanges.ask(
                self._player.place, text, seconds=seconds, receiver=self._player.name
            )
        except ExchangeError:
            return  # the match is over: there is nothing left that a fault could change

    async def _ask(self, text: str, seconds: float) -> ClientReply:
        return await self._player.exchanges.ask(
            self._player.place,
            text,
            seconds=seconds + self._clocks.grace_seconds,
            receiver=self._player.name,
        )
