"""A tree of states in flat arrays: kernels walk down it, add to it, and learn in it.

A node is a state, however it was reached. Every role has its arms there, one for each legal move;
chance draws by its weights. A joint move that was made before leads to a node through a hash table.
So a simulation inside the tree needs no machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import (
    FACTOR,
    HALF,
    NONE,
    add_key,
    first_word,
    next_word,
    place_of,
    refill_table,
    uniform_of,
)
from fogspiel.core.native import inlined, native
from fogspiel.search.mcts.kernels.bandits import UCB, best_bound, drawn, reinforce
from fogspiel.search.mcts.kernels.tree_nodes import refill_rows

MOST_JOINTS = 1 << 30
"""Number of joint moves of a state from which on they are drawn rather than tried in turn."""


class StateNodes(NamedTuple):
    """States, and their successors."""

    sizes: NDArray[np.int64]  #: (3,) nodes, arms, and joint moves that lead to a node
    states: NDArray[np.uint64]  #: (nodes, words)
    ends: NDArray[np.bool_]  #: (nodes,) whether the game is over
    goals: NDArray[np.float64]  #: (nodes, roles) values there, between 0 and 1
    first_arms: NDArray[np.int64]  #: (nodes, roles)
    arm_counts: NDArray[np.int64]  #: (nodes, roles)
    state_table: NDArray[np.int64]  #: (places,) nodes by the hash of their state
    joint_keys: NDArray[np.uint64]  #: (places,) keys of a node with the number of a joint move
    joint_table: NDArray[np.int64]  #: (places,) the node that each leads to


class Arms(NamedTuple):
    """Statistics of moves."""

    moves: NDArray[np.int32]
    visits: NDArray[np.float64]
    returns: NDArray[np.float64]
    values: NDArray[np.float64]
    scores: NDArray[np.float64]  #: Scores by which the rule chooses; weights of chance
    strategy: NDArray[np.float64]


class ArmOwners(NamedTuple):
    """The decision that each arm belongs to."""

    roles: NDArray[np.int8]
    firsts: NDArray[np.int64]  #: The first arm of the decision
    ends: NDArray[np.int64]  #: One more than its last arm


class Paths(NamedTuple):
    """Paths of simulations inside the tree."""

    leaves: NDArray[np.int64]  #: (n,) the last node of each
    joints: NDArray[np.int64]
    """(n,) the joint move that leads out of the tree there; NONE where the game is over or the
    path is too long."""
    lengths: NDArray[np.int64]  #: (n,) decisions on the path
    arms: NDArray[np.int64]  #: (n, decisions)
    probabilities: NDArray[np.float64]  #: (n, decisions)


class Policy(NamedTuple):
    """The selection rule inside the tree."""

    rule: int
    constant: float
    jointly: bool  #: Whether all joint moves of a state are tried before the rule chooses there
    order: int  #: A seed for the order in which they are
    chance_role: int


@native
def descend(
    nodes: StateNodes,
    arms: Arms,
    roots: NDArray[np.int64],
    policy: Policy,
    seed: int,
    paths: Paths,
) -> None:
    """Walk from roots to leaves of the tree, by the policy."""
    rule, constant, chance_role = policy.rule, policy.constant, policy.chance_role
    roles = nodes.first_arms.shape[1]
    word = first_word(seed)
    first_arms, arm_counts = nodes.first_arms, nodes.arm_counts
    joint_keys, joint_table = nodes.joint_keys, nodes.joint_table
    visits, returns, values = arms.visits, arms.returns, arms.values
    scores, strategy = arms.scores, arms.strategy
    for row in range(len(roots)):
        node, length, steps = roots[row], 0, 0
        joint = np.int64(NONE)
        longest = paths.arms.shape[1]
        # Steps are counted too: in games without end nobody need have a choice any more.
        while not nodes.ends[node] and length + roles <= longest and steps < longest:
            steps += 1
            joint = np.int64(0)
            untried = _untried(nodes, visits, node, policy) if policy.jointly else np.int64(NONE)
            tries = untried != NONE
            for role in range(roles):
                first, count = first_arms[node, role], arm_counts[node, role]
                if count == 1:
                    continue
                word = next_word(word)
                uniform = uniform_of(word)
                if role == chance_role:
                    arm = _by_weight(scores, first, count, uniform)
                    joint = joint * count + (arm - first)
                    continue
                probability = 1.0
                if tries:
                    arm = first + untried % count
                    untried //= count
                elif rule == UCB:
                    arm = best_bound(visits, returns, values, first, count, constant, uniform)
                else:
                    arm, probability = drawn(
                        scores, strategy, rule, first, count, constant, uniform
                    )
                visits[arm] += 1.0
                paths.arms[row, length] = arm
                paths.probabilities[row, length] = probability
                length += 1
                joint = joint * count + (arm - first)
            place = place_of(joint_keys, joint_table, _edge_key(node, joint))
            if joint_table[place] == NONE:
                break
            node = joint_table[place]
            joint = np.int64(NONE)
        paths.leaves[row], paths.joints[row], paths.lengths[row] = node, joint, length


@native
def _untried(nodes: StateNodes, visits: NDArray[np.float64], node: int, policy: Policy) -> np.int64:
    """The number of a joint move that was never made in a node; NONE if there is none.

    They come in an order without repetition, a stride through all of them. So the visits of the
    node, the same for every role that has a choice there, say which is next. Where one role alone
    has a choice, its own moves are all that there is to try, and its rule sees to that.
    """
    choosing, joints, visited = 0, np.int64(1), 0.0
    for role in range(nodes.first_arms.shape[1]):
        first, count = nodes.first_arms[node, role], nodes.arm_counts[node, role]
        if role == policy.chance_role or count == 1:
            continue
        choosing, joints, visited = choosing + 1, min(joints * count, np.int64(MOST_JOINTS)), 0.0
        for arm in range(first, first + count):
            visited += visits[arm]
    if choosing < 2 or visited >= joints:
        return np.int64(NONE)
    word = next_word((first_word(policy.order) + np.uint64(node) * FACTOR) | np.uint64(1))
    if joints == MOST_JOINTS:
        # So many are never all made, and a draw hardly comes again.
        return np.int64(first_word(int(word >> HALF) + int(visited)) >> np.uint64(1))
    offset = np.int64(word >> HALF) % joints
    stride = np.int64(next_word(word) >> HALF) % joints
    while _common_divisor(stride, joints) != 1:
        stride += 1
    return np.int64((offset + np.int64(visited) * stride) % joints)


@native
def _common_divisor(one: np.int64, other: np.int64) -> np.int64:
    while other:
        one, other = other, one % other
    return one


@inlined
def _edge_key(node: np.int64, joint: np.int64) -> np.uint64:
    """The key of a joint move in a node. Many roles with many moves have more than 2^32."""
    return (np.uint64(node) * FACTOR) ^ np.uint64(joint)


@native
def _by_weight(scores: NDArray[np.float64], first: int, count: int, uniform: float) -> int:
    left = uniform
    chosen = first
    for arm in range(first, first + count):
        if scores[arm] > 0.0:
            chosen = arm
            left -= scores[arm]
            if left < 0.0:
                break
    return int(chosen)


@native
def learn(
    arms: Arms,
    owners: ArmOwners,
    rule: int,
    exploration: float,
    paths: Paths,
    goals: NDArray[np.float64],
) -> None:
    """Back up the values of simulations along their paths. goals: (n, roles), 0 to 1."""
    for row in range(len(goals)):
        for at in range(paths.lengths[row]):
            arm = paths.arms[row, at]
            value = goals[row, owners.roles[arm]]
            arms.returns[arm] += 1.0
            arms.values[arm] += value
            first = owners.firsts[arm]
            count = owners.ends[arm] - first
            probability = paths.probabilities[row, at]
            reinforce(arms.scores, rule, exploration, first, count, arm, probability, value)


@native
def add_arms(
    nodes: StateNodes, arms: Arms, owners: ArmOwners, first_node: int, role: int,
    legal: NDArray[np.bool_], weights: NDArray[np.float64],
) -> None:  # fmt: skip
    """Give a role its arms in the nodes from one on. weights: (n, moves) of chance, or empty."""
    for row in range(len(legal)):
        first = nodes.sizes[1]
        for move in range(legal.shape[1]):
            if legal[row, move]:
                arm = nodes.sizes[1]
                nodes.sizes[1] += 1
                arms.moves[arm] = move
                owners.roles[arm] = role
                owners.firsts[arm] = first
                if weights.shape[1]:
                    arms.scores[arm] = weights[row, move]
        owners.ends[first : nodes.sizes[1]] = nodes.sizes[1]
        nodes.first_arms[first_node + row, role] = first
        nodes.arm_counts[first_node + row, role] = nodes.sizes[1] - first


@native
def joint_moves(
    nodes: StateNodes, arms: Arms, owners: NDArray[np.int64], numbers: NDArray[np.int64],
    joints: NDArray[np.int32],
) -> None:  # fmt: skip
    """Fill in the moves that numbers of joint moves stand for. joints: (n, roles)"""
    for row in range(len(owners)):
        rest = numbers[row]
        for role in range(joints.shape[1] - 1, -1, -1):
            count = nodes.arm_counts[owners[row], role]
            joints[row, role] = arms.moves[nodes.first_arms[owners[row], role] + rest % count]
            rest //= count


@native
def add_edges(
    nodes: StateNodes,
    owners: NDArray[np.int64],
    numbers: NDArray[np.int64],
    targets: NDArray[np.int64],
) -> None:
    """Let joint moves lead to nodes."""
    for row in range(len(owners)):
        key = _edge_key(owners[row], numbers[row])
        if add_key(nodes.joint_keys, nodes.joint_table, key, targets[row]):
            nodes.sizes[2] += 1


@native
def refill(nodes: StateNodes, old_keys: NDArray[np.uint64], old_table: NDArray[np.int64]) -> None:
    """Enter all nodes and joint moves into larger tables."""
    refill_rows(nodes.states, nodes.sizes[0], nodes.state_table)
    refill_table(nodes.joint_keys, nodes.joint_table, old_keys, old_table)
