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

from fogspiel.core.native import native

NO_NODE = -1
UCB, EXP3, REGRET_MATCHING = 0, 1, 2
"""Rules, as kernels take them."""


class Arrays(NamedTuple):
    """The forest, as kernels take it."""

    sizes: NDArray[np.int64]
    """(2,) how many nodes and arms there are."""
    table_keys: NDArray[np.uint64]
    table_nodes: NDArray[np.int64]
    """(places,) the node of each key; NO_NODE where a place is free."""
    first_arms: NDArray[np.int64]
    """(nodes,)"""
    arm_counts: NDArray[np.int64]
    """(nodes,)"""
    visits: NDArray[np.float64]
    """(nodes,) simulations that came here, also those that are still under way."""
    moves: NDArray[np.int32]
    """(arms,)"""
    arm_visits: NDArray[np.float64]
    """(arms,) simulations that went on this way, also those that are still under way."""
    arm_returns: NDArray[np.float64]
    """(arms,) simulations that have come to their end."""
    arm_values: NDArray[np.float64]
    """(arms,) what these brought, in all: between 0 and 1 each."""
    scores: NDArray[np.float64]
    """(arms,) what the rule keeps to choose by: weights or regrets."""
    strategy: NDArray[np.float64]
    """(arms,) the probabilities of choosing it, added up."""


class Choices(NamedTuple):
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
    choices: Choices,
) -> None:
    """Choose a move of a role in each of several simulations; new decisions are added.

    constant: of exploration. legal: (n, moves). uniforms: (n,) random numbers from 0 to 1.
    There must be room in the forest for n nodes and all their moves.
    """
    table_keys, table_nodes = forest.table_keys, forest.table_nodes
    moves, visits, arm_visits = forest.moves, forest.visits, forest.arm_visits
    first_arms, arm_counts = forest.first_arms, forest.arm_counts
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
        if rule == UCB:
            arm, probability = _best_bound(forest, node, constant, uniforms[row]), 1.0
        else:
            arm, probability = _drawn(forest, node, rule, constant, uniforms[row])
        visits[node] += 1.0
        arm_visits[arm] += 1.0
        choices.moves[row] = moves[arm]
        choices.nodes[row], choices.arms[row] = node, arm
        choices.probabilities[row] = probability


@native
def _best_bound(forest: Arrays, node: int, constant: float, uniform: float) -> int:
    """The arm with the best mean plus bonus; arms that were never tried come first, at random."""
    first, count = forest.first_arms[node], forest.arm_counts[node]
    untried = 0
    for arm in range(first, first + count):
        untried += forest.arm_visits[arm] == 0.0
    if untried:
        pick = int(uniform * untried)
        for arm in range(first, first + count):
            if forest.arm_visits[arm] == 0.0:
                if pick == 0:
                    return int(arm)
                pick -= 1
    best, best_bound = first, -np.inf
    spread = constant * np.sqrt(np.log(forest.visits[node]))
    for arm in range(first, first + count):
        returns = forest.arm_returns[arm]
        mean = forest.arm_values[arm] / returns if returns > 0.0 else 0.5
        bound = mean + spread / np.sqrt(forest.arm_visits[arm])
        if bound > best_bound:
            best, best_bound = arm, bound
    return int(best)


@native
def _drawn(
    forest: Arrays, node: int, rule: int, exploration: float, uniform: float
) -> tuple[int, float]:
    """An arm by the probabilities of EXP3 or regret matching, and how probable it was."""
    first, count = forest.first_arms[node], forest.arm_counts[node]
    scores, strategy = forest.scores, forest.strategy
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
        count = forest.arm_counts[node]
        if rule == EXP3:
            forest.scores[arm] += exploration / count * value / probabilities[row]
        elif rule == REGRET_MATCHING:
            first = forest.first_arms[node]
            for other in range(first, first + count):
                forest.scores[other] -= value
            forest.scores[arm] += value / probabilities[row]


@native
def place_of(keys: NDArray[np.uint64], nodes: NDArray[np.int64], key: np.uint64) -> np.uint64:
    """Where a key stands in the table, or would."""
    mask = np.uint64(len(keys) - 1)
    place = (key ^ (key >> np.uint64(29))) & mask
    while nodes[place] != NO_NODE and keys[place] != key:
        place = (place + np.uint64(1)) & mask
    return place


@native
def fill_table(
    keys: NDArray[np.uint64],
    nodes: NDArray[np.int64],
    old_keys: NDArray[np.uint64],
    old_nodes: NDArray[np.int64],
) -> None:
    """Put all that a table holds into a larger one."""
    for old in range(len(old_keys)):
        if old_nodes[old] != NO_NODE:
            place = place_of(keys, nodes, old_keys[old])
            keys[place] = old_keys[old]
            nodes[place] = old_nodes[old]
