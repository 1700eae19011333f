"""Decisions that simulations have met, each with its moves and what they brought.

A decision belongs to a role and is found by a key: of what the role knows, or of the state, as the
search likes. All are kept in flat arrays that kernels add to.
"""

from __future__ import annotations

import numpy as np

from fogspiel.core.kernels.hash_table import place_of, refill_table
from fogspiel.search.mcts.kernels.nodes import NO_NODE, Arrays

FIRST_NODES = 1 << 10
FIRST_ARMS = 1 << 13
MANY_ARMS = 1 << 23
"""Room when the first was too small: it takes no memory until it is used, and to make a little more
again and again would take time when there is none."""
BYTES_A_SECOND = 300_000_000
"""That are moved to a place with more room; half of it with other work beside."""
FEW_BYTES = 1 << 24
"""That are moved in no time worth counting."""
CROWDED_SHARE = 0.3
"""Of a clock, that making room may take; beyond it, to begin anew is better."""
NODE_ARRAYS = ("first_arms", "arm_counts", "visits")
ARM_ARRAYS = ("moves", "arm_visits", "arm_returns", "arm_values", "scores", "strategy")


class DecisionTable:
    """Arrays that grow."""

    def __init__(self, *, with_scores: bool = True) -> None:
        """with_scores: whether the rule mixes; upper bounds need neither scores nor strategy."""
        self._with_scores = with_scores
        self.arrays = self._made(FIRST_NODES, FIRST_ARMS)
        self._widest = 1.0
        """Arms of a node for which room was asked, at most."""

    @property
    def node_count(self) -> int:
        """Decisions met so far."""
        return int(self.arrays.sizes[0])

    @property
    def bytes(self) -> int:
        """Memory in use."""
        each = sum(int(getattr(self.arrays, name)[:1].nbytes) for name in ARM_ARRAYS)
        held = sum(a.nbytes for name, a in self.arrays._asdict().items() if name not in ARM_ARRAYS)
        return int(held) + each * int(self.arrays.sizes[1])

    def is_in_time(self, nodes: int, seconds: float) -> bool:
        """Whether there is room for so many nodes, or time to make it: nobody looks at the clock
        while all is copied."""
        node_count, arm_count = map(int, self.arrays.sizes)
        has_room = node_count + nodes <= len(
            self.arrays.visits
        ) and arm_count + nodes * self._widest <= len(self.arrays.moves)
        return has_room or (self.bytes - FEW_BYTES) / BYTES_A_SECOND <= seconds

    def make_room(self, nodes: int, arms: int) -> None:
        """Let kernels add so many nodes and arms."""
        old = self.arrays
        self._widest = max(self._widest, arms / max(1, nodes))
        node_count, arm_count = map(int, old.sizes)
        need_nodes, need_arms = node_count + nodes, arm_count + arms
        if need_nodes <= len(old.visits) and need_arms <= len(old.moves):
            return
        new = old
        if need_nodes > len(old.visits):
            more = self._made(max(need_nodes, 2 * len(old.visits)), 0)
            for name in NODE_ARRAYS:
                getattr(more, name)[:node_count] = getattr(old, name)[:node_count]
            refill_table(more.table_keys, more.table_nodes, old.table_keys, old.table_nodes)
            kept = {name: getattr(old, name) for name in ("sizes", *ARM_ARRAYS)}
            new = more._replace(**kept)
        if need_arms > len(old.moves):
            more = self._made(0, max(need_arms, 2 * len(old.moves), MANY_ARMS))
            for name in ARM_ARRAYS:
                getattr(more, name)[:arm_count] = getattr(old, name)[:arm_count]
            new = new._replace(**{name: getattr(more, name) for name in ARM_ARRAYS})
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

    def _made(self, nodes: int, arms: int) -> Arrays:
        places = 16
        while places < 2 * nodes:
            places *= 2
        scores = arms if self._with_scores else 0
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
            scores=np.zeros(scores),
            strategy=np.zeros(scores),
        )
