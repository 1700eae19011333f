"""Adding nodes to a tree that simulations walk through (`tree_arrays`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.hash_table import NONE, place_of, refill_table
from fogspiel.core.kernels.hashing import FACTOR, HALF
from fogspiel.core.native import native
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

LARGEST_BLOCK = 256
"""Joint moves of a node that have a place each; of more, those that are made are in a table."""
FIRST_ROOM, FIRST_PLACES = 1 << 18, 1 << 11
"""Room takes no memory until it is used, and to make more later would take time when there is none.
Tables are written to all over, and grow."""
NODE, GOAL, CHANCE, CHILD, JOINT = 0, 1, 2, 3, 4
"""Columns of `TreeNodes.sizes`."""


def first_nodes(width: int, roles: int) -> TreeNodes:
    """Room for some nodes. width: of their rows."""
    return TreeNodes(
        sizes=np.zeros(5, np.int64),
        rows=np.zeros((FIRST_ROOM, width), np.uint64),
        table=np.full(FIRST_PLACES, NONE, np.int64),
        heads=np.zeros((FIRST_ROOM, HEAD + NUMBERS * roles), np.int32),
        goals=np.zeros((FIRST_ROOM, roles)),
        chance_bounds=np.zeros(FIRST_ROOM),
        chance_moves=np.zeros(FIRST_ROOM, np.int32),
        children=np.zeros(8 * FIRST_ROOM, np.int32),
        joint_keys=np.zeros(FIRST_PLACES, np.uint64),
        joint_table=np.full(FIRST_PLACES, NONE, np.int64),
    )


def bytes_of(nodes: TreeNodes) -> int:
    """Memory in use."""
    used = dict(zip(("rows", "goals", "chance_bounds", "children"), nodes.sizes, strict=False))
    used |= {"heads": used["rows"], "chance_moves": used["chance_bounds"]}
    total = nodes.table.nbytes + nodes.joint_keys.nbytes + nodes.joint_table.nbytes
    for name, count in used.items():
        total += int(count) * int(getattr(nodes, name)[:1].nbytes)
    return total


def has_room(nodes: TreeNodes, count: int) -> bool:
    """Whether so many nodes can be added without a larger table or a copy of all others."""
    used, joints = int(nodes.sizes[NODE]), int(nodes.sizes[JOINT])
    return (
        2 * (used + count) <= len(nodes.table)
        and used + count <= len(nodes.rows)
        and int(nodes.sizes[GOAL]) + count <= len(nodes.goals)
        and 2 * (joints + count) <= len(nodes.joint_keys)
    )


def with_room(nodes: TreeNodes, count: int, width: int) -> TreeNodes:
    """The same with room for more nodes, ends and joint moves, and for rows of a width."""
    used, goals, joints = (int(nodes.sizes[what]) for what in (NODE, GOAL, JOINT))
    rows = longer(nodes.rows, used, count)
    if width > rows.shape[1]:
        rows = np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
    table = nodes.table
    if 2 * (used + count) > len(table) or rows.shape != nodes.rows.shape:
        table = np.full(_places(len(table), used + count), NONE, np.int64)
        _refill_rows(rows, used, table)
    nodes = nodes._replace(
        rows=rows,
        table=table,
        heads=longer(nodes.heads, used, count),
        goals=longer(nodes.goals, goals, count),
    )
    if 2 * (joints + count) > len(nodes.joint_keys):
        places = _places(len(nodes.joint_keys), joints + count)
        keys, table = np.zeros(places, np.uint64), np.full(places, NONE, np.int64)
        refill_table(keys, table, nodes.joint_keys, nodes.joint_table)
        nodes = nodes._replace(joint_keys=keys, joint_table=table)
    return nodes


def _places(places: int, entries: int) -> int:
    """Of a table that is at most half full."""
    while places < 2 * entries:
        places *= 2
    return places


def with_moves(nodes: TreeNodes, chance: int, children: int) -> TreeNodes:
    """The same with room for more moves of chance and more children."""
    moves, used = int(nodes.sizes[CHANCE]), int(nodes.sizes[CHILD])
    return nodes._replace(
        chance_bounds=longer(nodes.chance_bounds, moves, chance),
        chance_moves=longer(nodes.chance_moves, moves, chance),
        children=longer(nodes.children, used, children),
    )


def longer(array: NDArray[Any], used: int, more: int) -> NDArray[Any]:
    """The array, or a longer one if it has no room for more."""
    if used + more <= len(array):
        return array
    length = len(array)
    while length < used + more:
        length *= 2
    grown = np.zeros((length, *array.shape[1:]), array.dtype)
    grown[:used] = array[:used]
    return grown


@native
def add_rows(nodes: TreeNodes, rows: NDArray[np.uint64], found: NDArray[np.int64]) -> int:
    """The node of each row; how many are new. There must be room for all of them.

    found: (n,) is filled in. New nodes come in the order of the rows.
    """
    before = nodes.sizes[NODE]
    width = rows.shape[1]
    mask = np.int64(len(nodes.table) - 1)
    for i in range(len(rows)):
        place = _hash(rows, i) & mask
        while True:
            node = nodes.table[place]
            if node == NONE:
                node = nodes.sizes[NODE]
                nodes.sizes[NODE] += 1
                nodes.table[place] = node
                nodes.rows[node] = rows[i]
                nodes.heads[node, END] = NONE
                break
            differing = np.uint64(0)
            for word in range(width):
                differing |= nodes.rows[node, word] ^ rows[i, word]
            if differing == 0:
                break
            place = (place + 1) & mask
        found[i] = node
    return int(nodes.sizes[NODE] - before)


@native
def _refill_rows(rows: NDArray[np.uint64], used: int, table: NDArray[np.int64]) -> None:
    mask = np.int64(len(table) - 1)
    for node in range(used):
        place = _hash(rows, node) & mask
        while table[place] != NONE:
            place = (place + 1) & mask
        table[place] = node


@native
def _hash(rows: NDArray[np.uint64], row: int) -> np.int64:
    mixed = np.uint64(0)
    for word in range(rows.shape[1]):
        mixed = (mixed ^ rows[row, word]) * FACTOR
        mixed ^= mixed >> HALF
    return np.int64(mixed)


@native
def add_decisions(
    nodes: TreeNodes,
    forest: Arrays,
    fresh: NDArray[np.int64],
    role: int,
    legal: NDArray[np.bool_],
    keys: NDArray[np.uint64],
) -> None:
    """Give a role its decisions in new nodes. legal: (fresh, moves). keys: (fresh,)"""
    at = HEAD + NUMBERS * role
    for i in range(len(fresh)):
        head = nodes.heads[fresh[i]]
        count, move = 0, 0
        for own in range(legal.shape[1]):
            if legal[i, own]:
                count += 1
                move = own
        head[at + COUNT] = count
        head[at + FIRST] = move
        if count <= 1:
            continue
        place = place_of(forest.table_keys, forest.table_nodes, keys[i])
        decision = forest.table_nodes[place]
        if decision == NONE:
            decision, arm = forest.sizes[0], forest.sizes[1]
            forest.sizes[0] += 1
            forest.sizes[1] += count
            forest.table_keys[place], forest.table_nodes[place] = keys[i], decision
            forest.first_arms[decision], forest.arm_counts[decision] = arm, count
            for own in range(legal.shape[1]):
                if legal[i, own]:
                    forest.moves[arm] = own
                    arm += 1
        head[at + FIRST] = forest.first_arms[decision]
        head[at + COUNT] = forest.arm_counts[decision]
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
            continue
        place = place_of(nodes.joint_keys, nodes.joint_table, joints[i])
        if nodes.joint_table[place] == NONE:
            nodes.joint_keys[place] = joints[i]
            nodes.joint_table[place] = targets[i]
            nodes.sizes[JOINT] += 1
