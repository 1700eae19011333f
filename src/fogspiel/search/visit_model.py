"""Others play as a search saw them play: its forest as a model of their choices.

Source: Cerny (2014), equation 5.5 and section 5.4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Sighting
from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.forest import Forest
from fogspiel.search.keys import knowledge_of


class ForestModel:
    """The part of the simulations through a decision that went on with a move."""

    name = "forest"
    needs_knowledge = True

    def __init__(self, forest: Callable[[], Forest]) -> None:
        """forest: the one that is in use now, with decisions by what roles know."""
        self._forest = forest
        self._keys: dict[tuple[RoleId, tuple[Sighting, ...]], np.uint64] = {}

    def shares(
        self,
        machine: Machine,
        role: RoleId,
        states: States,
        moves: NDArray[np.int32],
        knowledge: Sequence[Sequence[Sighting]] | None,
    ) -> NDArray[np.float64]:
        """(n,) by visits; evenly where no simulation has been, or none went on with the move."""
        assert knowledge is not None
        found: NDArray[np.float64] = 1.0 / machine.legal_batch(states, role).sum(axis=1)
        forest = self._forest()
        for row, (move, past) in enumerate(zip(moves.tolist(), knowledge, strict=True)):
            node = forest.find(self._key(machine, role, tuple(past)))
            if node is None:
                continue
            arms = forest.arms(node)
            visits = forest.arrays.arm_visits[arms][forest.arrays.moves[arms] == move].sum()
            if visits > 0.0:
                found[row] = visits / forest.arrays.visits[node]
        return found

    def _key(self, machine: Machine, role: RoleId, past: tuple[Sighting, ...]) -> np.uint64:
        key = self._keys.get((role, past))
        if key is None:
            sights = [(sighting.move, sighting.percepts) for sighting in past]
            key = self._keys[role, past] = knowledge_of(machine, role, sights)
        return key
