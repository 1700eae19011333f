"""The preorder of a tree whose nodes stand in another order, worked out level by level."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def preorder(parents: Indices, actions: Indices, depths: Indices) -> tuple[Indices, Indices]:
    """The nodes in preorder, and the parents of the nodes by their new numbers.

    parents: (n,) -1 for the root. actions: (n,) the order among siblings. depths: (n,) 0 for it.
    """
    count = len(parents)
    by_depth = np.argsort(depths, kind="stable")
    bounds = np.searchsorted(depths[by_depth], np.arange(int(depths.max()) + 2))
    levels = [by_depth[start:end] for start, end in pairwise(bounds.tolist())]
    sizes = np.ones(count, np.int64)
    for level in reversed(levels[1:]):
        np.add.at(sizes, parents[level], sizes[level])
    # Before each node come the subtrees of the siblings before it.
    siblings = np.lexsort((actions, parents))
    total = np.cumsum(sizes[siblings]) - sizes[siblings]
    owners = parents[siblings]
    is_first = np.concatenate(([True], owners[1:] != owners[:-1]))
    starts = total[is_first][np.cumsum(is_first) - 1]
    offsets = np.empty(count, np.int64)
    offsets[siblings] = total - starts
    places = np.zeros(count, np.int64)
    for level in levels[1:]:
        places[level] = places[parents[level]] + 1 + offsets[level]
    order = np.empty(count, np.int64)
    order[places] = np.arange(count)
    old_parents = parents[order]
    return order, np.where(old_parents < 0, -1, places[old_parents])
