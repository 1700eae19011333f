"""Bandits: how decisions choose between moves of unknown value, and learn from simulations.

Every decision is a bandit with an arm for each move. Three rules choose:
- UCB1 (Auer, Cesa-Bianchi & Fischer 2002), as in UCT (Kocsis & Szepesvari 2006): the arm with the
  largest mean plus bonus. Simulations under way count for the bonus but not for the mean (Liu et
  al. 2020, WU-UCT), so that many can be sent out before the first comes back.
- EXP3 (Auer et al. 2002): by exponential weights of estimated gains, with a share gamma of uniform
  exploration. For simultaneous moves and hidden information, where no fixed arm is best.
- Regret matching (Hart & Mas-Colell 2000) on sampled outcomes, with the same share of exploration.
EXP3 and regret matching advise the average of what they played, less the exploration.

The arms of a decision stand side by side in arrays of all arms: `count` of them from `first` on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import NONE, place_of
from fogspiel.core.native import native

NO_NODE = NONE  #: No decision, and in the table of decisions a free place
UCB, EXP3, REGRET_MATCHING = 0, 1, 2  #: Rules, as kernels take them
UNKNOWN = 0.5  #: The mean of an arm whose first simulation is under way

Reals = NDArray[np.float64]  #: (arms,)


class DecisionArrays(NamedTuple):
    """All decisions that a search has met, as kernels take them."""

    sizes: NDArray[np.int64]  #: (2,) the numbers of decisions and arms
    table_keys: NDArray[np.uint64]
    table_nodes: NDArray[np.int64]
    """(places,) the decision of each key; NO_NODE where a place is free."""
    first_arms: NDArray[np.int64]  #: (decisions,)
    arm_counts: NDArray[np.int64]  #: (decisions,)
    visits: NDArray[np.float64]
    """(decisions,) simulations that came here, including those under way."""
    moves: NDArray[np.int32]  #: (arms,)
    arm_visits: NDArray[np.float64]
    """(arms,) simulations that chose the arm, including those under way."""
    arm_returns: NDArray[np.float64]  #: (arms,) simulations that have come to their end
    arm_values: NDArray[np.float64]  #: (arms,) sum of the values of these, each between 0 and 1
    scores: NDArray[np.float64]
    """(arms,) weights or regrets, by which EXP3 and regret matching choose."""
    strategy: NDArray[np.float64]  #: (arms,) sum of the probabilities with which the arm was chosen


class BanditChoices(NamedTuple):
    """The choices of one role in each of several simulations. All arrays are filled in."""

    moves: NDArray[np.int32]  #: (n,)
    nodes: NDArray[np.int64]  #: (n,) the decision; `NO_NODE` where there was nothing to choose
    arms: NDArray[np.int64]  #: (n,)
    probabilities: NDArray[np.float64]
    """(n,) the probability of this arm; 1 where it was the best bound."""
    leaves: NDArray[np.bool_]
    """(n,) whether the simulation leaves the tree: set where the decision is new."""


@native
def choose(
    decisions: DecisionArrays,
    rule: int,
    constant: float,
    keys: NDArray[np.uint64],
    legal: NDArray[np.bool_],
    uniforms: NDArray[np.float64],
    choices: BanditChoices,
) -> None:
    """Choose a move of a role in each of several simulations; new decisions are added.

    constant: of exploration. legal: (n, moves). uniforms: (n,) random numbers from 0 to 1.
    There must be room for n decisions and all their moves.
    """
    moves, visits, arm_visits = decisions.moves, decisions.visits, decisions.arm_visits
    returns, values = decisions.arm_returns, decisions.arm_values
    scores, strategy = decisions.scores, decisions.strategy
    for row in range(len(keys)):
        count, only = choices_of(legal, row)
        choices.nodes[row] = NO_NODE
        choices.probabilities[row] = 1.0
        if count == 1:
            choices.moves[row] = only
            continue
        node, is_new = decision_at(decisions, keys[row], legal, row, count)
        if is_new:
            choices.leaves[row] = True
        first = decisions.first_arms[node]
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
def choices_of(legal: NDArray[np.bool_], row: int) -> tuple[int, int]:
    """The number of legal moves in a row, and the last of them."""
    count, last = 0, 0
    for move in range(legal.shape[1]):
        if legal[row, move]:
            count += 1
            last = move
    return count, last


@native
def decision_at(
    decisions: DecisionArrays, key: np.uint64, legal: NDArray[np.bool_], row: int, count: int
) -> tuple[int, bool]:
    """The decision of a key, and whether it is new: then it gets the legal moves of a row."""
    place = place_of(decisions.table_keys, decisions.table_nodes, key)
    node = decisions.table_nodes[place]
    if node != NO_NODE:
        return node, False
    node, arm = decisions.sizes[0], decisions.sizes[1]
    decisions.sizes[0] += 1
    decisions.sizes[1] += count
    decisions.table_keys[place], decisions.table_nodes[place] = key, node
    decisions.first_arms[node], decisions.arm_counts[node] = arm, count
    for move in range(legal.shape[1]):
        if legal[row, move]:
            decisions.moves[arm] = move
            arm += 1
    return node, True


@native
def learn(
    decisions: DecisionArrays,
    rule: int,
    exploration: float,
    nodes: NDArray[np.int64],
    arms: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Back up the values of simulations to the decisions that one role made in them.

    nodes, arms, probabilities: (n,) as chosen. values: (n,) between 0 and 1.
    """
    for row in range(len(nodes)):
        node, arm, value = nodes[row], arms[row], values[row]
        if node == NO_NODE:
            continue
        decisions.arm_returns[arm] += 1.0
        decisions.arm_values[arm] += value
        first, count = decisions.first_arms[node], decisions.arm_counts[node]
        reinforce(decisions.scores, rule, exploration, first, count, arm, probabilities[row], value)


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

    visits: simulations that went this way, including those under way. returns: those that came to
    their end. values: the sum of their values. uniform: a random number from 0 to 1.
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
        mean = values[arm] / returns[arm] if returns[arm] > 0.0 else UNKNOWN
        bound = mean + spread / np.sqrt(visits[arm])
        if bound > best_bound:
            best, best_bound = arm, bound
    return int(best)


