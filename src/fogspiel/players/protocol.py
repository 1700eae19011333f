"""Protocols of agents, which a match asks for moves, and entries of players, known by name.

A *player* is an entry with a name, such as `uct`; it makes an *agent* for each match. An agent is
told the rules, its role, and its role's moves and observations, never the state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.registry import Entry
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.players.names import Arguments

Shares: TypeAlias = NDArray[np.float64]
"""Probabilities of the legal moves, (legal moves,), in the order of the machine."""


@dataclass(frozen=True, slots=True)
class Seat:
    """What an agent is told before play begins."""

    machine: Machine
    role: RoleId
    seed: int  #: The seed of all random choices of the agent


@runtime_checkable
class Agent(Protocol):
    """The player of one role in one match."""

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready. The rest of the budget may be used to search."""

    def choose(self, budget: Budget) -> MoveId:
        """A legal move, before the budget is used up."""

    def observe(self, observation: Observation) -> None:
        """Take note of a step: the move that counted as the role's own, and what it saw."""

    def stop(self) -> None:
        """End the match, and free what was kept for it."""


@runtime_checkable
class MakesAgent(Protocol):
    """A player of one's own, such as an object of `fogspiel.Player`."""

    def agent(self) -> Agent:
        """The agent that plays for it."""


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


@runtime_checkable
class Thinks(Agent, Protocol):
    """An agent that can think while others move."""

    def ponder(self, budget: Budget) -> None:
        """Use time in which others move.

        Called again and again with short budgets, until an observation comes. One that comes back
        at once has nothing to think about.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEntry(Entry):
    """A player that users choose by name."""

    make: Callable[[Arguments], Agent]
    """Makes an agent with words and settings, of which it takes those that it can use.
    Raises `UsageError` PLY021 for one that it cannot."""

    takes_file: bool = False  #: Whether a file may be named there


def number(text: str, most: float = math.inf) -> float | None:
    """A finite number from 0 to the most that is allowed; None if the text is no such number."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) and 0.0 <= found <= most else None
