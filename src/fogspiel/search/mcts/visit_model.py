"""Others play as a search saw them play: its forest as a model of their choices.

Source: Cerny (2014), equation 5.5 and section 5.4.3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fogspiel.belief.models.opponents import KnowledgeModel, Past
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.machine.knowledge_keys import knowledge_of
from fogspiel.machine.protocol import Machine
from fogspiel.search.mcts.decision_table import DecisionTable


class ForestModel(KnowledgeModel):
    """The part of the simulations through a decision that went on with a move."""

    name = "forest"

    def __init__(self, forest: Callable[[], DecisionTable]) -> None:
        """forest: the one that is in use now, with decisions by what roles know."""
        self._forest = forest
        self._keys: dict[tuple[RoleId, Past], np.uint64] = {}

    def share(self, machine: Machine, role: RoleId, past: Past, move: MoveId) -> float | None:
        """By visits; None where no simulation has been, or none went on with the move."""
        forest = self._forest()
        node = forest.find(self._key(machine, role, past))
        if node is None:
            return None
        arms = forest.arms(node)
        visits = float(forest.arrays.arm_visits[arms][forest.arrays.moves[arms] == move].sum())
        return visits / float(forest.arrays.visits[node]) if visits > 0.0 else None

    def _key(self, machine: Machine, role: RoleId, past: Past) -> np.uint64:
        key = self._keys.get((role, past))
        if key is None:
            key = self._keys[role, past] = knowledge_of(machine, role, past)
        return key
