"""Statistics of the decisions that simulations have met, and of their moves.

A decision belongs to a role and is found by a key, made of what the role knows or of the state,
depending on the search. All are kept in flat arrays that kernels add to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import place_of, refill_table
from fogspiel.search.mcts.kernels.bandits import NO_NODE, DecisionArrays

FIRST_NODES = 1 << 10
FIRST_ARMS = 1 << 13
MANY_ARMS = 1 << 23
"""Room made when the first is too small: it takes no memory until it is used, and making a little
more again and again would take time when there is none."""
BYTES_A_SECOND = 300_000_000
"""Memory copied to larger arrays in a second; half of that where other processes run too."""
FEW_BYTES = 1 << 24  #: Memory that is copied in negligible time
CROWDED_SHARE = 0.3
"""Share of a clock that making room may take; beyond it, beginning anew is better."""
NODE_ARRAYS = ("first_arms", "arm_counts", "visits")
ARM_ARRAYS = ("moves", "arm_visits", "arm_returns", "arm_values", "scores", "strategy")


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """Statistics of the moves of a decision, (moves,); or of several decisions, (n, moves)."""

    moves: NDArray[np.int32]
    visits: NDArray[np.float64]
    returns: NDArray[np.float64]  #: Simulations that came to their end
    values: NDArray[np.float64]  #: Sum of the values of these, each between 0 and 1
    strategy: NDArray[np.float64]  #: Sum of the probabilities with which each move was chosen

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean value of each move; 0 where it was never tried."""
        means: NDArray[np.float64] = self.values / np.maximum(self.returns, 1.0)
        return means

    @property
    def average(self) -> NDArray[np.float64]:
        """The average strategy; uniform if nothing was chosen so far."""
        totals = self.strategy.sum(axis=-1, keepdims=True)
        uniform = 1.0 / self.moves.shape[-1]
        average: NDArray[np.float64] = np.where(
            totals > 0.0, self.strategy / np.maximum(totals, 1e-300), uniform
        )
        return average


class DecisionTable:
    """All decisions that a search has met, in arrays that grow."""

    def __init__(self, *, with_scores: bool = True) -> None:
        """with_scores: whether the rule mixes; upper bounds need neither scores nor strategy."""
        self._with_scores = with_scores
        self.arrays = self._made(FIRST_NODES, FIRST_ARMS)
        self._widest = 1.0
        """Largest number of moves of a decision for which room was asked."""

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

    def is_crowded(self, nodes: int, seconds: float) -> bool:
        """Whether there is no room for so many decisions, and no time to make it: nobody looks at
        the clock while all is copied."""
        node_count, arm_count = map(int, self.arrays.sizes)
        has_room = node_count + nodes <= len(
            self.arrays.visits
        ) and arm_count + nodes * self._widest <= len(self.arrays.moves)
        return not has_room and (self.bytes - FEW_BYTES) / BYTES_A_SECOND > seconds

    def make_room(self, nodes: int, arms: int) -> None:
        """Let kernels add so many decisions and arms."""
        old = self.arrays
        self._widest = max(self._widest, arms / max(1, nodes))
        node_count, arm_count = map(int, old.sizes)
        need_nodes, need_arms = node_count + nodes, arm_count + arms
        new = old
        if need_nodes > len(old.visits):
            more = self._made(max(need_nodes, 2 * len(old.visits)), 0)
            refill_table(more.table_keys, more.table_nodes, old.table_keys, old.table_nodes)
            kept = {name: getattr(old, name) for name in ("sizes", *ARM_ARRAYS)}
            new = more._replace(**kept, **_copied(old, more, NODE_ARRAYS, node_count))
        if need_arms > len(old.moves):
            more = self._made(0, max(need_arms, 2 * len(old.moves), MANY_ARMS))
            new = new._replace(**_copied(old, more, ARM_ARRAYS, arm_count))
        self.arrays = new

    def find(self, key: np.uint64) -> int | None:
        """The number of the decision of a key; None if no simulation has met it."""
        place = place_of(self.arrays.table_keys, self.arrays.table_nodes, np.uint64(key))
        node = int(self.arrays.table_nodes[place])
        return None if node == NO_NODE else node

    def arms(self, node: int) -> slice:
        """The arms of a decision."""
        first = int(self.arrays.first_arms[node])
        return slice(first, first + int(self.arrays.arm_counts[node]))

    def statistics(self, key: np.uint64) -> MoveStatistics | None:
        """The statistics of the decision of a key; None if no simulation has met it."""
        node, of = self.find(key), self.arrays
        if node is None:
            return None
        own = self.arms(node)
        return MoveStatistics(
            of.moves[own], of.arm_visits[own], of.arm_returns[own], of.arm_values[own],
            of.strategy[own],
        )  # fmt: skip

    def _made(self, nodes: int, arms: int) -> DecisionArrays:
        places = places_for(nodes)
        scores = arms if self._with_scores else 0
        return DecisionArrays(
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


def places_for(entries: int, places: int = 16) -> int:
    """The length of a hash table that is at most half full. places: at least so many."""
    while places < 2 * entries:
        places *= 2
    return places


def _copied(
    old: DecisionArrays, new: DecisionArrays, names: tuple[str, ...], used: int
) -> dict[str, NDArray[Any]]:
    """Some arrays of the new ones, with what the old ones hold."""
    for name in names:
        getattr(new, name)[:used] = getattr(old, name)[:used]
    return {name: getattr(new, name) for name in names}
