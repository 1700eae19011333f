"""A player of this process in its role: asked, timed, and judged by what it does.

It cannot be stopped from outside while it thinks: a late player is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Literal

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId
from fogspiel.play.clocks import START, MakeBudget, OnTiming, Timing
from fogspiel.play.referee import Answer, Fault, FaultKind, PlayerFaultError, Step, move_text
from fogspiel.players.protocol import Agent, KnowsMoves, Seat

OnFault = Literal["raise", "replace"]
"""What becomes of a move that is late, illegal or never made: an error, or a legal move instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A player of this process who is to play a role, and its clocks."""

    make: Callable[[], Agent]
    start_budget: MakeBudget
    turn_budget: MakeBudget


class InlinePlayer:
    """A player of this process, asked by whoever calls. Implements `SeatedPlayer`."""

    def __init__(
        self,
        contender: Contender,
        seat: Seat,
        on_fault: OnFault,
        grace_seconds: float,
        on_timing: OnTiming | None,
    ) -> None:
        self._contender, self._seat = contender, seat
        self._trusted = on_fault == "raise"
        self._grace_seconds, self._on_timing = grace_seconds, on_timing
        self._player: Agent | None = None
        """None until it is ready, which it may never be."""
        self._not_ready: Fault | None = None

    def start(self) -> Answer:
        """Make the player and let it get ready."""
        answer = self._timed(START, self._contender.start_budget, self._started)
        self._not_ready = answer.fault
        return answer

    def choose(self, last: Step | None, legal: Sequence[MoveId]) -> Answer:
        """Let the player take note of the last step and choose; it is asked again after a fault."""
        player = self._player
        if player is None:
            return Answer(fault=self._not_ready)
        number = 1 if last is None else last.number + 1

        def chosen(budget: Budget) -> MoveId:
            self._tell(player, last)
            return player.choose(budget)

        answer = self._timed(number, self._contender.turn_budget, chosen)
        if self._trusted and answer.move not in legal and not self._held_legal(player, answer.move):
            raise self._illegal(number, answer.move)
        return answer

    def stop(self, last: Step | None) -> Answer:
        """Let the player take note of the last step, and go."""
        if self._player is not None:
            # The goals are known by now: there is nothing left that a fault could change.
            with suppress(*(() if self._trusted else (Exception,))):
                self._tell(self._player, last)
                self._player.stop()
        return Answer()

    def abort(self) -> Answer:
        """Let the player go."""
        if self._player is not None:
            with suppress(Exception):
                self._player.stop()
        return Answer()

    def _started(self, budget: Budget) -> None:
        player = self._contender.make()
        player.start(self._seat, budget)
        self._player = player

    def _tell(self, player: Agent, last: Step | None) -> None:
        if last is not None:
            player.observe(last.observation(self._seat.role))

    def _timed(
        self, step: int, make_budget: MakeBudget, work: Callable[[Budget], MoveId | None]
    ) -> Answer:
        """Let the player work within a budget; its exceptions and delays become faults."""
        budget, began = make_budget(), monotonic()
        allowed = budget.seconds_left
        try:
            move = work(budget)
        except Exception as error:
            if self._trusted:
                raise
            return Answer(fault=fault_of(error), seconds=monotonic() - began)
        seconds, over = monotonic() - began, -budget.seconds_left
        timing = None
        if budget.deadline is not None:
            timing = Timing(
                role=self._seat.role, step=step, allowed_seconds=allowed, over_seconds=over
            )
            if self._on_timing is not None:
                self._on_timing(timing)
        if over > self._grace_seconds and not self._trusted:
            late = Fault(FaultKind.TIMEOUT, f"{over:.3f} s late")
            return Answer(fault=late, seconds=seconds, timing=timing)
        return Answer(move=move, seconds=seconds, timing=timing)

    def _held_legal(self, player: Agent, move: MoveId | None) -> bool:
        """Whether the player counts its choice among its moves, as far as it can know them."""
        if not isinstance(player, KnowsMoves):
            return False
        return move in player.legal_moves(self._contender.turn_budget())

    def _illegal(self, step: int, move: MoveId | None) -> PlayError:
        machine, role = self._seat.machine, self._seat.role
        assert move is not None
        return PlayError.of(
            "MAT001",
            f"in step {step}, the player of {machine.roles[role]} chose "
            f"{move_text(machine, role, move)}, which is not among its legal moves",
            fix="this is a fault of the player; let another one play the role",
        )


def fault_of(error: Exception) -> Fault:
    """An exception of a player, which is its own fault whatever it is."""
    if isinstance(error, PlayerFaultError):
        return error.fault
    if isinstance(error, PlayError) and error.findings[0].code == "MAT001":
        return Fault(FaultKind.ILLEGAL_MOVE, error.findings[0].message)
    return Fault(FaultKind.ERROR, f"{type(error).__name__}: {' '.join(str(error).split())}")
