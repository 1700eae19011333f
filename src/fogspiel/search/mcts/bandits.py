"""Choosing between moves whose worth is not known, and learning from how simulations end.

Every decision is a bandit with an arm for each move. Three rules choose:
- UCB1 (Auer, Cesa-Bianchi & Fischer 2002), as in UCT (Kocsis & Szepesvari 2006): the arm with the
  largest mean plus bonus. Simulations under way count for the bonus but not for the mean (Liu et
  al. 2020, WU-UCT), so that many can be sent out before the first comes back.
- EXP3 (Auer et al. 2002): by exponential weights of estimated gains, with a share gamma of all arms
  alike. For simultaneous moves and hidden information, where no fixed arm is best.
- Regret matching (Hart & Mas-Colell 2000) on sampled outcomes, with the same share of exploration.
What EXP3 and regret matching advise is the average of what they played, less the exploration.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.hash_table import place_of
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.bandit_rules import (
    EXP3,
    REGRET_MATCHING,
    UCB,
    best_bound,
    drawn,
    reinforce,
)
from fogspiel.search.mcts.kernels.nodes import NO_NODE, Arrays

__all__ = [
    "EXP3",
    "REGRET_MATCHING",
    "UCB",
    "BanditChoices",
    "choose",
    "learn",
]


class BanditChoices(NamedTuple):
    """What one role chooses in each of several simulations. All arrays are filled in."""

    moves: NDArray[np.int32]
    """(n,)"""
    nodes: NDArray[np.int64]
    """(n,) the decision; `NO_NODE` where there was nothing to choose or no decision is kept."""
    arms: NDArray[np.int64]
    """(n,)"""
    probabilities: NDArray[np.float64]
    """(n,) of choosing this arm; 1 where it was the best bound."""
    leaves: NDArray[np.bool_]
    """(n,) whether the simulation leaves what is kept: set where the decision is new."""


@native
def choose(
    forest: Arrays,
    rule: int,
    constant: float,
    keys: NDArray[np.uint64],
    legal: NDArray[np.bool_],
    uniforms: NDArray[np.float64],
    choices: BanditChoices,
) -> None:
    """Choose a move of a role in each of several simulations; new decisions are added.

    constant: of exploration. legal: (n, moves). uniforms: (n,) random numbers from 0 to 1.
    There must be room in the forest for n nodes and all their moves.
    """
    table_keys, table_nodes = forest.table_keys, forest.table_nodes
    moves, visits, arm_visits = forest.moves, forest.visits, forest.arm_visits
    first_arms, arm_counts = forest.first_arms, forest.arm_counts
    returns, values = forest.arm_returns, forest.arm_values
    scores, strategy = forest.scores, forest.strategy
    for row in range(len(keys)):
        count = 0
        for move in range(legal.shape[1]):
            count += legal[row, move]
        choices.nodes[row] = NO_NODE
        choices.probabilities[row] = 1.0
        if count == 1:
            for move in range(legal.shape[1]):
                if legal[row, move]:
                    choices.moves[row] = move
            continue
        place = place_of(table_keys, table_nodes, keys[row])
        node = table_nodes[place]
        if node == NO_NODE:
            node, first = forest.sizes[0], forest.sizes[1]
            forest.sizes[0] += 1
            forest.sizes[1] += count
            table_keys[place], table_nodes[place] = keys[row], node
            first_arms[node], arm_counts[node] = first, count
            for move in range(legal.shape[1]):
                if legal[row, move]:
                    moves[first] = move
                    first += 1
            choices.leaves[row] = True
        first = first_arms[node]
        uniform, probability = uniforms[row], 1.0
        if rule == UCB:
            arm = best_bound(arm_visits, returns, values, first, count, constant, uniform)
        else:
            arm, probability = drawn(scores, strategy, rule, first, count, constant, uniform)
        visits[node] += 1.0
        arm_visits[arm] += 1.0
        choices.moves[row] = moves[arm]
        choices.nodes[row], choices.arms[row] = node, arm
        choices.probabilities[row] = probability


@native
def learn(
    forest: Arrays,
    rule: int,
    exploration: float,
    nodes: NDArray[np.int64],
    arms: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Add what simulations brought to the decisions that one role made in them.

    nodes, arms, probabilities: (n,) as chosen. values: (n,) between 0 and 1.
    """
    for row in range(len(nodes)):
        node, arm, value = nodes[row], arms[row], values[row]
        if node == NO_NODE:
            continue
        forest.arm_returns[arm] += 1.0
        forest.arm_values[arm] += value
        first, count = forest.first_arms[node], forest.arm_counts[node]
        reinforce(forest.scores, rule, exploration, first, count, arm, probabilities[row], value)
