"""Search by past in which a decision is worth what its best move is, not what all its visits got.

UCT lets a move learn the mean of all simulations that went through it, and most of these were
trying out bad moves later. A question whose answer is used badly at first looks useless for long.
Here the worth of a move is the mean of the decisions that follow it, by how often each was met.
Each of these is worth its best move once all were tried, and until then the mean: the luckiest of
a few moves tried once says nothing, and would speak for questions that tell nothing, since what
follows these is met more often.

Source: Keller & Helmert (2013), "Trial-based heuristic tree search for finite horizon MDPs", ICAPS
(MaxUCT).
Departures: means before all moves were tried; a simulation that ended in a playout below a move
stays in that move's mean; many simulations learn together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.search.alone import AloneSearch
from fogspiel.search.bandits import NO_NODE, Arrays
from fogspiel.search.lockstep import Trail


class BestSearch(AloneSearch):
    """Decisions are found by past: they form a tree, so that each adds to one move only."""

    def _learn(self, trails: list[Trail], values: NDArray[np.float64]) -> None:
        gains = np.ascontiguousarray(values[:, self.observer])
        for trail in reversed(trails):
            made = trail.choices
            learn_best(self.forest.arrays, trail.rows, made.nodes, made.arms, gains)


@native
def learn_best(
    forest: Arrays,
    rows: NDArray[np.int64],
    nodes: NDArray[np.int64],
    arms: NDArray[np.int64],
    gains: NDArray[np.float64],
) -> None:
    """Add what simulations brought to decisions of one step, the last step first.

    rows: (n,) the simulation of each. nodes, arms: (n,) as chosen.
    gains: (simulations,) what the move before adds to its sum; at first how the simulation ended.
    """
    for i in range(len(rows)):
        node = nodes[i]
        if node == NO_NODE:
            continue
        before = _total(forest, node)
        forest.arm_returns[arms[i]] += 1.0
        forest.arm_values[arms[i]] += gains[rows[i]]
        gains[rows[i]] = _total(forest, node) - before


@native
def _total(forest: Arrays, node: int) -> float:
    """What a decision is worth, once for each simulation that came back to it."""
    returns, total, best = 0.0, 0.0, -np.inf
    untried = False
    first = forest.first_arms[node]
    for arm in range(first, first + forest.arm_counts[node]):
        own = forest.arm_returns[arm]
        untried |= own == 0.0
        if own > 0.0:
            returns += own
            total += forest.arm_values[arm]
            best = max(best, forest.arm_values[arm] / own)
    return total if untried else returns * best
