"""What a player is: it is told the rules, its role, and what its role does and sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Machine

Shares: TypeAlias = NDArray[np.float64]
"""(legal moves,) how probable each is to be chosen, in the order of the machine; 1 in all."""


@dataclass(frozen=True, slots=True)
class Seat:
    """What a player is told before play begins."""

    machine: Machine
    role: RoleId
    seed: int
    """Of everything that the player leaves to chance."""


class Agent(Protocol):
    """One role's mind in one match."""

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready. What is left of the budget may be used to think."""

    def choose(self, budget: Budget) -> MoveId:
        """A legal move, before the budget is used up."""

    def observe(self, observation: Observation) -> None:
        """Take note of a step: the move that counted as the role's own, and what it saw."""

    def stop(self) -> None:
        """The match is over; let go of what was kept for it."""


@runtime_checkable
class Mixing(Agent, Protocol):
    """A player that can tell how it would draw its move instead of drawing it."""

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) how probable each is, after the same thinking as for a choice."""


@runtime_checkable
class KnowsMoves(Agent, Protocol):
    """A player that can tell its legal moves before it has thought about them."""

    def legal_moves(self, budget: Budget) -> Sequence[MoveId]:
        """The role's moves; finding out what is possible takes a share of the budget."""
