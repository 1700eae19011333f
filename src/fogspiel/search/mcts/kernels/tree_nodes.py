"""Nodes of a search tree in flat arrays: kernels add them and find the way from one to another.

A node is a state, together with what roles know there as far as decisions depend on it. Searches
that walk through nodes without asking the machine (`tree_arrays`, `alone_arrays`, `state_arrays`)
share these records, numbers and steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import FACTOR, HALF, NONE, add_key, folded
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.bandits import DecisionArrays, choices_of, decision_at

END, BLOCK, HEAD = 0, 1, 2
"""Columns of `TreeNodes.heads`: the row of goals, the first child; then three for each role."""
FIRST, COUNT, DECISION = 0, 1, 2
"""Columns for each role: its first arm or move of chance, or its only move; the number of its
moves; its decision."""
NUMBERS = 3
NODE, GOAL, CHANCE, CHILD, JOINT = 0, 1, 2, 3, 4  #: Columns of `TreeNodes.sizes`
LARGEST_BLOCK = 256
"""Joint moves of a node that have a place each; where there are more, a table holds those made."""
FREE, GOES_ON, ASKS, LEAVES, STANDS = 0, 1, 2, 3, 4
"""States of a walk: it is not begun; it goes on; it waits for the node that its joint move leads
to; it leaves the tree by that joint move; or it leaves the tree from the node where it stands."""


class TreeNodes(NamedTuple):
    """States with what is known there, and their successors."""

    sizes: NDArray[np.int64]
    """(5,) nodes, rows of goals, moves of chance, children, and joint moves in the table."""
    rows: NDArray[np.uint64]  #: (nodes, known + words) what roles know, and the state
    table: NDArray[np.int64]  #: (places,) nodes by the hash of their rows
    heads: NDArray[np.int32]
    """(nodes, 2 + 3 * roles) all that a walk needs of a node, side by side."""
    goals: NDArray[np.float64]  #: (ends, roles) values where the game is over
    chance_bounds: NDArray[np.float64]
    """Cumulative weights of the moves of chance, of one node after the other."""
    chance_moves: NDArray[np.int32]
    children: NDArray[np.int32]
    """Successors of nodes with few joint moves, in lexicographic order of these: one more than the
    node; 0 where the joint move was not made."""
    joint_keys: NDArray[np.uint64]  #: (places,) hashes of the joint moves of other nodes
    joint_table: NDArray[np.int64]


@native
def find_rows(
    stored: NDArray[np.uint64],
    table: NDArray[np.int64],
    sizes: NDArray[np.int64],
    rows: NDArray[np.uint64],
    found: NDArray[np.int64],
) -> int:
    """Find the node of each row, and add those that are new; how many these are.

    stored: (nodes, words) with room for all. sizes: the number of nodes comes first, and grows.
    found: (n,) is filled in. New nodes come in the order of the rows.
    """
    before = sizes[NODE]
    mask = np.int64(len(table) - 1)
    for i in range(len(rows)):
        place = _hash(rows, i) & mask
        while True:
            node = table[place]
            if node == NONE:
                node = sizes[NODE]
                sizes[NODE] += 1
                table[place] = node
                stored[node] = rows[i]
                break
            differing = np.uint64(0)
            for word in range(rows.shape[1]):
                differing |= stored[node, word] ^ rows[i, word]
            if differing == 0:
                break
            place = (place + 1) & mask
        found[i] = node
    return int(sizes[NODE] - before)


@native
def refill_rows(stored: NDArray[np.uint64], used: int, table: NDArray[np.int64]) -> None:
    """Enter all nodes into an empty table."""
    mask = np.int64(len(table) - 1)
    for node in range(used):
        place = _hash(stored, node) & mask
        while table[place] != NONE:
            place = (place + 1) & mask
        table[place] = node


@native
def _hash(rows: NDArray[np.uint64], row: int) -> np.int64:
    mixed = np.uint64(0)
    for word in range(rows.shape[1]):
        mixed = folded(mixed, rows[row, word])
    return np.int64(mixed)


@native
def add_decisions(
    nodes: TreeNodes,
    decisions: DecisionArrays,
    fresh: NDArray[np.int64],
    role: int,
    legal: NDArray[np.bool_],
    keys: NDArray[np.uint64],
) -> None:
    """Give a role its decisions in new nodes. legal: (fresh, moves). keys: (fresh,)"""
    at = HEAD + NUMBERS * role
    for i in range(len(fresh)):
        head = nodes.heads[fresh[i]]
        count, only = choices_of(legal, i)
        head[at + COUNT] = count
        head[at + FIRST] = only
        if count > 1:
            decision, _ = decision_at(decisions, keys[i], legal, i, count)
            head[at + FIRST] = decisions.first_arms[decision]
            head[at + COUNT] = decisions.arm_counts[decision]
            head[at + DECISION] = decision


@native
def add_chance(
    nodes: TreeNodes, fresh: NDArray[np.int64], role: int, weights: NDArray[np.float64]
) -> None:
    """Give chance its moves in new nodes. weights: (fresh, moves)"""
    at = HEAD + NUMBERS * role
    for i in range(len(fresh)):
        first = nodes.sizes[CHANCE]
        total = 0.0
        for move in range(weights.shape[1]):
            if weights[i, move] > 0.0:
                total += weights[i, move]
                nodes.chance_bounds[nodes.sizes[CHANCE]] = total
                nodes.chance_moves[nodes.sizes[CHANCE]] = move
                nodes.sizes[CHANCE] += 1
        count = nodes.sizes[CHANCE] - first
        nodes.heads[fresh[i], at + COUNT] = count
        nodes.heads[fresh[i], at + FIRST] = first
        if count == 1:
            nodes.heads[fresh[i], at + FIRST] = nodes.chance_moves[first]
            nodes.sizes[CHANCE] = first


@native
def add_blocks(nodes: TreeNodes, fresh: NDArray[np.int64]) -> None:
    """Give new nodes room for their children, where these are few."""
    roles = nodes.goals.shape[1]
    for i in range(len(fresh)):
        product = 1.0
        for role in range(roles):
            product *= nodes.heads[fresh[i], HEAD + NUMBERS * role + COUNT]
        nodes.heads[fresh[i], BLOCK] = NONE
        if product <= LARGEST_BLOCK:
            nodes.heads[fresh[i], BLOCK] = nodes.sizes[CHILD]
            nodes.sizes[CHILD] += int(product)


@native
def link(
    nodes: TreeNodes,
    owners: NDArray[np.int64],
    joints: NDArray[np.uint64],
    targets: NDArray[np.int64],
) -> None:
    """Let joint moves lead to nodes."""
    for i in range(len(owners)):
        if nodes.heads[owners[i], BLOCK] != NONE:
            nodes.children[joints[i]] = targets[i] + 1
        elif add_key(nodes.joint_keys, nodes.joint_table, joints[i], targets[i]):
            nodes.sizes[JOINT] += 1


@native
def root_by_weight(roots: NDArray[np.int64], bounds: NDArray[np.float64], uniform: float) -> int:
    """A root by its weight."""
    sought = uniform * bounds[-1]
    low, high = 0, len(bounds) - 1
    while low < high:
        middle = (low + high) // 2
        if bounds[middle] > sought:
            high = middle
        else:
            low = middle + 1
    return int(roots[low])


@native
def by_bounds(bounds: NDArray[np.float64], first: int, count: int, uniform: float) -> int:
    """A move of chance, as a number among those of the node."""
    sought = uniform * bounds[first + count - 1]
    pick = 0
    while pick < count - 1 and bounds[first + pick] <= sought:
        pick += 1
    return pick


@native
def joint_key(
    heads: NDArray[np.int32], picks: NDArray[np.int32], node: int, row: int, roles: int
) -> np.uint64:
    """A hash of 64 bits: numbers of joint moves may be larger than any word."""
    key = np.uint64(node + 1) * FACTOR
    for role in range(roles):
        if heads[node, HEAD + NUMBERS * role + COUNT] > 1:
            key = ((key ^ (key >> HALF)) + np.uint64(picks[row, role] + 1)) * FACTOR
    return key
