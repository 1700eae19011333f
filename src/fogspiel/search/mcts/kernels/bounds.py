"""Upper confidence bounds: a move's mean, and a bonus that shrinks as the move is visited.

The bonus of UCB1 is sqrt(log N / n) for N visits of the decision and n of the move. Its numerator
comes from a table, since logarithms took a quarter of the time of simulations inside the tree. From
`EXACT_VISITS` on the table has 256 entries for each doubling, right to an eight-thousandth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.search.mcts.kernels.decisions import BONUS, CHOSEN, MEAN
from fogspiel.search.mcts.kernels.parts import step

UNKNOWN = 0.5  #: The mean of a move whose first simulation is under way
EXACT_VISITS = 1 << 12  #: Visits up to which each number has an entry of its own
DOUBLINGS = 40  #: Doublings of these that the table holds
DROPPED_BITS = 44  #: Bits of a float that are dropped; its exponent and 8 bits of the rest are left
FIRST_KEPT = int(np.float64(EXACT_VISITS).view(np.int64)) >> DROPPED_BITS

Reals = NDArray[np.float64]


def _spreads() -> Reals:
    """The numerator of the bonus of UCB1, sqrt(log N), by N; see `spread_after`."""
    exact = np.maximum(np.arange(EXACT_VISITS), 1).astype(np.float64)
    kept = FIRST_KEPT + np.arange((DOUBLINGS << (52 - DROPPED_BITS)) + 1)
    ends = (kept << DROPPED_BITS).view(np.float64)
    visits = np.concatenate([exact, (ends[:-1] + ends[1:]) / 2.0])
    spreads: Reals = np.sqrt(np.log(visits))
    return spreads


SPREADS = _spreads()


@step
def spread_after(spreads: Reals, visits: float) -> float:
    """The numerator of the bonus after so many visits of a decision."""
    if visits < EXACT_VISITS:
        return float(spreads[int(visits)])
    kept = np.float64(visits).view(np.int64) >> DROPPED_BITS
    return float(spreads[EXACT_VISITS + kept - FIRST_KEPT])


@step
def visit(rows: Reals, move: int, unknown: float) -> None:
    """Let one more simulation go through a move. unknown: its mean until one has come back."""
    if rows[move, BONUS] == 0.0:
        rows[move, MEAN] = unknown
    rows[move, BONUS] = 1.0 / np.sqrt(rows[move, CHOSEN] + 1.0)


@step
def best_bound(rows: Reals, first: int, count: int, spread: float, uniform: float) -> int:
    """The move with the best mean plus bonus; moves never tried come first, at random."""
    best, highest, untried = first, -np.inf, 0
    for move in range(first, first + count):
        bound = rows[move, MEAN] + spread * rows[move, BONUS]
        untried += rows[move, BONUS] == 0.0
        if bound > highest:
            best, highest = move, bound
    if untried:
        pick = int(uniform * untried)
        for move in range(first, first + count):
            if rows[move, BONUS] == 0.0:
                if pick == 0:
                    return int(move)
                pick -= 1
    return int(best)
