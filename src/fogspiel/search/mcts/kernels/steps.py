"""Steps of simulations that walk through what is kept (`tree_arrays`, `alone_arrays`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.hashing import FACTOR, HALF
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.nodes import COUNT, HEAD, NUMBERS

UNKNOWN = 0.5
"""The mean of an arm whose first simulation is under way."""
FREE, GOES_ON, ASKS, LEAVES, STANDS = 0, 1, 2, 3, 4
"""What a walk is about: nothing; to go on; it waits for the node that its joint move leads to, or
for the end of a simulation that leaves by it, or that leaves from where it stands."""


@native
def best_kept_bound(
    bounds: NDArray[np.float64], first: int, count: int, spread: float, uniform: float
) -> int:
    """As `rules.best_bound`, from means and bonuses that are kept."""
    best, highest, untried = first, -np.inf, 0
    for arm in range(first, first + count):
        bound = bounds[arm, 0] + spread * bounds[arm, 1]
        untried += bounds[arm, 1] == 0.0
        if bound > highest:
            best, highest = arm, bound
    if untried:
        pick = int(uniform * untried)
        for arm in range(first, first + count):
            if bounds[arm, 1] == 0.0:
                if pick == 0:
                    return int(arm)
                pick -= 1
    return int(best)


@native
def root_by_weight(roots: NDArray[np.int64], bounds: NDArray[np.float64], uniform: float) -> int:
    """A root by its weight."""
    sought = uniform * bounds[-1]
    low, high = 0, len(bounds) - 1
    while low < high:
        middle = (low + high) // 2
        if bounds[middle] > sought:
            high = middle
        else:
            low = middle + 1
    return int(roots[low])


@native
def by_bounds(bounds: NDArray[np.float64], first: int, count: int, uniform: float) -> int:
    """A move of chance, as a number among those of the node."""
    sought = uniform * bounds[first + count - 1]
    pick = 0
    while pick < count - 1 and bounds[first + pick] <= sought:
        pick += 1
    return pick


@native
def joint_key(
    heads: NDArray[np.int32], picks: NDArray[np.int32], node: int, row: int, roles: int
) -> np.uint64:
    """A hash of 64 bits: numbers of joint moves may be larger than any word."""
    key = np.uint64(node + 1) * FACTOR
    for role in range(roles):
        if heads[node, HEAD + NUMBERS * role + COUNT] > 1:
            key = ((key ^ (key >> HALF)) + np.uint64(picks[row, role] + 1)) * FACTOR
    return key
