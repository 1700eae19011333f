"""Rules that choose between the arms of a bandit, and what they learn.

Three rules (see `search/mcts/bandits` for their sources). The arms of a decision stand side by side
in arrays of all arms: `count` of them from `first` on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native

UCB, EXP3, REGRET_MATCHING = 0, 1, 2
"""Rules, as kernels take them."""

Reals = NDArray[np.float64]
"""(arms,)"""


@native
def best_bound(
    visits: Reals,
    returns: Reals,
    values: Reals,
    first: int,
    count: int,
    constant: float,
    uniform: float,
) -> int:
    """The arm with the best mean plus bonus; arms that were never tried come first, at random.

    visits: simulations that went this way, also those under way. returns: those that came to
    their end. values: what these brought in all. uniform: a random number from 0 to 1.
    """
    total, untried = 0.0, 0
    for arm in range(first, first + count):
        total += visits[arm]
        untried += visits[arm] == 0.0
    if untried:
        pick = int(uniform * untried)
        for arm in range(first, first + count):
            if visits[arm] == 0.0:
                if pick == 0:
                    return int(arm)
                pick -= 1
    best, best_bound = first, -np.inf
    spread = constant * np.sqrt(np.log(total))
    for arm in range(first, first + count):
        mean = values[arm] / returns[arm] if returns[arm] > 0.0 else 0.5
        bound = mean + spread / np.sqrt(visits[arm])
        if bound > best_bound:
            best, best_bound = arm, bound
    return int(best)


@native
def drawn(
    scores: Reals,
    strategy: Reals,
    rule: int,
    first: int,
    count: int,
    exploration: float,
    uniform: float,
) -> tuple[int, float]:
    """An arm by the probabilities of EXP3 or regret matching, and how probable it was."""
    highest, total = -np.inf, 0.0
    for arm in range(first, first + count):
        highest = max(highest, scores[arm])
    for arm in range(first, first + count):
        total += _weight(rule, scores[arm], highest)
    chosen, probability, left = first, 0.0, uniform
    for arm in range(first, first + count):
        share = _weight(rule, scores[arm], highest) / total if total > 0.0 else 1.0 / count
        # The average leaves exploration out: it is played for the sake of learning alone.
        strategy[arm] += share
        mixed = (1.0 - exploration) * share + exploration / count
        if left >= 0.0:
            chosen, probability = arm, mixed
        left -= mixed
    return int(chosen), probability


@native
def _weight(rule: int, score: float, highest: float) -> float:
    """Not normalised. EXP3 keeps logarithms; without the highest none overflows."""
    return np.exp(score - highest) if rule == EXP3 else max(score, 0.0)


@native
def reinforce(
    scores: Reals,
    rule: int,
    exploration: float,
    first: int,
    count: int,
    arm: int,
    probability: float,
    value: float,
) -> None:
    """Let EXP3 or regret matching learn what an arm brought that was so probable."""
    if rule == EXP3:
        scores[arm] += exploration / count * value / probability
    elif rule == REGRET_MATCHING:
        for other in range(first, first + count):
            scores[other] -= value
        scores[arm] += value / probability
