"""Simulations of one role by itself, in flat arrays: a graph of states, and a tree of decisions.

A walk stands in a state and knows what the role knows there. Until it meets a new decision the role
chooses by upper bounds; from then on, as others do throughout, uniformly at random. A joint move
that was made before leads to another state and gives the role's observation. Only one that was
never made has to wait for the machine. So games of few states are soon simulated without it, one
simulation after the other, each with all that was learnt before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import NONE, first_word, mixed, next_word, place_of, uniform_of
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.bandits import DecisionArrays, best_kept_bound
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

Reals = NDArray[np.float64]

COUNTED, VALUE, BEST, TRIED, SUM, PICK, COLUMNS = 0, 1, 2, 3, 4, 5, 6
"""Columns of the estimates of a decision: simulations that came back, its value, the mean of its
best arm, the number of arms tried, the sum of all values, and the move of the first simulation."""
DOUBT = 1.0 / 32.0
"""Prior for each arm of a decision. The square of the sum over its arms is the number of further
simulations, with the mean of all, that count for an arm: among hundreds that were tried once the
best one was lucky."""


class Walks(NamedTuple):
    """Simulations under way."""

    states: NDArray[np.int8]  #: (n,) see `FREE`
    nodes: NDArray[np.int64]  #: (n,) the state in which each is
    keys: NDArray[np.uint64]  #: (n,) what the role knows there
    outside: NDArray[np.bool_]  #: (n,) whether a decision was new: the role then moves at random
    picks: NDArray[np.int32]  #: (n, roles) the choice of each role, as a number among its moves
    joints: NDArray[np.uint64]  #: (n,) the place of that joint move, or its key
    steps: NDArray[np.int64]  #: (n,) made so far
    lengths: NDArray[np.int64]  #: (n,) decisions on the path
    trail: NDArray[np.int64]  #: (n, decisions, 2) the arm and the decision


class StateEdges(NamedTuple):
    """Joint moves that were made in states."""

    targets: NDArray[np.int32]  #: (edges,) the node that each leads to
    observations: NDArray[np.uint64]  #: (edges,) hashes of what the role did and saw


class AloneOrder(NamedTuple):
    """An order to begin a number of walks from root states."""

    roots: NDArray[np.int64]
    bounds: Reals  #: (roots,) cumulative weights
    key: np.uint64  #: What the role knows in the roots
    observer: int
    most: int  #: Simulations to begin
    side_by_side: int
    most_steps: int  #: Steps after which none is begun: a look at the clock is due
    longest: int  #: Steps of one simulation; from there on the machine plays it out
    widest: int  #: Moves of a decision, at most
    plays_out: bool
    """Whether a simulation goes on at random where a decision was new; else it stops there."""
    is_full: bool  #: Whether nothing may be added any more


@native
def walk(  # noqa: PLR0912, PLR0915 - handing a dozen arrays to another kernel costs more than a step
    nodes: TreeNodes,
    edges: StateEdges,
    decisions: DecisionArrays,
    bounds: Reals,
    estimates: Reals,
    walks: Walks,
    order: AloneOrder,
    constant: float,
    seed: int,
) -> int:
    """Go on with all walks as far as states are known; how many were begun.

    bounds: (arms, 2) numbers that change only when an arm is visited: its value, and its factor of
    the bonus, 0 before the first visit. estimates: (decisions, columns), see `COUNTED`.
    """
    heads, goals, children, draws = nodes.heads, nodes.goals, nodes.children, nodes.chance_bounds
    joint_keys, joint_table = nodes.joint_keys, nodes.joint_table
    visits, arm_visits = decisions.visits, decisions.arm_visits
    table_keys, table_nodes = decisions.table_keys, decisions.table_nodes
    first_arms, arm_counts, moves = decisions.first_arms, decisions.arm_counts, nodes.chance_moves
    picks, trail = walks.picks, walks.trail
    observer, is_full = order.observer, order.is_full
    roles = goals.shape[1]
    decisions_room = len(visits) - len(walks.states)
    arms_room = len(arm_visits) - len(walks.states) * order.widest
    word = first_word(seed)
    begun = steps = 0
    for row in range(len(walks.states)):
        state, node, key = walks.states[row], walks.nodes[row], walks.keys[row]
        outside, made, length = walks.outside[row], walks.steps[row], walks.lengths[row]
        while state <= GOES_ON:
            if state == FREE:
                has_room = decisions.sizes[0] < decisions_room and decisions.sizes[1] < arms_room
                if row >= order.side_by_side or begun >= order.most or not (has_room or is_full):
                    break
                if steps > order.most_steps:
                    break
                word = next_word(word)
                node, key = (
                    root_by_weight(order.roots, order.bounds, uniform_of(word)),
                    order.key,
                )
                outside, made, length = False, 0, 0
                begun += 1
                state = GOES_ON
            end = heads[node, END]
            if end != NONE:
                _learn(decisions, bounds, estimates, trail, row, length, goals[end, observer])
                state = FREE
                continue
            if made >= order.longest or (outside and not order.plays_out):
                state = STANDS
                break
            steps += 1
            made += 1
            number = np.int64(0)
            for role in range(roles):
                at = HEAD + NUMBERS * role
                count = heads[node, at + COUNT]
                if count == 1:
                    continue
                word = next_word(word)
                uniform = uniform_of(word)
                move = heads[node, at + FIRST]
                decision = np.int64(NONE)
                is_new = False
                if role == observer and not outside:
                    # Where rules leave a role in doubt, other moves make another decision.
                    choice = mixed(key, np.uint64(heads[node, at + DECISION]))
                    place = place_of(table_keys, table_nodes, choice)
                    decision = table_nodes[place]
                    outside = is_new = decision == NONE
                    if is_full and not is_new and arm_counts[decision] == 0:
                        # It was met once, and there is no room for its moves any more.
                        decision, outside = np.int64(NONE), True
                if decision == NONE:
                    pick = by_bounds(draws, move, count, uniform)
                    if is_new and not is_full:
                        trail[row, length, 0] = NONE
                        trail[row, length, 1] = _add(decisions, estimates, place, choice, pick)
                        length += 1
                else:
                    if arm_counts[decision] == 0:
                        _give_arms(decisions, bounds, estimates, decision, moves, move, count)
                    first = first_arms[decision]
                    best = estimates[decision, BEST]
                    scale = best if best > 0.0 else 1.0
                    spread = constant * scale * np.sqrt(np.sqrt(visits[decision]))
                    arm = best_kept_bound(bounds, first, count, spread, uniform)
                    if bounds[arm, 1] == 0.0:
                        bounds[arm, 0] = estimates[decision, VALUE]
                    visits[decision] += 1.0
                    arm_visits[arm] += 1.0
                    bounds[arm, 1] = 1.0 / np.sqrt(arm_visits[arm])
                    trail[row, length, 0] = arm
                    trail[row, length, 1] = decision
                    length += 1
                    pick = arm - first
                picks[row, role] = pick
                number = number * count + pick
            block = heads[node, BLOCK]
            if block != NONE:
                place = np.uint64(block + number)
                edge = np.int64(children[place]) - 1
            else:
                place = joint_key(heads, picks, node, row, roles)
                edge = joint_table[place_of(joint_keys, joint_table, place)]
            if edge == NONE:
                walks.joints[row] = place
                state = LEAVES if is_full else ASKS
            else:
                node = np.int64(edges.targets[edge])
                key = mixed(key, edges.observations[edge])
        walks.states[row], walks.nodes[row], walks.keys[row] = state, node, key
        walks.outside[row], walks.steps[row], walks.lengths[row] = outside, made, length
    return begun


@native
def _add(
    decisions: DecisionArrays, estimates: Reals, place: np.uint64, key: np.uint64, pick: int
) -> int:
    """A new decision. Most are met once only: it has no arms until it is met again."""
    decision = decisions.sizes[0]
    decisions.sizes[0] += 1
    decisions.table_keys[place], decisions.table_nodes[place] = key, decision
    decisions.visits[decision] = 1.0
    estimates[decision, PICK] = pick
    return int(decision)


@native
def _give_arms(
    decisions: DecisionArrays,
    bounds: Reals,
    estimates: Reals,
    decision: np.int64,
    moves: NDArray[np.int32],
    move: int,
    count: int,
) -> None:
    """Give a decision the moves of a state, and the first of them its value so far."""
    first = decisions.sizes[1]
    decisions.sizes[1] += count
    decisions.first_arms[decision], decisions.arm_counts[decision] = first, count
    for pick in range(count):
        decisions.moves[first + pick] = moves[move + pick]
    arm = first + int(estimates[decision, PICK])
    decisions.arm_visits[arm] = 1.0
    decisions.arm_returns[arm] = estimates[decision, TRIED] = estimates[decision, COUNTED]
    decisions.arm_values[arm] = bounds[arm, 0] = estimates[decision, SUM]
    bounds[arm, 1] = 1.0


@native
def _learn(
    decisions: DecisionArrays,
    bounds: Reals,
    estimates: Reals,
    trail: NDArray[np.int64],
    row: int,
    length: int,
    goal: float,
) -> None:
    """Back up a value, the last decision first; each hands on how much its total value grew."""
    returns, values = decisions.arm_returns, decisions.arm_values
    gain = goal
    for at in range(length - 1, -1, -1):
        arm, decision = trail[row, at, 0], trail[row, at, 1]
        count, value = estimates[decision, COUNTED], estimates[decision, VALUE]
        first, arms = decisions.first_arms[decision], decisions.arm_counts[decision]
        if arms == 0:
            estimates[decision, COUNTED], estimates[decision, SUM] = 1.0, gain
            estimates[decision, VALUE] = estimates[decision, BEST] = gain
            continue
        if arm == NONE:
            arm = first + int(estimates[decision, PICK])
        if returns[arm] == 0.0:
            estimates[decision, TRIED] += 1.0
        returns[arm] += 1.0
        values[arm] += gain
        estimates[decision, SUM] += gain
        bounds[arm, 0] = values[arm] / returns[arm]
        before = count * value
        count += 1.0
        value = best = estimates[decision, SUM] / count
        if estimates[decision, TRIED] == arms:
            value, best = _of_best(returns, values, first, first + arms, value)
        estimates[decision, COUNTED] = count
        estimates[decision, VALUE], estimates[decision, BEST] = value, best
        gain = count * value - before


@native
def _of_best(
    returns: Reals, values: Reals, first: int, end: int, mean: float
) -> tuple[float, float]:
    """The value of the best arm with a prior against luck, and its mean. All have been tried."""
    more = (DOUBT * (end - first)) ** 2
    value = best = -np.inf
    for arm in range(first, end):
        value = max(value, (values[arm] + more * mean) / (returns[arm] + more))
        best = max(best, values[arm] / returns[arm])
    return value, best


@native
def learn_ends(
    decisions: DecisionArrays,
    bounds: Reals,
    estimates: Reals,
    walks: Walks,
    rows: NDArray[np.int64],
    goals: Reals,
) -> None:
    """Back up the values of simulations that have left the tree. goals: (rows,)"""
    for i in range(len(rows)):
        row = rows[i]
        _learn(decisions, bounds, estimates, walks.trail, row, walks.lengths[row], goals[i])
        walks.states[row] = FREE


@native
def joint_moves(
    nodes: TreeNodes, walks: Walks, rows: NDArray[np.int64], joints: NDArray[np.int32]
) -> None:
    """Fill in the joint moves that were chosen where walks wait. joints: (rows, roles)"""
    for i in range(len(rows)):
        node = walks.nodes[rows[i]]
        for role in range(joints.shape[1]):
            at = HEAD + NUMBERS * role
            first = nodes.heads[node, at + FIRST]
            if nodes.heads[node, at + COUNT] == 1:
                joints[i, role] = first
            else:
                joints[i, role] = nodes.chance_moves[first + walks.picks[rows[i], role]]
