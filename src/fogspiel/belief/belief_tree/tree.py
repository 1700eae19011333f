"""A belief state tree: histories as nodes, each with its probability below its parent.

Source: Geißer, Keller and Mattmüller (2014), the NORNS algorithm, sections 3.2.1 and 3.2.3.
Departures: a set of nodes of one layer is removed at once, which the paper shows to be the same as
one after the other; and only part of a node's probability may go, which stands for children that
were found impossible before they became nodes.

Nodes lie in flat arrays. The children of a node are next to each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.successors import Indices, Reals, Successors, spread
from fogspiel.belief.transitions import Points
from fogspiel.core.growing_array import GrowingArray
from fogspiel.core.native import native

ROOT = 0
UNOPENED = -1


class BeliefTree:
    """Nodes with local probabilities; those of the children of a node sum to 1."""

    def __init__(self, start: Points, roles: int) -> None:
        self._points: GrowingArray[np.uint64] = GrowingArray(np.uint64, start.shape[1])
        self._joints: GrowingArray[np.int32] = GrowingArray(np.int32, roles)
        self._local: GrowingArray[np.float64] = GrowingArray(np.float64)
        self._parent: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._first: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._size: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._kept: GrowingArray[np.float64] = GrowingArray(np.float64)
        """Scratch: what is left of each node in a removal, 1 in between."""
        self._add(start, np.zeros((1, roles), np.int32), np.ones(1), np.full(1, ROOT))

    def __len__(self) -> int:
        """How many nodes there are, removed ones included."""
        return len(self._local)

    @property
    def points(self) -> Points:
        """(n, …)"""
        return self._points.rows

    @property
    def local(self) -> Reals:
        """(n,) the probability of each node, given its parent; 0 for a removed one."""
        return self._local.rows

    @property
    def parent(self) -> Indices:
        """(n,)"""
        return self._parent.rows

    @property
    def is_dead(self) -> bool:
        """Whether nothing is possible any more."""
        return bool(self._local.rows[ROOT] == 0.0)

    @property
    def bytes(self) -> int:
        """Memory in use."""
        pools = (self._points, self._joints, self._local, self._parent)
        return sum(pool.bytes for pool in pools) + 3 * self._first.bytes

    def unopened(self, nodes: Indices) -> NDArray[np.bool_]:
        """(n,) whether the children of each node are not yet known."""
        unopened: NDArray[np.bool_] = self._first.rows[nodes] == UNOPENED
        return unopened

    def open(self, nodes: Indices, fan: Successors, which: Indices) -> None:
        """Give nodes of one layer their children: those of the fan's points `which`.

        The fan holds steps that fit and their shares. What is missing in the shares are impossible
        children: their probability is removed.
        """
        sizes = fan.starts[which + 1] - fan.starts[which]
        owners, rows = spread(fan.starts[which], sizes)
        masses = fan.masses[which]
        self._first.rows[nodes] = len(self) + np.cumsum(sizes) - sizes
        self._size.rows[nodes] = sizes
        scale = np.where(masses > 0.0, masses, 1.0)[owners]
        self._add(fan.points[rows], fan.joints[rows], fan.shares[rows] / scale, nodes[owners])
        self.remove(nodes, masses)

    def add(self, parent: int, local: Reals) -> Indices:
        """Give a node children by hand, all with the same point."""
        first, size = len(self), len(local)
        points = np.repeat(self.points[parent][None, :], size, axis=0)
        joints = np.zeros((size, self._joints.rows.shape[1]), np.int32)
        self._first.rows[parent], self._size.rows[parent] = first, size
        self._add(points, joints, local, np.full(size, parent))
        return np.arange(first, first + size)

    def remove(self, nodes: Indices, left: Reals) -> None:
        """Bayes' rule after part of what lies under different nodes of one layer proved impossible.

        left: (n,) how much of each node's probability stays: 1 - P(c | h), 0 for all gone.
        Upwards, each child h of a parent e gets P'_e(h) = (1 - P(c|h)) / (1 - P(c|e)) P_e(h); a
        parent of which nothing is left is impossible too.
        """
        kept = self._kept.rows
        kept[nodes] = left
        layer = nodes
        while len(layer) and layer[0] != ROOT:
            parents = np.unique(self.parent[layer])
            _bayes(parents, self._first.rows, self._size.rows, self.local, kept)
            kept[layer] = 1.0
            layer = parents
        if kept[ROOT] == 0.0:
            self.local[ROOT] = 0.0
        kept[ROOT] = 1.0

    def descend(self, nodes: Indices, rng: np.random.Generator) -> Indices:
        """(n,) a child of each node, by local probabilities."""
        aims = rng.random(len(nodes))
        return _drawn(nodes, aims, self._first.rows, self._size.rows, self.local)

    def children(self, nodes: Indices) -> Indices:
        """All children of opened nodes that are possible."""
        _, rows = spread(self._first.rows[nodes], self._size.rows[nodes])
        return rows[self.local[rows] > 0.0]

    def histories(self, nodes: Indices, depth: int) -> NDArray[np.int32]:
        """(n, depth, roles) the joint moves that lead to nodes of one layer."""
        joints = np.empty((len(nodes), depth, self._joints.rows.shape[1]), np.int32)
        for step in range(depth - 1, -1, -1):
            joints[:, step] = self._joints.rows[nodes]
            nodes = self.parent[nodes]
        return joints

    def logs(self, nodes: Indices, depth: int) -> Reals:
        """(n,) logarithm of the probability of nodes of one layer: local ones along the way."""
        total = np.zeros(len(nodes))
        for _ in range(depth):
            with np.errstate(divide="ignore"):
                total += np.log(self.local[nodes])
            nodes = self.parent[nodes]
        return total

    def _add(
        self, points: Points, joints: NDArray[np.int32], local: Reals, parent: Indices
    ) -> None:
        count = len(points)
        self._points.add(points)
        self._joints.add(joints)
        self._local.add(local)
        self._parent.add(parent)
        self._first.add(np.full(count, UNOPENED))
        self._size.add(np.zeros(count, np.int64))
        self._kept.add(np.ones(count))


@native
def _bayes(parents: Indices, first: Indices, size: Indices, local: Reals, kept: Reals) -> None:
    """Local probabilities of all children of some nodes, and what is left of these nodes."""
    for parent in parents:
        begin, end = first[parent], first[parent] + size[parent]
        total = 0.0
        for child in range(begin, end):
            total += local[child] * kept[child]
        kept[parent] = total
        for child in range(begin, end):
            local[child] = local[child] * kept[child] / total if total > 0.0 else 0.0


@native
def _drawn(nodes: Indices, aims: Reals, first: Indices, size: Indices, local: Reals) -> Indices:
    """A child of each node: the first at which the probabilities reach the aim."""
    chosen = np.empty(len(nodes), np.int64)
    for row in range(len(nodes)):
        begin, end = first[nodes[row]], first[nodes[row]] + size[nodes[row]]
        passed, pick = 0.0, -1
        for child in range(begin, end):
            if local[child] > 0.0:
                pick = child
                passed += local[child]
                if passed > aims[row]:
                    break
        chosen[row] = pick
    return chosen
