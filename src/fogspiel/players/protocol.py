"""Protocols of agents: what a match asks for moves.

A *player* is an entry with a name, such as `uct`; it makes an *agent* for each match. An agent is
told the rules, its role, and its role's moves and observations, never the state.
"""

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
"""Probabilities of the legal moves, (legal moves,), in the order of the machine."""


@dataclass(frozen=True, slots=True)
class Seat:
    """What an agent is told before play begins."""

    machine: Machine
    role: RoleId
    seed: int
    """The seed of all random choices of the agent."""


class Agent(Protocol):
    """The player of one role in one match."""

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
    """An agent that can tell the probabilities of its moves instead of drawing one."""

    def mixture(self, budget: Budget) -> Shares:
        """The probabilities of the legal moves, after the same search as for a choice."""


@runtime_checkable
class KnowsMoves(Agent, Protocol):
    """An agent that can tell its legal moves before it searches."""

    def legal_moves(self, budget: Budget) -> Sequence[MoveId]:
        """The role's moves; finding a possible state takes a share of the budget."""
