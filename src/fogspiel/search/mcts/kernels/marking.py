"""Marks for what a pruned tree keeps: all that can be reached from the roots of a search.

Marks are 0 for what goes; `number` turns them into one more than the new number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import NONE, mixed
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.decisions import (
    Decisions,
    place_of_key,
    present_row,
    row_of_key,
)
from fogspiel.search.mcts.kernels.graph import (
    BLOCK,
    COUNT,
    DECISION,
    END,
    HEAD,
    LOW,
    NODE,
    NUMBERS,
    SET,
    Graph,
)
from fogspiel.search.mcts.kernels.simulations import ADDED, BY_NODE

Marks = NDArray[np.int32]
Words = NDArray[np.uint64]
Indices = NDArray[np.int64]


@native
def children_of(graph: Graph, node: np.int64) -> tuple[np.int64, np.int64]:
    """The first child of a node with a block, and how many it has room for; 0 for others."""
    if graph.heads[node, END] != NONE or graph.heads[node, BLOCK] == NONE:
        return np.int64(0), np.int64(0)
    count = np.int64(1)
    for role in range(graph.goals.shape[1]):
        count *= graph.heads[node, HEAD + NUMBERS * role + COUNT]
    return np.int64(graph.heads[node, BLOCK]), count


@native
def joint_lists(graph: Graph, first: Indices, following: Indices) -> None:
    """List the joint moves in the table by the node that they leave.

    first: (nodes,) the place of one of them, NONE for none. following: (places,) the next one.
    """
    for place in range(len(graph.joint_table)):
        if graph.joint_table[place] != NONE:
            owner = graph.joint_table[place] >> np.int64(32)
            following[place] = first[owner]
            first[owner] = place


@native
def mark_nodes(
    graph: Graph, roots: Indices, first: Indices, following: Indices, nodes: Marks, edges: Marks
) -> None:
    """Mark the nodes that can be reached from roots, and the edges that lead there."""
    carried = graph.edge_words.shape[1] > 0
    stack = np.empty(graph.sizes[NODE] + 1, np.int64)
    height = 0
    for root in roots:
        if nodes[root] == 0:
            nodes[root] = 1
            stack[height] = root
            height += 1
    while height:
        height -= 1
        node = stack[height]
        start, count = children_of(graph, node)
        place = first[node]
        while count or place != NONE:
            if count:
                count -= 1
                child = np.int64(graph.children[start + count])
            else:
                child = graph.joint_table[place] & np.int64(LOW)
                place = following[place]
            if child == 0:
                continue
            target = child - 1
            if carried:
                edges[child - 1] = 1
                target = np.int64(graph.edge_nodes[child - 1])
            if nodes[target] == 0:
                nodes[target] = 1
                stack[height] = target
                height += 1


@native
def mark_decisions(
    graph: Graph, decisions: Decisions, columns: Indices, nodes: Marks, kept: Marks
) -> None:
    """Mark the decisions at marked nodes that are found by nodes, or by what is known there."""
    for node in range(graph.sizes[NODE]):
        if nodes[node] == 0 or graph.heads[node, END] != NONE:
            continue
        for role in range(len(columns)):
            at = HEAD + NUMBERS * role
            row = np.int64(NONE)
            if columns[role] == BY_NODE:
                row = np.int64(graph.heads[node, at + DECISION]) - 1
            elif columns[role] < BY_NODE:
                known = graph.rows[node, -2 - columns[role]]
                key = known ^ graph.set_keys[graph.heads[node, at + SET]]
                row = row_of_key(decisions.table, key)
            if row != NONE:
                kept[present_row(decisions.rows, row)] = 1


@native
def mark_carried(  # noqa: PLR0912 - one loop over all that is carried
    graph: Graph, decisions: Decisions, columns: Indices, combine: int, roots: Indices,
    root_keys: Words, first: Indices, following: Indices, met: Words, pairs: Words, kept: Marks,
) -> bool:  # fmt: skip
    """Mark decisions that simulations from roots can come to; whether all fitted.

    met: (places, 2) room for keys of pairs of a node and what is carried there. pairs: (most, 1 +
    carried) room for such pairs.
    """
    carried = root_keys.shape[1]
    width, height, found = 1 + carried, 0, 0
    for i in range(len(roots)):
        pairs[height, 0] = np.uint64(roots[i])
        for column in range(carried):
            pairs[height, 1 + column] = root_keys[i, column]
        height += 1
    while height:
        height -= 1
        node = np.int64(pairs[height, 0])
        known = pairs[height, 1:].copy()
        pair = mixed(np.uint64(0), np.uint64(node))
        for column in range(carried):
            pair = mixed(pair, known[column])
        place = place_of_key(met, pair)
        if met[place, 1] != np.uint64(0) or graph.heads[node, END] != NONE:
            continue
        met[place, 0], met[place, 1] = pair, np.uint64(1)
        found += 1
        if 2 * found > len(met):
            return False
        is_known = True
        for role in range(len(columns)):
            at = HEAD + NUMBERS * role
            if columns[role] >= 0 and graph.heads[node, at + COUNT] > 1:
                key = known[columns[role]] ^ graph.set_keys[graph.heads[node, at + SET]]
                row = row_of_key(decisions.table, key)
                is_known &= row != NONE
                if row != NONE:
                    kept[present_row(decisions.rows, row)] = 1
        if not is_known:
            # Nothing was learnt beyond a decision that was never met.
            continue
        start, count = children_of(graph, node)
        listed = first[node]
        while count or listed != NONE:
            if count:
                count -= 1
                child = np.int64(graph.children[start + count])
            else:
                child = graph.joint_table[listed] & np.int64(LOW)
                listed = following[listed]
            if child == 0:
                continue
            if height == len(pairs):
                return False
            pairs[height, 0] = np.uint64(graph.edge_nodes[child - 1])
            for column in range(1, width):
                word, before = graph.edge_words[child - 1, column - 1], known[column - 1]
                pairs[height, column] = before + word if combine == ADDED else mixed(before, word)
            height += 1
    return True


@native
def mark_sets(graph: Graph, nodes: Marks, sets: Marks) -> None:
    """Mark the sets of moves of marked nodes."""
    for node in range(graph.sizes[NODE]):
        if nodes[node] and graph.heads[node, END] == NONE:
            for role in range(graph.goals.shape[1]):
                sets[graph.heads[node, HEAD + NUMBERS * role + SET]] = 1


@native
def number(marks: Marks) -> int:
    """Replace marks by one more than the new number; how many there are."""
    count = 0
    for old in range(len(marks)):
        if marks[old]:
            count += 1
            marks[old] = count
    return count
