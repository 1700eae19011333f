"""The graph of states that simulations walk through: what the machine said, and no statistics.

A node is a state, together with what some roles know there if the search tells nodes apart by that.
Joint moves that were made before lead to other nodes, so that a simulation inside the graph needs
no machine. All arrays grow at their ends only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import FACTOR, HALF, NONE, add_key, folded, mixed, place_of
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.parts import step

END, BLOCK, HEAD = 0, 1, 2
"""Columns of `Graph.heads`: the row of goals and the first child, then three for each role."""
SET, COUNT, DECISION, NUMBERS = 0, 1, 2, 3
"""Columns for each role: its set of moves, their number, and one more than its decision."""
NODE, GOAL, CHILD, EDGE, SETS, MOVE, BOUND, JOINT, SIZES = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""Columns of `Graph.sizes`."""
LARGEST_BLOCK = 256
"""Joint moves of a node that have a place each; where there are more, a table holds those made."""
LOW = np.uint64(0xFFFFFFFF)

Words = NDArray[np.uint64]
Reals = NDArray[np.float64]
Indices = NDArray[np.int64]


class Graph(NamedTuple):
    """States and their successors."""

    sizes: Indices
    """(8,) nodes, rows of goals, children, edges, sets of moves, moves and bounds of these, and
    joint moves in the table."""
    rows: Words  #: (nodes, known + words) what roles know, and the state
    table: Words  #: (places,) half a hash of a row, and one more than its node; 0 where free
    heads: NDArray[np.int32]  #: (nodes, 2 + 3 * roles) all that a walk needs of a node
    goals: Reals  #: (ends, roles) values where the game is over
    children: NDArray[np.int32]
    """One more than the edge or node that each joint move leads to, in lexicographic order for each
    node with few joint moves; 0 where it was not made."""
    joint_keys: Words  #: (places,) keys of joint moves of other nodes
    joint_table: Indices  #: (places,) the same for them, below 2^32; above, the node they leave
    edge_nodes: NDArray[np.int32]  #: (edges,) the node that an edge leads to
    edge_words: Words  #: (edges, carried) keys of what roles observe on the way
    set_keys: Words  #: (sets,) keys of a role with its moves
    set_rows: Indices  #: (sets, 2) the first move, and the first bound; NONE if drawn uniformly
    set_places: Words  #: (places, 2) hashes of sets with their weights, and one more than the set
    moves: NDArray[np.int32]  #: Moves of sets, one set after the other
    bounds: Reals  #: Cumulative weights of moves of chance


@native
def add_states(graph: Graph, rows: Words, found: Indices) -> int:
    """Find the node of each row, and add those that are new; how many these are.

    found: (n,) is filled in. There must be room.
    """
    before = graph.sizes[NODE]
    mask = np.uint64(len(graph.table) - 1)
    for i in range(len(rows)):
        half = np.uint64(0)
        for word in range(rows.shape[1]):
            half = folded(half, rows[i, word])
        half &= LOW
        place = half & mask
        while True:
            entry = graph.table[place]
            if entry == np.uint64(0):
                node = graph.sizes[NODE]
                graph.sizes[NODE] += 1
                graph.table[place] = (half << HALF) | np.uint64(node + 1)
                for word in range(rows.shape[1]):
                    graph.rows[node, word] = rows[i, word]
                break
            if entry >> HALF == half:
                node = np.int64(entry & LOW) - 1
                differing = np.uint64(0)
                for word in range(rows.shape[1]):
                    differing |= graph.rows[node, word] ^ rows[i, word]
                if differing == np.uint64(0):
                    break
            place = (place + np.uint64(1)) & mask
        found[i] = node
    return int(graph.sizes[NODE] - before)


@native
def find_states(graph: Graph, rows: Words, found: Indices) -> None:
    """Fill in the node of each row; NONE where there is none."""
    mask = np.uint64(len(graph.table) - 1)
    for i in range(len(rows)):
        half = np.uint64(0)
        for word in range(rows.shape[1]):
            half = folded(half, rows[i, word])
        half &= LOW
        place = half & mask
        found[i] = NONE
        while graph.table[place] != np.uint64(0) and found[i] == NONE:
            if graph.table[place] >> HALF == half:
                node = np.int64(graph.table[place] & LOW) - 1
                differing = np.uint64(0)
                for word in range(rows.shape[1]):
                    differing |= graph.rows[node, word] ^ rows[i, word]
                if differing == np.uint64(0):
                    found[i] = node
            place = (place + np.uint64(1)) & mask


