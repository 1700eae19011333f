"""Walks of simulations through a stored tree, without the machine.

A node is a state together with what roles know there, as far as decisions depend on it. Each role
that has a choice there has a decision, which other nodes may share; chance draws by its weights. A
joint move that was made before leads to another node. A walk goes on inside the tree until a
decision was new or a joint move was never made; it then waits for the machine. A walk that comes to
an end of the game inside the tree is learnt at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import NONE, first_word, next_word, place_of, uniform_of
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.bandits import (
    UCB,
    UNKNOWN,
    DecisionArrays,
    best_kept_bound,
    drawn,
    reinforce,
)
from fogspiel.search.mcts.kernels.tree_nodes import (
    ASKS,
    BLOCK,
    COUNT,
    DECISION,
    END,
    FIRST,
    FREE,
    GOES_ON,
    HEAD,
    LEAVES,
    NUMBERS,
    STANDS,
    TreeNodes,
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

    states: NDArray[np.int8]  #: (n,) see `FREE`
    nodes: NDArray[np.int64]  #: (n,) the node of each
    picks: NDArray[np.int32]
    """(n, roles) the choice of each role there, as a number among its moves."""
    joints: NDArray[np.uint64]  #: (n,) the place of the child of that joint move, or its key
    lengths: NDArray[np.int64]  #: (n,) decisions on the path
    idle: NDArray[np.int64]  #: (n,) steps since the last of them
    trail: NDArray[np.int32]  #: (n, decisions, 3) the arm, the decision, the role
    probabilities: NDArray[np.float64]  #: (n, decisions)


class SearchOrder(NamedTuple):
    """An order to begin a number of walks from root nodes."""

    roots: NDArray[np.int64]
    bounds: NDArray[np.float64]  #: (roots,) cumulative weights
    chance_role: int
    most: int  #: Simulations to begin
    side_by_side: int  #: Simulations that may be under way
    most_steps: int  #: Steps after which none is begun: a look at the clock is due
    is_full: bool  #: Whether no more nodes may be added: joint moves that are new leave the tree


@native
def walk(  # noqa: PLR0912, PLR0915 - handing a dozen arrays to another kernel costs more than a step
    nodes: TreeNodes,
    decisions: DecisionArrays,
    bounds: Reals,
    spreads: Reals,
    walkers: Simulations,
    task: SearchOrder,
    rule: int,
    constant: float,
    seed: int,
) -> int:
    """Go on with all walks as far as the tree reaches; how many were begun.

    bounds: (arms, 2) for UCB, numbers that change only when an arm is visited: its mean, and its
    factor of the bonus, 0 before the first visit. spreads: the other factor of the bonus, by the
    number of visits of a decision, for the first few.
    """
    # What is taken out of a tuple is counted each time: all is taken out once, here.
    heads, goals, children, chances = nodes.heads, nodes.goals, nodes.children, nodes.chance_bounds
    joint_keys, joint_table = nodes.joint_keys, nodes.joint_table
    visits, arm_visits, returns = decisions.visits, decisions.arm_visits, decisions.arm_returns
    values, scores, strategy = decisions.arm_values, decisions.scores, decisions.strategy
    first_arms, arm_counts = decisions.first_arms, decisions.arm_counts
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
    """Back up the value of a simulation to all its decisions. goals: (ends, roles)"""
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
    decisions: DecisionArrays,
    bounds: Reals,
    rule: int,
    exploration: float,
    walkers: Simulations,
    rows: NDArray[np.int64],
    goals: Reals,
) -> None:
    """Back up the values of simulations that have left the tree. goals: (rows, roles)"""
    returns, values, scores = decisions.arm_returns, decisions.arm_values, decisions.scores
    first_arms, arm_counts = decisions.first_arms, decisions.arm_counts
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
    """Fill in the joint moves that walks chose at their nodes. joints: (rows, roles)"""
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
