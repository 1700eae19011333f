"""A tree that simulations walk through without the machine, in flat arrays.

A node is a state together with what roles know there, as far as decisions go by it. Each role that
has a choice there has a decision of the forest, which other nodes may share; chance draws by its
weights. A joint move that was made before leads to another node. A walk goes on inside what is
kept until a decision was new or a joint move was never made; it then waits for the machine. What
comes to an end of the game inside the tree is learnt at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.hash_table import NONE, place_of
from fogspiel.core.kernels.random import first_word, next_word, uniform_of
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.bandit_rules import UCB, drawn, reinforce
from fogspiel.search.mcts.kernels.nodes import (
    BLOCK,
    COUNT,
    DECISION,
    END,
    FIRST,
    HEAD,
    NUMBERS,
    Arrays,
    TreeNodes,
)
from fogspiel.search.mcts.kernels.steps import (
    ASKS,
    FREE,
    GOES_ON,
    LEAVES,
    STANDS,
    UNKNOWN,
    best_kept_bound,
    by_bounds,
    joint_key,
    root_by_weight,
)

LONGEST_IDLE = 64
"""Steps in which no player has a choice, after which a simulation goes on at random: a game without
end would be followed for ever."""

Reals = NDArray[np.float64]


class Simulations(NamedTuple):
    """Simulations under way."""

    states: NDArray[np.int8]
    """(n,)"""
    nodes: NDArray[np.int64]
    """(n,) where each is."""
    picks: NDArray[np.int32]
    """(n, roles) what each role chose there, as a number among its moves."""
    joints: NDArray[np.uint64]
    """(n,) where the child of that joint move is looked for: its place, or its key."""
    lengths: NDArray[np.int64]
    """(n,) decisions on the way."""
    idle: NDArray[np.int64]
    """(n,) steps since the last of them."""
    trail: NDArray[np.int32]
    """(n, decisions, 3) the arm, the decision, the role."""
    probabilities: NDArray[np.float64]
    """(n, decisions)"""


class SearchOrder(NamedTuple):
    """What walks are to do, besides how to choose."""

    roots: NDArray[np.int64]
    bounds: NDArray[np.float64]
    """(roots,) sums of their weights."""
    chance_role: int
    most: int
    """Simulations to begin."""
    side_by_side: int
    """Simulations that may be under way."""
    most_steps: int
    """Steps after which none is begun: a look at the clock is due."""
    is_full: bool
    """Whether no more nodes may be added: joint moves that are new lead out."""


@native
def walk(  # noqa: PLR0912, PLR0915 - handing a dozen arrays to another kernel costs more than a step
    nodes: TreeNodes,
    forest: Arrays,
    bounds: Reals,
    spreads: Reals,
    walkers: Simulations,
    task: SearchOrder,
    rule: int,
    constant: float,
    seed: int,
) -> int:
    """Go on with all walks as far as the tree reaches; how many were begun.

    bounds: (arms, 2) of UCB, what changes only when an arm is visited: its mean, and its share of
    the bonus, 0 before the first visit. spreads: the rest of the bonus, by the number of visits
    of a decision, for the first few.
    """
    # What is taken out of a tuple is counted each time: all is taken out once, here.
    heads, goals, children, chances = nodes.heads, nodes.goals, nodes.children, nodes.chance_bounds
    joint_keys, joint_table = nodes.joint_keys, nodes.joint_table
    visits, arm_visits, returns = forest.visits, forest.arm_visits, forest.arm_returns
    values, scores, strategy = forest.arm_values, forest.scores, forest.strategy
    first_arms, arm_counts = forest.first_arms, forest.arm_counts
    picks, trail, probabilities = walkers.picks, walkers.trail, walkers.probabilities
    roots, root_bounds, chance_role = task.roots, task.bounds, task.chance_role
    side_by_side, most, most_steps = task.side_by_side, task.most, task.most_steps
    is_full = task.is_full
    roles = goals.shape[1]
    longest = trail.shape[1] - roles
    word = first_word(seed)
    begun = steps = 0
    for row in range(len(walkers.states)):
        state = walkers.states[row]
        node, length, idle = walkers.nodes[row], walkers.lengths[row], walkers.idle[row]
        while state <= GOES_ON:
            if state == FREE:
                if row >= side_by_side or begun >= most or steps > most_steps:
                    break
                word = next_word(word)
                node, length, idle = root_by_weight(roots, root_bounds, uniform_of(word)), 0, 0
                begun += 1
                state = GOES_ON
            end = heads[node, END]
            if end != NONE:
                _learn(returns, values, bounds, trail, row, length, goals, end)
                if rule != UCB:
                    _reinforce(
                        scores, first_arms, arm_counts, rule, constant,
                        trail, probabilities, row, length, goals, end,
                    )  # fmt: skip
                state = FREE
                continue
            if length > longest or idle > LONGEST_IDLE:
                state = STANDS
                break
            steps += 1
            idle += 1
            is_new, number = False, np.int64(0)
            for role in range(roles):
                at = HEAD + NUMBERS * role
                count = heads[node, at + COUNT]
                if count == 1:
                    continue
                first = heads[node, at + FIRST]
                word = next_word(word)
                uniform = uniform_of(word)
                if role == chance_role:
                    pick = by_bounds(chances, first, count, uniform)
                else:
                    decision = heads[node, at + DECISION]
                    total = visits[decision]
                    if rule == UCB:
                        few = total < len(spreads)
                        spread = spreads[int(total)] if few else np.sqrt(np.log(total))
                        arm = best_kept_bound(bounds, first, count, constant * spread, uniform)
                        if bounds[arm, 1] == 0.0:
                            bounds[arm, 0] = UNKNOWN
                        bounds[arm, 1] = 1.0 / np.sqrt(arm_visits[arm] + 1.0)
                    else:
                        arm, probability = drawn(
                            scores, strategy, rule, first, count, constant, uniform
                        )
                        probabilities[row, length] = probability
                    is_new |= total == 0.0
                    visits[decision] = total + 1.0
                    arm_visits[arm] += 1.0
                    trail[row, length, 0] = arm
                    trail[row, length, 1] = decision
                    trail[row, length, 2] = role
                    length += 1
                    idle = 0
                    pick = arm - first
                picks[row, role] = pick
                number = number * count + pick
            block = heads[node, BLOCK]
            if block != NONE:
                place = np.uint64(block + number)
                child = np.int64(children[place]) - 1
            else:
                place = joint_key(heads, picks, node, row, roles)
                child = joint_table[place_of(joint_keys, joint_table, place)]
            if child == NONE:
                walkers.joints[row] = place
                state = LEAVES if is_new or is_full else ASKS
            else:
                node = child
                if is_new and heads[child, END] == NONE:
                    state = STANDS
        walkers.states[row], walkers.nodes[row] = state, node
        walkers.lengths[row], walkers.idle[row] = length, idle
    return begun


@native
def _learn(
    returns: Reals,
    values: Reals,
    bounds: Reals,
    trail: NDArray[np.int32],
    row: int,
    length: int,
    goals: Reals,
    end: int,
) -> None:
    """Let all decisions of a simulation learn what it brought. goals: (ends, roles)"""
    for at in range(length):
        arm = trail[row, at, 0]
        returns[arm] += 1.0
        values[arm] += goals[end, trail[row, at, 2]]
        bounds[arm, 0] = values[arm] / returns[arm]


@native
def _reinforce(
    scores: Reals,
    first_arms: NDArray[np.int64],
    arm_counts: NDArray[np.int64],
    rule: int,
    exploration: float,
    trail: NDArray[np.int32],
    probabilities: Reals,
    row: int,
    length: int,
    goals: Reals,
    end: int,
) -> None:
    """The same for the rules that choose by scores."""
    for at in range(length):
        arm, decision, role = trail[row, at, 0], trail[row, at, 1], trail[row, at, 2]
        first, count = first_arms[decision], arm_counts[decision]
        probability = probabilities[row, at]
        reinforce(scores, rule, exploration, first, count, arm, probability, goals[end, role])


@native
def learn_ends(
    forest: Arrays,
    bounds: Reals,
    rule: int,
    exploration: float,
    walkers: Simulations,
    rows: NDArray[np.int64],
    goals: Reals,
) -> None:
    """Let simulations end that have left. goals: (rows, roles)"""
    returns, values, scores = forest.arm_returns, forest.arm_values, forest.scores
    first_arms, arm_counts = forest.first_arms, forest.arm_counts
    trail, probabilities = walkers.trail, walkers.probabilities
    for i in range(len(rows)):
        row = rows[i]
        length = walkers.lengths[row]
        _learn(returns, values, bounds, trail, row, length, goals, i)
        if rule != UCB:
            _reinforce(
                scores, first_arms, arm_counts, rule, exploration,
                trail, probabilities, row, length, goals, i,
            )  # fmt: skip
        walkers.states[row] = FREE


@native
def joint_moves(
    nodes: TreeNodes,
    forest_moves: NDArray[np.int32],
    walkers: Simulations,
    rows: NDArray[np.int64],
    chance_role: int,
    joints: NDArray[np.int32],
) -> None:
    """(rows, roles) the moves that walks chose where they are."""
    for i in range(len(rows)):
        node = walkers.nodes[rows[i]]
        for role in range(joints.shape[1]):
            at = HEAD + NUMBERS * role
            first = nodes.heads[node, at + FIRST]
            if nodes.heads[node, at + COUNT] == 1:
                joints[i, role] = first
            elif role == chance_role:
                joints[i, role] = nodes.chance_moves[first + walkers.picks[rows[i], role]]
            else:
                joints[i, role] = forest_moves[first + walkers.picks[rows[i], role]]
