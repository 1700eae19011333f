"""One who plays a role in a managed match, wherever it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fogspiel.core.ids import MoveId, RoleId
from fogspiel.play.answers import Answer, Fault
from fogspiel.play.ggp.manage.messages_out import SeatAssignment
from fogspiel.play.referee import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """How a player got ready."""

    seconds: float
    fault: Fault | None = None


class SeatedPlayer(Protocol):
    """A player in its role. Nothing here raises because of what the player does."""

    async def start(self) -> Readiness:
        """Tell the rules, and wait until the player is ready or its clock has run out."""

    async def choose(self, last: Step | None, legal: Sequence[MoveId]) -> Answer:
        """Tell of the last step, if there was one, and ask for a move.

        legal: to understand the answer by; the player is not told.
        """

    async def stop(self, last: Step | None) -> None:
        """Tell of the last step, and that the match is over."""

    async def abort(self) -> None:
        """Tell that the match does not go on."""


class Participant(Protocol):
    """Who takes part in matches, one after the other or in several at once."""

    @property
    def name(self) -> str:
        """As results call it."""

    def party(self, sitting: SeatAssignment) -> SeatedPlayer:
        """To play a role in one match."""


class MatchObserver(Protocol):
    """Is told what happens in a match, when it happens; `records.format.Recorder` is one."""

    def start(self, seconds: Mapping[RoleId, float], faults: Mapping[RoleId, Fault]) -> None:
        """Players are ready, or failed to be."""

    def step(self, step: Step) -> None:
        """A step was made."""

    def end(self, goals: tuple[int, ...]) -> None:
        """The match is over."""
