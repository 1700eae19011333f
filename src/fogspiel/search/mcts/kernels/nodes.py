"""Flat arrays of the forest and of the tree that simulations walk through.

Kernels that walk (`tree_arrays`) and that add nodes (`tree_nodes`) are compiled with these numbers
in them: here, a change makes both compile again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.hash_table import NONE

NO_NODE = NONE
"""No node, and in the table of a forest a free place."""
END, BLOCK, HEAD = 0, 1, 2
"""Columns of `heads`: the row of goals, the first child; then three for each role."""
FIRST, COUNT, DECISION = 0, 1, 2
"""Of each role: its first arm or move of chance, or its only move; how many; its decision."""
NUMBERS = 3


class Arrays(NamedTuple):
    """The forest, as kernels take it."""

    sizes: NDArray[np.int64]
    """(2,) how many nodes and arms there are."""
    table_keys: NDArray[np.uint64]
    table_nodes: NDArray[np.int64]
    """(places,) the node of each key; NO_NODE where a place is free."""
    first_arms: NDArray[np.int64]
    """(nodes,)"""
    arm_counts: NDArray[np.int64]
    """(nodes,)"""
    visits: NDArray[np.float64]
    """(nodes,) simulations that came here, also those that are still under way."""
    moves: NDArray[np.int32]
    """(arms,)"""
    arm_visits: NDArray[np.float64]
    """(arms,) simulations that went on this way, also those that are still under way."""
    arm_returns: NDArray[np.float64]
    """(arms,) simulations that have come to their end."""
    arm_values: NDArray[np.float64]
    """(arms,) what these brought, in all: between 0 and 1 each."""
    scores: NDArray[np.float64]
    """(arms,) what the rule keeps to choose by: weights or regrets."""
    strategy: NDArray[np.float64]
    """(arms,) the probabilities of choosing it, added up."""


class TreeNodes(NamedTuple):
    """States with what is known there, and where they lead."""

    sizes: NDArray[np.int64]
    """(5,) nodes, rows of goals, moves of chance, children, and joint moves in the table."""
    rows: NDArray[np.uint64]
    """(nodes, known + words) what roles know, and the state."""
    table: NDArray[np.int64]
    """(places,) nodes by the hash of their rows."""
    heads: NDArray[np.int32]
    """(nodes, 2 + 3 * roles) all that a walk needs of a node, side by side."""
    goals: NDArray[np.float64]
    """(ends, roles) values where the game is over."""
    chance_bounds: NDArray[np.float64]
    """Sums of the weights of chance up to each move, of one node after the other."""
    chance_moves: NDArray[np.int32]
    children: NDArray[np.int32]
    """Of nodes with few joint moves: one more than the node that each leads to, in lexicographic
    order; 0 where it was not made."""
    joint_keys: NDArray[np.uint64]
    """(places,) hashes of the joint moves of other nodes."""
    joint_table: NDArray[np.int64]
