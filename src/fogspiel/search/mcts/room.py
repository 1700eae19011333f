"""Memory of a search: a limit, and what is given up between two turns of a match.

After a move much of a tree cannot happen any more. Where it takes much of the memory, the nodes
that can still be reached from the roots are kept, with their decisions, and all others are dropped;
the search goes on with what it learnt. Decisions found by what simulations carry are kept where a
simulation could still come to them. Where there is no time for that, too much to follow, or little
room thereafter, the search begins anew.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.kernels.words import NONE
from fogspiel.search.mcts.growth import FIRST_PLACES, SearchTree, places_for
from fogspiel.search.mcts.kernels.compaction import (
    enter_nodes,
    keep_decisions,
    keep_joints,
    keep_keys,
    keep_nodes,
    keep_sets,
    present_heads,
    present_rows,
)
from fogspiel.search.mcts.kernels.decisions import ROWS
from fogspiel.search.mcts.kernels.graph import EDGE, JOINT, NODE, SETS
from fogspiel.search.mcts.kernels.marking import (
    joint_lists,
    mark_carried,
    mark_decisions,
    mark_nodes,
    mark_sets,
    number,
)
from fogspiel.search.mcts.kernels.simulations import SearchOrder

MEMORY_SHARE = 1.0 / 16.0  #: Share of the machine's memory that a search may take
LEAST_BYTES, MOST_BYTES = 1 << 26, 1 << 30
PRUNED_FROM = 0.5
"""Share of the memory that is used before a tree is pruned, of that which was free after the last
time."""
KEPT_SHARE = 0.75  #: Share of the memory that a pruned tree may take
PRUNED_BYTES_A_SECOND = 1 << 30  #: Memory of a tree that is pruned in a second, by a careful guess
PRUNING_SHARE = 0.5  #: Share of a turn that pruning may take
PAIRS = 1 << 22  #: Pairs of a node and what is known there that are followed when a tree is pruned


def default_max_bytes() -> int:
    """The memory that a search may take: a sixteenth of the machine's, a gigabyte at most."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not a Unix
        return MOST_BYTES // 2
    return max(LEAST_BYTES, min(MOST_BYTES, int(MEMORY_SHARE * memory)))


def is_crowded(tree: SearchTree) -> bool:
    """Whether so much memory is used that what cannot happen any more should go."""
    free = tree.max_bytes - tree.kept_bytes
    return tree.bytes > tree.kept_bytes + PRUNED_FROM * free


def pruned(tree: SearchTree, order: SearchOrder, headers: int, budget: Budget) -> bool:
    """Keep what simulations of an order can still come to; False if the search must begin anew.

    headers: header rows of a decision. No simulation may be under way.
    """
    if tree.bytes / PRUNED_BYTES_A_SECOND >= PRUNING_SHARE * budget.seconds_left:
        return False
    graph, decisions, columns = tree.graph, tree.decisions, order.columns
    nodes, edges, sets = (np.zeros(int(graph.sizes[c]), np.int32) for c in (NODE, EDGE, SETS))
    kept = np.zeros(int(decisions.sizes[ROWS]), np.int32)
    first = np.full(len(nodes), NONE)
    following = np.full(len(graph.joint_table), NONE)
    joint_lists(graph, first, following)
    if order.root_keys.shape[1]:
        met = np.zeros((2 * PAIRS, 2), np.uint64)
        pairs = np.zeros((PAIRS, 1 + order.root_keys.shape[1]), np.uint64)
        if not mark_carried(
            graph, decisions, columns, order.combine, order.roots, order.root_keys, first,
            following, met, pairs, kept,
        ):  # fmt: skip
            return False
    mark_nodes(graph, order.roots, first, following, nodes, edges)
    mark_decisions(graph, decisions, columns, nodes, kept)
    mark_sets(graph, nodes, sets)
    present_heads(graph, decisions, columns)
    places = np.empty(len(decisions.table), np.int64)
    present_rows(decisions, places)
    keep_decisions(decisions, headers, kept)
    tree.decisions = decisions._replace(table=np.zeros((_places(kept), 2), np.uint64))
    keep_keys(decisions, places, kept, tree.decisions)
    counts = [number(marks) for marks in (nodes, edges, sets)]
    keep_nodes(graph, nodes, edges, sets, kept)
    graph.sizes[[NODE, EDGE]] = counts[:2]
    joint_places = places_for(int(graph.sizes[JOINT]), FIRST_PLACES)
    joint_keys, joint_table = np.zeros(joint_places, np.uint64), np.full(joint_places, NONE)
    graph.sizes[JOINT] = keep_joints(graph, nodes, edges, joint_keys, joint_table)
    set_places = np.zeros((places_for(counts[2], FIRST_PLACES), 2), np.uint64)
    keep_sets(graph, sets, set_places)
    graph.sizes[SETS] = counts[2]
    table = np.zeros(places_for(counts[0], FIRST_PLACES), np.uint64)
    enter_nodes(graph, table)
    tree.graph = graph._replace(
        table=table, joint_keys=joint_keys, joint_table=joint_table, set_places=set_places
    )
    tree.kept_bytes = tree.bytes
    return tree.kept_bytes <= KEPT_SHARE * tree.max_bytes


def _places(kept: NDArray[np.int32]) -> int:
    return places_for(int(np.count_nonzero(kept)), FIRST_PLACES)