@native
def add_sets(graph: Graph, first: int, role: int, legal: NDArray[np.bool_], weights: Reals) -> int:
    """Give new nodes from one on the set of moves that a role has there; the largest is returned.

    legal: (n, moves). weights: (n, moves) of the moves of chance; empty for other roles.
    """
    at, widest = HEAD + NUMBERS * role, 1
    weighted = weights.shape[1] > 0
    mask = np.uint64(len(graph.set_places) - 1)
    for i in range(len(legal)):
        if graph.heads[first + i, END] != NONE:
            continue
        key = mixed(np.uint64(0), np.uint64(role + 1))
        count, least, most = 0, np.inf, 0.0
        for move in range(legal.shape[1]):
            if legal[i, move]:
                count += 1
                key = mixed(key, np.uint64(move) + (np.uint64(1) << HALF))
                if weighted:
                    least, most = min(least, weights[i, move]), max(most, weights[i, move])
        even = not weighted or least == most
        place_key = key
        if not even:
            for move in range(legal.shape[1]):
                if legal[i, move]:
                    place_key = mixed(place_key, np.uint64(weights[i, move] / most * 2.0**52))
        place = place_key & mask
        while graph.set_places[place, 1] != 0 and graph.set_places[place, 0] != place_key:
            place = (place + np.uint64(1)) & mask
        if graph.set_places[place, 1] == 0:
            graph.set_places[place, 0] = place_key
            graph.set_places[place, 1] = np.uint64(graph.sizes[SETS] + 1)
            _fill_set(graph, key, legal, weights, i, even)
        graph.heads[first + i, at + SET] = np.int64(graph.set_places[place, 1]) - 1
        graph.heads[first + i, at + COUNT] = count
        graph.heads[first + i, at + DECISION] = 0
        widest = max(widest, count)
    return widest


@native
def _fill_set(
    graph: Graph, key: np.uint64, legal: NDArray[np.bool_], weights: Reals, row: int, even: bool
) -> None:
    number = graph.sizes[SETS]
    graph.sizes[SETS] += 1
    graph.set_keys[number] = key
    graph.set_rows[number, 0] = graph.sizes[MOVE]
    graph.set_rows[number, 1] = NONE if even else graph.sizes[BOUND]
    total = 0.0
    for move in range(legal.shape[1]):
        if legal[row, move]:
            graph.moves[graph.sizes[MOVE]] = move
            graph.sizes[MOVE] += 1
            if not even:
                total += weights[row, move]
                graph.bounds[graph.sizes[BOUND]] = total
                graph.sizes[BOUND] += 1


@native
def refill_sets(places: Words, old: Words) -> None:
    """Enter all sets into a larger table."""
    mask = np.uint64(len(places) - 1)
    for entry in range(len(old)):
        if old[entry, 1] != 0:
            place = old[entry, 0] & mask
            while places[place, 1] != 0:
                place = (place + np.uint64(1)) & mask
            places[place, 0], places[place, 1] = old[entry, 0], old[entry, 1]


@native
def add_blocks(graph: Graph, first: int, count: int) -> None:
    """Give new nodes room for their children, where these are few."""
    roles = graph.goals.shape[1]
    for node in range(first, first + count):
        graph.heads[node, BLOCK] = NONE
        if graph.heads[node, END] != NONE:
            continue
        product = 1.0
        for role in range(roles):
            product *= graph.heads[node, HEAD + NUMBERS * role + COUNT]
        if product <= LARGEST_BLOCK:
            graph.heads[node, BLOCK] = graph.sizes[CHILD]
            graph.sizes[CHILD] += int(product)


@native
def link(graph: Graph, owners: Indices, places: Words, targets: Indices, words: Words) -> None:
    """Let joint moves lead to nodes.

    owners: (n,) the nodes they leave. places: (n,) the places of children, or the keys of joint
    moves (`joint_key`). words: (n, carried) keys of what roles observe, for walks that carry what
    roles know; else of no width.
    """
    for i in range(len(owners)):
        child = targets[i]
        if words.shape[1]:
            child = graph.sizes[EDGE]
            graph.edge_nodes[child] = targets[i]
            for column in range(words.shape[1]):
                graph.edge_words[child, column] = words[i, column]
            graph.sizes[EDGE] += 1
        if graph.heads[owners[i], BLOCK] != NONE:
            graph.children[places[i]] = child + 1
        else:
            value = (owners[i] << np.int64(32)) | (child + 1)
            if add_key(graph.joint_keys, graph.joint_table, places[i], value):
                graph.sizes[JOINT] += 1


@step
def joint_key(heads: NDArray[np.int32], picks: NDArray[np.int32], node: int, row: int) -> np.uint64:
    """A key of the joint move that a simulation makes in a node."""
    key = np.uint64(0)
    for role in range(picks.shape[1]):
        if heads[node, HEAD + NUMBERS * role + COUNT] > 1:
            key = ((key ^ (key >> HALF)) + np.uint64(picks[row, role] + 1)) * FACTOR
    return node_key(node, key)


@step
def node_key(node: int, picks: np.uint64) -> np.uint64:
    """A key of picks with their node; by the same step, that of the picks comes back from it."""
    return (np.uint64(node + 1) * FACTOR) ^ picks


@step
def child_in_table(keys: Words, table: Indices, key: np.uint64) -> np.int64:
    """One more than the child of a joint move in the table; 0 where it was not made."""
    value = table[place_of(keys, table, key)]
    return np.int64(0) if value == NONE else value & np.int64(0xFFFFFFFF)


@native
def joint_moves(
    graph: Graph,
    nodes: Indices,
    picks: NDArray[np.int32],
    rows: Indices,
    joints: NDArray[np.int32],
) -> None:
    """Fill in the joint moves that simulations chose at their nodes. joints: (rows, roles)"""
    for i in range(len(rows)):
        node = nodes[rows[i]]
        for role in range(joints.shape[1]):
            at = HEAD + NUMBERS * role
            first = graph.set_rows[graph.heads[node, at + SET], 0]
            pick = picks[rows[i], role] if graph.heads[node, at + COUNT] > 1 else 0
            joints[i, role] = graph.moves[first + pick]
