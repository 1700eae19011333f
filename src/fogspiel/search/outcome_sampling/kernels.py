"""Steps of outcome sampling: choosing by regret matching, and learning with importance weights.

Source: Lisy, Lanctot & Bowling (2015), algorithm 1; Lanctot et al. (2009) for outcome sampling.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.bandits import (
    NO_NODE,
    DecisionArrays,
    choices_of,
    decision_at,
)

FREE = -1  #: No move: the walk is not led

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]


class WalkSteps(NamedTuple):
    """The moves of one role in one step of several walks. All arrays are filled in."""

    moves: NDArray[np.int32]  #: (n,)
    nodes: Numbers  #: (n,) the decision; `NO_NODE` where there was nothing to choose
    arms: Numbers  #: (n,)
    strategy: Reals  #: (n,) the probability of the arm in the current strategy
    probabilities: Reals  #: (n,) the probability of the move in a walk that is not led
    options: Numbers  #: (n,) the number of moves to choose from
    leaves: NDArray[np.bool_]  #: (n,) set where the decision is new and the walk is not led


@native
def walk_on(
    decisions: DecisionArrays,
    keys: NDArray[np.uint64],
    legal: NDArray[np.bool_],
    forced: Numbers,
    exploration: Reals,
    uniforms: Reals,
    steps: WalkSteps,
) -> None:
    """Make a move in each of several walks; new decisions are added.

    forced: (n,) the move of walks that are led, `FREE` for others. exploration: (n,) the share of
    uniform exploration. There must be room for n decisions and all their moves.
    """
    moves, scores = decisions.moves, decisions.scores
    for row in range(len(keys)):
        count, only = choices_of(legal, row)
        steps.nodes[row], steps.options[row] = NO_NODE, count
        steps.strategy[row], steps.probabilities[row] = 1.0, 1.0
        steps.moves[row] = only
        if count == 1:
            continue
        node, is_new = decision_at(decisions, keys[row], legal, row, count)
        if is_new and forced[row] == FREE:
            steps.leaves[row] = True
        first = decisions.first_arms[node]
        total = _total(scores, first, count)
        left = uniforms[row]
        for arm in range(first, first + count):
            share = _share(scores[arm], total, count)
            mixed = (1.0 - exploration[row]) * share + exploration[row] / count
            if moves[arm] == forced[row] or (forced[row] == FREE and left >= 0.0):
                steps.moves[row], steps.arms[row] = moves[arm], arm
                steps.strategy[row], steps.probabilities[row] = share, mixed
            left -= mixed
        steps.nodes[row] = node
        decisions.visits[node] += 1.0
        decisions.arm_visits[steps.arms[row]] += 1.0


@native
def add_to_average(decisions: DecisionArrays, nodes: Numbers, weights: Reals) -> None:
    """Add the current strategy of decisions to their average. weights: (n,) 0 for none."""
    for row in range(len(nodes)):
        node = nodes[row]
        if node == NO_NODE or weights[row] == 0.0:
            continue
        first, count = decisions.first_arms[node], decisions.arm_counts[node]
        total = _total(decisions.scores, first, count)
        for arm in range(first, first + count):
            decisions.strategy[arm] += weights[row] * _share(decisions.scores[arm], total, count)


@native
def add_regrets(
    decisions: DecisionArrays,
    nodes: Numbers,
    arms: Numbers,
    strategy: Reals,
    tails: Reals,
    weights: Reals,
) -> None:
    """Add sampled regrets to decisions.

    tails: (n,) the probability of the role's own moves after the decision in its strategy; the
    decision's own is multiplied in. weights: (n,) the value of the walk, divided by the
    probability of the role's own moves in it; NaN where another role learns.
    """
    for row in range(len(nodes)):
        node, weight = nodes[row], weights[row]
        if node == NO_NODE or np.isnan(weight):
            continue
        after = tails[row]
        tails[row] *= strategy[row]
        first = decisions.first_arms[node]
        for arm in range(first, first + decisions.arm_counts[node]):
            decisions.scores[arm] -= weight * tails[row]
        decisions.scores[arms[row]] += weight * after


@native
def _total(scores: Reals, first: int, count: int) -> float:
    total = 0.0
    for arm in range(first, first + count):
        total += max(scores[arm], 0.0)
    return total


@native
def _share(score: float, total: float, count: int) -> float:
    """Regret matching (Hart & Mas-Colell 2000)."""
    return max(score, 0.0) / total if total > 0.0 else 1.0 / count
