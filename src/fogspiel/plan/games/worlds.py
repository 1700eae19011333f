"""From what a role holds possible to the worlds of a plan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.machine.protocol import States
from fogspiel.plan.games.model import systematic
from fogspiel.plan.situation import Weights


def worlds_of(
    states: States, weights: NDArray[np.float64], count: int, rng: np.random.Generator
) -> tuple[States, Weights]:
    """At most `count` worlds that stand for a belief.

    states: (n, words) all different; weights: (n,) the belief in each, up to a factor.
    If they are few they are all there, with their weights, and as often as there is room: what is
    hidden and still to come may differ in each copy. If they are many, some are drawn: each state
    as often as its share says, up to less than one, and all count the same.
    """
    shares = weights / weights.sum()
    copies = count // len(states)
    if copies:
        rows = np.tile(np.arange(len(states)), copies)
        return states[rows], shares[rows] / copies
    return states[systematic(shares, count, rng)], np.full(count, 1.0 / count)
