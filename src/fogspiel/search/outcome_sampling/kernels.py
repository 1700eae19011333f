"""Steps of outcome sampling: choosing by regret matching, and learning with importance weights.

Source: Lisy, Lanctot & Bowling (2015), algorithm 1; Lanctot et al. (2009) for outcome sampling.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.hash_table import place_of
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.nodes import NO_NODE, Arrays

FREE = -1
"""In place of a move that a walk must make."""

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]


class WalkSteps(NamedTuple):
    """What one role does in one step of several walks. All arrays are filled in."""

    moves: NDArray[np.int32]
    """(n,)"""
    nodes: Numbers
    """(n,) the decision; `NO_NODE` where there was nothing to choose."""
    arms: Numbers
    """(n,)"""
    shares: Reals
    """(n,) of the arm in the current strategy."""
    probabilities: Reals
    """(n,) of making the move in a walk that is not led."""
    options: Numbers
    """(n,) moves to choose from."""
    leaves: NDArray[np.bool_]
    """(n,) set where the decision is new and the walk is not led."""


@native
def walk_on(
    forest: Arrays,
    keys: NDArray[np.uint64],
    legal: NDArray[np.bool_],
    forced: Numbers,
    exploration: Reals,
    uniforms: Reals,
    steps: WalkSteps,
) -> None:
    """Make a move in each of several walks; new decisions are added.

    forced: (n,) the move of walks that are led, `FREE` for others. exploration: (n,) the share of
    all arms alike. There must be room in the forest for n nodes and all their moves.
    """
    first_arms, arm_counts, moves = forest.first_arms, forest.arm_counts, forest.moves
    for row in range(len(keys)):
        count, only = 0, 0
        for move in range(legal.shape[1]):
            if legal[row, move]:
                count += 1
                only = move
        steps.nodes[row], steps.options[row] = NO_NODE, count
        steps.shares[row], steps.probabilities[row] = 1.0, 1.0
        steps.moves[row] = only
        if count == 1:
            continue
        place = place_of(forest.table_keys, forest.table_nodes, keys[row])
        node = forest.table_nodes[place]
        if node == NO_NODE:
            node, first = forest.sizes[0], forest.sizes[1]
            forest.sizes[0] += 1
            forest.sizes[1] += count
            forest.table_keys[place], forest.table_nodes[place] = keys[row], node
            first_arms[node], arm_counts[node] = first, count
            for move in range(legal.shape[1]):
                if legal[row, move]:
                    moves[first] = move
                    first += 1
            if forced[row] == FREE:
                steps.leaves[row] = True
        total = _total(forest.scores, first_arms[node], count)
        left = uniforms[row]
        for arm in range(first_arms[node], first_arms[node] + count):
            share = _share(forest.scores[arm], total, count)
            mixed = (1.0 - exploration[row]) * share + exploration[row] / count
            if moves[arm] == forced[row] or (forced[row] == FREE and left >= 0.0):
                steps.moves[row], steps.arms[row] = moves[arm], arm
                steps.shares[row], steps.probabilities[row] = share, mixed
            left -= mixed
        steps.nodes[row] = node
        forest.visits[node] += 1.0
        forest.arm_visits[steps.arms[row]] += 1.0


@native
def add_to_average(forest: Arrays, nodes: Numbers, weights: Reals) -> None:
    """Add the current strategy of decisions to their average. weights: (n,) 0 for none."""
    for row in range(len(nodes)):
        node = nodes[row]
        if node == NO_NODE or weights[row] == 0.0:
            continue
        first, count = forest.first_arms[node], forest.arm_counts[node]
        total = _total(forest.scores, first, count)
        for arm in range(first, first + count):
            forest.strategy[arm] += weights[row] * _share(forest.scores[arm], total, count)


@native
def add_regrets(
    forest: Arrays,
    nodes: Numbers,
    arms: Numbers,
    shares: Reals,
    tails: Reals,
    weights: Reals,
) -> None:
    """Add sampled regrets to decisions.

    tails: (n,) how probable the role's own moves after the decision are in its strategy; the
    decision's own is multiplied in. weights: (n,) what the walk brought, by how improbable the
    role's own moves in it were; NaN where another role learns.
    """
    for row in range(len(nodes)):
        node, weight = nodes[row], weights[row]
        if node == NO_NODE or np.isnan(weight):
            continue
        after = tails[row]
        tails[row] *= shares[row]
        first = forest.first_arms[node]
        for arm in range(first, first + forest.arm_counts[node]):
            forest.scores[arm] -= weight * tails[row]
        forest.scores[arms[row]] += weight * after


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