@native
def best_kept_bound(
    bounds: NDArray[np.float64], first: int, count: int, spread: float, uniform: float
) -> int:
    """The same from means and bonuses that are kept. bounds: (arms, 2)"""
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
def drawn(
    scores: Reals,
    strategy: Reals,
    rule: int,
    first: int,
    count: int,
    exploration: float,
    uniform: float,
) -> tuple[int, float]:
    """An arm drawn by EXP3 or regret matching, and its probability."""
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
    """Let EXP3 or regret matching learn the value of an arm that was chosen with a probability."""
    if rule == EXP3:
        scores[arm] += exploration / count * value / probability
    elif rule == REGRET_MATCHING:
        for other in range(first, first + count):
            scores[other] -= value
        scores[arm] += value / probability


@native
def read_strategy(
    decisions: DecisionArrays,
    amounts: Reals,
    keys: NDArray[np.uint64],
    doubt: float,
    slip: float,
    probabilities: NDArray[np.float64],
) -> None:
    """Overwrite the rows of probabilities whose decision was met, by the amounts of its arms.

    amounts: (arms,). doubt: an amount that is added for the uniform strategy. slip: how probable
    it is that the move is drawn uniformly. probabilities: (n, moves)
    """
    for row in range(len(keys)):
        node = decisions.table_nodes[
            place_of(decisions.table_keys, decisions.table_nodes, keys[row])
        ]
        if node == NO_NODE:
            continue
        first, count = decisions.first_arms[node], decisions.arm_counts[node]
        total = 0.0
        for arm in range(first, first + count):
            total += amounts[arm]
        if total > 0.0:
            probabilities[row] = 0.0
            for arm in range(first, first + count):
                chosen = (amounts[arm] + doubt / count) / (total + doubt)
                probabilities[row, decisions.moves[arm]] = (1.0 - slip) * chosen + slip / count
