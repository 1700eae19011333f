"""What a forest has learnt, as behaviour in any state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.core.kernels.hash_table import place_of
from fogspiel.core.native import native
from fogspiel.machine.knowledge_keys import Keys
from fogspiel.machine.protocol import States
from fogspiel.search.mcts.decision_table import DecisionTable
from fogspiel.search.mcts.kernels.nodes import NO_NODE
from fogspiel.search.mcts.lockstep import StateKey


class AverageBehaviour:
    """The average of what bandits played; evenly where they never were. A `Behaviour`."""

    def __init__(self, forest: DecisionTable, state_key: StateKey) -> None:
        self._forest, self._state_key = forest, state_key

    def __call__(
        self, role: RoleId, states: States, legal: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """(n, moves) probabilities."""
        arrays = self._forest.arrays
        shares: NDArray[np.float64] = legal / legal.sum(axis=1, keepdims=True)
        _read(
            arrays.table_keys,
            arrays.table_nodes,
            arrays.first_arms,
            arrays.arm_counts,
            arrays.moves,
            arrays.strategy,
            self._state_key(states, role),
            shares,
        )
        return shares


@native
def _read(
    table_keys: NDArray[np.uint64],
    table_nodes: NDArray[np.int64],
    first_arms: NDArray[np.int64],
    arm_counts: NDArray[np.int64],
    moves: NDArray[np.int32],
    strategy: NDArray[np.float64],
    keys: Keys,
    shares: NDArray[np.float64],
) -> None:
    """Overwrite the rows whose decisions are known."""
    for row in range(len(keys)):
        node = table_nodes[place_of(table_keys, table_nodes, keys[row])]
        if node == NO_NODE:
            continue
        first = first_arms[node]
        total = 0.0
        for arm in range(first, first + arm_counts[node]):
            total += strategy[arm]
        if total > 0.0:
            shares[row] = 0.0
            for arm in range(first, first + arm_counts[node]):
                shares[row, moves[arm]] = strategy[arm] / total
