"""Pruning of a tree: what can still be reached moves to the front of its arrays.

Numbers only become smaller, and their order stays, so that everything moves within its array.
Marks are those of `marking`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import HALF, NONE, add_key, folded
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.decisions import (
    KEYS,
    MOVES,
    ROWS,
    Decisions,
    keep_key,
    present_row,
)
from fogspiel.search.mcts.kernels.graph import (
    BLOCK,
    BOUND,
    CHILD,
    DECISION,
    EDGE,
    END,
    GOAL,
    HEAD,
    LOW,
    MOVE,
    NODE,
    NUMBERS,
    SET,
    SETS,
    Graph,
    node_key,
)
from fogspiel.search.mcts.kernels.marking import children_of

Marks = NDArray[np.int32]
Words = NDArray[np.uint64]
Indices = NDArray[np.int64]


@native
def keep_decisions(decisions: Decisions, headers: int, kept: Marks) -> None:
    """Move marked decisions to the front. kept: (rows,) is filled with their new rows."""
    rows, used, end = decisions.rows, 1, decisions.sizes[ROWS]
    for old in range(1, end):
        if kept[old]:
            kept[old] = used
            for row in range(headers + int(rows[old, MOVES])):
                for column in range(rows.shape[1]):
                    rows[used, column] = rows[old + row, column]
                used += 1
    decisions.sizes[ROWS], decisions.sizes[KEYS] = used, 0
    for row in range(used, end):
        for column in range(rows.shape[1]):
            rows[row, column] = 0.0


@native
def present_rows(decisions: Decisions, places: Indices) -> None:
    """Fill in the row at which the decision of each place of the table stands; NONE for none."""
    for place in range(len(places)):
        places[place] = NONE
        if decisions.table[place, 1] != np.uint64(0):
            places[place] = present_row(decisions.rows, np.int64(decisions.table[place, 1]) - 1)


@native
def keep_keys(old: Decisions, places: Indices, kept: Marks, decisions: Decisions) -> None:
    """Enter the keys of decisions that were kept into the table of the new ones.

    places: (places,) rows before they moved.
    """
    for place in range(len(places)):
        if places[place] != NONE and kept[places[place]]:
            keep_key(decisions, old.table[place, 0], np.int64(kept[places[place]]))


@native
def present_heads(graph: Graph, decisions: Decisions, columns: Indices) -> None:
    """Let nodes point to the rows at which their decisions stand."""
    for node in range(graph.sizes[NODE]):
        for role in range(len(columns)):
            at = HEAD + NUMBERS * role + DECISION
            if columns[role] < 0 and graph.heads[node, END] == NONE and graph.heads[node, at]:
                row = np.int64(graph.heads[node, at]) - 1
                graph.heads[node, at] = present_row(decisions.rows, row) + 1


@native
def keep_nodes(  # noqa: PLR0912 - all that a node has, in one pass
    graph: Graph, nodes: Marks, edges: Marks, sets: Marks, kept: Marks
) -> None:
    """Move nodes to the front, with their goals and children, and edges.

    nodes, edges, sets, kept: one more than the new numbers, and new rows of decisions.
    """
    roles, carried = graph.goals.shape[1], graph.edge_words.shape[1]
    goals = children = 0
    before = graph.sizes[CHILD]
    for old in range(graph.sizes[NODE]):
        if nodes[old] == 0:
            continue
        start, count = children_of(graph, np.int64(old))
        new, end = nodes[old] - 1, graph.heads[old, END]
        for word in range(graph.rows.shape[1]):
            graph.rows[new, word] = graph.rows[old, word]
        for column in range(graph.heads.shape[1]):
            graph.heads[new, column] = graph.heads[old, column]
        if end != NONE:
            for role in range(roles):
                graph.goals[goals, role] = graph.goals[end, role]
            graph.heads[new, END] = goals
            goals += 1
            continue
        for role in range(roles):
            at = HEAD + NUMBERS * role
            graph.heads[new, at + SET] = sets[graph.heads[new, at + SET]] - 1
            row = graph.heads[new, at + DECISION]
            graph.heads[new, at + DECISION] = kept[row - 1] + 1 if row else 0
        if graph.heads[new, BLOCK] != NONE:
            graph.heads[new, BLOCK] = children
            for child in range(start, start + count):
                value = graph.children[child]
                if value:
                    value = edges[value - 1] if carried else nodes[value - 1]
                graph.children[children] = value
                children += 1
    for child in range(children, before):
        graph.children[child] = 0
    for old in range(graph.sizes[EDGE]):
        if edges[old]:
            graph.edge_nodes[edges[old] - 1] = nodes[graph.edge_nodes[old]] - 1
            for column in range(carried):
                graph.edge_words[edges[old] - 1, column] = graph.edge_words[old, column]
    graph.sizes[GOAL], graph.sizes[CHILD] = goals, children


@native
def keep_joints(old: Graph, nodes: Marks, edges: Marks, keys: Words, table: Indices) -> int:
    """Enter joint moves of nodes that were kept into an empty table; how many there are."""
    count = 0
    for place in range(len(old.joint_table)):
        value = old.joint_table[place]
        if value == NONE or nodes[value >> np.int64(32)] == 0:
            continue
        owner, child = value >> np.int64(32), value & np.int64(LOW)
        picks = node_key(owner, old.joint_keys[place])
        new, target = nodes[owner] - 1, nodes[child - 1]
        if old.edge_words.shape[1]:
            target = edges[child - 1]
        entry = (np.int64(new) << np.int64(32)) | np.int64(target)
        count += add_key(keys, table, node_key(new, picks), entry)
    return count


@native
def keep_sets(graph: Graph, sets: Marks, places: Words) -> None:
    """Move sets to the front. places: an empty table for them"""
    moves = bounds = 0
    all_moves = graph.sizes[MOVE]
    last = graph.sizes[SETS] - 1
    for old in range(last + 1):
        if sets[old] == 0:
            continue
        first, bound = graph.set_rows[old, 0], graph.set_rows[old, 1]
        end = all_moves if old == last else graph.set_rows[old + 1, 0]
        new = sets[old] - 1
        graph.set_keys[new] = graph.set_keys[old]
        graph.set_rows[new, 0] = moves
        graph.set_rows[new, 1] = NONE if bound == NONE else bounds
        for move in range(first, end):
            graph.moves[moves] = graph.moves[move]
            if bound != NONE:
                graph.bounds[bounds] = graph.bounds[bound + move - first]
                bounds += 1
            moves += 1
    mask = np.uint64(len(places) - 1)
    for old in range(len(graph.set_places)):
        entry = graph.set_places[old, 1]
        if entry != np.uint64(0) and sets[np.int64(entry) - 1]:
            place = graph.set_places[old, 0] & mask
            while places[place, 1] != np.uint64(0):
                place = (place + np.uint64(1)) & mask
            places[place, 0] = graph.set_places[old, 0]
            places[place, 1] = np.uint64(sets[np.int64(entry) - 1])
    graph.sizes[MOVE], graph.sizes[BOUND] = moves, bounds


@native
def enter_nodes(graph: Graph, table: Words) -> None:
    """Enter all nodes into an empty table."""
    mask = np.uint64(len(table) - 1)
    for node in range(graph.sizes[NODE]):
        half = np.uint64(0)
        for word in range(graph.rows.shape[1]):
            half = folded(half, graph.rows[node, word])
        half &= LOW
        place = half & mask
        while table[place] != np.uint64(0):
            place = (place + np.uint64(1)) & mask
        table[place] = (half << HALF) | np.uint64(node + 1)
