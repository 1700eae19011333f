"""Clocks of a match: how long players may think, and whether they kept to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId

START = 0  #: The step number of getting ready, before the first step

DEFAULT_GRACE_SECONDS = 0.5
"""Seconds by which a move may be late: other processes have the processor too."""

MakeBudget = Callable[[], Budget]  #: Makes the budget of one turn, whose time begins then


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchClocks:
    """Start clock and play clock of a match: seconds, or simulations, which make play repeatable.

    Journals of tournaments know their plan by a hash of these fields: none may be renamed.
    """

    start_seconds: float | None = None
    """Seconds before the first move; as many as for a move if not given."""
    turn_seconds: float | None = None  #: Seconds for each move
    simulations: int | None = None  #: Simulations for each move
    grace_seconds: float = DEFAULT_GRACE_SECONDS
    """Seconds after its deadline at which a move still counts."""

    @property
    def start_clock(self) -> float:
        """Seconds before the first move, of a match whose clocks count seconds."""
        return self.play_clock if self.start_seconds is None else self.start_seconds

    @property
    def play_clock(self) -> float:
        """Seconds for each move, of a match whose clocks count seconds."""
        if self.turn_seconds is None:
            raise ValueError("the clocks of this match count simulations")
        return self.turn_seconds

    def start_budget(self, simulations: int | None = None) -> Budget:
        """The budget for getting ready. simulations: those of one player, before those of all."""
        if self.start_seconds is None:
            return self.turn_budget(simulations)
        return Budget.of(seconds=self.start_seconds, simulations=simulations or self.simulations)

    def turn_budget(self, simulations: int | None = None) -> Budget:
        """The budget for a move. simulations: those of one player, before those of all."""
        return Budget.of(seconds=self.turn_seconds, simulations=simulations or self.simulations)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLimits:
    """Limits on a player of one's own that has a process of its own, beside its clock."""

    memory_bytes: int = 1 << 30
    """Memory that it may use, beside that of the program and the game."""
    load_seconds: float = 10.0
    """Seconds in which its file must be run and its object made, before clocks run."""
    move_seconds: float = 60.0
    """Seconds for a move, and for getting ready, where clocks count simulations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """One use of a clock by a player.

    Players of one process cannot be stopped from outside, so that a match waits for a late one.
    """

    role: RoleId
    step: int  #: Step number from 1; `START` for getting ready
    allowed_seconds: float
    over_seconds: float  #: Seconds beyond the deadline; negative where the player was in time


OnTiming = Callable[[Timing], None]
