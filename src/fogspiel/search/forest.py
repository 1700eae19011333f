"""Decisions that simulations have met, each with its moves and what they brought.

A decision belongs to a role and is found by a key: of what the role knows, or of the state, as the
search likes. All are kept in flat arrays that kernels add to.
"""

from __future__ import annotations

import numpy as np

from fogspiel.search.bandits import NO_NODE, Arrays
from fogspiel.search.kernels.table import place_of, refill_table

FIRST_NODES = 1 << 10
FIRST_ARMS = 1 << 13


class Forest:
    """Arrays that grow."""

    def __init__(self) -> None:
        self.arrays = _made(FIRST_NODES, FIRST_ARMS)

    @property
    def node_count(self) -> int:
        """Decisions met so far."""
        return int(self.arrays.sizes[0])

    @property
    def bytes(self) -> int:
        """Memory in use."""
        return sum(array.nbytes for array in self.arrays)

    def make_room(self, nodes: int, arms: int) -> None:
        """Let kernels add so many nodes and arms."""
        old = self.arrays
        node_count, arm_count = map(int, old.sizes)
        need_nodes, need_arms = node_count + nodes, arm_count + arms
        if need_nodes <= len(old.visits) and need_arms <= len(old.moves):
            return
        new = _made(max(need_nodes, 2 * len(old.visits)), max(need_arms, 2 * len(old.moves)))
        new.sizes[:] = old.sizes
        for name in ("first_arms", "arm_counts", "visits"):
            getattr(new, name)[:node_count] = getattr(old, name)[:node_count]
        for name in ("moves", "arm_visits", "arm_returns", "arm_values", "scores", "strategy"):
            getattr(new, name)[:arm_count] = getattr(old, name)[:arm_count]
        refill_table(new.table_keys, new.table_nodes, old.table_keys, old.table_nodes)
        self.arrays = new

    def find(self, key: np.uint64) -> int | None:
        """The node of a key; None if no simulation has met it."""
        place = place_of(self.arrays.table_keys, self.arrays.table_nodes, np.uint64(key))
        node = int(self.arrays.table_nodes[place])
        return None if node == NO_NODE else node

    def arms(self, node: int) -> slice:
        """Where the arms of a node stand."""
        first = int(self.arrays.first_arms[node])
        return slice(first, first + int(self.arrays.arm_counts[node]))


def _made(nodes: int, arms: int) -> Arrays:
    places = 16
    while places < 2 * nodes:
        places *= 2
    return Arrays(
        sizes=np.zeros(2, np.int64),
        table_keys=np.zeros(places, np.uint64),
        table_nodes=np.full(places, NO_NODE, np.int64),
        first_arms=np.zeros(nodes, np.int64),
        arm_counts=np.zeros(nodes, np.int64),
        visits=np.zeros(nodes),
        moves=np.zeros(arms, np.int32),
        arm_visits=np.zeros(arms),
        arm_returns=np.zeros(arms),
        arm_values=np.zeros(arms),
        scores=np.zeros(arms),
        strategy=np.zeros(arms),
    )
