"""Strategies that a search has learnt, as behaviour in any state and as a model of opponents.

Source of the model: Cerny (2014), equation 5.5 and section 5.4.3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.models import KnowledgeModel, Past
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.knowledge import knowledge_of
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.mcts.kernels.bandits import read_strategy
from fogspiel.search.mcts.lockstep import StateKey
from fogspiel.search.mcts.statistics import DecisionTable


class AverageBehaviour:
    """The average strategy of bandits; uniform where they never were. A `Behaviour`."""

    def __init__(self, decisions: DecisionTable, state_key: StateKey) -> None:
        self._decisions, self._state_key = decisions, state_key

    def __call__(
        self, role: RoleId, states: States, legal: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """(n, moves) probabilities."""
        arrays = self._decisions.arrays
        found: NDArray[np.float64] = legal / legal.sum(axis=1, keepdims=True)
        read_strategy(arrays, arrays.strategy, self._state_key(states, role), 0.0, 0.0, found)
        return found


class VisitedMovesModel(KnowledgeModel):
    """The share of the simulations through a decision that went on with a move."""

    name = "forest"

    def __init__(self, decisions: Callable[[], DecisionTable]) -> None:
        """decisions: gives the table in use now, whose keys are what roles know."""
        self._decisions = decisions
        self._keys: dict[tuple[RoleId, Past], np.uint64] = {}

    def probability(self, machine: Machine, role: RoleId, past: Past, move: MoveId) -> float | None:
        """The share of visits; None where no simulation has been, or none went on with the move."""
        key = self._keys.get((role, past))
        if key is None:
            key = self._keys[role, past] = knowledge_of(machine, role, past)
        found = self._decisions().statistics(key)
        if found is None:
            return None
        visits = float(found.visits[found.moves == move].sum())
        return visits / float(found.visits.sum()) if visits > 0.0 else None
